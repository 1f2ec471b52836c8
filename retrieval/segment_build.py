"""Makes the segment of some blocks.

Takes blocks (texts with codes per row); gives a `Segment`. Texts are hashed many at a time, each
distinct one once a batch; what they give to rows, heads and samples is then spread out in numpy, so
that nothing is done row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retrieval.hashed_texts import hashed_texts
from retrieval.hashing import Hashes, Ints
from retrieval.segments import Block, Field, Item, Lists, Segment, distinct, offsets_of, starts

_MOST_TOKENS = np.iinfo(np.uint16).max
_MOST_OFTEN = np.iinfo(np.uint8).max
_BATCH_TEXTS = 1 << 17
_BATCH_CODES = 1 << 20
"""So many distinct texts, or codes, are worked on at a time: memory is kept low, and calls few."""
_SLICE = 1 << 21
"""So many occurrences are counted at a time."""

Owners = npt.NDArray[np.uint32]
Pairs = npt.NDArray[np.uint64]


def build_segment(blocks: Sequence[Block[Item]], *, sample_texts: int = 0) -> Segment[Item]:
    """The lists of `blocks`, in their order; `sample_texts` of each column go into `samples`."""
    row_starts = starts([block.row_count for block in blocks])
    column_starts = starts([len(block.fields) for block in blocks])
    parts = list(_parts(blocks, row_starts, column_starts))
    vocabulary = distinct(np.concatenate([part.vocabulary for part in parts]))

    def spread(owners: int, kind: Callable[[_Part], _Held]) -> tuple[Ints, Lists]:
        lengths = np.zeros(owners, np.int64)
        for part in parts:
            part.add_lengths(kind(part), lengths)
        return lengths, _lists(vocabulary, parts, kind, int(lengths.sum()))

    row_lengths, rows = spread(int(row_starts[-1]), _Part.rows)
    head_lengths, heads = spread(len(blocks), _Part.heads)
    sample_lengths, samples = spread(len(blocks), lambda part: part.samples(sample_texts))
    return Segment(
        keys=[block.key for block in blocks],
        items=[block.item for block in blocks],
        row_starts=row_starts,
        column_starts=column_starts,
        head_lengths=head_lengths,
        row_lengths=np.minimum(row_lengths, _MOST_TOKENS).astype(np.uint16),
        rows=rows,
        heads=heads,
        samples=samples,
        sample_lengths=sample_lengths,
        cells=_cell_lists(parts),
    )


@dataclass(frozen=True)
class _Held:
    """Which text stands where: aligned arrays."""

    texts: Ints
    """Numbers of texts in their part."""
    owners: Owners
    """Rows or blocks."""


@dataclass(frozen=True)
class _Placed:
    """A field with where it stands: numbers of its block, its first row and itself."""

    field: Field
    block: int
    first_row: int
    column: int


@dataclass(frozen=True)
class _Part:
    """Fields and heads that are worked on together, with their texts cut into tokens."""

    vocabulary: Hashes
    """The tokens of the texts, ascending."""
    tokens: npt.NDArray[np.int32]
    """Those of each text, text after text, as places in `vocabulary`."""
    counts: Ints
    """Tokens of each text."""
    keys: Hashes
    """One per text."""
    keyed: npt.NDArray[np.bool_]
    fields: Sequence[_Placed]
    texts: Ints
    """The numbers of the texts of the first field, then of the second, and so on."""
    on_heads: _Held
    on_cards: _Held

    def rows(self) -> _Held:
        """Which texts stand in which rows."""
        sizes = [len(one.field.codes) for one in self.fields]
        codes = np.concatenate([np.zeros(0, np.int32), *(one.field.codes for one in self.fields)])
        filled = np.flatnonzero(codes >= 0)
        shifts = np.array([one.first_row for one in self.fields], np.int64) - starts(sizes)[:-1]
        places = codes[filled] + np.repeat(self._text_starts[:-1], sizes)[filled]
        owners = np.repeat(shifts, sizes)[filled] + filled
        return _Held(self.texts[places], owners.astype(np.uint32))

    def heads(self) -> _Held:
        """Which texts stand in which blocks' heads."""
        return self.on_heads

    def samples(self, limit: int) -> _Held:
        """Which texts are the most frequent ones of a field of which block, each once; and those
        of the blocks' cards.
        """
        sizes = self._text_sizes
        kept = np.repeat(sizes <= limit, sizes)
        for place in np.flatnonzero(sizes > limit).tolist() if limit else ():
            codes = self.fields[place].field.codes
            counts = np.bincount(codes[codes >= 0], minlength=int(sizes[place]))
            best = np.argsort(-counts, kind="stable")[:limit]
            kept[self._text_starts[place] + best] = True
        blocks = np.array([one.block for one in self.fields], np.uint32)
        return _Held(
            np.concatenate((self.texts[kept], self.on_cards.texts)),
            np.concatenate((np.repeat(blocks, sizes)[kept], self.on_cards.owners)),
        )

    def cells(self) -> tuple[Hashes, Owners, npt.NDArray[np.int32]]:
        """Key, column and code of each whole cell."""
        sizes = self._text_sizes
        whole = np.array([one.field.cells for one in self.fields], bool)
        kept = np.flatnonzero(np.repeat(whole, sizes) & self.keyed[self.texts])
        codes = np.arange(len(self.texts)) - np.repeat(self._text_starts[:-1], sizes)
        columns = np.array([one.column for one in self.fields], np.uint32)
        keys = self.keys[self.texts[kept]]
        return keys, np.repeat(columns, sizes)[kept], codes[kept].astype(np.int32)

    def add_lengths(self, held: _Held, lengths: Ints) -> None:
        """Add the tokens of the texts to the lengths of those who hold them."""
        if not len(held.owners):
            return
        first = held.owners.min()
        added = np.bincount(held.owners - first, self.counts[held.texts]).astype(np.int64)
        lengths[int(first) : int(first) + len(added)] += added

    def occurrences(self, held: _Held, numbers: Ints) -> Pairs:
        """(token, owner) of each in one number; `numbers` are those of `vocabulary`."""
        repeats = self.counts[held.texts]
        ends, first = np.cumsum(repeats), np.cumsum(self.counts) - self.counts
        at = np.repeat(first[held.texts] - ends + repeats, repeats)
        at += np.arange(len(at))
        pairs = numbers[self.tokens[at]].astype(np.uint64) << np.uint64(32)
        pairs |= np.repeat(held.owners, repeats)
        return pairs

    @property
    def _text_sizes(self) -> Ints:
        return np.array([len(one.field.texts) for one in self.fields], np.int64)

    @property
    def _text_starts(self) -> Ints:
        return starts(self._text_sizes)


