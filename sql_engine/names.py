"""Resolves the names of a statement against the catalog, and proposes the nearest real ones.

Takes what `tree.py` found in a statement and the catalog; gives the tables and columns that it
reads, or raises `InvalidQuery` with near names. Proposes only names of the catalog.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sql_engine.catalog import ROW_COLUMN, Catalog, CatalogColumn, CatalogTable
from sql_engine.dialect_hints import unit_hint
from sql_engine.errors import InvalidQuery, Refused
from sql_engine.faults import Fault
from sql_engine.sql_names import fold, quote
from sql_engine.tree import ColumnRef, Contents, TableRef

ENGINE_ROW = "rowid"
"""DuckDB's own name for a row's position, which no star and no NATURAL JOIN shows."""

MAX_TABLES_SEARCHED = 5000

NEAR = 60
"""Similarity, of 100, from which a name is proposed."""

MAX_NAMES = 12
"""Names that a hint lists where none is near."""


def resolve_tables(refs: Iterable[TableRef], catalog: Catalog) -> tuple[CatalogTable, ...]:
    """The catalog's tables that are named, each once.

    Raises:
        InvalidQuery: there is no such table.
        Refused: the name is a path.
    """
    found: dict[str, CatalogTable] = {}
    for ref in refs:
        table = catalog.get(ref.name)
        if table is None and ("/" in ref.name or "\\" in ref.name):
            raise Refused("reading a file is not allowed", hint="only loaded tables can be read")
        if table is None or fold(table.name) != fold(ref.name):
            names = [table.name] if table else [t.name for t in catalog]
            raise InvalidQuery(
                f"there is no table {ref.name!r}", hint=near_hint(ref.name, names, "tables")
            )
        found[table.name] = table
    return tuple(found.values())


def resolve_columns(
    contents: Contents, tables: Sequence[CatalogTable], catalog: Catalog
) -> tuple[tuple[CatalogTable, CatalogColumn], ...]:
    """The base columns that are named. Raises InvalidQuery for a name that nothing defines."""
    by_name: dict[str, list[tuple[CatalogTable, CatalogColumn]]] = {}
    for table in tables:
        for column in table.columns:
            by_name.setdefault(fold(column.name), []).append((table, column))
    used: dict[int, tuple[CatalogTable, CatalogColumn]] = {}
    known = contents.defined | {ROW_COLUMN, ENGINE_ROW, *_CONSTANTS}
    known.update(fold(table.name) for table in tables)
    unplaced = []
    for ref in contents.columns:
        parts = [fold(part) for part in ref.parts]
        hits = [hit for part in parts for hit in by_name.get(part, ())]
        used.update({id(hit[1]): hit for hit in hits})
        if hits:
            known.update(parts)
        elif not _may_be_field(parts, contents):
            unplaced.append((ref, parts[-1]))
    for ref, name in unplaced:
        # a label that nobody wrote holds the expression, so it has a parenthesis
        if not contents.open_names and name not in known and "(" not in name:
            raise _unknown_column(ref, tables, contents, catalog)
    return tuple(used.values())


def _may_be_field(parts: Sequence[str], contents: Contents) -> bool:
    """Whether a dotted name may reach into a struct that the statement makes."""
    return any(part in contents.defined - contents.table_aliases for part in parts[:-1])


def check_row_column(tables: Sequence[CatalogTable]) -> None:
    """Raises InvalidQuery where a table's own column hides the engine's row position."""
    for table in tables:
        if table.column(ENGINE_ROW) is not None:
            raise InvalidQuery(
                f"{ROW_COLUMN} cannot be read together with the table {table.name!r}, "
                f"which has a column {ENGINE_ROW!r}",
                hint=f"leave {ROW_COLUMN} out",
            )


def _unknown_column(
    ref: ColumnRef, tables: Sequence[CatalogTable], contents: Contents, catalog: Catalog
) -> Fault:
    """The error for a column that is not there."""
    defined = sorted(contents.defined - contents.table_aliases)
    elsewhere = _elsewhere(ref.parts[-1], catalog)
    return Fault(
        "column",
        f"there is no column {'.'.join(ref.parts)!r}",
        name=ref.parts[-1],
        position=ref.location,
        hint=elsewhere or unit_hint(ref.parts[-1]) or column_hint(ref.parts[-1], tables, defined),
        is_cell=_is_cell(ref.parts[-1], tables),
    )


def _is_cell(text: str, tables: Sequence[CatalogTable]) -> bool:
    """Whether some cell says this, in whatever case."""
    folded = text.casefold()
    return any(
        cell.casefold() == folded
        for table in tables
        for column in table.table.columns
        for cell in column.texts
        if len(cell) == len(text)
    )


def _elsewhere(name: str, catalog: Catalog) -> str:
    """Which tables, not named in the statement, have a column of this name."""
    having = [
        quote(table.name)
        for table in catalog.tables[:MAX_TABLES_SEARCHED]
        if any(fold(column.name) == fold(name) for column in table.columns)
    ]
    if not 0 < len(having) <= MAX_NAMES:
        return ""
    return f"{quote(name)} is a column of {' and '.join(having)}"


def column_hint(name: str, tables: Sequence[CatalogTable], defined: Iterable[str] = ()) -> str:
    """The nearest columns of `tables`, each with its table where there are several."""
    owners: dict[str, list[str]] = {label: [] for label in defined}
    for table in tables:
        for column in table.columns:
            owners.setdefault(column.name, []).append(quote(table.name))
    several = len(tables) > 1
    shown = {
        label: f"{quote(label)} of {' and '.join(tables)}" if tables and several else quote(label)
        for label, tables in owners.items()
    }
    return near_hint(name, list(owners), "columns", shown)


def near_hint(
    name: str, names: Sequence[str], what: str, shown: Mapping[str, str] | None = None
) -> str:
    """One sentence with the nearest names, or with the first ones where none is near."""
    near = near_names(name, names)
    listed = [(shown or {}).get(n) or quote(n) for n in near or names[:MAX_NAMES]]
    if near:
        return "did you mean " + " or ".join(listed) + "?"
    if not names:
        return f"there are no {what} here"
    more = f", and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f"the {what} are " + ", ".join(listed) + more


def near_names(name: str, names: Sequence[str], count: int = 3) -> list[str]:
    """The names nearest to `name`, best first; case, spaces and underscores do not matter."""
    from rapidfuzz import fuzz, process  # only where a name is missed

    keys: dict[str, str] = {}
    for candidate in names:
        keys.setdefault(_key(candidate), candidate)
    matches = process.extract(
        _key(name), list(keys), scorer=fuzz.ratio, limit=count, score_cutoff=NEAR
    )
    return [keys[match[0]] for match in matches]


def _key(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())


_CONSTANTS = frozenset(
    {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"}
)
"""Words that the parser leaves as columns and the binder reads as functions."""
