"""The postings of an index: segments of inverted lists, and what is alive in them.

Immutable: adding or removing blocks gives a new `Postings`, so a reader keeps the one it has.
Ranking is in `bm25.py`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Generic

import numpy as np
import numpy.typing as npt

from retrieval.hashing import Hashes, Ints, question_hashes
from retrieval.segment_build import build_segment
from retrieval.segments import (
    Block,
    Item,
    Lists,
    Segment,
    Weights,
    concatenated,
    merge,
    starts,
)

_MERGE_FACTOR = 1
"""A segment is merged with the one before unless that is more than so many times larger."""


@dataclass(frozen=True)
class Found:
    """A token's postings over all segments, numbered through; only what is alive."""

    ids: npt.NDArray[np.uint32]
    """Ascending."""
    weights: Weights


_NOTHING = Found(np.zeros(0, np.uint32), np.zeros(0, np.int32))


@dataclass(frozen=True, eq=False)
class Postings(Generic[Item]):
    """Segments in order of addition, and which of their blocks are alive."""

    segments: tuple[Segment[Item], ...] = ()
    alive: tuple[npt.NDArray[np.bool_], ...] = ()
    """Per segment: one flag a block."""
    sample_texts: int = 0
    """Texts of each column that are found by block (`samples`)."""

    def with_blocks(self, blocks: Sequence[Block[Item]]) -> Postings[Item]:
        """These postings and `blocks`, which come last in the order."""
        if not blocks:
            return self
        segments = [*self.segments, build_segment(blocks, sample_texts=self.sample_texts)]
        alive = [*self.alive, np.ones(len(blocks), bool)]
        while len(segments) > 1 and _size(segments[-2]) <= _MERGE_FACTOR * _size(segments[-1]):
            merged = merge(segments[-2:], alive[-2:])
            segments[-2:], alive[-2:] = [merged], [np.ones(len(merged.keys), bool)]
        return Postings(tuple(segments), tuple(alive), self.sample_texts)

    def without(self, keys: Collection[str]) -> Postings[Item]:
        """These postings without the blocks of these keys; a segment half dead is rebuilt."""
        kept = [_left(*pair, keys) for pair in zip(self.segments, self.alive, strict=True)]
        kept = [(segment, flags) for segment, flags in kept if flags.any()]
        return Postings(tuple(s for s, _ in kept), tuple(f for _, f in kept), self.sample_texts)

    def key(self, block: int) -> str:
        """The key of a block."""
        segment, number = self._place(block)
        return segment.keys[number]

    def item(self, block: int) -> Item:
        """What a block indexes."""
        segment, number = self._place(block)
        return segment.items[number]

    def block(self, key: str) -> int:
        """The number of the block of this key. Raises KeyError where there is none alive."""
        for base, segment, flags in zip(self._bases, self.segments, self.alive, strict=False):
            number = segment.numbers.get(key)
            if number is not None and flags[number]:
                return base + number
        raise KeyError(key)

    def __contains__(self, key: str) -> bool:
        return any(
            (number := segment.numbers.get(key)) is not None and bool(flags[number])
            for segment, flags in zip(self.segments, self.alive, strict=True)
        )

    def are_all(self, keys: Collection[str]) -> bool:
        """Whether these are the keys of all blocks alive."""
        held = [key for key in keys if key in self] if len(keys) >= self.block_count else []
        return len(set(held)) == self.block_count

    @cached_property
    def alive_blocks(self) -> npt.NDArray[np.bool_]:
        """One flag a block."""
        return np.concatenate([np.zeros(0, bool), *self.alive])

    @cached_property
    def block_count(self) -> int:
        """Blocks alive."""
        return int(self.alive_blocks.sum())

    @cached_property
    def best_rows(self) -> dict[str, Ints]:
        """By token: the rows that score best by it alone, of tokens asked for so far."""
        return {}

    @cached_property
    def common_terms(self) -> dict[str, Any]:
        """By token: what it matches, of tokens that many heads hold, asked for so far."""
        return {}

    @cached_property
    def marks(self) -> dict[str, npt.NDArray[np.uint8]]:
        """By token: a bit for every row, of common tokens that many rows were asked for."""
        return {}

    @cached_property
    def best_headed(self) -> dict[tuple[str, ...], Ints]:
        """By tokens: the blocks whose heads hold most of them, of questions asked so far."""
        return {}

    @cached_property
    def row_starts(self) -> Ints:
        """Shape (blocks + 1,): where each block's rows start, numbered through."""
        return _joined_starts([s.row_starts for s in self.segments])

    @cached_property
    def column_starts(self) -> Ints:
        """Shape (blocks + 1,): where each block's columns start, numbered through."""
        return _joined_starts([s.column_starts for s in self.segments])

    @cached_property
    def head_lengths(self) -> Ints:
        """One per block."""
        return concatenated([s.head_lengths for s in self.segments])

    @cached_property
    def sample_lengths(self) -> Ints:
        """One per block."""
        return concatenated([s.sample_lengths for s in self.segments])

    @cached_property
    def row_count(self) -> int:
        """Rows alive."""
        return int(np.diff(self.row_starts)[self.alive_blocks].sum())

    @cached_property
    def mean_length(self) -> float:
        """Tokens of a row with its block's heads, on average over the rows alive."""
        sizes = np.diff(self.row_starts)
        heads = int((sizes * self.head_lengths)[self.alive_blocks].sum())
        cells = sum(
            int(s.row_lengths[np.repeat(flags, np.diff(s.row_starts))].sum(dtype=np.int64))
            if not flags.all()
            else int(s.row_lengths.sum(dtype=np.int64))
            for s, flags in zip(self.segments, self.alive, strict=True)
        )
        return max(1e-9, (cells + heads) / max(1, self.row_count))

    def row_lengths(self, rows: Ints) -> Ints:
        """Cell tokens of each of `rows`."""
        if len(self.segments) == 1:
            return self.segments[0].row_lengths[rows].astype(np.int64)
        found = np.zeros(len(rows), np.int64)
        for base, segment in zip(self._row_bases, self.segments, strict=False):
            inside = (rows >= base) & (rows < base + segment.row_count)
            found[inside] = segment.row_lengths[rows[inside] - base]
        return found

    def blocks_of_rows(self, rows: Ints) -> Ints:
        """The block number of each row."""
        return self.row_starts.searchsorted(rows, side="right") - 1

    def by_block(self, rows: Ints) -> Iterator[tuple[int, Ints, Ints]]:
        """Rows by the block they are in: block, where in `rows`, positions in the block."""
        if not len(rows):
            return
        ends = rows if len(rows) == 1 else np.array((rows.min(), rows.max()))
        least, most = self.blocks_of_rows(ends)[[0, -1]].tolist()
        if least == most:
            yield least, np.arange(len(rows)), rows - self.row_starts[least]
            return
        blocks = self.blocks_of_rows(rows)
        order = np.argsort(blocks, kind="stable")
        cuts = [*np.flatnonzero(np.diff(blocks[order], prepend=-1)).tolist(), len(order)]
        for first, end in pairwise(cuts):
            where = order[first:end]
            block = int(blocks[where[0]])
            yield block, where, rows[where] - self.row_starts[block]

    def rows(self, texts: Sequence[str]) -> list[Found]:
        """Per token: the rows whose cells hold it, with how often."""
        return self._find(texts, "rows", self.row_starts)

    def heads(self, texts: Sequence[str]) -> list[Found]:
        """Per token: the blocks whose heads hold it, with how often."""
        return self._find(texts, "heads", self._block_starts)

    def samples(self, texts: Sequence[str]) -> list[Found]:
        """Per token: the blocks whose sample texts hold it, with how often."""
        return self._find(texts, "samples", self._block_starts)

    def cells(self, keys: Sequence[str]) -> list[Found]:
        """Per key: the columns that hold such a whole cell; weights are its codes there."""
        return self._find(keys, "cells", self.column_starts)

    @cached_property
    def _whole(self) -> list[bool]:
        """Per segment: whether all its blocks are alive."""
        return [bool(flags.all()) for flags in self.alive]

    @cached_property
    def _bases(self) -> list[int]:
        return [int(n) for n in starts([len(s.keys) for s in self.segments])]

    @cached_property
    def _row_bases(self) -> list[int]:
        return [int(n) for n in starts([s.row_count for s in self.segments])]

    @cached_property
    def _block_starts(self) -> Ints:
        return np.arange(self._bases[-1] + 1)

    def _place(self, block: int) -> tuple[Segment[Item], int]:
        at = bisect_right(self._bases, block) - 1
        return self.segments[at], block - self._bases[at]

    def _find(self, texts: Sequence[str], kind: str, where: Ints) -> list[Found]:
        hashed = _hashed(tuple(texts))
        parts: list[list[Found]] = [[] for _ in texts]
        for first, segment, whole in zip(self._bases, self.segments, self._whole, strict=False):
            lists: Lists = getattr(segment, kind)
            base = int(where[first])
            for number, place in lists.find(hashed):
                ids, weights = lists.ids[place], lists.weights[place]
                if base:
                    ids = ids + np.uint32(base)
                if not whole:
                    kept = self.alive_blocks[np.searchsorted(where, ids, side="right") - 1]
                    ids, weights = ids[kept], weights[kept]
                parts[number].append(Found(ids, weights))
        return [_joined(found) for found in parts]


