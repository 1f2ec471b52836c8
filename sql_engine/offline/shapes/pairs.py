"""Two numbers against each other: how much they differ, and which is larger."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sql_engine.offline.columns import ColumnData
from sql_engine.offline.directions import runs_against, spoken_of
from sql_engine.offline.question import Trigger, covering
from sql_engine.offline.scope import Made, Scope, Slot, Told
from sql_engine.offline.table_words import WHOLE_NAME
from sql_engine.offline.tree import Agg, All, Arith, Col, Facet, Grouped, Measure, Values, Where


def differences(scope: Scope) -> Iterator[Made]:
    """How a measure differs between two values of a column that the question names."""
    pair = scope.pair()
    if pair is None:
        return
    left, right, _ = pair
    if _is_told_than(scope, left) != _asks_for_less(scope):
        left, right = right, left
    for trigger in scope.of("difference"):
        op = scope.differing(trigger)
        for measure, mask, features in _measures(scope):
            if mask & trigger.mask:
                continue
            one, two = Agg(measure.fn, left, measure.col), Agg(measure.fn, right, measure.col)
            told = [("difference_told", 1.0), *features]
            repeated = _said_again(scope, measure) | _exceeding(scope)
            yield Arith(op, one, two), trigger.mask | mask | repeated, told


def _asks_for_less(scope: Scope) -> bool:
    """Whether "how many fewer" asks what the second has above the first."""
    said = {
        scope.question.words[i].folded
        for trigger in scope.of("difference")
        for i in range(trigger.first, trigger.last + 1)
    }
    return bool(said & _FEWER)


_FEWER = frozenset(["fewer", "less", "lower", "shorter", "smaller"])


def _is_told_than(scope: Scope, rows: Where) -> bool:
    """Whether rows stand right after "than": "how many more than Hull has Leeds"."""
    return any(_stands_after_than(scope, scope.place_of(cond) or 0) for cond in rows.conds)


def _stands_after_than(scope: Scope, place: int) -> bool:
    before = [w.folded for w in scope.question.words[max(0, place - 2) : place]]
    return before[-1:] == ["than"] or before in (["than", "the"], ["than", "in"])


def _said_again(scope: Scope, measure: Measure) -> int:
    """Mask of the function where it is told of each side: "the total of A and the total of B"."""
    operator = {"sum": "sum", "mean": "mean", "median": "median"}.get(measure.fn, "count")
    return covering(scope.of(operator))


def _exceeding(scope: Scope) -> int:
    """Mask of "exceed" and the like, which say of a difference which side is larger."""
    return covering(t for t in scope.of("compare_number") if t.sense.argument == ">")


def comparisons(scope: Scope) -> Iterator[Made]:
    """Which of two values of a column has the larger or smaller measure."""
    pair = scope.pair()
    if pair is None:
        return
    for trigger in scope.of("compare", "compare_less", "superlative", "most", "least"):
        if any(trigger.mask & told.mask for told in scope.of("difference")):
            continue
        largest = trigger.sense.operator in ("compare", "most") or trigger.sense.argument == "+"
        spoken = spoken_of(trigger, scope.data.columns)
        for measure, mask, features in _measures(scope):
            if mask & trigger.mask or (spoken and not _is_spoken_of(measure, mask, spoken)):
                continue
            if _is_year(measure) and not _speaks_of_time(scope, trigger):
                continue
            turned = measure.col is not None and runs_against(trigger, scope.column(measure.col))
            most = largest != turned
            tree = Grouped(scope.rows, (pair[2],), (measure,), largest=most, n=1)
            told = [("compare_told", 1.0), *features]
            yield tree, trigger.mask | mask, told
            hidden = replace(tree, show=False)
            yield hidden, trigger.mask | mask, [*told, ("group_hidden", 1.0)]


def _is_spoken_of(measure: Measure, mask: int, spoken: list[int]) -> bool:
    """Whether words name a measure, or an adjective speaks of its column."""
    return bool(mask) or (measure.col is not None and measure.col.index in spoken)


def _is_year(measure: Measure) -> bool:
    return measure.col is not None and measure.col.facet is Facet.YEAR


def _speaks_of_time(scope: Scope, trigger: Trigger) -> bool:
    """Whether it compares when things were: "older", "earlier"; no "more" is one of years."""
    words = scope.question.words[trigger.first : trigger.last + 1]
    told = {*trigger.sense.hints, *trigger.sense.against}
    return "year" in told or any(word.folded in _IN_TIME for word in words)


_IN_TIME = frozenset(
    ["earlier", "later", "sooner", "earliest", "latest", "older", "newer", "younger"]
)


def _measures(scope: Scope) -> Iterator[Told[Measure]]:
    """Measures of one side; a total of one row is that row's value."""
    for fn, mask, features in scope.functions():
        if fn in ("sum", "mean", "median"):
            for slot in scope.amounts():
                if not slot.mask & mask:
                    yield Measure(fn, slot.col), mask | slot.mask, [*features, *slot.features]
    for slot in [*scope.amounts(), *scope.in_text(), *_years(scope)]:
        if scope.compares_counts and not slot.mask:
            continue
        fn = scope.summary(slot.col)
        yield Measure(fn, slot.col), slot.mask, [("sum_untold", 1.0), *slot.features]
    if _asks_for_amount(scope):
        return
    counted = "sides_counted" if scope.row_words else "count_untold"
    yield Measure("count"), 0, [(counted, 1.0), *scope.rows_named]


