"""Inverted lists in numpy: header words once a block, cell words once a row.

A block is a table (many rows) or a paragraph (one row). Blocks come as tokens per distinct text
and codes per row; a `Segment` holds their lists as sorted arrays and never changes. `Postings` is
an immutable set of segments with what is alive in them: adding or removing blocks gives a new
one, so a reader keeps the one it has. Ranking is in `bm25.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_MERGE_FACTOR = 4
"""Neighbouring segments are merged until each is this many times larger than the next."""


@lru_cache(maxsize=1 << 16)
def hash64(text: str) -> int:
    """A hash of `text` that is the same in every process."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


@dataclass(frozen=True)
class Field:
    """One column of a block: `codes[i]` indexes `tokens`, or is -1."""

    codes: npt.NDArray[np.int32]
    tokens: Sequence[Sequence[str]]
    """Per distinct text."""
    keys: Sequence[str] = ()
    """Per distinct text: the form under which whole cells compare; empty for prose."""


@dataclass(frozen=True)
class Block:
    """What is indexed as one: a table with its rows, or a paragraph."""

    key: str
    heads: Sequence[str]
    """Tokens that every row has."""
    row_count: int
    fields: Sequence[Field]


@dataclass(frozen=True)
class Lists:
    """Postings by token: `ids[offsets[i]:offsets[i+1]]` are those of `vocabulary[i]`."""

    vocabulary: npt.NDArray[np.uint64]
    """Sorted hashes."""
    offsets: Ints
    ids: npt.NDArray[np.uint32]
    """Ascending within a token."""
    weights: npt.NDArray[np.int32]
    """How often the token occurs there (for cells: the text's code); aligned with `ids`."""

    def find(self, hashed: npt.NDArray[np.uint64]) -> Iterator[tuple[int, slice]]:
        """(position in `hashed`, where its postings are) of every token that is known."""
        if not len(self.vocabulary):
            return
        at = np.minimum(np.searchsorted(self.vocabulary, hashed), len(self.vocabulary) - 1)
        for number in np.flatnonzero(self.vocabulary[at] == hashed).tolist():
            place = int(at[number])
            yield number, slice(int(self.offsets[place]), int(self.offsets[place + 1]))


@dataclass(frozen=True)
class Segment:
    """The lists of some blocks; row and column numbers count from the segment's start."""

    keys: tuple[str, ...]
    row_starts: Ints
    """Shape (blocks + 1,)."""
    column_starts: Ints
    """Shape (blocks + 1,)."""
    head_lengths: Ints
    """Tokens in each block's heads."""
    row_lengths: npt.NDArray[np.uint16]
    """Tokens in each row's cells (at most 65,535 are counted)."""
    rows: Lists
    """Token to rows."""
    heads: Lists
    """Token to blocks."""
    cells: Lists
    """Whole cell to columns, with the text's code as weight."""

    @property
    def row_count(self) -> int:
        """Rows of all blocks."""
        return int(self.row_starts[-1])


def build_segment(blocks: Sequence[Block]) -> Segment:
    """The lists of `blocks`, in their order."""
    row_starts = _starts(block.row_count for block in blocks)
    column_starts = _starts(len(block.fields) for block in blocks)
    lengths = np.zeros(int(row_starts[-1]), np.int64)
    hashes, rows = [], []
    for block, start in zip(blocks, row_starts.tolist(), strict=False):
        for field in block.fields:
            token, row = _expand(field)
            lengths[start : start + block.row_count] += np.bincount(row, minlength=block.row_count)
            hashes.append(token)
            rows.append(row + start)
    return Segment(
        keys=tuple(block.key for block in blocks),
        row_starts=row_starts,
        column_starts=column_starts,
        head_lengths=np.array([len(block.heads) for block in blocks], np.int64),
        row_lengths=np.minimum(lengths, 65_535).astype(np.uint16),
        rows=_counted(hashes, rows),
        heads=_counted(
            [_hashes(block.heads) for block in blocks],
            [np.full(len(block.heads), i) for i, block in enumerate(blocks)],
        ),
        cells=_cells(blocks, column_starts),
    )


def _starts(sizes: Iterable[int]) -> Ints:
    return np.concatenate(([0], np.cumsum(list(sizes), dtype=np.int64))).astype(np.int64)


def _hashes(tokens: Iterable[str]) -> npt.NDArray[np.uint64]:
    return np.fromiter((hash64(token) for token in tokens), np.uint64)


def _expand(field: Field) -> tuple[npt.NDArray[np.uint64], Ints]:
    """Every (token hash, row) of a column, from the tokens of its distinct texts."""
    counts = np.fromiter((len(t) for t in field.tokens), np.int64, len(field.tokens))
    flat = _hashes(token for text in field.tokens for token in text)
    rows = np.flatnonzero(field.codes >= 0)
    codes = field.codes[rows]
    repeats = counts[codes] if len(codes) else np.zeros(0, np.int64)
    first = (np.cumsum(counts) - counts)[codes] if len(codes) else repeats
    within = np.arange(int(repeats.sum())) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    return flat[np.repeat(first, repeats) + within], np.repeat(rows, repeats)


