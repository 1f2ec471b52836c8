"""A published number as the query that reads it: one row alone meets what it was found by.

Takes the answer of the row route and the evidence it rests on; gives the same answer with its SQL,
or nothing where the query finds other rows than that one. Where a number is found by what its row
holds, and not by the name of a record, the rows that meet the condition are what is asked about,
and a query alone goes over all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from retrieval.table import Table
from router.answer import Answer, Route
from router.evaluation.sameness import same_cell
from router.question import Asked
from router.row_evidence import RowEvidence
from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.errors import ExecutionError, InvalidQuery
from sql_engine.guard import check
from sql_engine.sql_names import literal, quote


def as_query(asked: Asked, cell: Answer, found: RowEvidence) -> Answer | None:
    """The cell's answer by the query that reads it; None where that gives no such single value."""
    entry = asked.table(found.hit.table_id)
    if found.cell is None or not (conditions := list(_conditions(entry, found))):
        return None
    column = entry.table.columns[found.cell.column]
    shown = next(c for c in entry.columns if c.source is column and not c.as_text)
    sql = f"SELECT {quote(shown.name)} FROM {quote(entry.name)} WHERE {' AND '.join(conditions)}"
    try:
        query = check(sql, asked.catalog)
        result = asked.database.execute(query, asked.limits)
    except (InvalidQuery, ExecutionError):
        return None
    if len(result.rows) != 1 or not same_cell(cell.value, result.rows[0][0]):
        return None
    return replace(
        cell,
        route=Route.SQL,
        columns=result.columns,
        rows=list(result.rows),
        total_rows=result.total_rows,
        sql=query.sql,
    )


def _conditions(entry: CatalogTable, found: RowEvidence) -> Iterator[str]:
    """The cells that name the row, each as a comparison."""
    table, row, asked = entry.table, found.hit.row_position, found.cell
    for name, _ in found.hit.named:
        if asked is None or name != asked.header:
            column, text = _compared(entry, table, name, row)
            yield f"{quote(column.name)} = {literal(text)}"


def _compared(entry: CatalogTable, table: Table, name: str, row: int) -> tuple[CatalogColumn, str]:
    """The SQL column that holds a cell, and the cell as it stands there."""
    source = table.column(name)
    value = source.canonical_at(row)
    shown = [c for c in entry.columns if c.source is source]
    column = next((c for c in shown if c.as_text == (value is None)), shown[0])
    return column, source.text_at(row) if value is None else value
