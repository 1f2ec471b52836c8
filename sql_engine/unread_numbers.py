"""Cells that a query leaves out of its numbers because they are no exact ones: "<5", "c. 300".

Takes the checked query's tree and a probe; gives a `Problem` where rows that it is about hold
such cells in a column that it adds up, compares or orders by.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retrieval.cells import is_missing_mark
from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.checks import Probe, Problem
from sql_engine.rows_asked import rows_asked
from sql_engine.sql_tree import SqlTree

if TYPE_CHECKING:
    from sqlglot import exp

SHOWN = 3
"""Cells that the warning quotes."""


def unread_numbers(tree: SqlTree, probe: Probe) -> Iterator[Problem]:
    """A problem for each column whose cells are in part no numbers, and are left out."""
    told = set()
    for scope, node, column in tree.columns():
        if not column.source.type.mixed or column.as_text or column.name in told:
            continue
        table = tree.base_table(scope, node.table)
        if table is None or not _is_used_as_number(node):
            continue
        told.add(column.name)
        cells = _left_out(node, _published(table, column), probe)
        if cells:
            quoted = ", ".join(f'"{cell}"' for cell in cells[:SHOWN])
            more = f" and {len(cells) - SHOWN} others" if len(cells) > SHOWN else ""
            yield Problem(
                "unread_numbers",
                f'cells of "{column.name}" are no exact numbers and are left out: {quoted}{more}',
            )


def _published(table: CatalogTable, column: CatalogColumn) -> str:
    return next(c.name for c in table.columns if c.source is column.source and c.as_text)


def _is_used_as_number(node: exp.Column) -> bool:
    """Whether a column is aggregated, compared or ordered by, and not only shown or counted."""
    from sqlglot import exp

    using = node.find_ancestor(
        exp.AggFunc, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.Ordered, exp.Select
    )
    return using is not None and not isinstance(using, exp.Select | exp.Count)


def _left_out(node: exp.Column, published: str, probe: Probe) -> list[str]:
    """The texts of the column without a number, in the rows that its other conditions leave."""
    from sqlglot import exp

    probing = rows_asked(node)
    if probing is None:
        return []
    number, text = (
        exp.column(name, table=node.table or None, quoted=True) for name in (node.name, published)
    )
    unread = exp.and_(number.is_(exp.null()), text.copy().is_(exp.null()).not_())
    probing = probing.select(text, append=False).distinct().where(unread)
    found = probe(probing.sql(dialect="duckdb"))
    texts = [str(row[0]) for row in found.rows] if found is not None else []
    return sorted(cell for cell in texts if not is_missing_mark(cell))
