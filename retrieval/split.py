"""Where one sheet holds several tables: cuts its grid at the blank rows that part them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from retrieval.grid import BLANK, MISSING, TEXT, Grid


def split_tables(grid: Grid) -> list[Grid]:
    """The tables of a sheet, top to bottom, each with its title lines; blank edges are dropped."""
    grid = _without_blank_edges(grid)
    if grid.row_count == 0:
        return []
    blank = np.flatnonzero(grid.filled == 0)
    starts = [0]
    if len(blank):
        blocks = _blocks(grid)
        for before, block in pairwise(blocks):
            if _begins_table(grid, block) and _holds_data(grid, starts[-1], before[1]):
                starts.append(block[0])
    ends = [*starts[1:], grid.row_count]
    cut = [grid.take(np.arange(a, b)) for a, b in zip(starts, ends, strict=True)]
    return [_without_blank_edges(part) for part in cut] if len(cut) > 1 else cut


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
    """Whether rows hold a header and at least one row of data."""
    return int((grid.filled[start:end] > 1).sum()) > 1