def _counted(hashes: list[npt.NDArray[np.uint64]], ids: list[Ints]) -> Lists:
    """Lists whose weights count how often a token occurs in each row or block."""
    if not hashes:
        return _lists(np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0, np.int64))
    vocabulary, token = np.unique(np.concatenate(hashes), return_inverse=True)
    owner = np.concatenate(ids)
    width = int(owner.max(initial=0)) + 1
    pairs, counts = np.unique(token.astype(np.int64) * width + owner, return_counts=True)
    sizes = np.bincount(pairs // width, minlength=len(vocabulary))
    return Lists(
        vocabulary, _starts(sizes.tolist()), (pairs % width).astype(np.uint32), counts.astype("i4")
    )


def _lists(hashes: npt.NDArray[np.uint64], ids: Ints, weights: Ints) -> Lists:
    """Lists of given weights: entries in any order, sorted here by hash and id."""
    order = np.lexsort((ids, hashes))
    vocabulary, sizes = np.unique(hashes, return_counts=True)
    return Lists(
        vocabulary,
        _starts(sizes.tolist()),
        ids[order].astype(np.uint32),
        weights[order].astype(np.int32),
    )


def _cells(blocks: Sequence[Block], column_starts: Ints) -> Lists:
    hashes, columns, codes = [], [], []
    for block, start in zip(blocks, column_starts.tolist(), strict=False):
        for number, field in enumerate(block.fields):
            used = [code for code, key in enumerate(field.keys) if key]
            hashes.append(_hashes(field.keys[code] for code in used))
            columns.append(np.full(len(used), start + number))
            codes.append(np.array(used, np.int64))
    if not hashes:
        return _lists(np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0, np.int64))
    return _lists(np.concatenate(hashes), np.concatenate(columns), np.concatenate(codes))


def merge(segments: Sequence[Segment], alive: Sequence[npt.NDArray[np.bool_]]) -> Segment:
    """One segment of the blocks that are alive in `segments`, in their order."""
    blocks = [np.flatnonzero(flags) for flags in alive]
    pairs = list(zip(segments, blocks, strict=True))
    rows = [_Renumbering(s.row_starts, keep) for s, keep in pairs]
    columns = [_Renumbering(s.column_starts, keep) for s, keep in pairs]
    units = [_Renumbering(np.arange(len(s.keys) + 1), keep) for s, keep in pairs]
    return Segment(
        keys=tuple(s.keys[i] for s, keep in pairs for i in keep.tolist()),
        row_starts=_starts(np.concatenate([r.sizes for r in rows]).tolist()),
        column_starts=_starts(np.concatenate([c.sizes for c in columns]).tolist()),
        head_lengths=np.concatenate([s.head_lengths[keep] for s, keep in pairs]),
        row_lengths=np.concatenate(
            [s.row_lengths[r.kept] for s, r in zip(segments, rows, strict=True)]
        ),
        rows=_merged([s.rows for s in segments], rows),
        heads=_merged([s.heads for s in segments], units),
        cells=_merged([s.cells for s in segments], columns),
    )


class _Renumbering:
    """Old numbers (rows or columns of a segment) to new ones when some blocks go."""

    def __init__(self, starts: Ints, keep: Ints) -> None:
        sizes = np.diff(starts)
        flags = np.zeros(len(sizes), bool)
        flags[keep] = True
        self.kept = np.repeat(flags, sizes)
        self.sizes = sizes[keep]
        self.count = int(self.sizes.sum())
        self.new = np.cumsum(self.kept) - 1


def _merged(lists: Sequence[Lists], numbering: Sequence[_Renumbering]) -> Lists:
    hashes, ids, weights, base = [], [], [], 0
    for part, numbers in zip(lists, numbering, strict=True):
        kept = numbers.kept[part.ids]
        hashes.append(np.repeat(part.vocabulary, np.diff(part.offsets))[kept])
        ids.append(numbers.new[part.ids[kept]] + base)
        weights.append(part.weights[kept].astype(np.int64))
        base += numbers.count
    return _lists(np.concatenate(hashes), np.concatenate(ids), np.concatenate(weights))


@dataclass(frozen=True)
class Found:
    """A token's postings over all segments, numbered through; only what is alive."""

    ids: Ints
    weights: Ints


