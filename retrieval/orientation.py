"""Tables whose headers run down the first column: each row holds one thing of every record.

Takes one table's grid; tells whether it lies on its side, and turns it. What tells is what the
cells look like: along each row they are alike, and the rows differ from each other, so that no
column could have a type.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retrieval.cells import parse_number
from retrieval.grid import BLANK, DATE, MISSING, NUMBER, TEXT, Grid, grid_of

MOST_ROWS = 60
"""Records have no more fields than this in such a table."""

_FEWEST = 6
"""One row in so many, at least, is of words or dates."""

TURNED = "the headers run down the first column: rows and columns are read in each other's place"


def heads_down(grid: Grid) -> bool:
    """Whether the headers run down the first column.

    Rows of words or dates are asked for, one of them below a row of numbers: above all numbers it
    is a header. Where the first column has a name, one last row of words alone may be that of a
    record ("Unlimited", "Custom" under figures); rows whose numbers are of several units are.
    """
    if grid.spans or not 3 <= grid.row_count <= MOST_ROWS or grid.column_count < 3:
        return False
    labels = grid.strips[0].cells()[1:]
    if len(set(labels)) < len(labels) or not all(any(map(str.isalpha, name)) for name in labels):
        return False
    shapes = grid.shapes_of(range(grid.row_count))
    if not np.isin(shapes[1:, 0], (TEXT,)).all():
        return False
    kinds = [set(row.tolist()) - {BLANK, MISSING} for row in shapes[1:, 1:]]
    if any(len(kind) > 1 for kind in kinds) or (shapes[1:, 1:] == BLANK).mean() > 0.2:
        return False
    along = [kind.pop() if kind else BLANK for kind in kinds]
    first = next((row for row, kind in enumerate(along, 1) if kind == NUMBER), len(along))
    others = [
        row
        for row, kind in enumerate(along, 1)
        if kind == DATE or (kind == TEXT and _says_words(grid.row(row)[1:]))
    ]
    numeric = (row for row, kind in enumerate(along, 1) if kind == NUMBER)
    if any(_units_differ(grid.row(row)[1:]) for row in numeric):
        return False
    if grid.at(0, 0) and others == [len(along)] and along[-1] == TEXT:
        return False
    return len(others) * _FEWEST >= len(along) and any(row > first for row in others)


def _units_differ(cells: list[str]) -> bool:
    """Whether some numbers tell a unit and others another one, or none."""
    numbers = [parse_number(cell) for cell in cells]
    return len({number.unit for number in numbers if number is not None}) > 1


def _says_words(cells: list[str]) -> bool:
    """Whether cells hold words, and not all the same."""
    return len(set(cells)) > 1 and all(cell[:1].isalpha() for cell in cells if cell)


def turned(grid: Grid) -> Grid:
    """The grid with its rows as columns."""
    flipped = grid_of(list(zip(*(grid.row(row) for row in range(grid.row_count)), strict=True)))
    return replace(
        flipped,
        header_rows=1,
        widths=None,
        marks={(column, row): marks for (row, column), marks in grid.marks.items()},
        titles=grid.titles,
        warnings=(*grid.warnings, TURNED),
    )
