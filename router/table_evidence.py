"""The table whose title and headers a question covers best, weighed.

Takes the tables found and the columns that are linked; gives the best with a confidence and the
words it leaves open. Words of its rows count for nothing here: they speak for the row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.hits import Coverage, TableHit
from retrieval.table import NUMERIC, Table
from router.coverage import (
    literally_in,
    open_words,
    stems_of,
    strict_confidence,
    telling_stems,
)
from router.cues import denials, limits, operations
from router.evidence_words import (
    VEILED,
    groupings,
    said_done,
    said_of_now,
    title_stems,
    titles,
    untold_periods,
    veiled_words,
)
from router.row_evidence import NO_COLUMN, SYNONYM
from sql_engine.catalog import Catalog
from sql_engine.links import Links
from sql_engine.words import folded_words, split_name

if TYPE_CHECKING:
    from retrieval.index import Index

FORMS = 3
"""Letters that an ending adds to a word of the same meaning."""
NAMED_IN_FULL = 0.9
"""Score of a link from which a column counts as named."""


@dataclass(frozen=True)
class TableEvidence:
    """The table whose title and headers the question covers best."""

    hit: TableHit
    confidence: float
    open_words: tuple[str, ...]
    repeated_column: str | None
    """A column that the question names and whose values repeat, so that it names no rows."""
    grouping: tuple[str, ...]
    """Words that ask for a figure of each of what one of its headers says: "by zone"."""
    computed: tuple[str, ...]
    """Words of an operation that no name of more words says: "total" of "total nights", where one
    column is "Total" and another "Nights".
    """


def best_table(
    question: str,
    index: Index,
    catalog: Catalog,
    links: Links,
    hits: tuple[TableHit, ...],
) -> TableEvidence | None:
    """The table whose names cover the question best; None where none was found."""
    return max(
        (_weighed(question, index.table(hit.table_id), hit, catalog, links) for hit in hits),
        key=lambda e: (e.confidence, len(e.hit.coverage.header_words), e.hit.score),
        default=None,
    )


def _weighed(
    question: str, table: Table, hit: TableHit, catalog: Catalog, links: Links
) -> TableEvidence:
    names, card = title_stems(table), _card(hit.coverage)
    denied = _denied(question, titles(table))
    denied += (*said_of_now(question, table.headers), *said_done(question, table))
    by_words = strict_confidence(card, question, denied=denied)
    by_synonyms = strict_confidence(card, question, names=names, denied=denied)
    confidence = max(by_words, by_synonyms * SYNONYM)
    if not all(_is_form_of(word, titles(table)) for word in card.header_words):
        confidence *= NO_COLUMN
    if not _is_literal_card(hit, table):
        confidence *= SYNONYM
    left = open_words(card, question, names=names, denied=denied)
    if veiled := veiled_words(question, catalog, hit.table_id):
        left, confidence = (*left, *veiled), confidence * VEILED
    repeated = _repeated(catalog, links, hit)
    grouping, computed = groupings(question, table), _computed(question, table)
    return TableEvidence(hit, confidence, left, repeated, grouping, computed)


def _computed(question: str, table: Table) -> tuple[str, ...]:
    asked = stems_of([question])
    names = [stems_of([name]) for name in titles(table)]
    for cue in operations(question):
        words = telling_stems(" ".join(cue.phrase))
        if words and not any(words <= name and (name - words) & asked for name in names):
            return cue.phrase
    return ()


def _denied(question: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Words that leave rows out, and that no name of the table says."""
    return (
        *denials(question, texts=names),
        *limits(question, texts=names),
        *untold_periods(question, names),
    )


def _is_literal_card(hit: TableHit, table: Table) -> bool:
    """Whether the words found are those of the table's names, not only of the same stem."""
    names = titles(table)
    return all(literally_in(word, names) for word in hit.coverage.header_words)


def _card(coverage: Coverage) -> Coverage:
    """Only the words of the card: those of a row speak for the row."""
    missing = (*coverage.missing_words, *coverage.cell_words)
    return Coverage(coverage.share, (), coverage.header_words, missing)


def _repeated(catalog: Catalog, links: Links, hit: TableHit) -> str | None:
    entry = catalog.by_id(hit.table_id)
    if entry is None:
        return None
    for named in links.columns:
        column = entry.column(named.column)
        if named.table != entry.name or named.score < NAMED_IN_FULL or column is None:
            continue
        if column.source.counts.max(initial=0) > 1 and column.kind not in NUMERIC:
            return column.name
    return None


def _is_form_of(word: str, names: tuple[str, ...]) -> bool:
    """Whether a word is a form of one of the names' words: "departments" is none of "departs"."""
    stem = stems_of([word])
    forms = (form for name in names for form in folded_words(" ".join(split_name(name))))
    return any(stems_of([form]) == stem and abs(len(form) - len(word)) <= FORMS for form in forms)
