"""Finds the paragraphs that a question is about, by their text under their headings.

Takes a `Question`, gives `ParagraphHit`s by BM25 with coverage.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retrieval import bm25
from retrieval.hits import Coverage, ParagraphHit
from retrieval.postings import Postings
from retrieval.question import Question
from retrieval.segments import Block, Field
from retrieval.table import Document, Paragraph
from retrieval.word_matches import cover, word_matches


@dataclass(frozen=True)
class PlacedParagraph:
    """A paragraph with the document it stands in."""

    document: str
    version: str
    paragraph: Paragraph


def paragraph_blocks(document: Document) -> list[Block[PlacedParagraph]]:
    """A document's paragraphs as the postings index them; headings are part of the text."""
    return [
        _block(PlacedParagraph(document.name, document.version, paragraph), number)
        for number, paragraph in enumerate(document.paragraphs)
    ]


def paragraph_key(document: str, number: int) -> str:
    """The key of a document's n-th paragraph."""
    return f"{document}¶{number}"


def _block(placed: PlacedParagraph, number: int) -> Block[PlacedParagraph]:
    text = "\n".join((*placed.paragraph.heading_path, placed.paragraph.text))
    fields = [Field(np.zeros(1, np.int32), [text], cells=False)]
    return Block(paragraph_key(placed.document, number), placed, (), 1, fields)


def search_paragraphs(
    postings: Postings[PlacedParagraph], question: Question, k: int
) -> tuple[ParagraphHit, ...]:
    """The best `k` paragraphs, best first; ties in document order."""
    terms = bm25.terms(postings, question.tokens)
    matches = word_matches(question, terms)
    rows = bm25.candidates(postings, terms)
    scores = bm25.scores(postings, terms, rows)
    best = np.lexsort((rows, -scores))[:k]
    hits = []
    for row, score in zip(rows[best].tolist(), scores[best].tolist(), strict=True):
        held = np.array([match.in_rows(np.array([row]))[0] for match in matches], bool)
        coverage = cover(matches, held, np.zeros(len(held), bool))
        # A paragraph is a block of one row, so their numbers are the same.
        hits.append(_hit(postings.item(row), score, coverage))
    return tuple(hits)


def _hit(placed: PlacedParagraph, score: float, coverage: Coverage) -> ParagraphHit:
    paragraph = placed.paragraph
    return ParagraphHit(
        document=placed.document,
        text=paragraph.text,
        heading_path=paragraph.heading_path,
        page=paragraph.page,
        line=paragraph.line,
        score=score,
        coverage=coverage,
        version=placed.version,
    )
