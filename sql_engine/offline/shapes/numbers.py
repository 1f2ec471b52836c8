"""One number or truth about the rows that the conditions select."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval.table import Kind
from sql_engine.offline.carried import in_units_of
from sql_engine.offline.columns import ColumnData
from sql_engine.offline.directions import runs_against
from sql_engine.offline.question import BEING, Trigger, covering
from sql_engine.offline.scope import Made, Scope, Slot, Told
from sql_engine.offline.tree import (
    Agg,
    All,
    Beyond,
    Col,
    Grouped,
    Holds,
    Measure,
    Values,
    Where,
)
from sql_engine.words import name_words

_ASKS_FOR_THINGS = frozenset(["which", "who", "whom", "whose", "where", "when"])
"""Words that open a question which no count answers."""


def counts(scope: Scope) -> Iterator[Made]:
    """How many rows, or how many different values."""
    told = scope.of("count")
    if not told and (scope.narrowed or _asks_for_things(scope)):
        return
    mask = covering((*told, *scope.of("count_in_all")))
    base = [("count_told" if told else "count_untold", 1.0), *scope.rows_named]
    yield Agg("count", scope.rows), mask, base
    yield from _distinct_counts(scope, told[0] if told else None, mask, base)


def _asks_for_things(scope: Scope) -> bool:
    """Whether the question opens with a word that no count answers: "who", "what is the fare"."""
    opened = [word.folded for word in scope.question.words[:3]]
    what = opened[:1] == ["what"] and opened[1:2] == ["is"] and opened[2:] == ["the"]
    return what or opened[0] in _ASKS_FOR_THINGS


def _distinct_counts(
    scope: Scope, trigger: Trigger | None, mask: int, base: list[tuple[str, float]]
) -> Iterator[Made]:
    distinct = scope.of("distinct")
    mark = ("distinct_told" if distinct else "distinct_untold", 1.0)
    told = mask | covering(distinct[:1])
    for slot in scope.named():
        features = [*base, *slot.features, mark]
        if trigger and 0 < slot.first - trigger.last <= 2 + bool(distinct):
            features.append(("count_of_column", 1.0))
        column = scope.column(slot.col)
        counted = trigger is not None and scope.noun_of(trigger, slot)
        partly = dict(slot.features)["slot_named"] < 0.8 and bool(scope.conditions.node)
        if not distinct and (column.amount or not counted):
            continue
        if scope.only_qualifies(slot):
            continue
        by_deed = column.repeats and not _is_done_to(scope, slot)
        if not distinct and partly and not (column.encoded().unique or by_deed):
            continue  # "how many books are out" may count titles as well as loans
        if column.encoded().unique:
            features.append(("count_of_unique", 1.0))
        if column.numeric:
            features.append(("count_of_number", 1.0))
        if column.temporal:
            features.append(("count_of_time", 1.0))
        yield Agg("distinct", scope.rows, slot.col), told | slot.mask, features


def _is_done_to(scope: Scope, slot: Slot) -> bool:
    """Whether "were" or "did" follows what is counted: "how many books were borrowed"."""
    after = scope.question.words[slot.mask.bit_length() :][:1]
    return bool(after) and after[0].folded in BEING | _DOING


_DOING = frozenset(["do", "does", "did"])


def aggregates(scope: Scope) -> Iterator[Made]:
    """A sum, mean, median, maximum or minimum of a column."""
    for fn, mask, features in scope.functions():
        slots = scope.ordered() if fn in ("max", "min") else [*scope.amounts(), *scope.in_text()]
        called = scope.called(mask)
        if called is not None:
            named = ("slot_named", 1.0)
            yield Agg(fn, scope.rows, Col(called)), mask, [*features, named]
        for slot in scope.beside(mask, slots):
            if _is_said_of_thing(scope, mask, slot):
                continue
            if not slot.mask & mask and (slot.mask or called is None):
                told = [*features, *slot.features]
                meant = scope.turned(fn, mask, slot.col)
                yield Agg(meant, scope.rows, slot.col), mask | slot.mask, told
    yield from _hinted(scope)
    dated = [slot for slot in scope.ordered() if _tells_when(scope.column(slot.col))]
    when = any(word.folded == "when" for word in scope.question.words)
    own = scope.own_dates([slot.col.index for slot in dated]) if when else []
    for trigger in scope.of("first", "last"):
        fn = "min" if trigger.sense.operator == "first" else "max"
        for slot in dated:
            if slot.mask & trigger.mask:
                continue  # "last" is a part of "Last service"
            if slot.mask or own == [slot.col.index]:
                price = slot.features if slot.mask else [("slot_only", 1.0)]
                features = [(f"{trigger.sense.operator}_told", 1.0), *price]
                yield Agg(fn, scope.rows, slot.col), trigger.mask | slot.mask, features


def _is_said_of_thing(scope: Scope, operator: int, slot: Slot) -> bool:
    """Whether "best rated" stands right before a thing that is asked for: "best rated supplier"."""
    after = slot.mask.bit_length()
    words = scope.question.words
    said = bool(slot.mask) and words[after - 1].folded.endswith("ed")
    return said and scope.follows(operator, slot) and scope.names_thing(after)


def _tells_when(column: ColumnData) -> bool:
    return column.temporal or column.runs or column.kind is Kind.TIME


def _hinted(scope: Scope) -> Iterator[Made]:
    """The extreme of a column that an adjective speaks of: the "longest" of "Days kept"."""
    for trigger in scope.of("superlative"):
        fn = "max" if trigger.sense.argument == "+" else "min"
        manner = scope.question.words[0].folded == "how"
        if scope.names_thing(trigger.last + 1) and not manner:
            continue  # "the longest trip" is a row
        times = (s for s in scope.ordered() if s.mask and scope.column(s.col).kind is Kind.TIME)
        for slot in (*scope.amounts(), *times):
            column = scope.column(slot.col)
            hinted = bool(set(trigger.sense.hints) & set(name_words(column.name)))
            if not hinted and _is_noun_of(scope, trigger, slot):
                hinted = in_units_of(trigger.sense.hints, column)
            against = bool(slot.mask) and runs_against(trigger, column)
            if hinted or (against and trigger.sense.hints):
                meant = scope.turned(fn, trigger.mask, slot.col)
                told = [f for f in slot.features if f[0] != "slot_floating"]
                features = [(f"{meant}_told", 1.0), ("slot_hinted", 1.0), *told]
                yield Agg(meant, scope.rows, slot.col), trigger.mask | slot.mask, features


def _is_noun_of(scope: Scope, trigger: Trigger, slot: Slot) -> bool:
    """Whether an adjective is said of the column itself: "the longest wait", no "longest wait
    list".
    """
    after = slot.mask.bit_length()
    return bool(slot.mask) and scope.follows(trigger.mask, slot) and not scope.names_thing(after)


def several_aggregates(scope: Scope) -> Iterator[Made]:
    """Several functions of one or more columns, side by side."""
    named_so = (item for item in scope.functions() if scope.called(item[1]) is None)
    told = _each_once(sorted(named_so, key=lambda item: item[1]))
    joins = [i for i, word in enumerate(scope.question.words) if word.folded == "and"]
    between = [i for i in joins if told and told[0][1] < 1 << i < told[-1][1]]
    if len(told) < 2 or not between:
        return
    mask = 0
    features: list[tuple[str, float]] = [("several_functions", 1.0)]
    for _, each, more in told:
        mask |= each
        features += more
    named = [slot for slot in scope.named() if not slot.mask & mask]
    numbers = [slot for slot in named if scope.column(slot.col).numeric]
    for slot in numbers or [s for s in scope.amounts() if not s.mask]:
        measures = tuple(dict.fromkeys(Measure(fn, slot.col) for fn, _, _ in told))
        tree = Grouped(scope.rows, (), measures)
        yield tree, mask | slot.mask, [*features, *slot.features]
    pairs = _each_of_its_own(told, numbers)
    if pairs:
        measures = tuple(Measure(fn, slot.col) for fn, slot in pairs)
        used = mask | covering(slot for _, slot in pairs)
        slots = [feature for _, slot in pairs for feature in slot.features]
        yield Grouped(scope.rows, (), measures), used, [*features, *slots]


def _each_once(told: list[Told[str]]) -> list[Told[str]]:
    """The functions in order, of those that the same words tell the first."""
    kept: list[Told[str]] = []
    for each in told:
        if not any(each[1] & other[1] and each[0] == other[0] for other in kept):
            kept.append(each)
    return kept


def _each_of_its_own(told: list[Told[str]], numbers: list[Slot]) -> list[tuple[str, Slot]]:
    """The functions with the columns named after each, before the next: "the lowest price and the
    average weight". None where one has no column of its own.
    """
    starts = [*((mask & -mask).bit_length() - 1 for _, mask, _ in told[1:]), MAX_WORDS]
    pairs = []
    for (fn, mask, _), end in zip(told, starts, strict=True):
        own = [slot for slot in numbers if mask.bit_length() <= slot.first < end]
        if not own:
            return []
        pairs.append((fn, max(own, key=lambda slot: dict(slot.features)["slot_named"])))
    return pairs


MAX_WORDS = 1000


def several_columns(scope: Scope) -> Iterator[Made]:
    """One function of each of several columns."""
    for measures, mask, features in scope.several_measures():
        yield Grouped(scope.rows, (), measures), mask, features


def against_average(scope: Scope) -> Iterator[Made]:
    """Rows, or how many, whose value is above or below the average of its column."""
    for mean in scope.of("mean"):
        for sign in scope.of("compare_number"):
            if not 0 < mean.first - sign.last <= 2 or sign.sense.argument not in ("<", ">"):
                continue
            for key in scope.amounts():
                mask = mean.mask | sign.mask | key.mask
                bound = Agg("mean", All(), key.col)
                rows = Where(scope.rows, (Beyond(key.col, sign.sense.argument, bound),))
                features = [("against_average", 1.0), *key.features]
                counting = scope.of("count")
                if counting:
                    told = [*features, ("count_told", 1.0), *scope.rows_named]
                    yield Agg("count", rows), mask | counting[0].mask, told
                for cols, more, out in scope.outputs(mask, key.col):
                    yield Values(rows, cols), mask | more, [*features, *out]
                yield Values(rows, ()), mask, [*features, ("whole_rows", 1.0), *scope.rows_named]


def existence(scope: Scope) -> Iterator[Made]:
    """Whether there is such a row."""
    if isinstance(scope.rows, All) or _asks_for_things(scope):
        return
    for trigger in scope.of("exists"):
        yield Holds(">", Agg("count", scope.rows), 0.0), trigger.mask, [("exists_told", 1.0)]
