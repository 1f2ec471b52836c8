"""A measure for each value of a column, for each month, or for the groups that reach a bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sql_engine.offline.carried import spans_all
from sql_engine.offline.columns import ColumnData, holds_years
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.question import NumberMention, Trigger, covering
from sql_engine.offline.scope import Key, Made, Scope, Slot
from sql_engine.offline.shapes.ordering import in_order
from sql_engine.offline.spans import ISO_MONTH
from sql_engine.offline.tree import All, Col, Facet, Grouped, Measure
from sql_engine.words import name_words

UNITS = {
    "month": Facet.MONTH,
    "monthly": Facet.MONTH,
    "quarter": Facet.QUARTER,
    "quarterly": Facet.QUARTER,
    "year": Facet.YEAR,
    "yearly": Facet.YEAR,
    "annual": Facet.YEAR,
    "day": Facet.DAY,
    "daily": Facet.DAY,
    "week": Facet.WEEK,
    "weekly": Facet.WEEK,
    "weekday": Facet.WEEKDAY,
}
_DAY_OF_WEEK = ("day", "of", "the", "week")
_WHICH = frozenset(["which", "what"])
_SORTING = frozenset(["sort", "arrange"])
_ADVERBS = frozenset({"monthly", "quarterly", "yearly", "annual", "daily", "weekly"})


def groups(scope: Scope) -> Iterator[Made]:
    """A measure for each key that a "by" or "per" names, in the order that is asked for."""
    if scope.question.words[0].folded in _SORTING:
        return  # "sort shifts by hours" lists them
    for made in _groups(scope):
        yield made
        ordered = in_order(scope, made)
        if ordered is not None:
            yield ordered


def _groups(scope: Scope) -> Iterator[Made]:
    keys = list(group_keys(scope))
    if not keys:
        return
    measures = list(scope.measures())
    for col, key_mask, key_features in keys:
        for measure, mask, features in measures:
            if mask & key_mask or measure.col == col:
                continue
            if measure.fn == "mean" and scope.column(col).encoded(col.facet).unique:
                continue  # "the average per boat" is one over the boats
            told = [*key_features, *features]
            if scope.column(col).numeric and col.facet is Facet.VALUE:
                told.append(("group_by_number", 1.0))
            yield Grouped(scope.rows, (col,), (measure,)), mask | key_mask, told
    for col, key_mask, key_features in keys:
        for measures_of, mask, features in scope.several_measures(key_mask):
            if col not in {measure.col for measure in measures_of}:
                yield (
                    Grouped(scope.rows, (col,), measures_of),
                    mask | key_mask,
                    [*key_features, *features],
                )
    for one, two in _pairs(scope, keys):
        for measure, mask, features in measures:
            if not mask & (one[1] | two[1]):
                tree = Grouped(scope.rows, (one[0], two[0]), (measure,))
                yield tree, mask | one[1] | two[1], [*one[2], *two[2], *features]


def shares_of_groups(scope: Scope) -> Iterator[Made]:
    """What part of all rows, or of a sum, each group is: "share of each status"."""
    if not isinstance(scope.rows, All):
        return
    for trigger in scope.of("share"):
        for col, key_mask, key_features in group_keys(scope):
            features = [("share_told", 1.0), *key_features]
            mask = trigger.mask | key_mask | covering(scope.of("sum")[:1])
            amounts = [s for s in scope.named_amounts() if not s.mask & mask and s.col != col]
            for slot in amounts:
                tree = Grouped(scope.rows, (col,), (Measure("share", slot.col),))
                yield tree, mask | slot.mask, [*features, *slot.features]
            told = [*features, ("share_of_rows", 1.0), *scope.rows_named]
            yield Grouped(scope.rows, (col,), (Measure("share"),)), mask, told


def _pairs(scope: Scope, keys: list[Key]) -> Iterator[tuple[Key, Key]]:
    """Two keys: each told by a "by" of its own, or joined by an "and"."""
    for one in keys:
        for two in keys:
            if one[1] < two[1] and not one[1] & two[1] and one[0].index != two[0].index:
                yield one, two
        after = one[1].bit_length()
        joined = scope.question.words[after : after + 1]
        if not joined or joined[0].folded != "and":
            continue
        for slot in scope.named():
            column = scope.column(slot.col)
            told = slot.first == after + 1 and slot.col.index != one[0].index
            if told and not column.amount and not column.encoded().unique:
                yield one, (slot.col, slot.mask | 1 << after, [*slot.features])
        if (unit := unit_at(scope, after + 1)) is not None:
            facet, mask = unit
            yield from ((one, key) for key in _time_keys(scope, facet, 1 << after | mask))


def unit_at(scope: Scope, place: int) -> tuple[Facet, int] | None:
    """The stretch of time that a word names, with its mask: "by depot and month"."""
    words = scope.question.words[place:]
    if not words or scope.taken >> place & 1:
        return None
    if tuple(word.folded for word in words[: len(_DAY_OF_WEEK)]) == _DAY_OF_WEEK:
        return Facet.WEEKDAY, 15 << place
    facet = UNITS.get(words[0].stem)
    return None if facet is None else (facet, 1 << place)


def asked_times(scope: Scope) -> Iterator[Slot]:
    """The stretches of time of which one is asked for: "which month", "the busiest weekday"."""
    ranked = {t.last for t in scope.of("most", "least", "superlative")}
    for i, word in enumerate(scope.question.words):
        if word.folded not in _WHICH and i not in ranked:
            continue
        if (unit := unit_at(scope, i + 1)) is not None:
            for col, mask, features in _time_keys(scope, *unit):
                told = {name: value for name, value in features if name.startswith("slot")}
                if told.pop("slot_only", 0.0):
                    told["slot_named"] = NAMED
                yield Slot(col, mask, tuple(told.items()))


def group_keys(scope: Scope) -> Iterator[Key]:
    """Columns to group by, each with the words that say so."""
    words = scope.question.words
    for trigger in scope.of("group"):
        if spans_all(scope.question, trigger.last):
            continue
        for value in scope.told_in_part():
            if value.first == trigger.last + 1:
                told = [("group_told", 1.0), ("slot_named", value.score)]
                yield Col(value.column), value.mask | trigger.mask, told
        first = {slot.col: slot for slot in scope.named_from(trigger.last + 1, 2)}
        named = [slot for slot in scope.named() if slot.col not in first]
        for slot in (*first.values(), *named):
            if 0 < slot.first - trigger.last <= 2 and not (
                slot.mask & scope.doers
                or scope.only_qualifies(slot)
                or _is_divisor(scope, trigger, slot)
            ):
                told_of = slot.mask | trigger.mask | scope.kinds_of(slot.col)
                yield slot.col, told_of, [("group_told", 1.0), *slot.features]
        for i in (trigger.last + 1, trigger.last + 2):
            if (unit := unit_at(scope, i)) is not None:
                twice = trigger.first and words[trigger.first - 1].folded == words[i].folded
                mask = trigger.mask | unit[1] | (1 << trigger.first - 1 if twice else 0)
                yield from _time_keys(scope, unit[0], mask)
    for i, word in enumerate(words):
        if word.folded in _ADVERBS:
            yield from _time_keys(scope, UNITS[word.folded], 1 << i)


def _is_divisor(scope: Scope, trigger: Trigger, slot: Slot) -> bool:
    """Whether "per week" divides by a column of "Weeks" instead of naming one week."""
    column, last = scope.column(slot.col), slot.mask.bit_length() - 1
    plural = column.name.lower().endswith("s") or _hardly_repeats(column)
    per = scope.question.words[trigger.last].folded == "per"
    return (
        per and column.amount and plural and not (scope.question.words[last].folded.endswith("s"))
    )


def _hardly_repeats(column: ColumnData) -> bool:
    """Whether hardly two rows have the same amount, so that it parts them into no groups."""
    encoded = column.encoded()
    present = int((np.bincount(encoded.codes + 1, minlength=1) > 0).sum())
    return 2 * present > len(encoded.codes)


def _time_keys(scope: Scope, facet: Facet, mask: int) -> Iterator[Key]:
    """The dates that a "per month" may be of; where words outside it name one, that alone."""
    columns = list(enumerate(scope.data.columns))
    years = [i for i, c in columns if facet is Facet.YEAR and holds_years(c)]
    dates = [i for i, column in columns if column.temporal or _spans_within(column, facet)]
    said = {i: _said_of(scope, i, mask) for i in (*dates, *years)}
    own = scope.own_dates(dates)
    for index in [i for i, words in said.items() if words] or own:
        whole = index in years or (facet is Facet.MONTH and scope.data.columns[index].spans)
        col = Col(index) if whole else Col(index, facet)
        features = [("group_told", 1.0), ("group_time", 1.0)]
        if said[index]:
            score = max((m.score for m in scope.names if m.column == index), default=NAMED)
            features.append(("slot_named", max(score, NAMED)))
        else:
            features.append(("slot_only" if len(own) == 1 else "slot_floating", 1.0))
        yield col, mask | said[index], features


def _spans_within(column: ColumnData, facet: Facet) -> bool:
    """Whether texts are months that a stretch of time is made of, or are themselves."""
    wanted = (Facet.YEAR, Facet.QUARTER, Facet.MONTH)
    months = column.spans is not None and all(map(ISO_MONTH.fullmatch, column.texts))
    return months and facet in wanted


def _said_of(scope: Scope, index: int, taken: int) -> int:
    """Mask of the words that a date's name has: "registered per year" is of "First registered"."""
    names = set(name_words(scope.data.columns[index].name)) - lexicon().function
    words = enumerate(scope.question.words)
    said = sum(1 << i for i, word in words if word.stem in names)
    return said & ~(taken | scope.taken)


