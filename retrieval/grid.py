"""The physical grid that every reader hands over, before anyone has understood it.

A `Grid` is columns of cells as published, dictionary-encoded, with where each row stood in its
source and what the format itself tells (merged cells, header rows, footnote marks). Nothing here
decides what a row means.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress, count, islice, zip_longest

import numpy as np
import numpy.typing as npt

from retrieval.cells import looks_like
from retrieval.table import EMPTY

Cell = tuple[int, int]
"""(row, column)."""

BLANK, NUMBER, DATE, MISSING, TEXT = range(5)
_SAMPLE = 100
_FEW = 6
"""Rows that are quicker taken out of a column one by one than by counting all that stay."""

_SHAPES = {"": BLANK, "number": NUMBER, "date": DATE, "missing": MISSING, "text": TEXT}


@dataclass(frozen=True)
class Strip:
    """One physical column: `codes[i]` indexes `texts`, or is `EMPTY`."""

    codes: npt.NDArray[np.int32]
    texts: tuple[str, ...]

    def at(self, row: int) -> str:
        """One cell; "" where empty."""
        code = int(self.codes[row])
        return "" if code == EMPTY else self.texts[code]

    def cells(self) -> list[str]:
        """Every cell, in row order."""
        return ["" if code == EMPTY else self.texts[code] for code in self.codes.tolist()]

    def take(self, rows: npt.NDArray[np.int64]) -> Strip:
        """The strip of these rows alone, without the texts that only other rows use."""
        if len(rows) > len(self.codes) - _FEW and bool((np.diff(rows) > 0).all()):
            return self._without(np.delete(np.arange(len(self.codes)), rows))
        return Strip(self.codes[rows], self.texts).compact()

    def compact(self) -> Strip:
        """The strip without the texts that no row uses."""
        codes = self.codes
        used = np.bincount(codes[codes != EMPTY], minlength=len(self.texts)) > 0
        if used.all():
            return self
        places = np.full(len(self.texts) + 1, EMPTY, np.int32)
        places[:-1][used] = np.arange(int(used.sum()), dtype=np.int32)
        return Strip(places[codes], tuple(compress(self.texts, used.tolist())))

    def _without(self, rows: npt.NDArray[np.int64]) -> Strip:
        """The strip without a few rows: the other texts need not be counted."""
        codes = np.delete(self.codes, rows)
        texts = self.texts
        for code in sorted({*self.codes[rows].tolist()} - {EMPTY}, reverse=True):
            if not (codes == code).any():
                codes = codes - (codes > code).astype(np.int32)
                texts = texts[:code] + texts[code + 1 :]
        return Strip(codes, texts)


def stripped(strip: Strip) -> Strip:
    """The strip without the outer white space of its cells."""
    texts = tuple(map(str.strip, strip.texts))
    return strip if texts == strip.texts and "" not in texts else recoded(strip.codes, texts)


def recoded(codes: npt.NDArray[np.int32], texts: Sequence[str]) -> Strip:
    """The strip of these texts, equal ones under one code."""
    seen: dict[str, int] = {"": EMPTY}
    places = [seen.setdefault(text, len(seen) - 1) for text in texts]
    return Strip(np.array([*places, EMPTY], np.int32)[codes], tuple(seen)[1:])


def encode_values(
    values: Sequence[Hashable],
) -> tuple[npt.NDArray[np.int32], list[Hashable]]:
    """Codes of the values, and the distinct ones in order of first appearance.

    Equal values have one code, whatever their type; "" and None are `EMPTY`.
    """
    seen: dict[Hashable, int] = {"": EMPTY, None: EMPTY}
    codes = np.fromiter(map(seen.setdefault, values, count()), np.int32, len(values))
    dense = np.full(len(codes) + 1, EMPTY, np.int32)
    firsts = np.fromiter(islice(seen.values(), 2, None), np.int64, len(seen) - 2)
    dense[firsts] = np.arange(len(firsts), dtype=np.int32)
    return dense[codes], list(islice(seen, 2, None))


def encode_keys(
    keys: npt.NDArray[np.uint64],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Each key's code, numbered by first appearance, and where each distinct key first stands.

    One unstable sort, which is several times quicker than the stable one of `np.unique`.
    """
    order = np.argsort(keys)
    ordered = keys[order]
    is_new = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    firsts = np.minimum.reduceat(order, np.flatnonzero(is_new))
    appears = np.zeros(len(keys), bool)
    appears[firsts] = True
    rank = np.cumsum(appears, dtype=np.int32) - np.int32(1)
    codes = np.empty(len(keys), np.int32)
    codes[order] = rank[firsts][np.cumsum(is_new) - 1]
    return codes, np.flatnonzero(appears)


