"""Gold that the loaded tables cannot hold: found before a question is asked, told with its line.

Takes cases and the router with the tables loaded; raises where a table, column, row or gold query
of a case is not there. A mistake in the cases would else be counted as one of the answers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
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

Rows = set[int]


def check_gold(router: Router, cases: Sequence[Case]) -> None:
    """Look up what the cases name. Raises CasesError."""
    held = _Held()
    faults = [
        f"line {case.line}: {fault}"
        for case in cases
        for fault in _faults(case, router.catalog, held)
    ]
    if faults:
        more = f"\nand {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
        raise CasesError(
            "\n".join(faults[:SHOWN]) + more,
            hint="Mend the cases, or name the PATHs that hold this; `tabroute tables` lists them.",
        )


def _faults(case: Case, catalog: Catalog, held: _Held) -> Iterator[str]:
    if case.sql is not None:
        try:
            check(case.sql, catalog)
        except SqlEngineError as error:
            yield f"the gold query cannot run: {error}"
    tables = [entry.table for entry in catalog]
    if case.table is not None:
        names = [name for table in tables for name in names_of(table, catalog)]
        tables = [table for table in tables if case.table in names_of(table, catalog)]
        if not tables and not case.contains:
            yield f"there is no table {case.table!r}{_meant(case.table, names)}"
            return
    yield from _cell_faults(case, tables, held)


def _cell_faults(case: Case, tables: Sequence[Table], held: _Held) -> Iterator[str]:
    headers = [column.name for table in tables for column in table.columns]
    where = f" of {case.table}" if case.table else ""
    if case.column is not None and tables and not any(is_header(case.column, h) for h in headers):
        yield f"there is no column {case.column!r}{where}{_meant(case.column, headers)}"
    if case.keys and tables:
        rows = [(table, row) for table in tables for row in sorted(held.together(case.keys, table))]
        if not rows:
            yield f"no row{where} holds {' and '.join(map(repr, case.keys))}"
        yield from _other_cell(case, rows)
    if case.positions and not any(max(case.positions) < table.row_count for table in tables):
        yield f"there is no row {max(case.positions)}{where} (the first is 0)"


def _other_cell(case: Case, rows: Sequence[tuple[Table, int]]) -> Iterator[str]:
    """That the column says something else in every row that the keys name."""
    if case.column is None or case.cell is None:
        return
    told = [
        (column.text_at(row), column.canonical_at(row))
        for table, row in rows
        for column in table.columns
        if is_header(case.column, column.name)
    ]
    if told and not any(_says(case.cell, text) for texts in told for text in texts if text):
        keys = " and ".join(map(repr, case.keys))
        yield f"{case.column!r} of {keys} is {told[0][0]!r}, not {case.cell!r}"


def _says(cell: str, text: str) -> bool:
    """Whether a cell is as told, or is the number that was told without its unit."""
    try:
        return same_cell(cell, text) or same_cell(float(cell), text)
    except ValueError:
        return False


def names_of(table: Table, catalog: Catalog) -> tuple[str, ...]:
    """What a case may call a table."""
    entry = catalog.by_id(table.table_id)
    return (table.document, table.table_id, *(() if entry is None else (entry.name,)))


def is_header(name: str, header: str) -> bool:
    """Whether a case's column is this header, or its last level."""
    return folded(name) in (folded(header), folded(header.rsplit(" > ", 1)[-1]))


class _Held:
    """Which rows hold a text: a table's texts are gone through once for all cases, and compared as
    numbers and dates only where none is written like the key.
    """

    def __init__(self) -> None:
        self._texts: dict[str, Mapping[str, Sequence[tuple[int, int]]]] = {}

    def together(self, keys: Sequence[str], table: Table) -> Rows:
        """The rows that hold every key."""
        written = reduce(Rows.intersection, (self._written(key, table) for key in keys))
        return written or reduce(Rows.intersection, (_meaning(key, table) for key in keys))

    def _written(self, key: str, table: Table) -> Rows:
        places = self._places(table).get(folded(key), ())
        return {row for column, code in places for row in _rows(table, column, code)}

    def _places(self, table: Table) -> Mapping[str, Sequence[tuple[int, int]]]:
        if table.table_id not in self._texts:
            places = defaultdict(list)
            for number, column in enumerate(table.columns):
                for code, text in enumerate(column.texts):
                    places[folded(text)].append((number, code))
            self._texts[table.table_id] = places
        return self._texts[table.table_id]


def _meaning(key: str, table: Table) -> Rows:
    """Rows with a cell that says the same as the key, however it is written."""
    return {
        row
        for number, column in enumerate(table.columns)
        for code, text in enumerate(column.texts)
        if same_cell(key, text)
        for row in _rows(table, number, code)
    }


def _rows(table: Table, column: int, code: int) -> Rows:
    return {int(row) for row in (table.columns[column].codes == code).nonzero()[0]}


def _meant(name: str, known: Sequence[str]) -> str:
    close = nearest(name, dict.fromkeys(known))
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
