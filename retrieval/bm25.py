"""BM25 over `Postings`, scored as if every row carried its block's head words.

score = sum over tokens of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean length)),
idf = log(1 + (N - n + 0.5) / (n + 0.5)) (Robertson and Zaragoza 2009, with Lucene's positive idf);
tf and length count head and cell tokens alike. A row is ranked only if a cell of it holds a token:
rows that share nothing but head words are all alike, and the table is the better answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.postings import Found, Postings
from retrieval.segments import Ints

K1 = 1.2
B = 0.75
FLOOR = 0.35
"""A row that scores less than this share of the best one is not shown."""

CANDIDATE_FLOOR = 0.16
"""A row whose cells hold less than this share of the idf of the best one is not scored: lower than
`FLOOR`, as the head words of its table may lift it."""

MOST_CANDIDATES = 5_000
"""Of more rows, only those are scored whose cells hold as much idf as the last of so many."""

_LONG_LIST = 10_000
"""Before so many postings are added, it is worth knowing the best row so far."""

_DENSE_SHARE = 0.05
"""Above this many postings a row, adding up in an array of all rows beats sorting the postings."""

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


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
    found: list[Term] = []
    for token, rows, heads in zip(
        distinct, postings.rows(distinct), postings.heads(distinct), strict=True
    ):
        matching = len(rows.ids)
        if len(heads.ids):
            first, end = postings.row_starts[heads.ids], postings.row_starts[heads.ids + 1]
            places = rows.ids.searchsorted(np.stack((first, end)).astype(rows.ids.dtype))
            matching += int((end - first).sum() - (places[1] - places[0]).sum())
        found.append(Term(token, idf(total, matching), rows, heads))
    return found


def inside(postings: Postings[Any], found: Sequence[Term], blocks: Sequence[int]) -> list[Term]:
    """The same terms with the rows of some blocks only; weights stay those of all rows."""
    first, end = postings.row_starts[blocks], postings.row_starts[np.asarray(blocks, int) + 1]
    cut = []
    for term in found:
        ids, weights = term.rows.ids, term.rows.weights
        places = ids.searchsorted(np.stack((first, end)).astype(ids.dtype)).tolist()
        slices = [slice(low, high) for low, high in zip(*places, strict=True) if low < high]
        kept = Found(
            np.concatenate([ids[:0], *(ids[place] for place in slices)]),
            np.concatenate([weights[:0], *(weights[place] for place in slices)]),
        )
        cut.append(replace(term, rows=kept))
    return cut


def member(values: npt.NDArray[np.integer[Any]], ascending: npt.NDArray[Any]) -> Flags:
    """Which of `values` occur in `ascending`."""
    if not len(ascending):
        return np.zeros(len(values), bool)
    sought = values.astype(ascending.dtype, copy=False)
    flags: Flags = ascending[_places(sought, ascending)] == sought
    return flags


def _places(sought: npt.NDArray[Any], ascending: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    return np.minimum(ascending.searchsorted(sought), len(ascending) - 1)


def candidates(postings: Postings[Any], found: Sequence[Term]) -> Ints:
    """Rows worth scoring, ascending: those whose cells hold enough of the idf of the best one.

    Tokens are taken rarest first; when what is left could no longer lift a new row over the floor,
    common tokens only score rows already found.
    """
    order = sorted((t for t in found if len(t.rows.ids)), key=lambda t: len(t.rows.ids))
    left = sum(term.idf for term in order)
    best, taken = 0.0, list[Term]()
    for term in order:
        if len(term.rows.ids) > _LONG_LIST and taken:
            best = float(_added(postings, taken)[1].max())
        if left < CANDIDATE_FLOOR * best:
            break
        taken.append(term)
        left -= term.idf
        # A lower bound of the best row's mass: it holds at least its rarest token.
        best = max(best, term.idf)
    rows, held = _added(postings, taken)
    if not len(rows):
        return rows
    floor = CANDIDATE_FLOOR * float(held.max())
    if len(rows) > MOST_CANDIDATES:
        floor = max(floor, float(np.partition(held, -MOST_CANDIDATES)[-MOST_CANDIDATES]))
    return rows[held >= floor]


def _added(postings: Postings[Any], taken: Sequence[Term]) -> tuple[Ints, Floats]:
    """The rows of `taken`, ascending, with the idf each holds."""
    size = sum(len(term.rows.ids) for term in taken)
    if size > _DENSE_SHARE * int(postings.row_starts[-1]):
        total = np.zeros(int(postings.row_starts[-1]))
        for term in taken:
            total[term.rows.ids] += term.idf
        rows = np.flatnonzero(total)
        return rows, total[rows]
    ids = np.concatenate([np.zeros(0, np.int64), *(term.rows.ids for term in taken)])
    weights = np.repeat([term.idf for term in taken], [len(term.rows.ids) for term in taken])
    rows, where = np.unique(ids.astype(np.int64), return_inverse=True)
    total = np.zeros(len(rows))
    np.add.at(total, where, weights)
    return rows, total


def frequencies(term: Term, rows: Ints) -> Ints:
    """How often `term` occurs in the cells of each of `rows`."""
    ids = term.rows.ids
    if not len(ids):
        return np.zeros(len(rows), np.int64)
    sought = rows.astype(ids.dtype)
    at = _places(sought, ids)
    return np.where(ids[at] == sought, term.rows.weights[at], 0).astype(np.int64)


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