def _asks_for_amount(scope: Scope) -> bool:
    """Whether an amount is named whole and no number of rows is asked for: "the difference between
    the price of A and of B" is none of how many rows each has.
    """
    named = (dict(slot.features).get("slot_named", 0.0) for slot in scope.named_amounts())
    said = {w.folded for w in scope.question.words}
    return not (scope.of("count") or "many" in said) and any(score >= WHOLE_NAME for score in named)


def _years(scope: Scope) -> list[Slot]:
    """The years of date columns, so that "how many years between" can be told."""
    return [
        Slot(Col(s.col.index, Facet.YEAR), s.mask, (*s.features, ("slot_year", 1.0)))
        for s in scope.ordered()
        if _dated(scope.column(s.col))
    ]


def _dated(column: ColumnData) -> bool:
    return column.temporal


def ranges(scope: Scope) -> Iterator[Made]:
    """The largest less the smallest value of a column."""
    functions = {fn: (mask, features) for fn, mask, features in scope.functions()}
    if "max" not in functions or "min" not in functions:
        return
    (high_mask, high), (low_mask, low) = functions["max"], functions["min"]
    for trigger in scope.of("difference"):
        for slot in [*scope.amounts(), *scope.in_text()]:
            largest, smallest = Agg("max", scope.rows, slot.col), Agg("min", scope.rows, slot.col)
            features = [*high, *low, *slot.features, ("difference_told", 1.0)]
            mask = trigger.mask | high_mask | low_mask | slot.mask
            yield Arith("-", largest, smallest), mask, features


def between_columns(scope: Scope) -> Iterator[Made]:
    """How two columns of one row differ."""
    if isinstance(scope.rows, All):
        return
    named = sorted(scope.named_amounts(), key=lambda slot: slot.first)
    for trigger in scope.of("difference"):
        for left in named:
            for right in named:
                apart = left.mask & ~right.mask and right.mask & ~left.mask
                if left.col.index != right.col.index and left.first <= right.first and apart:
                    one, two = Values(scope.rows, (left.col,)), Values(scope.rows, (right.col,))
                    if _stands_after_than(scope, left.first) != _asks_for_less(scope):
                        one, two = two, one
                    features = [*left.features, *right.features, ("difference_told", 1.0)]
                    mask = trigger.mask | left.mask | right.mask
                    yield Arith(scope.differing(trigger), one, two), mask, features
