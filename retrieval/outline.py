"""Group names that stand once, at the first row of their group, as reports and pivot tables print
them.

Takes a table's body; gives it with the name on every row of the group. Plain blanks are no such
thing: a group is one where a row below closes it by its name ("2023 Total"), or in the first
column where names that occur once each stand over full rows, as an export of merged cells leaves
them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from retrieval.cells import is_year
from retrieval.grid import NUMBER, TEXT, Grid, Strip
from retrieval.table import EMPTY
from retrieval.total_labels import group_of, is_total

_MOST_GROUPS = 2_000
"""A column of more distinct texts is not looked at: groups are few."""


def fill_outline(grid: Grid) -> tuple[Grid, dict[int, int]]:
    """The grid with the groups' names filled in, and how many cells of each column were filled."""
    filled: dict[int, int] = {}
    strips = list(grid.strips)
    for column, strip in enumerate(grid.strips):
        places = _places(strip)
        if not places and column == 0:
            places = _open_below(grid)
        elif not places and column - 1 in filled:
            places = _within(grid, strips[column - 1], column)
        if places:
            codes = strip.codes.copy()
            for row, code in places.items():
                codes[row] = code
            strips[column] = Strip(codes, strip.texts)
            filled[column] = len(places)
    return (replace(grid, strips=tuple(strips)) if filled else grid), filled


def _places(strip: Strip) -> dict[int, int]:
    """The blank cells that stand between a group's name and the row that closes it."""
    if len(strip.texts) > _MOST_GROUPS or not (strip.codes == EMPTY).any():
        return {}
    named = {text.strip(" :").casefold(): code for code, text in enumerate(strip.texts)}
    closes = {code: group_of(text).casefold() for code, text in enumerate(strip.texts)}
    closes = {code: group for code, group in closes.items() if group in named}
    places: dict[int, int] = {}
    for row in np.flatnonzero(np.isin(strip.codes, list(closes))).tolist():
        group = named[closes[int(strip.codes[row])]]
        first = row - 1
        while first >= 0 and strip.codes[first] == EMPTY:
            first -= 1
        if first >= 0 and strip.codes[first] == group:
            places |= dict.fromkeys(range(first + 1, row), group)
    return places


def _open_below(grid: Grid) -> dict[int, int]:
    """The blank cells of the first column below names that stand once, over rows that a later
    column fills; {} where the blanks may as well be values that are missing.
    """
    strip = grid.strips[0]
    if grid.column_count < 3 or not 0 < len(strip.texts) <= _MOST_GROUPS:
        return {}
    blank = strip.codes == EMPTY
    if blank.sum() < 2 or blank[0] or len(strip.texts) < (~blank).sum():
        return {}
    shapes = grid.shapes_of(np.flatnonzero(~blank))[:, 0].tolist()
    totals = _totals(strip)
    names = [t for t, shape in zip(strip.texts, shapes, strict=True) if shape == NUMBER]
    if not all(map(is_year, names)) or not _levels(grid):
        return {}
    places: dict[int, int] = {}
    for row in np.flatnonzero(blank).tolist():
        above = row - 1
        places[row] = places.get(above, int(strip.codes[above]))
    groups = set(places.values())
    told = len(strip.texts) - int(totals.sum())
    if any(is_total(strip.texts[code]) for code in groups) or 2 * len(groups) < max(told, 4):
        return {}
    return places


def _within(grid: Grid, parent: Strip, column: int) -> dict[int, int]:
    """The blank cells of a lower level, below names that stand once in each group of the level
    above; {} where they may be values that are missing.
    """
    strip = grid.strips[column]
    if column >= _levels(grid) or len(strip.texts) > _MOST_GROUPS:
        return {}
    codes, groups = strip.codes.tolist(), parent.codes.tolist()
    named = [pair for pair in zip(groups, codes, strict=True) if pair[1] != EMPTY]
    if len(set(named)) < len(named):
        return {}
    closing = np.logical_or.reduce([_totals(strip) for strip in grid.strips[: column + 1]])
    places: dict[int, int] = {}
    for row in np.flatnonzero((strip.codes == EMPTY) & ~closing).tolist():
        if row == 0 or closing[row - 1] or groups[row] != groups[row - 1]:
            return {}
        places[row] = places.get(row - 1, codes[row - 1])
    return places if len(set(places.values())) > 1 or len(places) > 2 else {}


def _levels(grid: Grid) -> int:
    """How many columns of names stand before the first full one, each filled wherever the one
    before it is; 0 where there is no such order.
    """
    closing = np.zeros(grid.row_count, bool)
    above = closing
    for column, strip in enumerate(grid.strips):
        closing = closing | _totals(strip)
        filled = (strip.codes != EMPTY) | closing
        if filled.all():
            return column
        if (above & ~filled).any() or (column and grid.usual_shapes[column] != TEXT):
            return 0
        above = filled
    return 0


def _totals(strip: Strip) -> npt.NDArray[np.bool_]:
    """The rows whose cell tells a total, or of a group's."""
    if len(strip.texts) > _MOST_GROUPS:
        return np.zeros(len(strip.codes), bool)
    closes = [is_total(text) or bool(group_of(text)) for text in strip.texts]
    return np.array([*closes, False])[strip.codes]
