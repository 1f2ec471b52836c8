"""Resolves the names of a statement against the catalog, and proposes the nearest real ones.

Takes what `tree.py` found in a statement and the catalog; gives the tables and columns that it
reads, or raises `InvalidQuery` with near names. Proposes only names of the catalog.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from retrieval.table import Kind
from sql_engine.catalog import ROW_COLUMN, Catalog, CatalogColumn, CatalogTable
from sql_engine.errors import InvalidQuery
from sql_engine.faults import Fault
from sql_engine.sql_names import fold, quote
from sql_engine.tree import ColumnRef, Contents, TableRef

ENGINE_ROW = "rowid"
"""DuckDB's own name for a row's position, which no star and no NATURAL JOIN shows."""

MAX_NAMES = 12
"""Names that a hint lists where none is near."""


def resolve_tables(refs: Iterable[TableRef], catalog: Catalog) -> tuple[CatalogTable, ...]:
    """The catalog's tables that are named, each once. Raises InvalidQuery."""
    found: dict[str, CatalogTable] = {}
    for ref in refs:
        table = catalog.get(ref.name)
        if table is None or fold(table.name) != fold(ref.name):
            names = [table.name] if table else [t.name for t in catalog]
            raise InvalidQuery(
                f"there is no table {ref.name!r}", hint=near_hint(ref.name, names, "tables")
            )
        found[table.name] = table
    return tuple(found.values())


def resolve_columns(
    contents: Contents, tables: Sequence[CatalogTable]
) -> tuple[tuple[CatalogTable, CatalogColumn], ...]:
    """The base columns that are named. Raises InvalidQuery for a name that nothing defines."""
    by_name: dict[str, list[tuple[CatalogTable, CatalogColumn]]] = {}
    for table in tables:
        for column in table.columns:
            by_name.setdefault(fold(column.name), []).append((table, column))
    used: dict[int, tuple[CatalogTable, CatalogColumn]] = {}
    known = contents.defined | {ROW_COLUMN, ENGINE_ROW, *_CONSTANTS}
    known.update(fold(table.name) for table in tables)
    for ref in contents.columns:
        hits = [hit for part in ref.parts for hit in by_name.get(fold(part), ())]
        used.update({id(hit[1]): hit for hit in hits})
        if not hits and not contents.open_names and fold(ref.parts[-1]) not in known:
            raise unknown_column(ref, tables, contents)
    return tuple(used.values())


def check_row_column(tables: Sequence[CatalogTable]) -> None:
    """Raises InvalidQuery where a table's own column hides the engine's row position."""
    for table in tables:
        if table.column(ENGINE_ROW) is not None:
            raise InvalidQuery(
                f"{ROW_COLUMN} cannot be read together with the table {table.name!r}, "
                f"which has a column {ENGINE_ROW!r}",
                hint=f"leave {ROW_COLUMN} out",
            )


def unknown_column(
    ref: ColumnRef, tables: Sequence[CatalogTable], contents: Contents | None = None
) -> Fault:
    """The error for a column that is not there."""
    names = dict.fromkeys(column.name for table in tables for column in table.columns)
    if contents is not None:
        names |= dict.fromkeys(sorted(contents.defined))
    return Fault(
        "column",
        f"there is no column {'.'.join(ref.parts)!r}",
        name=ref.parts[-1],
        position=ref.location,
        hint=near_hint(ref.parts[-1], list(names), "columns"),
        is_cell=any(
            ref.parts[-1] in column.source.texts
            for table in tables
            for column in table.columns
            if column.kind is Kind.TEXT
        ),
    )


def near_hint(name: str, names: Sequence[str], what: str) -> str:
    """One sentence with the nearest names, or with the first ones where none is near."""
    near = near_names(name, names)
    if near:
        return "did you mean " + " or ".join(map(quote, near)) + "?"
    if not names:
        return f"there are no {what}"
    more = f", and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f"the {what} are " + ", ".join(map(quote, names[:MAX_NAMES])) + more


def near_names(name: str, names: Sequence[str], count: int = 3) -> list[str]:
    """The names nearest to `name`, best first; case, spaces and underscores do not matter."""
    keys: dict[str, str] = {}
    for candidate in names:
        keys.setdefault(_key(candidate), candidate)
    matches = get_close_matches(_key(name), list(keys)[:5000], n=count, cutoff=0.6)
    return [keys[match] for match in matches]


def _key(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())


_CONSTANTS = frozenset(
    {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"}
)
"""Words that the parser leaves as columns and the binder reads as functions."""
