"""Where the names of a failed statement are to be found: what helps a writer to mend it.

Takes SQL text that need not parse, and the catalog; gives sentences with real names only.
"""

from __future__ import annotations

from collections.abc import Iterator

from sql_engine.catalog import Catalog
from sql_engine.extract import identifiers
from sql_engine.sql_names import quote

_MAX_HINTS = 3
_MAX_TABLES = 3


def where_names_are(sql: str, catalog: Catalog) -> tuple[str, ...]:
    """For each name that no table of the statement has as a column: the tables that have it, and
    how they join those that the statement names.
    """
    names = identifiers(sql)
    named = [table for name in names if (table := catalog.get(name)) is not None]
    known = {column.name.casefold() for table in named for column in table.columns}
    known |= {table.name.casefold() for table in catalog}
    return tuple(
        hint for name in names if name.casefold() not in known for hint in _owners(name, catalog)
    )[:_MAX_HINTS]


def _owners(name: str, catalog: Catalog) -> Iterator[str]:
    owners = [table.name for table in catalog if table.column(name) is not None]
    if owners:
        shown = ", ".join(map(quote, owners[:_MAX_TABLES]))
        more = f" and {len(owners) - _MAX_TABLES} more" if len(owners) > _MAX_TABLES else ""
        yield f"{quote(name)} is a column of {shown}{more}"
