"""Where the names of a failed statement are to be found: what helps a writer to mend it.

Takes SQL text that need not parse, and the catalog; gives sentences with real names only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import chain, islice

from sql_engine.catalog import Catalog, CatalogTable
from sql_engine.extract import identifiers
from sql_engine.sql_names import quote

_MAX_HINTS = 4
_BRACKETED = re.compile(r"\[([^\]\[]+)\]")
_MAX_TABLES = 3


def where_names_are(sql: str, catalog: Catalog) -> tuple[str, ...]:
    """For each name that no table of the statement has as a column: the tables that have it, or
    the columns of the statement's tables that are spelt nearly so.
    """
    names = identifiers(sql)
    named = [table for name in names if (table := catalog.get(name)) is not None]
    known = {column.name.casefold() for table in named for column in table.columns}
    known |= {table.name.casefold() for table in catalog}
    bracketed = (
        f"[{name}] makes a list: the name is written {quote(name)}"
        for name in dict.fromkeys(_BRACKETED.findall(sql))
        if any(table.column(name) is not None for table in named)
    )
    hints = (
        hint
        for name in names
        if name.casefold() not in known
        for hint in (_owners(name, catalog) or _near(name, named))
    )
    return tuple(islice(chain(bracketed, hints), _MAX_HINTS))


def _owners(name: str, catalog: Catalog) -> list[str]:
    owners = [table.name for table in catalog if table.column(name) is not None]
    if not owners:
        return []
    shown = ", ".join(map(quote, owners[:_MAX_TABLES]))
    more = f" and {len(owners) - _MAX_TABLES} more" if len(owners) > _MAX_TABLES else ""
    return [f"{quote(name)} is a column of {shown}{more}"]


def _near(name: str, tables: Sequence[CatalogTable]) -> Iterator[str]:
    """Columns spelt nearly as a name; most names are aliases, and near none."""
    columns = {c.name.casefold(): (table, c) for table in tables for c in table.columns}
    for folded in get_close_matches(name.casefold(), columns, n=2, cutoff=0.75):
        table, column = columns[folded]
        yield f"{quote(table.name)} has the column {quote(column.name)}"
