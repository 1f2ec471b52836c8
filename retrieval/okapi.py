"""Rows ranked by rank-bm25 over header-injected text: the plain engine that `bm25.py` equals.

Takes postings and a `Question`; gives rows with their scores, and knows nothing of cells, names or
comparisons. It reads every row for every question, so it is there to compare with, not for speed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from retrieval import bm25
from retrieval.hashing import Ints
from retrieval.postings import Postings
from retrieval.question import Question
from retrieval.row_index import table_block
from retrieval.table import Table
from retrieval.tokenize import tokens

_engines: WeakKeyDictionary[Postings[Table], Any] = WeakKeyDictionary()


def scored(
    postings: Postings[Table], question: Question, tables: Collection[str] | None = None
) -> tuple[Ints, bm25.Floats]:
    """The rows that score at all, best first, with their scores; ties in row order."""
    if not postings.row_count:
        return np.zeros(0, np.int64), np.zeros(0)
    if postings not in _engines:
        _engines[postings] = engine([one for block in _alive(postings) for one in _texts(block)])
    starts = postings.row_starts
    blocks = np.flatnonzero(postings.alive_blocks)
    rows = np.concatenate([np.arange(starts[b], starts[b + 1]) for b in blocks.tolist()])
    scores: bm25.Floats = _engines[postings].get_scores(list(question.tokens))
    if tables is not None:
        among = [postings.block(key) for key in tables if key in postings]
        scores = np.where(np.isin(postings.blocks_of_rows(rows), among), scores, 0.0)
    order = np.lexsort((rows, -scores))[: np.count_nonzero(scores > 0)]
    return rows[order], scores[order]


def _alive(postings: Postings[Table]) -> Iterator[Table]:
    return (postings.item(block) for block in np.flatnonzero(postings.alive_blocks).tolist())


def _texts(table: Table) -> Iterator[list[str]]:
    """The tokens of each row's header-injected text."""
    block = table_block(table)
    heads = [token for text in block.heads for token in tokens(text)]
    cells = [[tokens(text) for text in field.texts] for field in block.fields]
    for row in range(table.row_count):
        codes = (int(field.codes[row]) for field in block.fields)
        found = (texts[code] for texts, code in zip(cells, codes, strict=True) if code >= 0)
        yield [*heads, *(token for one in found for token in one)]


def engine(corpus: list[list[str]]) -> Any:
    """rank-bm25 over texts of tokens, with an idf that is never negative."""
    from rank_bm25 import BM25Okapi

    class Engine(BM25Okapi):  # type: ignore[misc]
        def _calc_idf(self, nd: dict[str, int]) -> None:
            self.idf = {word: bm25.idf(self.corpus_size, count) for word, count in nd.items()}

    return Engine(corpus or [[""]], k1=bm25.K1, b=bm25.B)
