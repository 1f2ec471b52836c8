"""What was found for a question, weighed: the best row, table and paragraph with a confidence each.

Searches and links; decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrieval.abbreviations import Spelt, is_abbreviated, spelt_out
from retrieval.hits import RowHits, TableHit
from router.row_evidence import RowEvidence, best_row
from router.table_evidence import TableEvidence, best_table
from router.text_evidence import TextEvidence, best_paragraph
from sql_engine.catalog import Catalog
from sql_engine.linking import link
from sql_engine.links import Links

if TYPE_CHECKING:
    from retrieval.index import Index

SEARCHED_TABLES = 12
SEARCHED_PARAGRAPHS = 5

LINKED_TABLES = 40
"""In a larger catalog, only the tables found are searched for columns and cells."""


@dataclass(frozen=True)
class Evidence:
    """What was found for a question."""

    rows: RowHits = field(default_factory=RowHits)
    tables: tuple[TableHit, ...] = ()
    links: Links = field(default_factory=Links)
    row: RowEvidence | None = None
    table: TableEvidence | None = None
    text: TextEvidence | None = None


def gather(question: str, index: Index, catalog: Catalog, *, rows: int) -> Evidence:
    """Search rows, tables and paragraphs, and link the question's words to the catalog."""
    hits = index.search_rows(question, k=rows, by_words=True)
    tables = index.search_tables(question, k=SEARCHED_TABLES)
    paragraphs = index.search_paragraphs(question, k=SEARCHED_PARAGRAPHS)
    links = link(question, narrowed(catalog, (hit.table_id for hit in tables)))
    return Evidence(
        rows=hits,
        tables=tables,
        links=links,
        row=best_row(question, index, catalog, hits, tables, paragraphs) if _worded(hits) else None,
        table=best_table(question, index, catalog, links, tables),
        text=best_paragraph(question, paragraphs),
    )


def _worded(hits: RowHits) -> bool:
    """Whether a cell of the best row says something of the question, not only meets a bound."""
    return bool(hits) and bool(hits[0].coverage.cell_words or hits[0].named)


def found_for(text: str, index: Index) -> Iterator[str]:
    """The ids of tables whose headers or rows have words of a text, some of them twice."""
    yield from (hit.table_id for hit in index.search_tables(text, k=SEARCHED_TABLES))
    yield from (hit.table_id for hit in index.search_rows(text, k=SEARCHED_TABLES, by_words=True))


def in_full(question: str, index: Index, catalog: Catalog) -> Spelt:
    """The question with the abbreviations that the tables spell out."""
    if not is_abbreviated(question):
        return Spelt(question)
    tables = [entry.table for entry in narrowed(catalog, found_for(question, index))]
    return spelt_out(question, tables, index.holds)


def narrowed(catalog: Catalog, table_ids: Iterable[str]) -> Catalog:
    """A catalog as it is where it is small, else of these tables alone."""
    if len(catalog) <= LINKED_TABLES:
        return catalog
    found = (catalog.by_id(table_id) for table_id in dict.fromkeys(table_ids))
    return catalog.of(entry for entry in found if entry is not None)
