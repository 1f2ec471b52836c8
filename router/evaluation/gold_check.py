"""Gold that the loaded tables cannot hold: found before a question is asked, told with its line.

Takes cases and the router with the tables loaded; raises where a table, column, row or gold query
of a case is not there. A mistake in the cases would else be counted as one of the answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from router.errors import nearest
from router.evaluation.case import Case, CasesError
from router.evaluation.sameness import folded, same_cell
from sql_engine.errors import SqlEngineError
from sql_engine.guard import check

if TYPE_CHECKING:
    from retrieval.table import Table
    from router.router import Router
    from sql_engine.catalog import Catalog

SHOWN = 5
"""Faults that one message tells."""


def check_gold(router: Router, cases: Sequence[Case]) -> None:
    """Look up what the cases name. Raises CasesError."""
    faults = [
        f"line {case.line}: {fault}" for case in cases for fault in _faults(case, router.catalog)
    ]
    if faults:
        more = f"\nand {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
        raise CasesError(
            "\n".join(faults[:SHOWN]) + more,
            hint="Mend the cases, or name the PATHs that hold this; `tabroute tables` lists them.",
        )


def _faults(case: Case, catalog: Catalog) -> Iterator[str]:
    if case.sql is not None:
        try:
            check(case.sql, catalog)
        except SqlEngineError as error:
            yield f"the gold query cannot run: {error}"
    tables = [entry.table for entry in catalog]
    if case.table is not None:
        names = [name for table in tables for name in _names(table, catalog)]
        tables = [table for table in tables if case.table in _names(table, catalog)]
        if not tables and not case.contains:
            yield f"there is no table {case.table!r}{_meant(case.table, names)}"
            return
    yield from _cell_faults(case, tables)


def _cell_faults(case: Case, tables: Sequence[Table]) -> Iterator[str]:
    headers = [column.name for table in tables for column in table.columns]
    where = f" of {case.table}" if case.table else ""
    if case.column is not None and tables and not any(_is_header(case.column, h) for h in headers):
        yield f"there is no column {case.column!r}{where}{_meant(case.column, headers)}"
    if case.keys and tables and not any(_has_row(case, table) for table in tables):
        yield f"no row{where} holds {' and '.join(map(repr, case.keys))}"
    if case.positions and not any(max(case.positions) < table.row_count for table in tables):
        yield f"there is no row {max(case.positions)}{where} (the first is 0)"


def _names(table: Table, catalog: Catalog) -> tuple[str, ...]:
    entry = catalog.by_id(table.table_id)
    return (table.document, table.table_id, *(() if entry is None else (entry.name,)))


def _is_header(name: str, header: str) -> bool:
    return folded(name) in (folded(header), folded(header.rsplit(" > ", 1)[-1]))


def _has_row(case: Case, table: Table) -> bool:
    """Whether one row holds every key, in cells of their own."""
    rows: set[int] | None = None
    for key in case.keys:
        found = {
            int(row)
            for column in table.columns
            for code, text in enumerate(column.texts)
            if same_cell(key, text)
            for row in (column.codes == code).nonzero()[0]
        }
        rows = found if rows is None else rows & found
    return bool(rows)


def _meant(name: str, known: Sequence[str]) -> str:
    close = nearest(name, dict.fromkeys(known))
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
