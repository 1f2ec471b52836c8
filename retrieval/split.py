"""Where one sheet holds several tables: cuts its grid at the blank rows and columns between."""

from __future__ import annotations

from itertools import groupby, pairwise
from operator import itemgetter

import numpy as np

from retrieval.grid import BLANK, DATE, MISSING, NUMBER, TEXT, Grid
from retrieval.table import EMPTY


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
    blank = np.flatnonzero(grid.filled == 0)
    starts = [0]
    if len(blank):
        blocks = _blocks(grid)
        names = _names_of(grid, blocks[0][0])
        for before, block in pairwise(blocks):
            if grid.row(block[0]) == names:
                continue
            if _begins_table(grid, block) and _holds_data(grid, starts[-1], before[1]):
                names = _names_of(grid, block[0])
                starts.append(block[0])
    ends = [*starts[1:], grid.row_count]
    cut = [grid.take(np.arange(a, b)) for a, b in zip(starts, ends, strict=True)]
    return [_without_blank_edges(part) for part in cut] if len(cut) > 1 else cut


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
    """Whether rows hold a header and at least one row of data."""
    return int((grid.filled[start:end] > 1).sum()) > 1
