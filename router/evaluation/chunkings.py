"""Which chunking answers a user's look-ups: fixed-size, bare rows, or rows with their headers.

Takes loaded documents and cases that tell row, column and cell; ranks every chunking with the same
BM25 and the same words. A chunk counts by the strict check only if it holds row name, column header
and cell value, by the pair check only if it also holds "header: value" in so many words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from retrieval import okapi
from retrieval.metrics import Fact, first_rank, recall_at
from retrieval.serialize import row_text
from retrieval.table import Document, Table
from retrieval.tokenize import tokens
from router.evaluation.case import Case
from router.evaluation.chunking_figures import ChunkingFigures

FIXED_SIZES = (200, 500, 1000)
"""Characters of a fixed-size chunk."""
DEPTH = 10

Chunking = Callable[[Document], Iterator[str]]


def compare_chunkings(
    documents: Sequence[Document], cases: Sequence[Case]
) -> tuple[ChunkingFigures, ...]:
    """Rank every chunking over the documents for the cases that name a cell."""
    facts = [
        (case.question, Fact(case.keys[0], case.column, case.cell))
        for case in cases
        if case.keys and case.column and case.cell
    ]
    return tuple(_measure(name, chunk, documents, facts) for name, chunk in chunkings().items())


def chunkings() -> dict[str, Chunking]:
    """Every chunking by name, the best last."""
    fixed = {f"fixed size, {size} characters": _fixed(size) for size in FIXED_SIZES}
    return {**fixed, "bare rows": _bare_rows, "rows with headers": _header_rows}


def _fixed(size: int) -> Chunking:
    def cut(document: Document) -> Iterator[str]:
        text = "\n".join(_published(document))
        yield from (text[start : start + size] for start in range(0, len(text), size))

    return cut


def _published(document: Document) -> Iterator[str]:
    """The document as plain text: its paragraphs, then each table as a grid."""
    for paragraph in document.paragraphs:
        yield paragraph.text
    for table in document.tables:
        yield table.title
        yield " | ".join(table.headers)
        yield from (_bare(table, row) for row in range(table.row_count))


def _bare(table: Table, row: int) -> str:
    return " | ".join(table.row(row))


def _bare_rows(document: Document) -> Iterator[str]:
    yield from (paragraph.text for paragraph in document.paragraphs)
    for table in document.tables:
        yield from (_bare(table, row) for row in range(table.row_count))


def _header_rows(document: Document) -> Iterator[str]:
    yield from (paragraph.text for paragraph in document.paragraphs)
    for table in document.tables:
        yield from (row_text(table, row) for row in range(table.row_count))


def _measure(
    name: str,
    chunk: Chunking,
    documents: Sequence[Document],
    facts: Sequence[tuple[str, Fact]],
) -> ChunkingFigures:
    chunks = [text for document in documents for text in chunk(document)]
    engine = okapi.engine([tokens(text) for text in chunks])
    strict: list[int | None] = []
    pair: list[int | None] = []
    context = 0
    for question, fact in facts:
        best = [chunks[place] for place in _best(engine, tokens(question))]
        strict.append(first_rank(best, fact))
        pair.append(first_rank(best, fact, pair=True))
        context += sum(len(text) for text in best[:3])
    return ChunkingFigures(
        name=name,
        chunks=len(chunks),
        strict_at_1=recall_at(1, strict),
        strict_at_3=recall_at(3, strict),
        pair_at_1=recall_at(1, pair),
        pair_at_3=recall_at(3, pair),
        context=context / len(facts) if facts else 0.0,
    )


def _best(engine: Any, words: list[str]) -> list[int]:
    """Places of the best chunks; of equal scores the first chunk wins."""
    scores = engine.get_scores(words)
    return sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:DEPTH]
