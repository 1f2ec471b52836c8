"""The rows or groups at an end: the largest, the smallest, the first, the last, the third."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData, holds_years
from sql_engine.offline.directions import runs_against
from sql_engine.offline.file_order import tells_place
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.question import Trigger, covering
from sql_engine.offline.scope import Made, Scope, Slot, Told
from sql_engine.offline.shapes.groups import asked_times
from sql_engine.offline.tree import Col, Facet, Grouped, Measure, Rows, Slice, Top, Values
from sql_engine.words import folded_words, name_words, stem


def top_rows(scope: Scope) -> Iterator[Made]:
    """Cells of the rows with the largest or smallest value of a column."""
    joined = _joining(scope)
    for trigger, largest in _directions(scope):
        if trigger.sense.operator in ("first", "last") and _is_of_list(scope):
            continue
        for key in _keys(scope, trigger):
            if _counts_rows(scope, trigger) and not scope.follows(trigger.mask, key):
                continue
            if key.mask and _is_asked_of(scope, trigger, key):
                continue
            if not key.mask and _names_no_amount(scope, trigger):
                continue
            upwards = _upwards(scope, trigger, key, largest)
            rows = Top(scope.rows, key.col, upwards, scope.n or 1, scope.nth)
            mask = trigger.mask | key.mask
            bare = key.col.index not in dated_by(scope, trigger)
            bare = bare and _asks_for_the_value(scope, trigger, key)
            features = [("top_rows", 1.0), (f"by_{trigger.sense.operator}", 1.0), *key.features]
            for cols, told, out in scope.outputs(mask, key.col):
                if told and _is_of_groups(scope, trigger, key, cols):
                    continue
                if (told or not bare) and not _counts_groups(scope, cols, told):
                    if scope.figure and len(cols) == 1:
                        both = [*features, *out, ("figure_told", 1.0)]
                        yield Values(rows, (*cols, key.col)), mask | told | scope.figure, both
                        continue
                    yield Values(rows, cols), mask | told, [*features, *out]
                    if len(cols) == 1 and joined and key.mask:
                        both = [*features, *out, ("key_shown", 1.0)]
                        yield Values(rows, (*cols, key.col)), mask | told | joined, both
            if bare:
                if scope.nth:
                    yield Values(rows, (key.col,), distinct=True), mask, features
                continue
            whole = [*features, ("whole_rows", 1.0), *scope.rows_named]
            yield Values(rows, ()), mask, whole


def narrowings(scope: Scope) -> Iterator[Told[Rows]]:
    """The rows at an end, of which something else is asked: "the capital of the largest state"."""
    for trigger, largest in _directions(scope):
        if trigger.sense.operator in ("first", "last"):
            continue
        keys = list(_keys(scope, trigger))
        named = [key for key in keys if key.mask or dict(key.features).get("slot_hinted")]
        for key in named or keys[:MAX_NARROWING]:
            rows = Top(scope.rows, key.col, _upwards(scope, trigger, key, largest), 1)
            told = [("narrowed", 1.0), *((f"narrowed_{n}", v) for n, v in key.features)]
            yield rows, trigger.mask | key.mask, told


MAX_NARROWING = 4
"""Columns tried for an end that names none."""


def _joining(scope: Scope) -> int:
    """Mask of an "and" that may join what is asked for with what it is ranked by."""
    words = enumerate(scope.question.words)
    return sum(1 << i for i, word in words if word.folded == "and")


def _asks_for_the_value(scope: Scope, trigger: Trigger, key: Slot) -> bool:
    """Whether "the highest price" or "which date" itself is asked for, not what has it.

    A price that follows the operator is, where nobody asks who, and no row is named before.
    """
    words = [word.folded for word in scope.question.words]
    if not key.mask or scope.of("details"):
        return False
    if key.first == 0 or words[key.first - 1] in ("which", "what"):
        return True
    if key.first > trigger.last and scope.by(key.mask & ~(1 << key.first)) & key.mask:
        return False  # "the second largest invoice by net" is an invoice
    before = scope.row_words & ((1 << trigger.first) - 1)
    return scope.follows(trigger.mask, key) and not before and not _ASKS_FOR_ROWS & set(words)


def _names_no_amount(scope: Scope, trigger: Trigger) -> bool:
    """Whether a "most" ends what is said: "which boat was hired most" ranks by no amount that it
    leaves untold.
    """
    if trigger.sense.operator not in ("most", "least"):
        return False
    after = scope.question.words[trigger.last + 1 : trigger.last + 2]
    return not after or after[0].folded in lexicon().function


def _counts_groups(scope: Scope, cols: tuple[Col, ...], named: int) -> bool:
    """Whether "top 3 customers" counts customers, who have many rows each: groups, no rows."""
    if scope.n is None or scope.n == 1 or len(cols) != 1 or not named:
        return False
    follows = (named & -named) == 1 << scope.n_mask.bit_length()
    return follows and not scope.column(cols[0]).encoded(cols[0].facet).unique


def _is_asked_of(scope: Scope, trigger: Trigger, key: Slot) -> bool:
    """Whether a column is asked of what is largest: "the area of the largest field"."""
    between = [w.folded for w in scope.question.words[key.mask.bit_length() : trigger.first]]
    return key.mask.bit_length() <= trigger.first and between[:1] == ["of"] and len(between) <= 2


def _counts_rows(scope: Scope, trigger: Trigger) -> bool:
    """Whether "the most orders" ranks by how many rows there are, and by no amount."""
    words = scope.question.words
    if trigger.sense.operator not in ("most", "least") or words[trigger.last].folded not in _MOST:
        return False
    counted = scope.row_words
    for slot in scope.named():
        counted |= 0 if scope.column(slot.col).measured else slot.mask
    return any(counted >> i & 1 for i in range(trigger.last + 1, trigger.last + 4))


_MOST = frozenset(["most", "least", "fewest"])


def _is_of_groups(scope: Scope, trigger: Trigger, key: Slot, cols: tuple[Col, ...]) -> bool:
    """Whether "the most goals" is said of a team, whose goals stand in many rows, or "the best
    score" of a team that has many scores.
    """
    if not key.mask or len(cols) != 1:
        return False
    column, amount = scope.column(cols[0]), scope.column(key.col)
    label = column.kind is Kind.TEXT and not column.encoded(cols[0].facet).unique
    if not label or not amount.amount or not scope.follows(trigger.mask, key):
        return False
    most = trigger.sense.operator in ("most", "least")
    return most or amount.intensive


def _asks_for_amount(scope: Scope, ranking: _Ranking, mask: int) -> bool:
    """Whether "the highest total" itself is asked for, and nothing that has it."""
    words = {word.folded for word in scope.question.words}
    named = [s for s in scope.named() if s.mask & mask]
    follows = any(scope.follows(ranking.mask, slot) for slot in named)
    return follows and not _ASKS_FOR_ROWS & words


_ASKS_FOR_ROWS = frozenset(["which", "who", "whose", "whom", "where", "when"])


def _directions(scope: Scope) -> Iterator[tuple[Trigger, bool]]:
    for trigger in scope.of("superlative"):
        yield trigger, trigger.sense.argument == "+"
    for trigger in scope.of("most", "maximum", "last"):
        yield trigger, True
    for trigger in scope.of("least", "minimum", "first"):
        yield trigger, False
    if scope.pair():
        asked = covering(scope.of("difference"))
        for trigger in scope.of("compare", "compare_less"):
            if trigger.mask & asked:
                continue
            yield trigger, trigger.sense.operator == "compare"


def _tells_times(scope: Scope, mask: int) -> bool:
    """Whether words say how often: "booked most often" ranks by no amount, only by how many."""
    said = (word for i, word in enumerate(scope.question.words) if mask >> i & 1)
    return any(word.stem in lexicon().frequent for word in said)


def _holds_times(column: ColumnData) -> bool:
    """Whether a column's name says how often: "Times", "Frequency"."""
    return bool(set(name_words(column.name)) & (_TIMES | lexicon().frequent))


