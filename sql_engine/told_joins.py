"""Joins that people tell, or rule out, in the glossary: "orders.client = clients.id".

Takes the glossary's lines and a catalog; gives the catalog with the edges of the tables that it
holds. A line about a table that is not loaded waits for it; one about a column that its table does
not have, or about two columns that both repeat, is a mistake and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches

from sql_engine.catalog import Catalog, CatalogColumn, CatalogTable
from sql_engine.glossary import Glossary, GlossaryError
from sql_engine.join_graph import JoinEdge

_HINT = "write two columns: orders.client = clients.id"

Side = tuple[CatalogTable, CatalogColumn]


def with_told_joins(catalog: Catalog, glossary: Glossary) -> Catalog:
    """The catalog with what the glossary says of joins. Raises GlossaryError."""
    if not glossary.joins and not glossary.no_joins:
        return catalog
    return replace(
        catalog,
        declared_joins=tuple(_declared(glossary.joins, catalog)),
        forbidden_joins=tuple(_edge(*sides) for _, *sides in _known(glossary.no_joins, catalog)),
    )


def _declared(told: Iterable[str], catalog: Catalog) -> Iterator[JoinEdge]:
    """Edges from many to one, whichever side is told first."""
    for line, left, right in _known(told, catalog):
        if not (left[1].profile.unique or right[1].profile.unique):
            raise GlossaryError(
                f"joins: {line}: both columns hold a value twice, so neither is a key",
                hint="join through the table that has each value once",
            )
        yield _edge(left, right) if right[1].profile.unique else _edge(right, left)


def _edge(left: Side, right: Side) -> JoinEdge:
    kind = "one-to-one" if left[1].profile.unique else "many-to-one"
    return JoinEdge(left[0].name, left[1].name, right[0].name, right[1].name, 1.0, kind)


def _known(told: Iterable[str], catalog: Catalog) -> Iterator[tuple[str, Side, Side]]:
    """The lines whose two tables are loaded."""
    for line in told:
        names = [name.strip() for name in line.split("=")]
        if len(names) != 2:
            raise GlossaryError(f"joins: {line!r} is no join", hint=_HINT)
        left, right = (_side(name, line, catalog) for name in names)
        if left is not None and right is not None:
            yield line, left, right


def _side(name: str, line: str, catalog: Catalog) -> Side | None:
    """The column that "table.column" names, as either may hold a point; None where no such table is
    loaded.
    """
    tables = []
    for place, character in enumerate(name):
        if character == ".":
            table = catalog.get(name[:place].strip('" '))
            column = table.column(name[place + 1 :].strip('" ')) if table else None
            if table is not None and column is not None:
                return table, column
            tables += [(table, name[place + 1 :])] if table is not None else []
    if "." not in name:
        raise GlossaryError(f"joins: {line}: {name!r} is no table.column", hint=_HINT)
    for table, column_name in tables:
        known = [column.name for column in table.columns]
        near = get_close_matches(column_name, known, n=3) or known
        raise GlossaryError(
            f'joins: {line}: {table.name} has no column "{column_name}"',
            hint=f"Columns: {', '.join(near)}.",
        )
    return None
