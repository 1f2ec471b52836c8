"""One number or truth about the rows that the conditions select."""

from __future__ import annotations

from collections.abc import Iterator

from sql_engine.offline.question import Trigger
from sql_engine.offline.scope import Made, Scope
from sql_engine.offline.tree import Agg, All, Arith, Holds


def counts(scope: Scope) -> Iterator[Made]:
    """How many rows, or how many different values."""
    told = scope.of("count")
    mask = 0
    for trigger in told:
        mask |= trigger.mask
    base = [("count_told" if told else "count_untold", 1.0), *scope.rows_named]
    yield Agg("count", scope.rows), mask, base
    yield from _distinct_counts(scope, told[0] if told else None, mask, base)


def _distinct_counts(
    scope: Scope, trigger: Trigger | None, mask: int, base: list[tuple[str, float]]
) -> Iterator[Made]:
    distinct = scope.of("distinct")
    mark = ("distinct_told" if distinct else "distinct_untold", 1.0)
    told = mask | sum(t.mask for t in distinct[:1])
    for slot in scope.named():
        features = [*base, *slot.features, mark]
        if trigger and 0 < slot.first - trigger.last <= 2 + bool(distinct):
            features.append(("count_of_column", 1.0))
        column = scope.column(slot.col)
        if column.encoded().unique:
            features.append(("count_of_unique", 1.0))
        if column.numeric:
            features.append(("count_of_number", 1.0))
        yield Agg("distinct", scope.rows, slot.col), told | slot.mask, features


def aggregates(scope: Scope) -> Iterator[Made]:
    """A sum, mean, median, maximum or minimum of a column."""
    for fn, mask, features in scope.functions():
        slots = scope.ordered() if fn in ("max", "min") else [*scope.amounts(), *scope.in_text()]
        for slot in slots:
            if not slot.mask & mask:
                told = [*features, *slot.features]
                yield Agg(fn, scope.rows, slot.col), mask | slot.mask, told
    for trigger in scope.of("first", "last"):
        fn = "min" if trigger.sense.operator == "first" else "max"
        for slot in scope.ordered():
            if slot.mask and scope.column(slot.col).temporal:
                features = [(f"{trigger.sense.operator}_told", 1.0), *slot.features]
                yield Agg(fn, scope.rows, slot.col), trigger.mask | slot.mask, features


def shares(scope: Scope) -> Iterator[Made]:
    """What part of the rows, or of a sum, the conditions select."""
    if isinstance(scope.rows, All):
        return
    for trigger in scope.of("share"):
        part, whole = Agg("count", scope.rows), Agg("count", All())
        features = [("share_told", 1.0), ("share_of_rows", 1.0)]
        yield Arith("%", part, whole), trigger.mask, features
        total = sum(t.mask for t in scope.of("sum")[:1])
        for slot in scope.named_amounts():
            part, whole = Agg("sum", scope.rows, slot.col), Agg("sum", All(), slot.col)
            features = [("share_told", 1.0), *slot.features]
            yield Arith("%", part, whole), trigger.mask | slot.mask | total, features


def existence(scope: Scope) -> Iterator[Made]:
    """Whether there is such a row."""
    if isinstance(scope.rows, All):
        return
    for trigger in scope.of("exists"):
        yield Holds(">", Agg("count", scope.rows), 0.0), trigger.mask, [("exists_told", 1.0)]
