"""Where a table's header stands in its grid: title rows, header rows, and where the body begins.

What the words of several header rows make together is told in `header_paths.py`, where the notes
below begin in `table_end.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from retrieval.grid import BLANK, DATE, MISSING, NUMBER, TEXT, Grid
from retrieval.number_names import SCALE, numbers_are_names
from retrieval.units import is_unit

HEADER_DEPTH = 10
"""No header has more rows than this."""

_HEAD = 400
"""Rows looked at to find the header."""


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
    if grid.lead_rows:
        return _below(grid, grid.lead_rows)
    usual = grid.usual_shapes
    if grid.header_rows is None:
        return _find_header(grid, usual)
    return _told_header(grid, grid.header_rows, usual)


def _below(grid: Grid, lead: int) -> Header:
    """The header of the rows below so many, which are titles."""
    found = find_header(replace(grid.take(range(lead, grid.row_count)), lead_rows=0))
    above = tuple(row for row in range(lead) if grid.filled[row])
    return Header(
        (*above, *(row + lead for row in found.titles)), tuple(row + lead for row in found.rows)
    )


def _told_header(grid: Grid, count: int, usual: Sequence[int]) -> Header:
    """The rows that the format marks, without a title over the whole width above them, and
    without the rows of values or lone labels that some pages mark as well.
    """
    start = 0
    if count == 0:
        return Header((), ())
    while start < count - 1 and grid.spans.get((start, 0), (1, 1))[1] >= grid.column_count > 1:
        start += 1
    end = start + 1
    while end < count and not _is_data(grid, end, usual) and not _lone_label(grid, end):
        end += 1
    return Header(tuple(range(start)), tuple(range(start, min(end, count))))


def _lone_label(grid: Grid, row: int) -> bool:
    covered = any(r < row < r + size[0] for (r, _), size in grid.spans.items())
    return bool(grid.filled[row] == 1 and grid.at(row, 0)) and not covered


def _find_header(grid: Grid, usual: Sequence[int]) -> Header:
    """Title rows and header rows, by what the cells look like."""
    if grid.column_count == 1:
        return _single_column_header(grid)
    head = min(grid.row_count, _HEAD)
    filled = grid.filled[:head].tolist()
    start = _header_start(grid, filled, usual)
    if start is None:
        return Header((), ())
    titles = tuple(row for row in range(start) if filled[row])
    if _is_data(grid, start, usual):
        return Header(titles, ())
    first_data = next((row for row in range(start + 1, head) if _is_data(grid, row, usual)), None)
    header = [start]
    for row in range(start + 1, head if first_data is None else first_data):
        if filled[row] == 0:
            continue
        if len(header) == HEADER_DEPTH or not _continues(grid, header, row, usual, first_data):
            break
        header.append(row)
    return Header(titles, tuple(header))


def _single_column_header(grid: Grid) -> Header:
    first = next((row for row in range(grid.row_count) if grid.at(row, 0)), None)
    if first is None:
        return Header((), ())
    if grid.shapes_of([first])[0, 0] in (NUMBER, DATE) and grid.row_count > 1:
        return Header((), ())
    return Header((), (first,))


def _header_start(grid: Grid, filled: list[int], usual: Sequence[int]) -> int | None:
    """The first row that is not a title or a line of keys and values."""
    width = _usual_width(grid, usual)
    for row, count in enumerate(filled):
        if count == 0 or (count == 1 and width > 1 and not _heads_next_row(grid, row, filled)):
            continue
        if count < width and grid.at(row, 0) and not _is_data(grid, row, usual):
            better = _complete_row(grid, filled, row, usual, width)
            if better is not None:
                return row if _parts_names(grid, row, better) else better
        return row
    return None


def _usual_width(grid: Grid, usual: Sequence[int]) -> int:
    """How many cells a data row has."""
    values = [column for column, shape in enumerate(usual) if shape in (NUMBER, DATE)]
    head = np.arange(min(grid.row_count, _HEAD))
    filled = grid.filled[: len(head)]
    rows = filled > 1
    if values:
        wanted = np.array([usual[column] for column in values], np.int8)
        rows &= (grid.shapes_of(head)[:, values] == wanted).any(axis=1)
    widths = filled[rows]
    return int(Counter(widths.tolist()).most_common(1)[0][0]) if len(widths) else 1


def _heads_next_row(grid: Grid, row: int, filled: list[int]) -> bool:
    """Whether a lone cell spans names in the row below, as in ", Year ended, , "."""
    column = next(c for c in range(grid.column_count) if grid.at(row, c))
    if column == 0 or row + 1 >= len(filled) or not grid.at(row + 1, column):
        return False
    if filled[row + 1] == 1:
        return _heads_next_row(grid, row + 1, filled)
    if (row, column) in grid.spans:
        return grid.spans[row, column][1] < grid.column_count
    return all(c >= column for c in range(1, grid.column_count) if grid.at(row + 1, c))


def _complete_row(
    grid: Grid, filled: list[int], row: int, usual: Sequence[int], width: int
) -> int | None:
    """A row of names for every column that stands between `row` and the first data row."""
    valued = any(shape in (NUMBER, DATE) for shape in usual)
    for later in range(row + 1, len(filled)):
        pairs = range(row, later)
        if not valued and (width < 3 or any(not _is_key_line(grid, r) for r in pairs)):
            return None
        again, texts = _standing_again(grid, later)
        if _is_data(grid, later, usual) or (filled[later] < width and 0 < again == texts):
            return None
        if filled[later] >= width and grid.at(later, 0):
            named = bool(np.isin(grid.shapes_of([later]), (TEXT, BLANK)).all())
            sure = valued or len(pairs) > 1
            return later if named and sure and not _is_record(grid, later) else None
    return None


def _parts_names(grid: Grid, row: int, below: int) -> bool:
    """Whether a row tells apart the names below it that are there more than once: years over
    quarters.
    """
    names, groups, current = grid.row(below), [], ""
    for cell in grid.row(row):
        current = cell or current
        groups.append(current)
    return len(set(names)) < len(names) == len(set(zip(groups, names, strict=True)))


def _is_key_line(grid: Grid, row: int) -> bool:
    """Whether a row holds nothing but a name and what stands beside it."""
    return bool(grid.filled[row] == 2 and grid.at(row, 0) and grid.at(row, 1))


def _is_record(grid: Grid, row: int) -> bool:
    """Whether some of a row's texts stand in their columns again. A header's do not, unless it is
    repeated, and then as a whole and in one row.
    """
    again, texts = _standing_again(grid, row)
    below = range(row + 1, min(grid.row_count, _HEAD))
    return again > 0 and (again < texts or grid.row(row) not in [grid.row(r) for r in below])


def _standing_again(grid: Grid, row: int) -> tuple[int, int]:
    """How many of a row's texts stand in their columns again below, digits aside ("A-001" over
    "A-002"); and how many texts it has.
    """
    shapes = grid.shapes_of([row])[0]
    cells = {column: cell for column, cell in enumerate(grid.row(row)) if shapes[column] == TEXT}
    below = range(row + 1, min(grid.row_count, _HEAD))
    again = [
        column
        for column, cell in cells.items()
        if _digits_alike(cell) in {_digits_alike(grid.at(r, column)) for r in below}
    ]
    return len(again), len(cells)


def _digits_alike(text: str) -> str:
    return re.sub(r"\d+", "0", text)


def _is_data(grid: Grid, row: int, usual: Sequence[int]) -> bool:
    """Whether a row has values where its columns have values, and no more names than values."""
    shapes = grid.shapes_of([row])[0]
    valued = [column for column, shape in enumerate(usual) if shape in (NUMBER, DATE)]
    values = [column for column in valued if shapes[column] == usual[column]]
    names = sum(shapes[column] == TEXT for column in valued)
    return len(values) >= max(1, names) and not numbers_are_names(grid, row, values, names)


def _continues(
    grid: Grid, header: list[int], row: int, usual: Sequence[int], first_data: int | None
) -> bool:
    """Whether `row` goes on with the header.

    Above the first row of values, a row does where columns have no name yet, where it stands over
    columns of values alone, or where it tells units. Its label cell must be free, here or in the
    rows above: two labels over each other are two rows of data. In a table without values, it
    must name a column that the rows above leave open.
    """
    cells = grid.row(row)
    filled = [column for column, cell in enumerate(cells) if cell]
    valued = [c for c, shape in enumerate(usual) if shape in (NUMBER, DATE) and c > 0]
    labelled = any(grid.at(r, 0) for r in header)
    if filled == [0]:
        return not labelled and first_data is not None and _names_follow(grid, row, first_data)
    if first_data is not None and filled[0] == 0 and _tells_units(cells[1:]):
        return True
    if cells[0] and labelled:
        unnamed = [c for c in valued if not any(_named(grid, r, c) for r in header)]
        if first_data is None or np.isin(grid.shapes_of([row])[0, unnamed], (BLANK, MISSING)).all():
            return False
        return not _is_record(grid, row)
    unfilled = [
        column
        for column in range(1, grid.column_count)
        if usual[column] != BLANK and not any(grid.at(r, column) for r in header)
    ]
    if first_data is None:
        return any(column in unfilled for column in filled)
    return bool(unfilled) or all(column in valued for column in filled) or _tells_units(cells)


def _names_follow(grid: Grid, row: int, first_data: int) -> bool:
    """Whether the next row with content is of names with a free label cell."""
    later = next((r for r in range(row + 1, first_data) if grid.filled[r]), None)
    return later is not None and not grid.at(later, 0) and bool(grid.filled[later] > 1)


def _tells_units(cells: list[str]) -> bool:
    told = [cell for cell in cells if cell]
    return bool(told) and all(SCALE.fullmatch(c) or is_unit(c.strip("()")) for c in told)


def _named(grid: Grid, row: int, column: int) -> bool:
    """Whether a header row has text over a column, of its own or by a merged cell."""
    if grid.at(row, column):
        return True
    return any(
        r <= row < r + size[0] and c <= column < c + size[1] for (r, c), size in grid.spans.items()
    )
