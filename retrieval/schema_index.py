"""Finds the tables that a question is about, by their cards.

A card is what a person would write on a table's lid: title, headings above it, column headers,
unit, and its most frequent cells. Takes a `Question`, gives ranked table ids with coverage. Never
changes: adding or removing tables gives a new index.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from retrieval import bm25
from retrieval.postings import Block, Field, Postings
from retrieval.question import Question
from retrieval.row_index import head_tokens
from retrieval.table import Column, Table
from retrieval.tokenize import tokens

_SAMPLE_TEXTS = 200
"""Distinct texts of each column that go on the card, the most frequent first."""


def card_block(table: Table) -> Block:
    """A table as one row: its words, with its cells' words beside them."""
    sample = [token for column in table.columns for token in _sample(column)]
    heads = head_tokens(table)
    return Block(table.table_id, (), 1, [Field(np.zeros(1, np.int32), [heads + sample])])


def _sample(column: Column) -> list[str]:
    order = np.argsort(-column.counts, kind="stable")[:_SAMPLE_TEXTS]
    return [token for code in order.tolist() for token in tokens(column.texts[code])]


@dataclass(frozen=True)
class SchemaIndex:
    """The cards of tables."""

    postings: Postings = field(default_factory=Postings)

    def with_tables(self, tables: Sequence[Table]) -> SchemaIndex:
        """This index and `tables`."""
        return SchemaIndex(self.postings.with_blocks([card_block(table) for table in tables]))

    def without(self, table_ids: Collection[str]) -> SchemaIndex:
        """This index without these tables."""
        return SchemaIndex(self.postings.without(table_ids))

    def search(self, question: Question, k: int) -> list[tuple[str, float]]:
        """The best `k` table ids with their scores, best first; ties in table order."""
        terms = bm25.terms(self.postings, question.tokens)
        rows = bm25.candidates(terms)
        scores = bm25.scores(self.postings, terms, rows)
        best = np.lexsort((rows, -scores))[:k]
        return [(self.postings.keys[rows[i]], float(scores[i])) for i in best.tolist()]
