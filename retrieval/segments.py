"""Inverted lists in numpy: head words once a block, cell words once a row, whole cells once a text.

A block is a table (many rows) or a paragraph (one row). Blocks come as distinct texts with codes
per row; a `Segment` holds their lists as sorted arrays and never changes; segments merge into one.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from retrieval.tokenize import analyse, tokens

Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]
Weights = npt.NDArray[np.integer[Any]]
Item = TypeVar("Item")

_MOST_TOKENS = np.iinfo(np.uint16).max
_MOST_OFTEN = np.iinfo(np.uint8).max


def hash64(text: str) -> int:
    """A hash of `text` that is the same in every process."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def hashes(texts: Iterable[str]) -> Hashes:
    """The hash of each text, in order."""
    return np.fromiter((hash64(text) for text in texts), np.uint64)


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


@dataclass(frozen=True)
class Lists:
    """Postings by token: `ids[offsets[i]:offsets[i+1]]` are those of `vocabulary[i]`."""

    vocabulary: Hashes
    """Sorted."""
    offsets: Ints
    """Shape (tokens + 1,)."""
    ids: npt.NDArray[np.uint32]
    """Ascending within a token."""
    weights: Weights
    """How often the token occurs there (for whole cells: the text's code); aligned with `ids`."""

    def find(self, hashed: Hashes) -> Iterator[tuple[int, slice]]:
        """(position in `hashed`, where its postings are) of every token that is known."""
        if not len(self.vocabulary):
            return
        at = np.minimum(np.searchsorted(self.vocabulary, hashed), len(self.vocabulary) - 1)
        for number in np.flatnonzero(self.vocabulary[at] == hashed).tolist():
            place = int(at[number])
            yield number, slice(int(self.offsets[place]), int(self.offsets[place + 1]))


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
    """Token to blocks, by the most frequent texts of each column."""
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


def build_segment(blocks: Sequence[Block[Item]], *, sample_texts: int = 0) -> Segment[Item]:
    """The lists of `blocks`, in their order; `sample_texts` of each column go into `samples`."""
    row_starts = starts([block.row_count for block in blocks])
    column_starts = starts([len(block.fields) for block in blocks])
    rows, heads, samples = _Gathered(), _Gathered(), _Gathered()
    lengths = np.zeros(int(row_starts[-1]), np.int64)
    keys: list[tuple[int, int, int]] = []
    for number, block in enumerate(blocks):
        head = [token for text in block.heads for token in tokens(text)]
        heads.add_tokens(head, number)
        first, end = int(row_starts[number]), int(row_starts[number + 1])
        for place, one in enumerate(block.fields):
            texts = _Texts(one, rows.vocabulary)
            token_ids, positions = texts.expanded()
            rows.add(token_ids, positions + first)
            lengths[first:end] += np.bincount(positions, minlength=block.row_count)
            samples.add(*texts.sampled(sample_texts, number))
            column = int(column_starts[number]) + place
            keys.extend((key, column, code) for code, key in texts.keys)
    samples.vocabulary = rows.vocabulary
    return Segment(
        keys=[block.key for block in blocks],
        items=[block.item for block in blocks],
        row_starts=row_starts,
        column_starts=column_starts,
        head_lengths=heads.lengths(len(blocks)),
        row_lengths=np.minimum(lengths, _MOST_TOKENS).astype(np.uint16),
        rows=rows.lists(),
        heads=heads.lists(),
        samples=samples.lists(),
        sample_lengths=samples.lengths(len(blocks)),
        cells=_cell_lists(keys),
    )


def starts(sizes: Sequence[int] | Ints) -> Ints:
    """Where parts of these sizes start, and where the last ends: shape (parts + 1,)."""
    found = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=found[1:])
    return found


class _Texts:
    """The tokens of one field's distinct texts, numbered by a vocabulary that grows."""

    def __init__(self, one: Field, vocabulary: dict[str, int]) -> None:
        self._codes = one.codes
        flat, counts = array("q"), array("q")
        self.keys: list[tuple[int, int]] = []
        """(code, hash of the key) of each whole cell."""
        for code, text in enumerate(one.texts):
            found, key = analyse(text)
            counts.append(len(found))
            flat.extend([vocabulary.setdefault(token, len(vocabulary)) for token in found])
            if one.cells and key:
                self.keys.append((code, hash64(key)))
        self._flat = np.array(flat, np.int64)
        self._counts = np.array(counts, np.int64)
        self._first = np.cumsum(self._counts) - self._counts

    def expanded(self) -> tuple[Ints, Ints]:
        """(token, row) of every occurrence."""
        rows = np.flatnonzero(self._codes >= 0)
        codes = self._codes[rows]
        repeats = self._counts[codes]
        return self._tokens_of(codes), np.repeat(rows, repeats)

    def sampled(self, limit: int, block: int) -> tuple[Ints, Ints]:
        """(token, block) of the tokens of the most frequent texts, each text once."""
        codes = np.arange(len(self._counts))
        if len(codes) > limit:
            used = self._codes[self._codes >= 0]
            counts = np.bincount(used, minlength=len(codes))
            codes = np.argsort(-counts, kind="stable")[:limit]
        found = self._tokens_of(codes)
        return found, np.full(len(found), block)

    def _tokens_of(self, codes: npt.NDArray[np.int32] | Ints) -> Ints:
        repeats = self._counts[codes]
        ends = np.cumsum(repeats)
        total = int(ends[-1]) if len(ends) else 0
        return self._flat[
            np.repeat(self._first[codes] - ends + repeats, repeats) + np.arange(total)
        ]