@lru_cache(maxsize=256)
def _hashed(texts: tuple[str, ...]) -> Hashes:
    """Hashes of a question's tokens, which are looked for in several kinds of lists."""
    found = question_hashes(texts)
    found.flags.writeable = False
    return found


def _left(
    segment: Segment[Item], flags: npt.NDArray[np.bool_], keys: Collection[str]
) -> tuple[Segment[Item], npt.NDArray[np.bool_]]:
    gone = [n for key in keys if (n := segment.numbers.get(key)) is not None and flags[n]]
    if not gone:
        return segment, flags
    left = flags.copy()
    left[gone] = False
    alive_rows = int(np.diff(segment.row_starts)[left].sum())
    if left.any() and alive_rows * 2 < segment.row_count:
        segment = merge([segment], [left])
        left = np.ones(len(segment.keys), bool)
    return segment, left


def _joined(parts: Sequence[Found]) -> Found:
    if len(parts) < 2:
        return parts[0] if parts else _NOTHING
    ids = np.concatenate([part.ids for part in parts])
    return Found(ids, np.concatenate([part.weights for part in parts]))


def _size(segment: Segment[Item]) -> int:
    return len(segment.rows.ids) + len(segment.keys)


def _joined_starts(parts: Sequence[Ints]) -> Ints:
    return starts(concatenated([np.diff(part) for part in parts]))
