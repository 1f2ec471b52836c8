"""BM25 over `Postings`, scored as if every row carried its block's head words.

score = sum over tokens of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean length)),
idf = log(1 + (N - n + 0.5) / (n + 0.5)) (Robertson and Zaragoza 2009, with Lucene's positive idf);
tf and length count head and cell tokens alike. A row is ranked only if a cell of it holds a token:
rows that share nothing but head words are all alike, and the table is the better answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.hashing import Ints
from retrieval.postings import Found, Postings

K1 = 1.2
B = 0.75
FLOOR = 0.35
"""A row that scores less than this share of the best one is not shown."""

CANDIDATE_FLOOR = 0.16
"""A row whose cells hold less than this share of the idf of the best one is not scored: lower than
`FLOOR`, as the head words of its table may lift it."""

MOST_CANDIDATES = 600
"""Of more rows, only so many are scored: those whose cells hold most idf; of those that hold as
much, the ones that score best by their rarest token."""

_LONG_LIST = 10_000
"""Before so many postings are added, it is worth knowing whether they can matter; and so many
are sought by marking what is there."""

_MARKED_SHARE = 64
"""A token of one in so many rows has a bit for every row made, where many rows are asked for it:
two such lines are no larger than its postings."""

_MARKS_WORTH = 40
"""Many are rows not so many times fewer than the token's own."""

_MANY_HEADS = 1_000
"""What a token matches is kept where it is in so many heads, and in the cells of few rows."""

KEPT = 64
"""Of so many tokens and questions what is found is kept, as long as the postings are."""

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.uint32]
Marks = dict[str, npt.NDArray[np.uint8]]

_BIT = np.array([1 << place for place in range(8)], np.uint8)
"""By place in its byte: the bit of a row."""


@dataclass(frozen=True)
class Term:
    """One token of a question, with all it matches."""

    token: str
    idf: float
    rows: Found
    """Rows whose cells hold it, ascending."""
    heads: Found
    """Blocks whose heads hold it, ascending."""
    everywhere: bool = True
    """The rows are all that hold it, of all blocks."""
    marks: Marks = field(default_factory=dict, compare=False, repr=False)
    """By common token, of those asked for so far: a bit for every row. Kept with the postings."""
    rows_in_all: int = 0
    """Rows that the postings number."""

    def among(self, rows: npt.NDArray[np.integer[Any]]) -> Flags:
        """Which of `rows` hold it in their cells."""
        bits = self._bits(len(rows))
        if bits is None:
            return member(rows, self.rows.ids)
        flags: Flags = (bits[rows >> 3] & _BIT[rows & 7]) != 0
        return flags

    def _bits(self, sought: int) -> npt.NDArray[np.uint8] | None:
        """A bit for every row, where the token is common and enough rows are sought."""
        ids = self.rows.ids
        if not self.everywhere or len(ids) * _MARKED_SHARE < self.rows_in_all:
            return None
        known = self.marks.get(self.token)
        many = sought * _MARKS_WORTH >= len(ids) > _LONG_LIST
        if known is None and many and len(self.marks) < KEPT:
            flags = np.zeros(self.rows_in_all, bool)
            flags[ids] = True
            known = self.marks[self.token] = np.packbits(flags, bitorder="little")
        return known


def idf(rows: int, matching: int) -> float:
    """The weight of a token that `matching` of `rows` rows hold."""
    return log(1 + (rows - matching + 0.5) / (matching + 0.5))


def terms(postings: Postings[Any], tokens: Sequence[str]) -> list[Term]:
    """Each distinct token with its weight and its matches; unknown tokens too."""
    distinct, common = list(dict.fromkeys(tokens)), postings.common_terms
    fresh = _terms(postings, [token for token in distinct if token not in common])
    for term in fresh.values():
        many = len(term.heads.ids) > _MANY_HEADS and len(term.rows.ids) <= _LONG_LIST
        if many and len(common) < KEPT:
            common[term.token] = term
    return [fresh[token] if token in fresh else common[token] for token in distinct]


def _terms(postings: Postings[Any], tokens: Sequence[str]) -> dict[str, Term]:
    total, numbered = postings.row_count, int(postings.row_starts[-1])
    found: dict[str, Term] = {}
    for token, rows, heads in zip(
        tokens, postings.rows(tokens), postings.heads(tokens), strict=True
    ):
        matching = len(rows.ids)
        if len(heads.ids) == postings.block_count:
            matching = total
        elif len(heads.ids):
            first, end = postings.row_starts[heads.ids], postings.row_starts[heads.ids + 1]
            places = rows.ids.searchsorted(np.stack((first, end)).astype(rows.ids.dtype))
            matching += int((end - first).sum() - (places[1] - places[0]).sum())
        weight = idf(total, matching)
        found[token] = Term(token, weight, rows, heads, True, postings.marks, numbered)
    return found


