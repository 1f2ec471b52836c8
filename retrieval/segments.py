"""Inverted lists in numpy: head words once a block, cell words once a row, whole cells once a text.

A block is a table (many rows) or a paragraph (one row). Blocks come as distinct texts with codes
per row; a `Segment` holds their lists as sorted arrays and never changes; segments merge into one.
`segment_build.py` makes the first ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from retrieval.hashing import Hashes, Ints

Weights = npt.NDArray[np.integer[Any]]
Item = TypeVar("Item")


@dataclass(frozen=True)
class Field:
    """One column of a block: `codes[i]` indexes `texts`, or is -1."""

    codes: npt.NDArray[np.int32]
    texts: Sequence[str]
    cells: bool = True
    """Whole texts can be found as such, by their key."""


@dataclass(frozen=True)
class Block(Generic[Item]):
    """What is indexed as one: a table with its rows, or a paragraph."""

    key: str
    item: Item
    """What is indexed; comes back with the block."""
    heads: Sequence[str]
    """Texts whose words every row has."""
    row_count: int
    fields: Sequence[Field]
    card: Sequence[str] = ()
    """Texts that help to find the block, and are in no row of it."""


@dataclass(frozen=True)
class Lists:
    """Postings by token: `ids[offsets[i]:offsets[i+1]]` are those of `vocabulary[i]`."""

    vocabulary: Hashes
    """Sorted."""
    offsets: npt.NDArray[np.integer[Any]]
    """Shape (tokens + 1,); `offsets_of` makes them."""
    ids: npt.NDArray[np.uint32]
    """Ascending within a token."""
    weights: Weights
    """How often the token occurs there (for whole cells: the text's code); aligned with `ids`."""

    def find(self, hashed: Hashes) -> Iterator[tuple[int, slice]]:
        """(position in `hashed`, where its postings are) of every token that is known."""
        if not len(self.vocabulary):
            return
        at = self.vocabulary.searchsorted(hashed)
        known = self.vocabulary.take(at, mode="clip") == hashed
        for number in known.nonzero()[0].tolist():
            place = int(at[number])
            first, end = self.offsets[place : place + 2].tolist()
            yield number, slice(first, end)


@dataclass(frozen=True, eq=False)
class Segment(Generic[Item]):
    """The lists of some blocks; row, column and block numbers count from the segment's start."""

    keys: Sequence[str]
    items: Sequence[Item]
    row_starts: Ints
    """Shape (blocks + 1,)."""
    column_starts: Ints
    """Shape (blocks + 1,)."""
    head_lengths: Ints
    """Tokens in each block's heads."""
    row_lengths: npt.NDArray[np.uint16]
    """Tokens in each row's cells (at most 65,535 are counted)."""
    rows: Lists
    """Token to rows, by their cells."""
    heads: Lists
    """Token to blocks, by their heads."""
    samples: Lists
    """Token to blocks, by the most frequent texts of each column and by their cards."""
    sample_lengths: Ints
    """Tokens in each block's samples."""
    cells: Lists
    """Whole cell to columns, with the text's code as weight."""
    name: str = field(default_factory=lambda: uuid4().hex)
    """Unlike any other segment's."""

    @property
    def row_count(self) -> int:
        """Rows of all blocks."""
        return int(self.row_starts[-1])

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Key to block number."""
        return {key: number for number, key in enumerate(self.keys)}


def starts(sizes: Sequence[int] | Ints) -> Ints:
    """Where parts of these sizes start, and where the last ends: shape (parts + 1,)."""
    found = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=found[1:])
    return found


def offsets_of(sizes: Ints) -> npt.NDArray[np.integer[Any]]:
    """The offsets of lists of these sizes, in four bytes each where that is enough."""
    found = starts(sizes)
    return found.astype(np.uint32) if found[-1] <= np.iinfo(np.uint32).max else found


def distinct(values: Hashes) -> Hashes:
    """The distinct values, ascending."""
    ordered = np.sort(values)
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(ordered)]]


def concatenated(parts: Sequence[Ints]) -> Ints:
    """The parts as one array; none give an empty one."""
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def merge(
    segments: Sequence[Segment[Item]], alive: Sequence[npt.NDArray[np.bool_]]
) -> Segment[Item]:
    """One segment of the blocks that are alive in `segments`, in their order."""
    pairs = list(zip(segments, alive, strict=True))
    kept = [(segment, np.flatnonzero(flags).tolist()) for segment, flags in pairs]
    rows = [_Renumbering(s.row_starts, flags) for s, flags in pairs]
    columns = [_Renumbering(s.column_starts, flags) for s, flags in pairs]
    blocks = [_Renumbering(np.arange(len(s.keys) + 1), flags) for s, flags in pairs]
    return Segment(
        keys=[segment.keys[i] for segment, numbers in kept for i in numbers],
        items=[segment.items[i] for segment, numbers in kept for i in numbers],
        row_starts=starts(np.concatenate([r.sizes for r in rows])),
        column_starts=starts(np.concatenate([c.sizes for c in columns])),
        head_lengths=np.concatenate([s.head_lengths[flags] for s, flags in pairs]),
        row_lengths=np.concatenate(
            [r.taken(s.row_lengths) for s, r in zip(segments, rows, strict=True)]
        ),
        rows=_merged([s.rows for s in segments], rows),
        heads=_merged([s.heads for s in segments], blocks),
        samples=_merged([s.samples for s in segments], blocks),
        sample_lengths=np.concatenate([s.sample_lengths[flags] for s, flags in pairs]),
        cells=_merged([s.cells for s in segments], columns),
    )


class _Renumbering:
    """Old numbers (rows, columns or blocks of a segment) to new ones when some blocks go."""

    def __init__(self, old_starts: Ints, flags: npt.NDArray[np.bool_]) -> None:
        sizes = np.diff(old_starts)
        self._all = bool(flags.all())
        self.sizes = sizes[flags]
        self.count = int(self.sizes.sum())
        if not self._all:
            self._kept = np.repeat(flags, sizes)
            self._new = (np.cumsum(self._kept) - 1).astype(np.uint32)

    def taken(self, values: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
        """Of values per old number, those that stay."""
        return values if self._all else values[self._kept]

    def lists(self, old: Lists) -> Lists:
        """The lists with the new numbers, without what goes."""
        if self._all:
            return old
        kept = self._kept[old.ids]
        before = starts(kept.astype(np.int64))[old.offsets]
        sizes = np.diff(before)
        return Lists(
            old.vocabulary[sizes > 0],
            offsets_of(sizes[sizes > 0]),
            self._new[old.ids[kept]],
            old.weights[kept],
        )


def _merged(lists: Sequence[Lists], numbering: Sequence[_Renumbering]) -> Lists:
    """One list a token: what each part has of it, part after part, so that ids ascend."""
    parts = [numbers.lists(part) for part, numbers in zip(lists, numbering, strict=True)]
    vocabulary = distinct(np.concatenate([part.vocabulary for part in parts]))
    places = [np.searchsorted(vocabulary, part.vocabulary) for part in parts]
    sizes = np.zeros(len(vocabulary), np.int64)
    for part, place in zip(parts, places, strict=True):
        sizes[place] += np.diff(part.offsets)
    offsets = offsets_of(sizes)
    ids = np.empty(int(offsets[-1]), np.uint32)
    weights = np.empty(len(ids), parts[0].weights.dtype)
    free, base = offsets[:-1].astype(np.int64), 0
    for part, place, numbers in zip(parts, places, numbering, strict=True):
        held = np.diff(part.offsets).astype(np.int64)
        target = np.repeat(free[place] - part.offsets[:-1], held) + np.arange(len(part.ids))
        ids[target] = part.ids + np.uint32(base)
        weights[target] = part.weights
        free[place] += held
        base += numbers.count
    return Lists(vocabulary, offsets, ids, weights)
