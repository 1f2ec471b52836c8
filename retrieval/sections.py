"""Section rows: rows of one label that head the rows below them.

A row whose other cells are merely missing looks the same, so a lone label must be told apart by its
form (merged over the table, set off in bold, by a colon or a blank row) or, where the columns hold
values and the other rows are full, by where such rows stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from retrieval.cells import is_year
from retrieval.grid import DATE, MISSING, NUMBER, Grid
from retrieval.table import EMPTY
from retrieval.total_labels import group_of, is_total


@dataclass(frozen=True)
class Section:
    """One section row."""

    row: int
    level: int
    """0 for the outermost; a label that follows another directly is one level below it."""
    label: str


def find_sections(grid: Grid, rows: npt.NDArray[np.int64]) -> list[Section]:
    """The section rows among the body rows, in order."""
    if grid.column_count < 2 or len(rows) < 2:
        return []
    lone = (grid.filled[rows] == 1) & (grid.strips[0].codes[rows] != EMPTY)
    lone |= _merged(grid, rows)
    lone &= np.arange(len(rows)) <= _last(~lone)
    if not lone.any():
        return []
    lone &= ~_short_records(grid, rows, lone) | _set_off(grid, rows, lone)
    if not lone.any():
        return []
    if not _stand_as_sections(grid, rows, lone):
        lone &= _set_off(grid, rows, lone)
    return _levels(grid, rows, lone)


def _last(flags: npt.NDArray[np.bool_]) -> int:
    found = np.flatnonzero(flags)
    return int(found[-1]) if len(found) else -1


def _merged(grid: Grid, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Rows of one cell merged over the whole table."""
    wide = {r for (r, _), size in grid.spans.items() if size[1] >= grid.column_count}
    return np.isin(rows, list(wide)) if wide else np.zeros(len(rows), bool)


def _short_records(
    grid: Grid, rows: npt.NDArray[np.int64], lone: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Lone numbers and dates where the first column holds such in the other rows as well; a year
    may head rows that are no years.
    """
    found: npt.NDArray[np.bool_] = np.zeros(len(rows), bool)
    usual = grid.usual_shapes[0]
    if usual not in (NUMBER, DATE):
        return found
    strip = grid.strips[0].take(rows[~lone])
    years = any(map(is_year, strip.texts))
    shapes = grid.shapes_of(rows[lone])[:, 0].tolist()
    labels = [grid.at(row, 0) for row in rows[lone].tolist()]
    found[lone] = [
        shape == usual and (years or not is_year(label))
        for shape, label in zip(shapes, labels, strict=True)
    ]
    return found


def _set_off(
    grid: Grid, rows: npt.NDArray[np.int64], lone: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Those of the lone rows whose label's form tells a heading."""
    flags = _merged(grid, rows)
    strong = np.isin(rows, list(grid.strong))
    if strong.sum() * 2 < len(rows):
        flags |= strong
    for place in np.flatnonzero(lone).tolist():
        flags[place] |= grid.at(int(rows[place]), 0).endswith(":")
    return flags


def _stand_as_sections(
    grid: Grid, rows: npt.NDArray[np.int64], lone: npt.NDArray[np.bool_]
) -> bool:
    """Whether all lone labels are sections by where they stand: over full rows of values, in
    regular places, not sorted in among the other labels.
    """
    full = rows[~lone]
    count = int(lone.sum())
    if count * 2 > len(rows) or len(full) == 0:
        return False
    values = np.isin(grid.shapes_of(full[:2000])[:, 1:], (NUMBER, DATE, MISSING))
    if values.mean() < 0.5:
        return False
    labels = [grid.at(row, 0).casefold() for row in rows.tolist()]
    if count > 0 and len(labels) > 3 and all(a <= b for a, b in pairwise(labels)):
        return False
    repeated = len({label for label, alone in zip(labels, lone, strict=True) if not alone})
    if repeated < len(full):
        return True
    if grid.column_count == 2:
        return bool(lone[0]) and count > 1 and count * 3 <= len(rows)
    return bool(lone[0]) or count > 1


def _levels(grid: Grid, rows: npt.NDArray[np.int64], lone: npt.NDArray[np.bool_]) -> list[Section]:
    """Labels that follow each other directly are nested; one alone is of the innermost level."""
    deepest, level = 0, 0
    sections = []
    for place in np.flatnonzero(lone).tolist():
        row = int(rows[place])
        follows = place > 0 and bool(lone[place - 1])
        leads = place + 1 < len(rows) and bool(lone[place + 1])
        level = level + 1 if follows else (0 if leads else deepest)
        deepest = max(deepest, level)
        sections.append(Section(row, level, " ".join(c for c in grid.row(row) if c).rstrip(" :")))
    return sections


def section_paths(
    sections: Sequence[Section], rows: Sequence[int], labels: Sequence[str]
) -> list[tuple[str, ...]]:
    """For each row, the labels of the sections it stands in, outermost first.

    A row whose label is the subtotal of its section ("Total income" under "Income") closes it: the
    sum of all below belongs to none. A total right under another one sums more than its section.
    """
    depth = max((section.level for section in sections), default=-1) + 1
    current = [""] * depth
    groups = {label: group_of(label).casefold() for label in set(labels)}
    paths = []
    position, after_total = 0, False
    for row, label in zip(rows, labels, strict=True):
        while position < len(sections) and sections[position].row < row:
            section = sections[position]
            current[section.level :] = [section.label] + [""] * (depth - section.level - 1)
            position, after_total = position + 1, False
        total = is_total(label)
        if total and after_total and any(current):
            innermost = max(level for level, name in enumerate(current) if name)
            current[innermost:] = [""] * (depth - innermost)
        after_total = total
        paths.append(tuple(current))
        closed = [k for k, name in enumerate(current) if name and name.casefold() == groups[label]]
        if closed:
            current[closed[0] :] = [""] * (depth - closed[0])
    return paths