class StripBuilder:
    """Encodes one column's cells as they come, chunk by chunk.

    Until it is built, a text's code is the row of its first appearance: so a single pass in C
    gives the codes, with no Python step for a new text.
    """

    def __init__(self) -> None:
        self._seen: dict[str, int] = {"": EMPTY}
        self._parts: list[npt.NDArray[np.int32]] = []
        self._rows = 0

    def extend(self, cells: Sequence[str]) -> None:
        """Append cells."""
        codes = map(self._seen.setdefault, cells, count(self._rows))
        part = np.fromiter(codes, np.int32, len(cells))
        self._parts.append(part)
        self._rows += len(part)

    def pad(self, rows: int) -> None:
        """Append empty cells until the column has `rows` rows."""
        if rows > self._rows:
            self._parts.append(np.full(rows - self._rows, EMPTY, np.int32))
            self._rows = rows

    def build(self) -> Strip:
        """The column; outer white space of its cells is dropped."""
        codes = np.concatenate(self._parts) if self._parts else np.zeros(0, np.int32)
        del self._seen[""]
        texts = tuple(self._seen)
        dense = np.full(len(codes) + 1, EMPTY, np.int32)
        firsts = np.fromiter(self._seen.values(), np.int64, len(texts))
        dense[firsts] = np.arange(len(texts), dtype=np.int32)
        return stripped(Strip(dense[codes], texts))