@dataclass(frozen=True)
class Postings:
    """Segments in order of addition, and which of their blocks are alive."""

    segments: tuple[Segment, ...] = ()
    alive: tuple[npt.NDArray[np.bool_], ...] = ()
    """Per segment: one flag a block."""

    def with_blocks(self, blocks: Sequence[Block]) -> Postings:
        """These postings and `blocks`, which come last in the order."""
        if not blocks:
            return self
        segments = [*self.segments, build_segment(blocks)]
        alive = [*self.alive, np.ones(len(blocks), bool)]
        while len(segments) > 1 and _weight(segments[-2]) < _MERGE_FACTOR * _weight(segments[-1]):
            merged = merge(segments[-2:], alive[-2:])
            segments[-2:], alive[-2:] = [merged], [np.ones(len(merged.keys), bool)]
        return Postings(tuple(segments), tuple(alive))

    def without(self, keys: Collection[str]) -> Postings:
        """These postings without the blocks of these keys; a segment half dead is rebuilt."""
        segments, alive = [], []
        for segment, flags in zip(self.segments, self.alive, strict=True):
            gone = [i for i, key in enumerate(segment.keys) if key in keys and flags[i]]
            if not gone:
                segments.append(segment)
                alive.append(flags)
                continue
            left = flags.copy()
            left[gone] = False
            if not left.any():
                continue
            if int(np.diff(segment.row_starts)[left].sum()) * 2 < segment.row_count:
                segment = merge([segment], [left])
                left = np.ones(len(segment.keys), bool)
            segments.append(segment)
            alive.append(left)
        return Postings(tuple(segments), tuple(alive))

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The key of every block, dead ones included, numbered through."""
        return tuple(key for segment in self.segments for key in segment.keys)

    @cached_property
    def block_of(self) -> dict[str, int]:
        """Key to block number, of what is alive."""
        return {key: i for i, key in enumerate(self.keys) if self.alive_blocks[i]}

    @cached_property
    def alive_blocks(self) -> npt.NDArray[np.bool_]:
        """One flag a block."""
        return np.concatenate([np.zeros(0, bool), *self.alive])

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
        return np.concatenate([np.zeros(0, np.int64), *(s.head_lengths for s in self.segments)])

    @cached_property
    def row_lengths(self) -> npt.NDArray[np.uint16]:
        """Cell tokens of each row, dead ones included."""
        return np.concatenate([np.zeros(0, np.uint16), *(s.row_lengths for s in self.segments)])

    @cached_property
    def row_count(self) -> int:
        """Rows alive."""
        return int(np.diff(self.row_starts)[self.alive_blocks].sum())

    @cached_property
    def mean_length(self) -> float:
        """Tokens of a row with its block's heads, on average over the rows alive."""
        if not self.row_count:
            return 1.0
        sizes = np.diff(self.row_starts)
        alive_rows = np.repeat(self.alive_blocks, sizes)
        cells = int(self.row_lengths[alive_rows].sum(dtype=np.int64))
        heads = int((sizes * self.head_lengths)[self.alive_blocks].sum())
        return max(1e-9, (cells + heads) / self.row_count)

    def blocks_of_rows(self, rows: Ints) -> Ints:
        """The block number of each row."""
        return np.searchsorted(self.row_starts, rows, side="right") - 1

    def rows(self, tokens: Sequence[str]) -> list[Found]:
        """Per token: the rows whose cells hold it, with how often."""
        return self._find(tokens, "rows", self.row_starts)

    def heads(self, tokens: Sequence[str]) -> list[Found]:
        """Per token: the blocks whose heads hold it, with how often."""
        return self._find(tokens, "heads", np.arange(len(self.keys) + 1))

    def cells(self, keys: Sequence[str]) -> list[Found]:
        """Per key: the columns that hold such a whole cell; weights are its codes there."""
        return self._find(keys, "cells", self.column_starts)

    def _find(self, texts: Sequence[str], kind: str, starts: Ints) -> list[Found]:
        hashed = _hashes(texts)
        parts: list[list[tuple[Ints, Ints]]] = [[] for _ in texts]
        first_block = 0
        for segment, flags in zip(self.segments, self.alive, strict=True):
            lists: Lists = getattr(segment, kind)
            base = int(starts[first_block])
            for number, where in lists.find(hashed):
                ids = lists.ids[where].astype(np.int64) + base
                weights = lists.weights[where].astype(np.int64)
                if not flags.all():
                    kept = self.alive_blocks[np.searchsorted(starts, ids, side="right") - 1]
                    ids, weights = ids[kept], weights[kept]
                parts[number].append((ids, weights))
            first_block += len(segment.keys)
        return [_joined(found) for found in parts]


def _joined(parts: list[tuple[Ints, Ints]]) -> Found:
    if len(parts) == 1:
        return Found(*parts[0])
    empty = np.zeros(0, np.int64)
    return Found(
        np.concatenate([empty, *(ids for ids, _ in parts)]),
        np.concatenate([empty, *(weights for _, weights in parts)]),
    )


def _weight(segment: Segment) -> int:
    return len(segment.rows.ids) + len(segment.keys)


def _joined_starts(parts: Sequence[Ints]) -> Ints:
    return _starts(np.concatenate([np.zeros(0, np.int64), *(np.diff(p) for p in parts)]).tolist())