_TIMES = frozenset(["time", "count", "number", "frequenc"])


def _keys(scope: Scope, trigger: Trigger) -> Iterator[Slot]:
    slots = scope.ordered()
    if trigger.sense.operator in ("first", "last"):
        held = {slot.col for slot in slots}
        slots = [*slots, *(slot for slot in scope.placed() if slot.col not in held)]
    if _tells_times(scope, trigger.mask):
        slots = [slot for slot in slots if _holds_times(scope.column(slot.col))]
    if trigger.sense.operator in ("superlative", "maximum", "minimum"):
        slots = scope.beside(trigger.mask, slots)
    if said := dated_by(scope, trigger):
        slots = [slot for slot in slots if slot.col.index in said]
    elif trigger.sense.operator in ("first", "last"):
        slots = _of_own_date(scope, slots)
    for slot in slots:
        if slot.mask & trigger.mask:
            if trigger.sense.operator == "superlative" and not slot.mask & ~trigger.mask:
                yield Slot(slot.col, 0, (("slot_hinted", 1.0),))  # "thickest" is of "Thickness"
            continue
        slot = Slot(slot.col, slot.mask | scope.by(slot.mask), slot.features)
        column = scope.column(slot.col)
        hinted_at = set(trigger.sense.hints) & set(name_words(column.name))
        if slot.col.facet is Facet.NUMBER and trigger.sense.hints and not hinted_at:
            continue  # "the most expensive item" is not that of the highest number in its name
        if _ranks_lengths(trigger) and _tells_clock(column):
            continue  # "open longest" is of no opening time
        if _is_of_each(scope, slot) and not _tells_rate(column):
            continue  # "the most expensive per night" has no most nights
        if trigger.sense.operator in ("first", "last"):
            if (
                column.kind is Kind.TIME
                and not slot.mask
                and any(map(_is_dated, scope.data.columns))
            ):
                continue  # the hour alone tells of no two days which came first
            if _tells_time(column) or holds_years(column) or tells_place(column):
                yield Slot(slot.col, slot.mask, (*slot.features, ("key_time", 1.0)))
        elif (runs_against(trigger, column) and (trigger.sense.hints or slot.mask)) or (
            column.measured and hinted_at
        ):
            hinted = tuple(f for f in slot.features if f[0] != "slot_floating")
            yield Slot(slot.col, slot.mask, (*hinted, ("slot_hinted", 1.0)))
        elif trigger.sense.hints and not slot.mask:
            continue
        elif (column.temporal or column.runs) and trigger.sense.operator in ("most", "least"):
            continue  # "borrowed most" ranks by no date
        elif column.temporal or column.runs:
            yield Slot(slot.col, slot.mask, (*slot.features, ("key_time_untold", 1.0)))
        else:
            yield slot


