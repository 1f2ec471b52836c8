"""Checks SQL text against a catalog; alone makes a `Query`, the one thing the database runs.

Takes text and the catalog of tables it may read. The engine's own syntax tree decides what may run
(`parse.py`, `tree.py`), the catalog decides which tables (`names.py`); text that does not parse may
be mended by a short list of safe repairs (`repairs.py`). The original text runs, never a
regenerated one.
"""

from __future__ import annotations

from collections.abc import Mapping

from sql_engine.catalog import ROW_COLUMN, Catalog
from sql_engine.edits import Edit, Edits, apply
from sql_engine.errors import InvalidQuery
from sql_engine.faults import Fault
from sql_engine.medians import widened
from sql_engine.names import ENGINE_ROW, check_row_column, resolve_columns, resolve_tables
from sql_engine.parse import Statement, clean, cut, parse
from sql_engine.query import GUARDED, Parameters, Query
from sql_engine.repairs import repair
from sql_engine.sql_names import fold
from sql_engine.tokens import tokens
from sql_engine.tree import contents_of
from sql_engine.wire import tag

MAX_REPAIRS = 4
"""Rounds of repair; each mends the fault that the parser reports first."""


def check(sql: str, catalog: Catalog, parameters: Parameters = ()) -> Query:
    """Check one statement.

    Args:
        sql: one SELECT (or VALUES, TABLE, FROM, PIVOT, DESCRIBE); a closing semicolon is fine.
        catalog: the tables it may name.
        parameters: values for its `?`, `$1` or `$name`.

    Raises:
        Refused: it may not run, whatever it names; final.
        InvalidQuery: it does not parse, or names what is not there.
    """
    text = cut(clean(sql))
    _check_parameters(parameters)
    edits, notes = Edits(), list[str]()
    first: Fault | None = None
    while True:
        try:
            return _checked(sql, text, catalog, parameters, edits, tuple(notes))
        except Fault as fault:
            first = first or fault
            mended = repair(text, fault, catalog) if len(notes) < MAX_REPAIRS else None
            if mended is None:
                raise InvalidQuery(str(first), hint=_hint(first, cut(sql))) from None
        notes.append(mended.note)
        edits = edits.then(mended.edits)
        text = apply(text, mended.edits)


def _checked(
    written: str,
    text: str,
    catalog: Catalog,
    parameters: Parameters,
    edits: Edits,
    notes: tuple[str, ...],
) -> Query:
    """Check a text as it stands."""
    statement = parse(text)
    running, row_edits = _with_engine_row(statement)
    contents = contents_of(running.tree)
    tables = resolve_tables(contents.tables, catalog)
    if row_edits:
        check_row_column(tables)
    try:
        columns = resolve_columns(contents, tables, catalog)
    except Fault as fault:
        if fault.position is not None:
            fault.position = Edits().then(row_edits).original_position(fault.position)
        raise
    medians = widened(running.text, [column for _, column in columns], contents.defined)
    if medians.edits:
        running = parse(apply(running.text, medians.edits))
        contents_of(running.tree)
    return Query(
        written=written,
        sql=text,
        running=running.text,
        tables=tables,
        columns=columns,
        notes=(*notes, *medians.notes),
        parameters=parameters,
        volatile=contents.volatile,
        renamed=(((ENGINE_ROW, ROW_COLUMN),) if row_edits else ()) + medians.renamed,
        edits=edits.then(row_edits).then(medians.edits),
        seal=GUARDED,
    )


def _hint(fault: Fault, text: str) -> str:
    quoted = fault.position is not None and text.encode()[fault.position :].startswith(b'"')
    if fault.kind == "column" and quoted:
        return f"{fault.hint}; text stands in single quotes"
    return fault.hint


def _check_parameters(parameters: Parameters) -> None:
    values = parameters.values() if isinstance(parameters, Mapping) else parameters
    for value in values:
        try:
            tag(value)
        except TypeError as error:
            raise InvalidQuery(str(error), hint="pass numbers, texts, dates or lists") from None


def _with_engine_row(statement: Statement) -> tuple[Statement, list[Edit]]:
    """The statement with the row position column under the engine's own name for it.

    Every use of the name is replaced, aliases too, so that it means one thing throughout.
    """
    if ROW_COLUMN not in fold(statement.text):
        return statement, []
    edits = [
        Edit(token.start, token.end, ENGINE_ROW)
        for token in tokens(statement.text)
        if fold(token.text) in (ROW_COLUMN, f'"{ROW_COLUMN}"') and token.kind == "identifier"
    ]
    if not edits:
        return statement, []
    return parse(apply(statement.text, edits)), edits
