"""Where one sheet holds several tables: cuts its grid at the blank rows and columns between, and
where a line of names opens rows of another width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from retrieval.grid import BLANK, DATE, MISSING, NUMBER, TEXT, Grid
from retrieval.table import EMPTY

_LONGEST_STACK = 5_000
"""Blocks of more rows hold one table."""

_SHORTEST_STACK = 4
"""Two tables have so many rows at least."""

_LONGEST_FORM = 50
"""No form has more rows than this."""


def split_tables(grid: Grid) -> list[Grid]:
    """The tables of a sheet, each with its title lines; blank edges are dropped."""
    parts = [part for block in _split_columns(grid) for part in _split_rows(block)]
    return [part for part in parts if part.row_count]


def _split_columns(grid: Grid) -> list[Grid]:
    """Tables that stand side by side, parted by empty columns, left to right.

    An empty column alone may be a spacer within one table: the parts must also end at different
    rows, or each must open with labels of its own.
    """
    empty = [not strip.texts for strip in grid.strips]
    groups = [
        [column for column, _ in run]
        for blank, run in groupby(enumerate(empty), key=itemgetter(1))
        if not blank
    ]
    if len(groups) < 2 or any(len(group) < 2 for group in groups):
        return [grid]
    parts = [grid.without_columns(set(range(len(empty))) - set(group)) for group in groups]
    ends = {int(np.flatnonzero(part.filled > 0)[-1]) for part in parts}
    labelled = all(_opens_with_labels(part) for part in parts[1:])
    named = all(_opens_with_names(part) for part in parts)
    return parts if named and (len(ends) > 1 or labelled) else [grid]


def _opens_with_names(grid: Grid) -> bool:
    """Whether the first full row is of names, over rows of its width."""
    full = np.flatnonzero(grid.filled > 1)
    if len(full) < 3:
        return False
    shapes = grid.shapes_of(full[:1])[0]
    return bool((shapes == TEXT).all())


def _opens_with_labels(grid: Grid) -> bool:
    """Whether the first column holds texts, no two alike, and another one holds values."""
    first = grid.strips[0]
    distinct = len(first.texts) == int((first.codes != EMPTY).sum())
    usual = grid.usual_shapes
    return distinct and usual[0] == TEXT and any(shape in (NUMBER, DATE) for shape in usual[1:])


def _split_rows(grid: Grid) -> list[Grid]:
    """Tables that stand one below the other, parted by blank rows, top to bottom."""
    grid = _without_blank_edges(grid)
    if grid.row_count == 0:
        return []
    starts = [0]
    blocks = _blocks(grid)
    names = _names_of(grid, blocks[0][0])
    for before, block in pairwise(blocks):
        if grid.row(block[0]) == names:
            continue
        if _begins_table(grid, block) and _holds_data(grid, starts[-1], before[1]):
            names = _names_of(grid, block[0])
            starts.append(block[0])
    starts = sorted({*starts, *(start for block in blocks for start in _inner_starts(grid, block))})
    ends = [*starts[1:], grid.row_count]
    cut = [grid.take(np.arange(a, b)) for a, b in zip(starts, ends, strict=True)]
    parts = [_without_blank_edges(part) for part in cut] if len(cut) > 1 else cut
    return [replace(part, lead_rows=_form_rows(part)) for part in parts]


def _inner_starts(grid: Grid, block: tuple[int, int]) -> list[int]:
    """Where another table begins within a block: at a line of names over values, from which on
    all rows are of another width than all rows before. A lone title belongs to what is below it.
    """
    first, end = block
    if end - first > _LONGEST_STACK or grid.column_count < 3:
        return []
    widths = _widths(grid, first, end)
    full = np.flatnonzero(grid.filled[first:end] > 1)
    if len(full) < _SHORTEST_STACK:
        return []
    runs = [(int(g[0]), int(g[-1]) + 1) for g in np.split(full, _changes(widths[full]))]
    starts = []
    for before, run in pairwise(runs):
        if before[1] - before[0] < 2 or not _names_values(grid, first + run[0], first + run[1]):
            continue
        titled = run[0] - 1 >= before[1] and grid.filled[first + run[0] - 1] == 1
        starts.append(first + run[0] - titled)
    whole = all(b - a > 1 for a, b in runs)
    opens = _names_values(grid, first + runs[0][0], first + runs[0][1])
    return starts if whole and opens and len(starts) == len(runs) - 1 else []


def _changes(widths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.flatnonzero(np.diff(widths)) + 1


def _widths(grid: Grid, first: int, end: int) -> npt.NDArray[np.int64]:
    """The last filled cell of each row, counted from 1."""
    widths = np.zeros(end - first, np.int64)
    for column, strip in enumerate(grid.strips, 1):
        widths[strip.codes[first:end] != EMPTY] = column
    return widths


def _names_values(grid: Grid, first: int, end: int) -> bool:
    """Whether a line of different names, no cell of it open, stands over a column of values: of
    two rows at least where there are but two columns, as a key and its value make one.
    """
    cells = grid.row(first)[: int(grid.filled[first])]
    if end - first < 2 + (len(cells) < 3) or not all(cells) or len(set(cells)) < len(cells):
        return False
    shapes = grid.shapes_of(range(first, end))[:, : len(cells)]
    valued = np.isin(shapes[1:], (NUMBER, DATE)).all(axis=0)
    return bool((shapes[0] == TEXT).all() and valued.any())


def _form_rows(grid: Grid) -> int:
    """Leading rows of keys and values ("Customer:", "Mill Ltd"), with the titles among them."""
    first, *more = _blocks(grid)
    lines = [row for row in range(*first) if grid.filled[row] > 1]
    if more and first[1] <= _LONGEST_FORM and len(lines) > 1 and _is_plain_form(grid, lines):
        return more[0][0]
    rows = 0
    while rows < grid.row_count - 2 and (grid.filled[rows] < 2 or _is_pair(grid, rows)):
        rows += 1
    while rows and not _is_pair(grid, rows - 1) and grid.filled[rows - 1]:
        rows -= 1
    return rows if any(_is_pair(grid, row) for row in range(rows)) else 0


def _is_pair(grid: Grid, row: int) -> bool:
    """Whether a row holds keys with a colon, a value after each."""
    cells = [cell for cell in grid.row(row) if cell]
    keys = sum(cell.endswith(":") for cell in cells)
    return len(cells) > 1 and grid.at(row, 0).endswith(":") and keys * 2 == len(cells)


def _names_of(grid: Grid, start: int) -> list[str]:
    """The first line of more than one cell: a later block that opens with it goes on."""
    full = np.flatnonzero(grid.filled[start:] > 1)
    return grid.row(start + int(full[0])) if len(full) else []


def _without_blank_edges(grid: Grid) -> Grid:
    rows = np.flatnonzero(grid.filled > 0)
    if len(rows) == 0:
        return grid.take([])
    empty = {column for column, strip in enumerate(grid.strips) if not strip.texts}
    if rows[0] > 0 or rows[-1] < grid.row_count - 1:
        grid = grid.take(np.arange(rows[0], rows[-1] + 1))
    return grid.without_columns(empty) if empty else grid


def _blocks(grid: Grid) -> list[tuple[int, int]]:
    """Runs of rows between blank rows: (first, one past the last)."""
    full = np.concatenate([[False], grid.filled > 0, [False]])
    edges = np.flatnonzero(np.diff(full.astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _begins_table(grid: Grid, block: tuple[int, int]) -> bool:
    """Whether a block opens with a line of names over lines that hold values."""
    first, end = block
    header = next((row for row in range(first, end) if grid.filled[row] > 1), None)
    if header is None or header + 1 >= end:
        return False
    shapes = grid.shapes_of([header])
    if not np.isin(shapes, (TEXT, BLANK)).all() or grid.at(header, 0) == "":
        return False
    if grid.filled[header] < grid.filled[header + 1 : end].max():
        return False
    below = grid.shapes_of(range(header + 1, min(end, header + 200)))
    return bool((~np.isin(below, (TEXT, BLANK, MISSING))).any())


def _holds_data(grid: Grid, start: int, end: int) -> bool:
    """Whether rows hold a header and at least one row of data, and not keys with values."""
    rows = [row for row in range(start, min(end, start + _LONGEST_FORM)) if grid.filled[row] > 1]
    if len(rows) < 2 or all(_is_pair(grid, row) for row in rows):
        return False
    return not _is_plain_form(grid, rows)


def _is_plain_form(grid: Grid, rows: Sequence[int]) -> bool:
    """Whether rows are keys and values without a colon, above a wider table: two cells each, whose
    values are of several kinds; or two lines, which as a table were a header over one row.
    """
    if grid.column_count < 3 or any(grid.filled[row] != 2 or not grid.at(row, 1) for row in rows):
        return False
    shapes = grid.shapes_of(rows)
    kinds = {int(shape) for shape in shapes[1:, 1]} - {BLANK, MISSING}
    return bool((shapes[:, 0] == TEXT).all()) and (len(kinds) > 1 or len(rows) == 2)
