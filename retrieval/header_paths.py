"""The path of header words above each column: "Year ended Dec 31 > 2024".

Takes a grid and its header rows, gives a path a column, from the top. A name that is written once
over several columns stands for each of them: by the merged cells that the format tells, else by
where the row below goes on.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.grid import TEXT, Grid
from retrieval.units import is_unit, tells_scale

_UNSEEN = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
"""Signs without width, which nobody types in a question."""


def header_paths(grid: Grid, header: tuple[int, ...]) -> list[tuple[str, ...]]:
    """The header words above each column, from the top; no word twice in a row."""
    alone = len(header) == 1
    levels = [_level(grid, row, header[k + 1 :], alone) for k, row in enumerate(header)]
    paths = []
    for column in range(grid.column_count):
        path: list[str] = []
        for level in levels:
            word = " ".join(level[column].translate(_UNSEEN).split())
            if word and (not path or path[-1] != word):
                path.append(word)
        paths.append(tuple(path))
    return paths


def _level(grid: Grid, row: int, below: tuple[int, ...], alone: bool) -> list[str]:
    """One header row with its spanning cells filled in; only what a file tells of merged cells
    alters a line that is `alone`.
    """
    cells = grid.row(row)
    spans = {c: size[1] for (r, c), size in grid.spans.items() if r == row}
    for column, width in spans.items():
        cells[column : column + width] = [cells[column]] * len(cells[column : column + width])
    if grid.spans:
        return cells
    if not below:
        return cells if alone else _spread_units(cells, grid.usual_shapes)
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


def _spread_units(cells: list[str], usual: Sequence[int]) -> list[str]:
    """The last header row, where a unit written once stands for the columns of values after it.

    Several units that are no scale ("°C", "kg") stand for their own columns alone.
    """
    units = [cell for cell in cells if is_unit(cell)]
    if len(units) > 1 and not all(tells_scale(unit) for unit in units):
        return cells
    current = ""
    for column, cell in enumerate(cells):
        if cell:
            current = cell if is_unit(cell) else ""
        elif current and usual[column] != TEXT:
            cells[column] = current
    return cells