def _is_of_each(scope: Scope, slot: Slot) -> bool:
    """Whether a column is named with a "per" before it."""
    return slot.first >= 0 and scope.question.words[slot.first].folded == "per"


def _tells_rate(column: ColumnData) -> bool:
    """Whether a header says so much of one thing for each of another: "Price/night"."""
    return "/" in column.name or bool({"per", "pro"} & set(folded_words(column.name)))


def _ranks_lengths(trigger: Trigger) -> bool:
    """Whether "longest" or the like is said, of how long something takes."""
    return bool(set(trigger.sense.hints) & _LENGTHS)


_LENGTHS = frozenset(map(stem, ["length", "duration"]))


def _tells_clock(column: ColumnData) -> bool:
    """Whether a column holds times of day, and by its name no lengths of time."""
    lengths = set(name_words(column.name)) & lexicon().manner["long"]
    return column.kind is Kind.TIME and not lengths


def _of_own_date(scope: Scope, slots: list[Slot]) -> list[Slot]:
    """Where no word names a time, those that the rows came about on; what else there is, too."""
    times = [s.col.index for s in slots if _tells_time(scope.column(s.col))]
    if any(s.mask for s in slots if s.col.index in times):
        return slots
    own = scope.own_dates(times)
    if len(own) > 1:
        return slots
    sole = [Slot(s.col, 0, (("slot_only", 1.0),)) for s in slots if s.col.index in own]
    return [*sole, *(s for s in slots if s.col.index not in times)]


def dated_by(scope: Scope, trigger: Trigger) -> frozenset[int]:
    """The dates of what is done first or last: the "Lease ends" of "which lease ends first"."""
    if trigger.sense.operator not in ("first", "last") or not trigger.first:
        return frozenset()
    verb = trigger.first - 1
    return frozenset(
        name.column
        for name in scope.names
        if name.last == verb
        and scope.data.columns[name.column].temporal
        and name_words(scope.data.columns[name.column].name)[-1] == scope.question.words[verb].stem
    )


