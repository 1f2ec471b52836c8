"""Tables of one shape, such as one table a year: which of them a question means, where it tells.

Takes tables and the words found of the question in each; gives the tables that fit as well as one,
and the words that speak of another table. Answers nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from retrieval.hits import TableHit
from retrieval.kept import kept
from retrieval.table import Table
from router.coverage import Stems, stems_of
from sql_engine.catalog import CatalogTable
from sql_engine.query import Query

if TYPE_CHECKING:
    from router.question import Asked

SHAPE_SHARE = 0.75
"""Of the headers of the wider table: as many in common make two tables alike."""


def alike(one: Table, other: Table) -> bool:
    """Whether two tables have the same headers, or nearly."""
    mine, theirs = _folded(one), _folded(other)
    return len(mine & theirs) >= SHAPE_SHARE * max(len(mine), len(theirs))


@kept
def own_words(table: Table) -> Stems:
    """The stems of a table's title, name and headings."""
    return stems_of((table.title, table.name, *table.heading_path))


def words_of_others(table: Table, others: Iterable[Table]) -> Stems:
    """Stems that only the titles of other tables say: they speak of those, not of this one.

    A heading over both tables tells neither from the other.
    """
    theirs = frozenset[str]().union(*(own_words(other) for other in others))
    return theirs - own_words(table) - stems_of(table.headers)


def spoken_of(asked: Asked, entries: Iterable[CatalogTable]) -> tuple[CatalogTable, ...]:
    """The tables without those whose twin the question names by a word of its title."""
    kept = tuple(entries)
    return tuple(
        entry
        for entry in kept
        if not any(
            other is not entry
            and alike(entry.table, other.table)
            and _named_instead(asked, other.table, entry.table)
            for other in kept
        )
    )


def _named_instead(asked: Asked, other: Table, table: Table) -> bool:
    """Whether a word of the question is of the other's title, and none of this one's alone."""
    said = stems_of([asked.question])
    hits = (hit for hit in asked.evidence.tables if hit.table_id == table.table_id)
    held = stems_of(word for hit in hits for word in hit.coverage.cell_words)
    own = said & words_of_others(other, [table])
    return bool(said & words_of_others(table, [other]) - held) and not own


def level(asked: Asked, table_id: str) -> tuple[CatalogTable, ...]:
    """The tables of the same shape that account for every word this one accounts for."""
    hits = {hit.table_id: hit for hit in asked.evidence.tables}
    if table_id not in hits:
        return ()
    said, main = stems_of([asked.question]), asked.table(table_id)
    wanted, named = _covered(hits.pop(table_id)), _said_whole(main.table, said)
    found = (asked.table(other) for other, hit in hits.items() if _covered(hit) >= wanted)
    return tuple(
        entry
        for entry in found
        if alike(entry.table, main.table)
        and (_said_whole(entry.table, said) or not named)
        and not _named_instead(asked, main.table, entry.table)
    )


def twins_of(asked: Asked, query: Query) -> list[CatalogTable]:
    """The other tables that fit the question as well as a query's one table, and have all columns
    that it reads; none where it reads several tables.
    """
    if len(query.tables) != 1:
        return []
    read = {column.name for _, column in query.columns}
    return [
        entry
        for entry in level(asked, query.tables[0].table.table_id)
        if read <= {column.name for column in entry.columns}
    ]


def _said_whole(table: Table, said: Stems) -> bool:
    return any(stems_of([name]) <= said for name in (table.name, table.title) if name)


def _covered(hit: TableHit) -> frozenset[str]:
    return frozenset((*hit.coverage.cell_words, *hit.coverage.header_words))


def _folded(table: Table) -> frozenset[str]:
    return frozenset(header.casefold() for header in table.headers)
