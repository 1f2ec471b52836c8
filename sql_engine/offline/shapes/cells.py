"""Cells of the rows that the conditions select, or of the rows that stand beside them."""

from __future__ import annotations

from collections.abc import Iterator

from sql_engine.offline.question import ColumnMention
from sql_engine.offline.scope import Made, Scope, Slot
from sql_engine.offline.tree import All, Col, Shift, Values


def projections(scope: Scope) -> Iterator[Made]:
    """One column, the columns named, or whole rows."""
    distinct = scope.of("distinct")
    told = sum(t.mask for t in distinct[:1])
    mark = [("distinct_told" if distinct else "distinct_untold", 1.0)]
    if isinstance(scope.rows, All):
        mark.append(("distinct_all_rows", 1.0))
    for slot in scope.any_column():
        yield Values(scope.rows, (slot.col,)), slot.mask, [*slot.features]
        features = [*slot.features, *mark]
        yield Values(scope.rows, (slot.col,), distinct=True), slot.mask | told, features
    yield from _several_columns(scope)
    yield from _whole_rows(scope)


def _whole_rows(scope: Scope) -> Iterator[Made]:
    details = scope.of("details")
    mask = sum(t.mask for t in details[:1])
    features = [("whole_rows", 1.0), *scope.rows_named]
    if details:
        features.append(("details_told", 1.0))
    if isinstance(scope.rows, All):
        features.append(("whole_table", 1.0))
    yield Values(scope.rows, ()), mask, features
    for slot, descending, told in _orders(scope):
        tree = Values(scope.rows, (), order=slot.col, descending=descending)
        yield tree, mask | slot.mask | told, [*features, *slot.features, ("order_told", 1.0)]


def _several_columns(scope: Scope) -> Iterator[Made]:
    best: dict[int, ColumnMention] = {}
    for mention in scope.names:
        if mention.score >= 0.6 and not any(m.mask & mention.mask for m in best.values()):
            best.setdefault(mention.column, mention)
    chosen = sorted(best.values(), key=lambda m: m.first)
    if len(chosen) < 2:
        return
    mask = sum(m.mask for m in chosen)
    cols = tuple(Col(m.column) for m in chosen)
    features = [("columns_named", float(len(chosen)))]
    features += [("slot_named", m.score) for m in chosen]
    yield Values(scope.rows, cols), mask, features
    for slot, descending, told in _orders(scope):
        rest = tuple(col for col in cols if col != slot.col)
        if rest:
            tree = Values(scope.rows, rest, order=slot.col, descending=descending)
            yield tree, mask | told, [*features, ("order_told", 1.0)]


def _orders(scope: Scope) -> Iterator[tuple[Slot, bool, int]]:
    down, up = scope.of("descending"), scope.of("ascending")
    directions = sum(t.mask for t in (*down[:1], *up[:1]))
    for trigger in scope.of("order"):
        for slot in scope.named():
            if slot.mask > trigger.mask:
                yield slot, bool(down), trigger.mask | directions


def neighbours(scope: Scope) -> Iterator[Made]:
    """Cells of the row right after or before the selected one, in table order."""
    if isinstance(scope.rows, All):
        return
    for trigger in scope.of("next", "previous"):
        by = 1 if trigger.sense.operator == "next" else -1
        rows = Shift(scope.rows, by)
        for slot in scope.any_column(trigger.mask):
            features = [("shift", 1.0), *slot.features]
            yield Values(rows, (slot.col,)), trigger.mask | slot.mask, features
