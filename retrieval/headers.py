"""Where a table's header stands in its grid, and the path of header words above each column.

`find_header` finds title and header rows, `body_end` where the notes begin. `header_paths` flattens
a header of several rows to one path a column: "Year ended Dec 31 > 2024".
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from retrieval.grid import BLANK, DATE, MISSING, NUMBER, TEXT, Grid

HEADER_DEPTH = 8
"""No header has more rows than this."""

_HEAD = 400
"""Rows looked at to find the header."""

_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")


@dataclass(frozen=True)
class Layout:
    """Which rows of a grid are what; positions in the grid, in order."""

    titles: tuple[int, ...]
    header: tuple[int, ...]
    body_start: int
    body_end: int
    """One past the last row of the body; what follows are notes."""


@dataclass(frozen=True)
class Header:
    """The rows above the body."""

    titles: tuple[int, ...]
    rows: tuple[int, ...]

    @property
    def end(self) -> int:
        """The first row below."""
        return max((*self.titles, *self.rows), default=-1) + 1


def find_header(grid: Grid) -> Header:
    """The title rows and header rows of one table's grid."""
    if grid.header_rows is not None:
        return Header((), tuple(range(grid.header_rows)))
    return Header(*_find_header(grid))


def header_paths(grid: Grid, header: tuple[int, ...]) -> list[tuple[str, ...]]:
    """The header words above each column, from the top; no word twice in a row."""
    levels = [_level(grid, row, header[k + 1 :]) for k, row in enumerate(header)]
    paths = []
    for column in range(grid.column_count):
        path: list[str] = []
        for level in levels:
            word = " ".join(level[column].split())
            if word and (not path or path[-1] != word):
                path.append(word)
        paths.append(tuple(path))
    return paths


def _level(grid: Grid, row: int, below: tuple[int, ...]) -> list[str]:
    """One header row with its spanning cells filled in."""
    cells = grid.row(row)
    spans = {c: size[1] for (r, c), size in grid.spans.items() if r == row}
    for column, width in spans.items():
        cells[column : column + width] = [cells[column]] * len(cells[column : column + width])
    if grid.spans or not below:
        return cells
    beneath = [any(grid.at(r, c) for r in below) for c in range(grid.column_count)]
    current = ""
    for column, cell in enumerate(cells):
        if cell:
            current = cell if beneath[column] else ""
        elif beneath[column]:
            cells[column] = current
        else:
            current = ""
    return cells


