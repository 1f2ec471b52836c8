"""The physical grid that every reader hands over, before anyone has understood it.

A `Grid` is columns of cells as published, dictionary-encoded, with where each row stood in its
source and what the format itself tells (merged cells, header rows, footnote marks). Nothing here
decides what a row means.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest

import numpy as np
import numpy.typing as npt

from retrieval.cells import looks_like
from retrieval.table import EMPTY

Cell = tuple[int, int]
"""(row, column)."""

BLANK, NUMBER, DATE, MISSING, TEXT = range(5)
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
        codes = self.codes[rows]
        used = np.bincount(codes[codes != EMPTY], minlength=len(self.texts)) > 0
        if used.all():
            return Strip(codes, self.texts)
        places = np.full(len(self.texts) + 1, EMPTY, np.int32)
        places[:-1][used] = np.arange(int(used.sum()), dtype=np.int32)
        kept = tuple(text for text, keep in zip(self.texts, used.tolist(), strict=True) if keep)
        return Strip(places[codes], kept)


class StripBuilder:
    """Encodes one column's cells as they come, chunk by chunk."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {"": EMPTY}
        self._parts: list[npt.NDArray[np.int32]] = []
        self._rows = 0

    def extend(self, cells: Iterable[str]) -> None:
        """Append cells."""
        seen = self._seen
        setdefault = seen.setdefault
        part = np.fromiter((setdefault(cell, len(seen) - 1) for cell in cells), np.int32)
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
        texts = list(self._seen)[1:]
        stripped = [text.strip() for text in texts]
        if stripped == texts:
            return Strip(codes, tuple(texts))
        seen: dict[str, int] = {"": EMPTY}
        places = [seen.setdefault(text, len(seen) - 1) for text in stripped]
        lookup = np.array([*places, EMPTY], np.int32)
        return Strip(lookup[codes], tuple(seen)[1:])


@dataclass(frozen=True)
class Grid:
    """A rectangle of cells as published."""

    strips: tuple[Strip, ...]
    row_count: int
    lines: Sequence[int]
    """Source line, or sheet row (1-based), of each row."""
    pages: Sequence[int] | None = None
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

    @cached_property
    def shapes(self) -> npt.NDArray[np.int8]:
        """What each cell looks like on its own. Shape (row_count, column_count)."""
        shapes = np.zeros((self.row_count, self.column_count), np.int8)
        for column, strip in enumerate(self.strips):
            table = [_SHAPES[looks_like(text)] for text in strip.texts]
            shapes[:, column] = np.array([*table, BLANK], np.int8)[strip.codes]
        return shapes

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
        places = {int(row): place for place, row in enumerate(kept.tolist())}
        return replace(
            self,
            strips=tuple(strip.take(kept) for strip in self.strips),
            row_count=len(kept),
            lines=_picked(self.lines, kept),
            pages=None if self.pages is None else _picked(self.pages, kept),
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


def _picked(values: Sequence[int], rows: npt.NDArray[np.int64]) -> Sequence[int]:
    """`values` at `rows`, as a range where they follow each other."""
    if isinstance(values, range) and values.step == 1:
        if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and bool(np.all(np.diff(rows) == 1)):
            return range(values.start + int(rows[0]), values.start + int(rows[-1]) + 1)
        return tuple((rows + values.start).tolist())
    return tuple(values[row] for row in rows.tolist())


class GridBuilder:
    """Builds a grid from rows of cells, chunk by chunk; short rows are filled with empty cells."""

    def __init__(self) -> None:
        self._columns: list[StripBuilder] = []
        self.row_count = 0

    def extend(self, rows: Sequence[Sequence[str]]) -> None:
        """Append rows."""
        for column, cells in enumerate(zip_longest(*rows, fillvalue="")):
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
        return Grid(strips, self.row_count, lines or range(1, self.row_count + 1))


def grid_of(rows: Sequence[Sequence[str]], lines: Sequence[int] | None = None) -> Grid:
    """A grid from rows of cells."""
    builder = GridBuilder()
    builder.extend(rows)
    return builder.build(lines)
