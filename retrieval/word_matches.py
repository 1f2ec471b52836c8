"""Which words of a question occur where: the ground of coverage.

A word counts as found only whole: all parts of a code, or the code as one. Takes a `Question` with
the postings of its tokens; gives one `WordMatch` per content word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.bm25 import Term, member
from retrieval.hashing import Ints
from retrieval.hits import Coverage
from retrieval.question import Question
from retrieval.tokenize import Word

_FEW_ROWS = 1_000

Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class WordMatch:
    """Where one content word of the question occurs."""

    word: Word
    mass: float
    """Its idf."""
    terms: tuple[Term, ...]
    """Of its parts."""
    whole: Term | None
    both: bool = False
    """Rows hold the parts and the whole: then neither alone is enough ("SKU-4471-B" is not
    "SKU-447-1B", which is the same when joined)."""
    passing: Callable[[Numbers], Flags] | None = None
    """Which of the rows that have its parts really hold it, where parts may be met by the way."""

    def in_rows(self, rows: Numbers, known: Mapping[str, Flags] = MappingProxyType({})) -> Flags:
        """Which of `rows` hold it in their cells; `known` tells by token which hold that."""
        found = self.in_postings(rows, known)
        if self.passing is not None and found.any():
            found[found] = self.passing(rows[found])
        return found

    def in_postings(
        self, rows: Numbers, known: Mapping[str, Flags] = MappingProxyType({})
    ) -> Flags:
        """Which of `rows` hold its parts or its whole somewhere; the first half of `in_rows`."""

        def among(term: Term) -> Flags:
            flags = known.get(term.token)
            return term.among(rows) if flags is None else flags

        found = among(self.terms[0])
        for term in self.terms[1:]:
            found = found & among(term)
        return self._with_whole(found, among(self.whole)) if self.whole else found.copy()

    def within(self, first: int, end: int) -> Flags:
        """Which of the rows from `first` to `end` hold it in their cells: one flag a row."""
        found = _between(self.terms[0].rows.ids, first, end)
        for term in self.terms[1:]:
            found &= _between(term.rows.ids, first, end)
        if self.whole:
            found = self._with_whole(found, _between(self.whole.rows.ids, first, end))
        if self.passing is not None and found.any():
            rows = np.flatnonzero(found)
            found[rows] = self.passing(rows + first)
        return found

    def in_ranges(self, bounds: Numbers) -> Flags:
        """In which ranges of rows its parts, or its whole, stand in cells; shape (2, ranges)."""

        def within(term: Term) -> Flags:
            low, high = term.rows.ids.searchsorted(bounds)
            flags: Flags = low < high
            return flags

        found = within(self.terms[0])
        for term in self.terms[1:]:
            found &= within(term)
        return found | within(self.whole) if self.whole else found

    @property
    def plain(self) -> bool:
        """Whether it is one token, that every row with the token holds."""
        return len(self.terms) == 1 and self.whole is None

    @property
    def likely(self) -> Numbers:
        """Rows that may hold it, ascending: all rows that do are among them."""
        rarest = min((term.rows.ids for term in self.terms), key=len)
        if self.whole is None:
            return rarest
        whole = self.whole.rows.ids
        return whole if self.both else ascending((rarest, whole))

    @property
    def anywhere(self) -> bool:
        """Whether any row holds it; few rows are asked first, as one is enough."""
        rows = self.likely
        parts = (rows[:_FEW_ROWS], rows[_FEW_ROWS:])
        return any(bool(self.in_rows(part).any()) for part in parts)

    def in_heads(self, blocks: Numbers) -> Flags:
        """Which of `blocks` hold it in their heads."""
        parts = np.ones(len(blocks), bool)
        for term in self.terms:
            parts &= member(blocks, term.heads.ids)
        return parts | member(blocks, self.whole.heads.ids) if self.whole else parts

    def _with_whole(self, parts: Flags, whole: Flags) -> Flags:
        return parts & whole if self.both else parts | whole


def word_matches(
    question: Question,
    terms: Sequence[Term],
    passing: Mapping[str, Callable[[Numbers], Flags]] | None = None,
) -> tuple[WordMatch, ...]:
    """One per content word; `terms` are those of `question.tokens`, `passing` is by word."""
    tests = passing or {}
    by_token = {term.token: term for term in terms}
    matches = []
    for word in question.content_words:
        parts = tuple(by_token[token] for token in word.tokens)
        whole = by_token[word.whole] if word.whole else None
        mass = max(term.idf for term in (parts if whole is None else (*parts, whole)))
        both, test = _both(parts, whole), tests.get(word.text)
        matches.append(WordMatch(word, mass, parts, whole, both, test))
    return tuple(matches)


def ascending(parts: Sequence[Numbers]) -> Ints:
    """The distinct numbers of `parts`, ascending."""
    joined = np.sort(np.concatenate(parts).astype(np.int64), kind="stable")
    fresh = np.ones(len(joined), bool)
    np.not_equal(joined[1:], joined[:-1], out=fresh[1:])
    return joined[fresh]


def _between(rows: Numbers, first: int, end: int) -> Flags:
    """One flag for each row from `first` to `end`: whether it is among `rows`, which ascend."""
    low, high = rows.searchsorted(np.array((first, end), rows.dtype)).tolist()
    flags = np.zeros(end - first, bool)
    flags[rows[low:high] - rows.dtype.type(first)] = True
    return flags


def _both(parts: Sequence[Term], whole: Term | None) -> bool:
    if whole is None:
        return False
    flags = np.ones(len(whole.rows.ids), bool)
    for term in parts:
        flags &= member(whole.rows.ids, term.rows.ids)
    return bool(flags.any())


def cover(matches: Sequence[WordMatch], in_cells: Flags, in_heads: Flags) -> Coverage:
    """How much of a question the flags (one per match) account for."""
    cells, heads, missing = list[str](), list[str](), list[str]()
    mass = held = 0.0
    for match, in_cell, in_head in zip(matches, in_cells.tolist(), in_heads.tolist(), strict=True):
        mass += match.mass
        held += match.mass if in_cell or in_head else 0.0
        (cells if in_cell else heads if in_head else missing).append(match.word.text)
    share = held / mass if mass else 0.0
    return Coverage(share, tuple(cells), tuple(heads), tuple(missing))