def _find_header(grid: Grid) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Title rows and header rows, by what the cells look like."""
    if grid.column_count == 1:
        return (), _single_column_header(grid)
    head = min(grid.row_count, _HEAD)
    usual = _usual_shapes(grid)
    width = _usual_width(grid, usual)
    filled = grid.filled[:head].tolist()
    start = _header_start(grid, filled, usual, width)
    if start is None:
        return (), ()
    titles = tuple(row for row in range(start) if filled[row])
    if _is_data(grid, start, usual):
        return titles, ()
    header = [start]
    for row in range(start + 1, min(head, start + 2 * HEADER_DEPTH)):
        if filled[row] == 0:
            continue
        if len(header) == HEADER_DEPTH or not _continues(grid, header, row, usual):
            break
        header.append(row)
    return titles, tuple(header)


def _single_column_header(grid: Grid) -> tuple[int, ...]:
    shapes = grid.shapes[:, 0]
    first = next((row for row in range(grid.row_count) if shapes[row] != BLANK), None)
    if first is None or (shapes[first] in (NUMBER, DATE) and grid.row_count > 1):
        return ()
    return (first,)


def _usual_shapes(grid: Grid) -> list[int]:
    """What most cells of each column look like."""
    usual = []
    for column in range(grid.column_count):
        counts = np.bincount(grid.shapes[:, column], minlength=5)
        values = counts[[NUMBER, DATE, TEXT]]
        if values.sum() == 0:
            usual.append(int(MISSING if counts[MISSING] else BLANK))
        else:
            usual.append((NUMBER, DATE, TEXT)[int(np.argmax(values))])
    return usual


def _usual_width(grid: Grid, usual: list[int]) -> int:
    """How many cells a data row has."""
    values = [column for column, shape in enumerate(usual) if shape in (NUMBER, DATE)]
    wanted = np.array([usual[column] for column in values], np.int8)
    rows = (grid.shapes[:, values] == wanted).any(axis=1) if values else grid.filled > 1
    filled = grid.filled[rows & (grid.filled > 1)]
    return int(Counter(filled.tolist()).most_common(1)[0][0]) if len(filled) else 1


def _header_start(grid: Grid, filled: list[int], usual: list[int], width: int) -> int | None:
    """The first row that is not a title or a line of keys and values."""
    for row, count in enumerate(filled):
        if count == 0 or (count == 1 and width > 1):
            continue
        if count < width and grid.at(row, 0) and not _is_data(grid, row, usual):
            better = _complete_row(grid, filled, row, usual, width)
            if better is not None:
                return better
        return row
    return None


def _complete_row(
    grid: Grid, filled: list[int], row: int, usual: list[int], width: int
) -> int | None:
    """A row of names for every column that stands between `row` and the first data row."""
    for later in range(row + 1, len(filled)):
        if filled[later] >= width and grid.at(later, 0):
            if _is_data(grid, later, usual) or not _all_text(grid, later):
                return None
            return later if any(s in (NUMBER, DATE) for s in usual) else None
        if _is_data(grid, later, usual):
            return None
    return None


def _all_text(grid: Grid, row: int) -> bool:
    return bool(np.isin(grid.shapes[row], (TEXT, BLANK)).all())


def _is_data(grid: Grid, row: int, usual: list[int]) -> bool:
    """Whether a row has values where its columns have values."""
    shapes = grid.shapes[row]
    values = [c for c, shape in enumerate(usual) if shape in (NUMBER, DATE) and shapes[c] == shape]
    if not values:
        return False
    return not _names_columns(grid, row, values)


def _names_columns(grid: Grid, row: int, columns: list[int]) -> bool:
    """Whether the numbers of a row are names: years over amounts, or 1, 2, 3 across."""
    cells = [grid.at(row, column) for column in columns]
    if all(_YEAR.fullmatch(cell) for cell in cells):
        below = [sum(bool(_YEAR.fullmatch(text)) for text in grid.strips[c].texts) for c in columns]
        texts = [len(grid.strips[column].texts) for column in columns]
        return all(n <= max(1, total // 3) for n, total in zip(below, texts, strict=True))
    if len(cells) < 3 or not all(cell.isdigit() for cell in cells):
        return False
    numbers = [int(cell) for cell in cells]
    return numbers == list(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] <= 1


def _continues(grid: Grid, header: list[int], row: int, usual: list[int]) -> bool:
    """Whether `row` goes on with the header: it names what the rows above leave open."""
    if _is_data(grid, row, usual):
        return False
    cells = grid.row(row)
    covered = _covered(grid, header)
    if cells[0] and not _open_below(grid, header, 0):
        return False
    if sum(map(bool, cells)) == 1 and cells[0]:
        return False
    gaps = [
        column
        for column in range(1, grid.column_count)
        if column not in covered and usual[column] != BLANK
    ]
    wide = any(
        r in header and size[1] > 1 and r + size[0] - 1 < row for (r, _), size in grid.spans.items()
    )
    return bool(gaps) or wide


def _covered(grid: Grid, header: list[int]) -> set[int]:
    """Columns that have a name of their own in the last header row."""
    return {column for column in range(grid.column_count) if grid.at(header[-1], column)}


def _open_below(grid: Grid, header: list[int], column: int) -> bool:
    return not any(grid.at(row, column) for row in header)


_NOTE = re.compile(
    r"(?:notes?|sources?|remarks?|legend|footnotes?|quelle|anmerkung|fuente|nota)\b"
    r"|[*†‡§]|\(?(?:\d{1,2}|[a-z])[).:/]\s|\[[^\[\]]{1,4}\]|[¹²³⁴⁵⁶⁷⁸⁹⁰]|\\",
    re.I,
)


def body_end(grid: Grid, start: int) -> int:
    """One past the last row of the body; the notes follow.

    A last row of one cell is a note where it reads like one; else it is a row whose other cells
    are empty.
    """
    if grid.column_count == 1:
        return grid.row_count
    filled = grid.filled
    end = grid.row_count
    while end > start and (filled[end - 1] == 0 or _reads_like_note(grid, end - 1)):
        end -= 1
    return end


def _reads_like_note(grid: Grid, row: int) -> bool:
    if grid.filled[row] != 1:
        return False
    text = next(cell for cell in grid.row(row) if cell)
    spanning = any(r == row and size[1] >= grid.column_count for (r, _), size in grid.spans.items())
    after_blank = row > 0 and grid.filled[row - 1] == 0
    return bool(spanning or after_blank or _NOTE.match(text) or len(text.split()) > 7)