def _is_dated(column: ColumnData) -> bool:
    return column.kind in (Kind.DATE, Kind.TIMESTAMP)


def _upwards(scope: Scope, trigger: Trigger, key: Slot, largest: bool) -> bool:
    """Whether the largest key is meant, where the word says the largest thing."""
    return largest != runs_against(trigger, scope.column(key.col))


def _tells_time(column: ColumnData) -> bool:
    told = bool({"year", "date", "season"} & set(name_words(column.name)))
    return told or column.temporal or column.runs or column.kind is Kind.TIME


def top_groups(scope: Scope) -> Iterator[Made]:
    """The groups with the largest or smallest count or total."""
    if scope.nth:
        return
    for ranking in _rankings(scope):
        for measure, mask, features in scope.measures():
            if mask & ranking.mask or measure.fn in ("max", "min"):
                continue
            if ranking.of_amounts and not (measure.col and mask):
                continue
            by = scope.by(mask) if mask else 0
            if ranking.needs_by and not by:
                continue
            if _means_nothing(scope, ranking, measure, mask):
                continue
            if measure.col and _is_of_one_row(scope, ranking):
                continue
            times = _tells_times(scope, ranking.mask)
            if times and measure.col and not _holds_times(scope.column(measure.col)):
                continue
            alone = measure.col is not None and _asks_for_amount(scope, ranking, mask)
            for key in _ranked_keys(scope, ranking, mask | by, measure):
                if alone and not key.mask:
                    continue
                largest = ranking.largest != _ranks_against(scope, ranking, measure)
                tree = Grouped(scope.rows, (key.col,), (measure,), largest=largest, n=scope.n or 1)
                told = [("top_groups", 1.0), (f"by_{ranking.operator}", 1.0), *features]
                if measure.col is None:
                    told += scope.rows_named
                told += key.out()
                used = ranking.mask | mask | by | key.mask | scope.by(key.mask)
                if scope.figure:
                    yield tree, used | scope.figure, [*told, ("figure_told", 1.0)]
                    continue
                yield tree, used, told
                yield replace(tree, show=False), used, [*told, ("group_hidden", 1.0)]


def _is_of_one_row(scope: Scope, ranking: _Ranking) -> bool:
    """Whether "the town with the most residents" or "the highest rated player" is ranked, of which
    something else is asked.
    """
    words = [word.folded for word in scope.question.words]
    if _names_one_row(scope, ranking, words):
        return True
    place = (ranking.mask & -ranking.mask).bit_length() - 1
    while place > 0 and words[place - 1] in _HAVING:
        place -= 1
    noun = place - 1
    one = noun > 0 and words[noun - 1] == "the" and not words[noun].endswith("s")
    return one and bool(scope.row_words >> noun & 1)


def _names_one_row(scope: Scope, ranking: _Ranking, words: list[str]) -> bool:
    """Whether an adjective after "of the" is said of one of the rows."""
    first, after = (ranking.mask & -ranking.mask).bit_length() - 1, ranking.mask.bit_length()
    nouns = (i for i in range(after, after + 2) if scope.row_words >> i & 1)
    of_one = any(not words[i].endswith("s") for i in nouns)
    return of_one and words[max(0, first - 2) : first] == ["of", "the"]


_HAVING = frozenset(["with", "having", "that", "has", "the"])


def _means_nothing(scope: Scope, ranking: _Ranking, measure: Measure, mask: int) -> bool:
    """Whether groups are ranked by what no word says: "the best team" by how many rows it has,
    "the worst rating" by the sum of ratings.
    """
    if ranking.operator not in ("superlative", "maximum", "minimum"):
        averaged = any(t.mask & mask for t in scope.of("mean"))
        return measure.fn == "mean" and not averaged  # "the most" is how much in all
    if measure.col is None:
        return not mask
    summed = measure.fn == "sum" and not any(t.mask & mask for t in scope.of("sum"))
    return summed and scope.column(measure.col).intensive


@dataclass(frozen=True, slots=True)
class _Ranking:
    """Words that say by which end groups are ranked."""

    mask: int
    operator: str
    largest: bool
    of_amounts: bool = False
    """They rank amounts, never how many: "longest", "cheapest"."""
    needs_by: bool = False
    """They rank only beside "by": "by total rain, which site comes first?"."""