def inside(postings: Postings[Any], found: Sequence[Term], blocks: Sequence[int]) -> list[Term]:
    """The same terms with the rows of some blocks only; weights stay those of all rows."""
    first, end = postings.row_starts[blocks], postings.row_starts[np.asarray(blocks, int) + 1]
    bounds = np.array((first, end), np.uint32)
    cut = []
    for term in found:
        ids, weights = term.rows.ids, term.rows.weights
        if not len(ids):
            cut.append(term)
            continue
        low_high = zip(*ids.searchsorted(bounds).tolist(), strict=True)
        slices = [slice(low, high) for low, high in low_high if low < high]
        kept = Found(_joined(ids, slices), _joined(weights, slices))
        cut.append(replace(term, rows=kept, everywhere=False))
    return cut


def _joined(values: npt.NDArray[Any], slices: Sequence[slice]) -> npt.NDArray[Any]:
    """The parts of `values`; one part is not copied."""
    parts = [values[place] for place in slices]
    return parts[0] if len(parts) == 1 else np.concatenate([values[:0], *parts])


def member(values: npt.NDArray[np.integer[Any]], ascending: npt.NDArray[Any]) -> Flags:
    """Which of `values` occur in `ascending`."""
    if not len(ascending):
        return np.zeros(len(values), bool)
    sought = values.astype(ascending.dtype, copy=False)
    if len(values) > _LONG_LIST:
        marked = np.zeros(max(int(values.max()), int(ascending[-1])) + 1, bool)
        marked[ascending] = True
        flags: Flags = marked[sought]
    else:
        flags = ascending[_places(sought, ascending)] == sought
    return flags