class _Gathered:
    """Occurrences of tokens in rows or blocks, on the way to lists."""

    def __init__(self) -> None:
        self.vocabulary: dict[str, int] = {}
        self._tokens: list[Ints] = []
        self._owners: list[Ints] = []

    def add(self, token_ids: Ints, owners: Ints) -> None:
        self._tokens.append(token_ids)
        self._owners.append(owners)

    def add_tokens(self, found: Sequence[str], owner: int) -> None:
        ids = [self.vocabulary.setdefault(token, len(self.vocabulary)) for token in found]
        self.add(np.array(ids, np.int64), np.full(len(ids), owner))

    def lengths(self, owners: int) -> Ints:
        return np.bincount(concatenated(self._owners), minlength=owners).astype(np.int64)

    def lists(self) -> Lists:
        hashed = hashes(self.vocabulary)
        order = np.argsort(hashed)
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        owners = concatenated(self._owners)
        width = int(owners.max(initial=0)) + 1
        pairs = rank[concatenated(self._tokens)] * width + owners
        pairs.sort()
        first = np.flatnonzero(np.diff(pairs, prepend=-1))
        counts = np.diff(first, append=len(pairs))
        pairs = pairs[first]
        return _compact(
            hashed[order],
            np.bincount(pairs // width, minlength=len(order)),
            (pairs % width).astype(np.uint32),
            np.minimum(counts, _MOST_OFTEN).astype(np.uint8),
        )


def concatenated(parts: Sequence[Ints]) -> Ints:
    """The parts as one array; none give an empty one."""
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _compact(
    vocabulary: Hashes,
    sizes: Ints,
    ids: npt.NDArray[np.uint32],
    weights: Weights,
) -> Lists:
    """Lists without the tokens that have no postings."""
    used = sizes > 0
    return Lists(vocabulary[used], starts(sizes[used]), ids, weights)


def _cell_lists(keys: Sequence[tuple[int, int, int]]) -> Lists:
    hashed = np.fromiter((key for key, _, _ in keys), np.uint64, len(keys))
    columns = np.fromiter((column for _, column, _ in keys), np.int64, len(keys))
    codes = np.fromiter((code for _, _, code in keys), np.int32, len(keys))
    return _sorted_lists(hashed, columns, codes)


def _sorted_lists(hashed: Hashes, ids: Ints, weights: Weights) -> Lists:
    """Lists of entries whose ids ascend within each token."""
    order = np.argsort(hashed, kind="stable")
    ordered = hashed[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(ordered)])
    offsets = np.append(first, len(ordered)).astype(np.int64)
    return Lists(ordered[first], offsets, ids[order].astype(np.uint32), weights[order])


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
            self._new = np.cumsum(self._kept) - 1

    def taken(self, values: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
        """Of values per old number, those that stay."""
        return values if self._all else values[self._kept]

    def entries(self, lists: Lists) -> tuple[Hashes, Ints, Weights]:
        """(token, new number, weight) of the postings that stay."""
        repeated = np.repeat(lists.vocabulary, np.diff(lists.offsets))
        if self._all:
            return repeated, lists.ids.astype(np.int64), lists.weights
        kept = self._kept[lists.ids]
        return repeated[kept], self._new[lists.ids[kept]], lists.weights[kept]


def _merged(lists: Sequence[Lists], numbering: Sequence[_Renumbering]) -> Lists:
    hashed, ids, weights, base = [], [], [], 0
    for part, numbers in zip(lists, numbering, strict=True):
        token, number, weight = numbers.entries(part)
        hashed.append(token)
        ids.append(number + base)
        weights.append(weight)
        base += numbers.count
    return _sorted_lists(np.concatenate(hashed), np.concatenate(ids), np.concatenate(weights))