def _rankings(scope: Scope) -> Iterator[_Ranking]:
    for trigger, largest in _directions(scope):
        operator = trigger.sense.operator
        if operator not in ("first", "last", "compare", "compare_less"):
            yield _Ranking(trigger.mask, operator, largest, bool(trigger.sense.hints))
    ranks = covering(scope.of("rank")[:1])
    ends = [t for t in scope.of("first", "last") if scope.question.words[t.last].folded in _PLACES]
    for trigger in ends:
        largest = trigger.sense.operator == "first"
        yield _Ranking(trigger.mask | ranks, "superlative", largest, needs_by=True)
    if ranks and scope.n and not ends:
        yield _Ranking(ranks, "superlative", True, needs_by=True)


def _ranks_against(scope: Scope, ranking: _Ranking, measure: Measure) -> bool:
    """Whether the best groups are those with the least: the best average wait is the shortest."""
    return measure.col is not None and any(
        runs_against(trigger, scope.column(measure.col))
        for trigger in scope.of("superlative")
        if trigger.mask == ranking.mask and not _is_hinted(scope, trigger, measure.col)
    )


def _is_hinted(scope: Scope, trigger: Trigger, col: Col) -> bool:
    """Whether an adjective speaks of a column by its name: "fastest" of a speed."""
    return bool(set(trigger.sense.hints) & set(name_words(scope.column(col).name)))


_PLACES = frozenset(["first", "last"])
"""Places in a ranking; "earliest" and "latest" are about time."""


def _ranked_keys(scope: Scope, ranking: _Ranking, mask: int, measure: Measure) -> Iterator[Slot]:
    for key in asked_times(scope):
        alone = measure.col is None and scope.column(key.col).encoded(key.col.facet).unique
        if not (alone or key.mask & (mask | ranking.mask)):
            yield key
    for key in scope.labels(ranking.mask):
        if key.mask & mask or (measure.col and measure.col.index == key.col.index):
            continue
        ranked = ranking.operator not in ("most", "least") or scope.follows(ranking.mask, key)
        if ranked and scope.column(key.col).amount and not _tells_times(scope, ranking.mask):
            continue  # "the most attempts" is the highest number of them
        yield key


def ends(scope: Scope) -> Iterator[Made]:
    """The first, last or n-th rows as published."""
    if scope.nth:
        return
    dated = any(column.temporal for column in scope.data.columns)
    base = [("ends", 1.0), *([("ends_despite_dates", 1.0)] if dated else [])]
    for trigger in scope.of("first", "last"):
        told = _is_of_list(scope) or _is_of_rows(scope, trigger)
        if not told and not scope.in_file_order(trigger):
            continue
        if dated_by(scope, trigger):
            continue
        from_end = trigger.sense.operator == "last"
        rows = Slice(scope.rows, scope.n or 1, from_end=from_end)
        yield from _cells(scope, rows, trigger.mask, [*base, (f"by_{trigger.sense.operator}", 1.0)])
    for number in scope.question.numbers:
        if number.ordinal and number.value > 1 and not number.mask & scope.taken:
            rows = Slice(scope.rows, int(number.value), single=True)
            yield from _cells(scope, rows, number.mask, [*base, ("nth", 1.0)])


def _is_of_list(scope: Scope) -> bool:
    """Whether the order of the rows is told of: "the first name on the list"."""
    return _ON_THE_LIST.search(scope.question.text) is not None


_ON_THE_LIST = re.compile(
    r"\b(?:on|of|in) (?:the|this) (?:list|table|chart)\b|\blisted (?:first|last)\b", re.IGNORECASE
)


def _is_of_rows(scope: Scope, trigger: Trigger) -> bool:
    """Whether places in the table are said: "the last row", "listed first"."""
    words = scope.question.words[trigger.first : trigger.last + 3]
    return any(w.stem in lexicon().rows or w.folded in _PLACED for w in words)


_PLACED = frozenset(["listed", "list", "top", "bottom"])


def _cells(
    scope: Scope, rows: Rows, mask: int, features: list[tuple[str, float]]
) -> Iterator[Made]:
    for slot in scope.any_column(mask):
        yield Values(rows, (slot.col,)), mask | slot.mask, [*features, *slot.out()]
    yield Values(rows, ()), mask, [*features, ("whole_rows", 1.0)]
