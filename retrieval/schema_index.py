"""Finds the tables that a question is about, by their cards.

A card is what a person would write on a table's lid: title, headings above it, column headers,
unit, and the most frequent cells of each column. Takes a `Question`, gives ranked table ids by
BM25 over the cards.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from retrieval.bm25 import K1, B, idf
from retrieval.postings import Postings
from retrieval.question import Question

SAMPLE_TEXTS = 200
"""Distinct texts of each column that go on the card, the most frequent first."""

_HEAD_WEIGHT = 8
"""How often a word of the head counts, beside once for a sample cell."""


def search_cards(postings: Postings[Any], question: Question, k: int) -> list[tuple[int, float]]:
    """The best `k` tables as (block number, score), best first; ties in table order."""
    count = len(postings.alive_blocks)
    if not count:
        return []
    lengths = _HEAD_WEIGHT * postings.head_lengths + postings.sample_lengths
    mean = max(1e-9, float(lengths[postings.alive_blocks].mean()))
    norm = K1 * (1 - B + B * lengths / mean)
    scores = np.zeros(count)
    asked = question.tokens
    for heads, samples in zip(postings.heads(asked), postings.samples(asked), strict=True):
        counts = np.zeros(count)
        counts[heads.ids] += _HEAD_WEIGHT * heads.weights
        counts[samples.ids] += samples.weights
        weight = idf(postings.block_count, int(np.count_nonzero(counts)))
        scores += weight * counts * (K1 + 1) / (counts + norm)
    found = np.flatnonzero(scores)
    best = found[np.lexsort((found, -scores[found]))[:k]]
    return [(block, float(scores[block])) for block in best.tolist()]