def _places(sought: npt.NDArray[Any], ascending: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    return np.minimum(ascending.searchsorted(sought), len(ascending) - 1)


def candidates(postings: Postings[Any], found: Sequence[Term]) -> Ints:
    """Rows worth scoring, ascending: those whose cells hold enough of the idf of the best one.

    Tokens are taken rarest first; when what is left could no longer lift a new row among those that
    are kept, common tokens only tell rows already found apart.
    """
    order = sorted((t for t in found if len(t.rows.ids)), key=lambda t: len(t.rows.ids))
    if len(order) == 1:
        return _best_of(postings, order[0])
    # What every row holds tells none apart.
    order = [term for term in order if len(term.rows.ids) < postings.row_count] or order[:1]
    left = sum(term.idf for term in order)
    held, taken, best = _Held(), 0, 0.0
    for term in order:
        if left < CANDIDATE_FLOOR * best or held.enough(order[taken:], left):
            break
        held = held.having(term)
        best, left, taken = float(held.mass.max()), left - term.idf, taken + 1
    if len(held.rows) > MOST_CANDIDATES:
        held = held.with_all(order[taken:])
    held = held.among(held.mass >= CANDIDATE_FLOOR * best)
    return _most(postings, order[:taken], held)


@dataclass(frozen=True)
class _Held:
    """Rows, ascending, with what of a question their cells hold."""

    rows: Rows = field(default_factory=lambda: np.zeros(0, np.uint32))
    mass: npt.NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    """The idf of their tokens."""

    def among(self, flags: Flags) -> _Held:
        """Those with a flag."""
        return self if flags.all() else _Held(self.rows[flags], self.mass[flags])

    def enough(self, others: Sequence[Term], left: float) -> bool:
        """Whether as many rows as are kept hold more than the tokens not yet taken add up to.

        Of those tokens they may hold some themselves: that is worth knowing before a long list.
        """
        if len(self.rows) < MOST_CANDIDATES or len(others[0].rows.ids) < _LONG_LIST:
            return False
        if np.count_nonzero(self.mass > left) >= MOST_CANDIDATES:
            return True
        whole = self.with_all(others).mass
        return int(np.count_nonzero(whole > left)) >= MOST_CANDIDATES

    def with_all(self, others: Sequence[Term]) -> _Held:
        """The same rows with what they hold of other tokens."""
        mass = self.mass.copy()
        for term in others:
            mass += np.float32(term.idf) * term.among(self.rows)
        return _Held(self.rows, mass)

    def having(self, term: Term) -> _Held:
        """These and the rows of a more common token."""
        ids, idf = term.rows.ids, np.float32(term.idf)
        if not len(self.rows):
            return _Held(ids, np.full(len(ids), idf))
        at = ids.searchsorted(self.rows)
        both = ids[np.minimum(at, len(ids) - 1)] == self.rows
        fresh = np.ones(len(ids), bool)
        fresh[at[both]] = False
        mass = np.full(len(self.rows) + int(np.count_nonzero(fresh)), idf)
        rows, old = np.empty(len(mass), np.uint32), np.zeros(len(mass), bool)
        old[np.arange(len(at)) + at - (np.cumsum(both) - both)] = True
        rows[old], rows[~old] = self.rows, ids[fresh]
        mass[old] = self.mass + idf * both
        return _Held(rows, mass)


def _best_of(postings: Postings[Any], term: Term) -> Ints:
    """The candidates by one token; of a common one they are kept, as reading all takes a while."""
    known = postings.best_rows if term.everywhere and len(term.rows.ids) > _LONG_LIST else {}
    if term.token not in known:
        known[term.token] = _most(postings, [term], _Held().having(term))
    return known[term.token]


def _most(postings: Postings[Any], taken: Sequence[Term], held: _Held) -> Ints:
    """The candidates among rows, ascending: those with most mass, then those that score best."""
    ids = held.rows.astype(np.int64)
    if len(ids) <= MOST_CANDIDATES:
        return ids
    least = np.partition(held.mass, -MOST_CANDIDATES)[-MOST_CANDIDATES]
    above, alike = ids[held.mass > least], ids[held.mass == least]
    counts = np.zeros(len(alike), np.int64)
    for term in taken:
        fresh = np.flatnonzero(counts == 0)
        counts[fresh] = frequencies(term, alike[fresh])
    shares = _saturation(postings, alike, counts)
    kept = _highest(shares, alike, MOST_CANDIDATES - len(above))
    return np.sort(np.concatenate((above, alike[kept])))


def _saturation(postings: Postings[Any], rows: Ints, counts: npt.NDArray[Any]) -> Floats:
    """What so many occurrences add to the score of each of `rows`, as a share of the most."""
    norm = 1 - B + B * postings.row_lengths(rows) / postings.mean_length
    shares: Floats = counts / (counts + K1 * norm)
    return shares


def _highest(values: Floats, rows: Ints, count: int) -> Ints:
    """Where the `count` highest of `values` stand; of equal ones, those of the first rows."""
    least = np.partition(values, -count)[-count]
    above, alike = np.flatnonzero(values > least), np.flatnonzero(values == least)
    first = np.argsort(rows[alike], kind="stable")[: count - len(above)]
    return np.concatenate((above, alike[first]))


def frequencies(term: Term, rows: Ints) -> Ints:
    """How often `term` occurs in the cells of each of `rows`."""
    return _weights(term.rows, rows)


def _weights(found: Found, numbers: Ints) -> Ints:
    """The weight of each of `numbers` among those found, 0 where it is not."""
    ids = found.ids
    if not len(ids):
        return np.zeros(len(numbers), np.int64)
    sought = numbers.astype(ids.dtype)
    at = _places(sought, ids)
    return np.where(ids[at] == sought, found.weights[at], 0).astype(np.int64)


def counts(found: Sequence[Term], rows: Ints) -> Ints:
    """Shape (terms, rows): how often each term occurs in the cells of each row."""
    told = np.zeros((len(found), len(rows)), np.int64)
    for i, term in enumerate(found):
        if len(term.rows.ids):
            told[i] = frequencies(term, rows)
    return told


def scores(
    postings: Postings[Any], found: Sequence[Term], rows: Ints, held: Ints | None = None
) -> Floats:
    """The BM25 score of each of `rows`; `held` are their `counts`, where they are known."""
    blocks = postings.blocks_of_rows(rows)
    lengths = postings.row_lengths(rows) + postings.head_lengths[blocks]
    norm = K1 * (1 - B + B * lengths / postings.mean_length)
    times = counts(found, rows) if held is None else held.copy()
    for i, term in enumerate(found):
        if len(term.heads.ids):
            times[i] += _weights(term.heads, blocks)
    weights = np.array([term.idf for term in found])[:, None]
    total: Floats = (weights * times * (K1 + 1) / (times + norm)).sum(axis=0)
    return total
