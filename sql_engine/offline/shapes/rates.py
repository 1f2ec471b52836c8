"""One amount for each of another: "rent per m²", "visitors per opening day".

Takes a `Scope`; makes the ratio of the one total to the other, over the rows that have both.
"""

from __future__ import annotations

from collections.abc import Iterator

from sql_engine.offline.question import covering
from sql_engine.offline.scope import Made, Scope, Slot
from sql_engine.offline.sense import adds_up_to_nothing, numbers_groups
from sql_engine.offline.tree import Agg, All, Arith, Col, Filled, Rows, Where

_REACH = 2
"""Words after "per" within which the amount is named."""


def rates(scope: Scope) -> Iterator[Made]:
    """The ratio of two totals where "per" stands between their names."""
    asked = covering(scope.of("mean", "sum", "count"))
    for per in scope.of("group"):
        if scope.question.words[per.last].folded != "per":
            continue
        named = [slot for slot in scope.amounts() if slot.mask and _adds_up(scope, slot.col)]
        below = [slot for slot in named if 0 < slot.first - per.last <= _REACH]
        above = [slot for slot in named if not slot.mask >> per.first]
        for over in below:
            for slot in _nearest(above):
                if slot.col != over.col:
                    rows = _with_both(scope, slot.col, over.col)
                    tree = Arith("/", Agg("sum", rows, slot.col), Agg("sum", rows, over.col))
                    told = per.mask | asked | slot.mask | over.mask
                    yield tree, told, [("rate", 1.0), *slot.features, *over.features]


def _adds_up(scope: Scope, col: Col) -> bool:
    column = scope.column(col)
    added = not column.intensive and adds_up_to_nothing(column) is None
    return added and not numbers_groups(column)


def _nearest(slots: list[Slot]) -> list[Slot]:
    """Those whose names stand last before the "per"."""
    last = max((slot.mask.bit_length() for slot in slots), default=0)
    return [slot for slot in slots if slot.mask.bit_length() == last]


def _with_both(scope: Scope, *cols: Col) -> Rows:
    """The rows that have a value of each column."""
    missing = tuple(Filled(c) for c in cols if (scope.column(c).encoded(c.facet).codes < 0).any())
    if not missing or not isinstance(scope.rows, All | Where):
        return scope.rows
    held = scope.rows.conds if isinstance(scope.rows, Where) else ()
    return Where(All(), (*held, *missing))