class _Batch:
    """Gathers the fields and heads of a part."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        self._fields: list[_Placed] = []
        self._texts: list[int] = []
        self._heads: list[tuple[int, int]] = []
        self._cards: list[tuple[int, int]] = []
        self._codes = 0

    @property
    def full(self) -> bool:
        return len(self._known) >= _BATCH_TEXTS or self._codes >= _BATCH_CODES

    def add_texts(self, block: Block[Item], number: int) -> None:
        self._heads.extend((text, number) for text in self._numbers(block.heads))
        self._cards.extend((text, number) for text in self._numbers(block.card))

    def add(self, one: _Placed) -> None:
        self._fields.append(one)
        self._texts.extend(self._numbers(one.field.texts))
        self._codes += len(one.field.codes)

    def _numbers(self, texts: Iterable[str]) -> list[int]:
        known = self._known
        return [known.setdefault(text, len(known)) for text in texts]

    def part(self) -> _Part:
        """Cut the texts that were gathered."""
        hashed = hashed_texts(list(self._known))
        vocabulary, tokens = np.unique(hashed.tokens, return_inverse=True)
        return _Part(
            vocabulary=vocabulary,
            tokens=tokens.astype(np.int32),
            counts=hashed.counts,
            keys=hashed.keys,
            keyed=hashed.keyed,
            fields=self._fields,
            texts=np.array(self._texts, np.int64),
            on_heads=_held(self._heads),
            on_cards=_held(self._cards),
        )


def _held(pairs: Sequence[tuple[int, int]]) -> _Held:
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return _Held(found[:, 0], found[:, 1].astype(np.uint32))


def _parts(blocks: Sequence[Block[Item]], row_starts: Ints, column_starts: Ints) -> Iterator[_Part]:
    batch = _Batch()
    for number, block in enumerate(blocks):
        batch.add_texts(block, number)
        first_row, first_column = int(row_starts[number]), int(column_starts[number])
        for place, one in enumerate(block.fields):
            batch.add(_Placed(one, number, first_row, first_column + place))
            if batch.full:
                yield batch.part()
                batch = _Batch()
    yield batch.part()


def _lists(
    vocabulary: Hashes, parts: Sequence[_Part], kind: Callable[[_Part], _Held], count: int
) -> Lists:
    """Owners by token, of what the parts hold of a kind: `count` occurrences."""
    pairs, end = np.empty(count, np.uint64), 0
    for part in parts:
        found = part.occurrences(kind(part), np.searchsorted(vocabulary, part.vocabulary))
        pairs[end : end + len(found)] = found
        end += len(found)
    pairs.sort()
    sizes, end = np.zeros(len(vocabulary), np.int64), 0
    ids, weights = np.empty(count, np.uint32), np.empty(count, np.uint8)
    for piece in _slices(pairs):
        first = _first_of_each(piece)
        place = slice(end, end + len(first))
        ids[place] = piece[first].astype(np.uint32)
        weights[place] = np.minimum(np.diff(first, append=len(piece)), _MOST_OFTEN)
        tokens = (piece[first] >> np.uint64(32)).astype(np.int64)
        counted = np.bincount(tokens - tokens[0])
        sizes[tokens[0] : tokens[0] + len(counted)] += counted
        end = place.stop
    if end < count:
        ids, weights = ids[:end].copy(), weights[:end].copy()
    return Lists(vocabulary[sizes > 0], offsets_of(sizes[sizes > 0]), ids, weights)


def _slices(pairs: Pairs) -> Iterator[Pairs]:
    """`pairs`, which ascend, piece by piece; equal ones stay together."""
    first = 0
    while first < len(pairs):
        end = min(first + _SLICE, len(pairs))
        end = int(pairs.searchsorted(pairs[end - 1], side="right"))
        yield pairs[first:end]
        first = end


def _first_of_each(ascending: Pairs) -> Ints:
    """Where each distinct value stands first."""
    return np.flatnonzero(np.concatenate(([True], ascending[1:] != ascending[:-1])))


def _cell_lists(parts: Sequence[_Part]) -> Lists:
    """Columns and codes by the key of the whole cell."""
    keys, columns, codes = (
        np.concatenate(one) for one in zip(*(p.cells() for p in parts), strict=True)
    )
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = _first_of_each(keys)[: len(keys)]
    return Lists(
        keys[first], offsets_of(np.diff(first, append=len(keys))), columns[order], codes[order]
    )
