"""Group names that stand once, at the first row of their group, as reports and pivot tables print
them.

Takes a table's body; gives it with the name on every row of the group. Plain blanks are no such
thing: a group is one only where a row below closes it by its name ("2023 Total").
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retrieval.grid import Grid, Strip
from retrieval.table import EMPTY
from retrieval.total_labels import group_of

_MOST_GROUPS = 2_000
"""A column of more distinct texts is not looked at: groups are few."""


def fill_outline(grid: Grid) -> tuple[Grid, dict[int, int]]:
    """The grid with the groups' names filled in, and how many cells of each column were filled."""
    filled: dict[int, int] = {}
    strips = list(grid.strips)
    for column, strip in enumerate(grid.strips):
        places = _places(strip)
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
