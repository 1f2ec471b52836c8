"""Whether the numbers of a row name the columns below them: years over amounts, 1, 2, 3 across.

Takes a grid and a row of it whose numbers stand over numbers; gives yes or no. What words beside
them tell is the caller's.
"""

from __future__ import annotations

import re
from itertools import pairwise

from retrieval.cells import parse_number
from retrieval.grid import Grid

_YEAR = re.compile(
    r"[-–(]?(?:1[5-9]|20|21)\d\d(?:\.0)?\)?\s*%?(?:[*†‡§¹²³⁴⁵⁶⁷⁸⁹⁰]+|\(\w\)|\[\w{1,3}\]|\\\d)?"
)
"""A year, also as spreadsheets leave "(1967)": as a negative number."""

_LIFETIME = 120
"""Years that are further apart do not stand in one column of a table."""

_LOOKED_AT = 400
"""Rows below a row that are compared with it."""

SCALE = re.compile(r"\(?1,?000(?:,000)?s?\)?")


def numbers_are_names(grid: Grid, row: int, columns: list[int], names: int) -> bool:
    """Whether the numbers of a row are names: years over amounts, 1, 2, 3 across, "(1,000)".

    Numbers that only grow from left to right are names where other values' columns have names in
    the same row, or where a name above spans them and no label stands beside them.
    """
    cells = [grid.at(row, column) for column in columns]
    if all(_YEAR.fullmatch(cell) for cell in cells):
        return (
            _in_even_steps(cells)
            or _follow_here_alone(grid, row, columns)
            or all(
                _few_years(grid.strips[column].texts, cell)
                for column, cell in zip(columns, cells, strict=True)
            )
        )
    if len(cells) < 2 or columns[0] == 0:
        return False
    if all(SCALE.fullmatch(cell) for cell in cells):
        return True
    numbers = [parse_number(cell) for cell in cells]
    values = [number.value for number in numbers if number is not None]
    if len(values) < max(3, len(cells)) or any(a >= b for a, b in pairwise(values)):
        return False
    counted = values == list(range(int(values[0]), int(values[0]) + len(values)))
    return names > 0 or counted or _are_spanned(grid, row, columns)


def _are_spanned(grid: Grid, row: int, columns: list[int]) -> bool:
    """Whether the cells of a row stand under names that leave most of their columns open."""
    above = [grid.at(row - 1, column) for column in columns] if row else []
    named = [cell for cell in above if cell]
    return (
        int(grid.filled[row]) == len(columns)
        and bool(named)
        and len(named) * 2 <= len(columns)
        and all(any(map(str.isalpha, cell)) for cell in named)
    )


def _in_even_steps(years: list[str]) -> bool:
    """Whether three or more years follow each other across: no record does so by chance."""
    numbers = [int(found[0]) for year in years if (found := re.search(r"\d{4}", year))]
    steps = {b - a for a, b in pairwise(numbers)}
    return len(numbers) > 2 and len(steps) == 1 and steps != {0}


def _follow_here_alone(grid: Grid, row: int, columns: list[int]) -> bool:
    """Whether two years follow each other in this row and, of several below, in none."""
    below = [r for r in range(row + 1, min(grid.row_count, row + _LOOKED_AT)) if grid.filled[r]]
    steps = [_step(grid, r, columns) for r in below]
    return len(steps) > 1 and abs(_step(grid, row, columns)) == 1 and {1, -1}.isdisjoint(steps)


def _step(grid: Grid, row: int, columns: list[int]) -> int:
    """By how much the second of two years is later than the first; 0 where there are no two."""
    cells = [grid.at(row, column) for column in columns]
    if len(cells) != 2 or not all(map(_YEAR.fullmatch, cells)):
        return 0
    return _year_in(cells[1]) - _year_in(cells[0])


def _few_years(texts: tuple[str, ...], name: str) -> bool:
    """Whether few texts of a column are years as its name is one: amounts of 1500 are further."""
    own = _year_in(name)
    years = sum(
        abs(_year_in(text) - own) <= _LIFETIME
        for text in texts
        if _YEAR.fullmatch(text) is not None
    )
    return years <= max(1, len(texts) // 3)


def _year_in(text: str) -> int:
    found = re.search(r"\d{4}", text)
    return int(found[0]) if found else 0