NAMED = 0.8
"""How well a verb names the date that tells when it was done."""


def having(scope: Scope) -> Iterator[Made]:
    """Groups whose count or total compares with a number."""
    for trigger, number in _compared(scope):
        if number.counts and not number.mask & scope.taken:
            yield from _having(scope, trigger, number)


def _compared(scope: Scope) -> Iterator[tuple[Trigger, NumberMention]]:
    """The numbers beside a comparison: "more than 5", "5 or more"."""
    for number in scope.question.numbers:
        for trigger in scope.of("compare_number"):
            if 0 < number.first - trigger.last <= 2:
                yield trigger, number
        for trigger in scope.of("compare_number_after"):
            if 0 < trigger.first - number.last <= 2:
                yield trigger, number


def _having(scope: Scope, trigger: Trigger, number: NumberMention) -> Iterator[Made]:
    told = trigger.mask | number.mask
    bound = ((trigger.sense.argument, number.value),)
    for key in scope.labels(told, floating=False):
        if scope.column(key.col).amount:
            continue
        for measure, mask, features in scope.measures():
            if mask & (told | key.mask) or measure.col == key.col:
                continue
            tree = Grouped(scope.rows, (key.col,), (measure,), having=bound)
            extra = [("having", 1.0), *features, *key.out()]
            if measure.col is None and scope.row_words >> number.last:
                extra.append(("having_rows", 1.0))
            used = told | mask | key.mask | scope.every(key.mask)
            yield tree, used, extra
            silent = [*extra, ("group_hidden", 1.0)]
            yield replace(tree, show=False), used, silent
            if measure.col is None:
                for both, more, why in _second_bound(scope, tree, used):
                    yield both, used | more, [*silent, *why]


def _second_bound(scope: Scope, tree: Grouped, used: int) -> Iterator[Made]:
    """The groups of so many rows whose total or average compares with another number as well."""
    for trigger, number in _compared(scope):
        told = trigger.mask | number.mask
        if told & (used | scope.taken):
            continue
        bound = (trigger.sense.argument, number.value)
        for measure, mask, features in scope.measures():
            if measure.col is None or mask & (told | used) or measure.col in tree.keys:
                continue
            measures = (*tree.measures, measure)
            both = replace(tree, measures=measures, having=(*tree.having, bound), show=False)
            yield both, told | mask, [("second_bound", 1.0), *features]
