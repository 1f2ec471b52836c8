"""BM25 over `Postings`, scored as if every row carried its block's head words.

score = sum over tokens of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean length)),
idf = log(1 + (N - n + 0.5) / (n + 0.5)) (Robertson and Zaragoza 2009, with Lucene's positive idf);
tf and length count head and cell tokens alike. A row is ranked only if a cell of it holds a token:
rows that share nothing but head words are all alike, and the table is the better answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.postings import Found, Ints, Postings

K1 = 1.2
B = 0.75
FLOOR = 0.35
"""A row that could reach at most this share of the best score is not ranked."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Term:
    """One token of a question, with all it matches."""

    token: str
    idf: float
    rows: Found
    """Rows whose cells hold it, ascending."""
    heads: Found
    """Blocks whose heads hold it, ascending."""


def idf(rows: int, matching: int) -> float:
    """The weight of a token that `matching` of `rows` rows hold."""
    return log(1 + (rows - matching + 0.5) / (matching + 0.5))


def terms(postings: Postings[Any], tokens: Sequence[str]) -> list[Term]:
    """Each distinct token with its weight and its matches; unknown tokens too."""
    distinct = list(dict.fromkeys(tokens))
    total = postings.row_count
    sizes = np.diff(postings.row_starts)
    found: list[Term] = []
    for token, rows, heads in zip(
        distinct, postings.rows(distinct), postings.heads(distinct), strict=True
    ):
        matching = len(rows.ids)
        if len(heads.ids):
            also = member(postings.blocks_of_rows(rows.ids), heads.ids)
            matching += int(sizes[heads.ids].sum()) - int(also.sum())
        found.append(Term(token, idf(total, matching), rows, heads))
    return found


def member(values: Ints, ascending: Ints) -> npt.NDArray[np.bool_]:
    """Which of `values` occur in `ascending`."""
    if not len(ascending):
        return np.zeros(len(values), bool)
    at = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    flags: npt.NDArray[np.bool_] = ascending[at] == values
    return flags


def candidates(found: Sequence[Term], floor: float = FLOOR) -> Ints:
    """Rows worth scoring, ascending: those whose cells hold enough of the rare tokens.

    Tokens are taken rarest first; when what is left could no longer lift a new row to `floor` of
    the best one, common tokens only score rows already found.
    """
    order = sorted((t for t in found if len(t.rows.ids)), key=lambda t: len(t.rows.ids))
    left = sum(t.idf for t in order) * (K1 + 1)
    rows, best = np.zeros(0, np.int64), 0.0
    held = np.zeros(0)
    for term in order:
        if left < floor * best:
            break
        merged = np.union1d(rows, term.rows.ids)
        grown = np.zeros(len(merged))
        grown[np.searchsorted(merged, rows)] = held
        grown[np.searchsorted(merged, term.rows.ids)] += term.idf
        rows, held = merged, grown
        best = float(held.max(initial=0.0))
        left -= term.idf * (K1 + 1)
    return rows


def frequencies(term: Term, rows: Ints) -> Ints:
    """How often `term` occurs in the cells of each of `rows`."""
    if not len(term.rows.ids):
        return np.zeros(len(rows), np.int64)
    at = np.minimum(np.searchsorted(term.rows.ids, rows), len(term.rows.ids) - 1)
    return np.where(term.rows.ids[at] == rows, term.rows.weights[at], 0)


def scores(postings: Postings[Any], found: Sequence[Term], rows: Ints) -> Floats:
    """The BM25 score of each of `rows`."""
    blocks = postings.blocks_of_rows(rows)
    lengths = postings.row_lengths(rows) + postings.head_lengths[blocks]
    norm = K1 * (1 - B + B * lengths / postings.mean_length)
    total = np.zeros(len(rows))
    for term in found:
        counts = frequencies(term, rows)
        if len(term.heads.ids):
            in_heads = np.zeros(len(postings.alive_blocks), np.int64)
            in_heads[term.heads.ids] = term.heads.weights
            counts = counts + in_heads[blocks]
        total += term.idf * counts * (K1 + 1) / (counts + norm)
    return total
