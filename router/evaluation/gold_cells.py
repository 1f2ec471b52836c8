"""A gold cell as its column reads it: "2.954,20" among decimal commas is 2954.20.

Takes a case and the router with the tables loaded; gives the values that the published cell has in
the columns that the case may mean. A computed answer is one of these and never the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retrieval.table import Column, Scalar
from router.evaluation.case import Case
from router.evaluation.gold_check import is_header, names_of
from router.typed import value_at

if TYPE_CHECKING:
    from router.router import Router
    from sql_engine.catalog import Catalog


def values(case: Case, router: Router) -> tuple[Scalar, ...]:
    """What the cell says by its column; none where the case does not tell cell and column."""
    if case.cell is None or case.column is None:
        return ()
    read = (_value(column, case.cell) for column in _columns(case, router.catalog))
    return tuple(dict.fromkeys(value for value in read if value is not None))


def _columns(case: Case, catalog: Catalog) -> Iterator[Column]:
    for entry in catalog:
        if case.table is None or case.table in names_of(entry.table, catalog):
            columns = entry.table.columns
            yield from (c for c in columns if case.column and is_header(case.column, c.name))


def _value(column: Column, cell: str) -> Scalar:
    """The cell's value in a column that has it; None where it has not."""
    try:
        code = column.texts.index(cell)
    except ValueError:
        return None
    rows = (column.codes == code).nonzero()[0]
    return value_at(column, int(rows[0])) if len(rows) else None
