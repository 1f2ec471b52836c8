"""The rows or groups at an end: the largest, the smallest, the first, the last, the third."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sql_engine.offline.columns import ColumnData
from sql_engine.offline.question import Trigger
from sql_engine.offline.scope import Made, Scope, Slot
from sql_engine.offline.tree import Grouped, Rows, Slice, Top, Values
from sql_engine.words import name_words


def top_rows(scope: Scope) -> Iterator[Made]:
    """Cells of the rows with the largest or smallest value of a column."""
    for trigger, largest in _directions(scope):
        for key in _keys(scope, trigger):
            rows = Top(scope.rows, key.col, largest, scope.n or 1)
            mask = trigger.mask | key.mask
            features = [("top_rows", 1.0), (f"by_{trigger.sense.operator}", 1.0), *key.features]
            for cols, told, out in scope.outputs(mask, key.col):
                yield Values(rows, cols), mask | told, [*features, *out]
            whole = [*features, ("whole_rows", 1.0), *scope.rows_named]
            yield Values(rows, ()), mask, whole


def _directions(scope: Scope) -> Iterator[tuple[Trigger, bool]]:
    for trigger in scope.of("superlative"):
        yield trigger, trigger.sense.argument == "+"
    for trigger in scope.of("most", "maximum", "last"):
        yield trigger, True
    for trigger in scope.of("least", "minimum", "first"):
        yield trigger, False
    if scope.pair():
        for trigger in scope.of("compare", "compare_less"):
            yield trigger, trigger.sense.operator == "compare"


def _keys(scope: Scope, trigger: Trigger) -> Iterator[Slot]:
    for slot in scope.ordered():
        if slot.mask & trigger.mask:
            continue
        slot = Slot(slot.col, slot.mask | scope.by(slot.mask), slot.features)
        column = scope.column(slot.col)
        if trigger.sense.operator in ("first", "last"):
            if _tells_time(column):
                yield Slot(slot.col, slot.mask, (*slot.features, ("key_time", 1.0)))
        elif set(trigger.sense.hints) & set(name_words(column.name)):
            hinted = tuple(f for f in slot.features if f[0] != "slot_floating")
            yield Slot(slot.col, slot.mask, (*hinted, ("slot_hinted", 1.0)))
        elif column.temporal:
            yield Slot(slot.col, slot.mask, (*slot.features, ("key_time_untold", 1.0)))
        else:
            yield slot


def _tells_time(column: ColumnData) -> bool:
    return column.temporal or bool({"year", "date", "season"} & set(name_words(column.name)))


def top_groups(scope: Scope) -> Iterator[Made]:
    """The groups with the largest or smallest count or total."""
    for trigger, largest in _directions(scope):
        if trigger.sense.operator in ("first", "last", "compare", "compare_less"):
            continue
        keys = scope.labels(trigger.mask)
        for measure, mask, features in scope.measures():
            if mask & trigger.mask or measure.fn in ("max", "min"):
                continue
            mask |= scope.by(mask) if measure.col else 0
            for key in keys:
                if key.mask & mask or (measure.col and measure.col.index == key.col.index):
                    continue
                tree = Grouped(scope.rows, (key.col,), (measure,), largest=largest, n=scope.n or 1)
                told = [("top_groups", 1.0), (f"by_{trigger.sense.operator}", 1.0), *features]
                if measure.col is None:
                    told += scope.rows_named
                told += key.out()
                used = trigger.mask | mask | key.mask
                yield tree, used, told
                yield replace(tree, show=False), used, [*told, ("group_hidden", 1.0)]


def ends(scope: Scope) -> Iterator[Made]:
    """The first, last or n-th rows as published."""
    dated = any(column.temporal for column in scope.data.columns)
    base = [("ends", 1.0), *([("ends_despite_dates", 1.0)] if dated else [])]
    for trigger in scope.of("first", "last"):
        from_end = trigger.sense.operator == "last"
        rows = Slice(scope.rows, scope.n or 1, from_end=from_end)
        yield from _cells(scope, rows, trigger.mask, [*base, (f"by_{trigger.sense.operator}", 1.0)])
    for number in scope.question.numbers:
        if number.ordinal and number.value > 1 and not number.mask & scope.taken:
            rows = Slice(scope.rows, int(number.value), single=True)
            yield from _cells(scope, rows, number.mask, [*base, ("nth", 1.0)])


def _cells(
    scope: Scope, rows: Rows, mask: int, features: list[tuple[str, float]]
) -> Iterator[Made]:
    for slot in scope.any_column(mask):
        yield Values(rows, (slot.col,)), mask | slot.mask, [*features, *slot.out()]
    yield Values(rows, ()), mask, [*features, ("whole_rows", 1.0)]