@dataclass(frozen=True)
class Grid:
    """A rectangle of cells as published."""

    strips: tuple[Strip, ...]
    row_count: int
    lines: Sequence[int]
    """Source line, or sheet row (1-based), of each row."""
    pages: Sequence[int] | None = None
    lead_rows: int = 0
    """Rows at the top that are known to stand above the header."""
    header_rows: int | None = None
    """As the format tells; None where it tells nothing."""
    spans: Mapping[Cell, Cell] = field(default_factory=dict)
    """Merged cells: top left cell to (rows, columns); the others are empty in `strips`."""
    marks: Mapping[Cell, tuple[str, ...]] = field(default_factory=dict)
    """Footnote marks that stood beside a cell's text."""
    strong: frozenset[int] = frozenset()
    """Rows whose label the format sets in bold or as a heading cell."""
    titles: tuple[str, ...] = ()
    """Caption or other title told by the format."""
    warnings: tuple[str, ...] = ()
    widths: npt.NDArray[np.int64] | None = None
    """How many cells each row is written with, where that differs and the format tells."""

    @property
    def column_count(self) -> int:
        """Physical columns."""
        return len(self.strips)

    def at(self, row: int, column: int) -> str:
        """One cell."""
        return self.strips[column].at(row)

    def row(self, row: int) -> list[str]:
        """One row's cells."""
        return [strip.at(row) for strip in self.strips]

    def shapes_of(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
        """What each cell of these rows looks like on its own. Shape (len(rows), column_count)."""
        wanted = np.asarray(rows, np.int64)
        shapes = np.zeros((len(wanted), self.column_count), np.int8)
        for column, strip in enumerate(self.strips):
            codes = strip.codes[wanted].tolist()
            known = self._known_shapes[column]
            for code in set(codes) - known.keys():
                known[code] = _SHAPES[looks_like(strip.texts[code])]
            shapes[:, column] = [known[code] for code in codes]
        return shapes

    @cached_property
    def _known_shapes(self) -> list[dict[int, int]]:
        return [{EMPTY: BLANK} for _ in self.strips]

    @cached_property
    def usual_shapes(self) -> tuple[int, ...]:
        """What most cells of each column look like, by a sample of the rows of a long grid."""
        shapes = self.shapes_of(_sample(self.row_count))
        usual = []
        for column in range(self.column_count):
            counts = np.bincount(shapes[:, column], minlength=5)
            values = counts[[NUMBER, DATE, TEXT]]
            if values.sum() == 0:
                usual.append(MISSING if counts[MISSING] else BLANK)
            else:
                usual.append((NUMBER, DATE, TEXT)[int(np.argmax(values))])
        return tuple(usual)

    @cached_property
    def filled(self) -> npt.NDArray[np.int64]:
        """Cells with content in each row. Shape (row_count,)."""
        filled = np.zeros(self.row_count, np.int64)
        for strip in self.strips:
            filled += strip.codes != EMPTY
        return filled

    def take(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> Grid:
        """The grid of these rows alone, in this order."""
        kept = np.asarray(rows, np.int64)
        told = bool(self.spans or self.marks or self.strong)
        places = {row: place for place, row in enumerate(kept.tolist())} if told else {}
        return replace(
            self,
            strips=tuple(strip.take(kept) for strip in self.strips),
            row_count=len(kept),
            lines=_picked(self.lines, kept),
            pages=None if self.pages is None else _picked(self.pages, kept),
            widths=None if self.widths is None else self.widths[kept],
            spans={(places[r], c): size for (r, c), size in self.spans.items() if r in places},
            marks={(places[r], c): m for (r, c), m in self.marks.items() if r in places},
            strong=frozenset(places[r] for r in self.strong if r in places),
        )

    def without_columns(self, dropped: set[int]) -> Grid:
        """The grid without these columns."""
        kept = [column for column in range(self.column_count) if column not in dropped]
        places = {column: place for place, column in enumerate(kept)}
        return replace(
            self,
            strips=tuple(self.strips[column] for column in kept),
            spans={(r, places[c]): size for (r, c), size in self.spans.items() if c in places},
            marks={(r, places[c]): mark for (r, c), mark in self.marks.items() if c in places},
        )


def _sample(count: int) -> npt.NDArray[np.int64]:
    """Rows to look at: all of a short grid, else the first, the last and some between."""
    if count <= 3 * _SAMPLE:
        return np.arange(count)
    between = np.linspace(_SAMPLE, count - _SAMPLE - 1, _SAMPLE).astype(np.int64)
    return np.concatenate([np.arange(_SAMPLE), between, np.arange(count - _SAMPLE, count)])


def _picked(values: Sequence[int], rows: npt.NDArray[np.int64]) -> Sequence[int]:
    """`values` at `rows`, as a range where they follow each other."""
    if isinstance(values, range) and values.step == 1:
        if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and bool(np.all(np.diff(rows) == 1)):
            return range(values.start + int(rows[0]), values.start + int(rows[-1]) + 1)
        return tuple((rows + values.start).tolist())
    return tuple(values[row] for row in rows.tolist())


def _transposed(rows: Sequence[Sequence[str]]) -> Iterable[tuple[str, ...]]:
    if len(set(map(len, rows))) == 1:
        return zip(*rows, strict=True)
    return zip_longest(*rows, fillvalue="")


class GridBuilder:
    """Builds a grid from rows of cells, chunk by chunk; short rows are filled with empty cells."""

    def __init__(self) -> None:
        self._columns: list[StripBuilder] = []
        self._widths: list[npt.NDArray[np.int64]] = []
        self.row_count = 0

    def extend(self, rows: Sequence[Sequence[str]]) -> None:
        """Append rows."""
        self._widths.append(np.fromiter(map(len, rows), np.int64, len(rows)))
        for column, cells in enumerate(_transposed(rows)):
            if column == len(self._columns):
                self._columns.append(StripBuilder())
                self._columns[column].pad(self.row_count)
            self._columns[column].extend(cells)
        self.row_count += len(rows)
        for builder in self._columns:
            builder.pad(self.row_count)

    def build(self, lines: Sequence[int] | None = None) -> Grid:
        """The grid; rows are numbered from 1 unless `lines` tells."""
        strips = tuple(builder.build() for builder in self._columns)
        widths = np.concatenate(self._widths) if self._widths else np.zeros(0, np.int64)
        ragged = widths if len(widths) and widths.min() < widths.max() else None
        return Grid(strips, self.row_count, lines or range(1, self.row_count + 1), widths=ragged)


def grid_of(rows: Sequence[Sequence[str]], lines: Sequence[int] | None = None) -> Grid:
    """A grid from rows of cells."""
    builder = GridBuilder()
    builder.extend(rows)
    return builder.build(lines)
