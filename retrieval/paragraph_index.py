"""Finds the paragraphs that a question is about, by their text under their headings.

Takes a `Question`, gives `ParagraphHit`s. Never changes: adding or removing documents gives a new
index.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from retrieval import bm25
from retrieval.hits import Coverage, ParagraphHit
from retrieval.postings import Block, Field, Postings
from retrieval.question import Question
from retrieval.table import Document, Paragraph
from retrieval.tokenize import tokens
from retrieval.word_matches import cover, word_matches


@dataclass(frozen=True)
class ParagraphIndex:
    """The paragraphs of documents."""

    documents: Mapping[str, Document] = field(default_factory=dict)
    postings: Postings = field(default_factory=Postings)

    def with_document(self, document: Document) -> ParagraphIndex:
        """This index and the paragraphs of `document`."""
        blocks = [
            _block(document.name, number, paragraph)
            for number, paragraph in enumerate(document.paragraphs)
        ]
        known = {**self.documents, document.name: document}
        return ParagraphIndex(known, self.postings.with_blocks(blocks))

    def without(self, name: str) -> ParagraphIndex:
        """This index without a document's paragraphs."""
        known = {key: value for key, value in self.documents.items() if key != name}
        document = self.documents.get(name)
        count = len(document.paragraphs) if document else 0
        gone = {_key(name, number) for number in range(count)}
        return ParagraphIndex(known, self.postings.without(gone))

    def search(self, question: Question, k: int) -> tuple[ParagraphHit, ...]:
        """The best `k` paragraphs, best first; ties in document order."""
        terms = bm25.terms(self.postings, question.tokens)
        matches = word_matches(question, terms)
        rows = bm25.candidates(terms)
        scores = bm25.scores(self.postings, terms, rows)
        best = np.lexsort((rows, -scores))[:k]
        blocks = self.postings.blocks_of_rows(rows)
        hits = []
        for i in best.tolist():
            name, _, number = self.postings.keys[blocks[i]].rpartition("¶")
            held = np.array([match.in_rows(rows[[i]])[0] for match in matches])
            coverage = cover(matches, held, np.zeros(len(held), bool))
            hits.append(_hit(self.documents[name], int(number), float(scores[i]), coverage))
        return tuple(hits)


def _key(document: str, number: int) -> str:
    return f"{document}¶{number}"


def _block(document: str, number: int, paragraph: Paragraph) -> Block:
    texts = (*paragraph.heading_path, paragraph.text)
    held = [token for text in texts for token in tokens(text)]
    return Block(_key(document, number), (), 1, [Field(np.zeros(1, np.int32), [held])])


def _hit(document: Document, number: int, score: float, coverage: Coverage) -> ParagraphHit:
    paragraph = document.paragraphs[number]
    return ParagraphHit(
        document=document.name,
        text=paragraph.text,
        heading_path=paragraph.heading_path,
        page=paragraph.page,
        line=paragraph.line,
        score=score,
        coverage=coverage,
        version=document.version,
    )
