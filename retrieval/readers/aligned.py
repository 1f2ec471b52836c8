"""Columns that spaces alone set apart, as in mails, chats and terminals.

Takes the lines of a text; gives the cells of each line, those of a block of lines where wide gaps
part them. A cell that is blank in some line is told by its place. Lines beside such a block are one
cell each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_GAP = re.compile(r"\s{2,}")
_FEWEST_LINES = 3

Block = tuple[int, list[list[str]]]
"""The first line, and the cells of it and the next ones."""


def aligned_rows(lines: Sequence[str]) -> list[list[str]]:
    """The cells of every line."""
    rows = [[line.strip()] for line in lines]
    for first, cells in aligned_blocks(lines):
        rows[first : first + len(cells)] = cells
    return rows


def aligned_blocks(lines: Sequence[str]) -> list[Block]:
    """The runs of lines that wide gaps part: of several lines, or most of the text."""
    filled = sum(bool(line.strip()) for line in lines)
    return [
        (first, cells)
        for first, run in _runs(lines)
        if len(run) >= _FEWEST_LINES or (len(run) > 1 and 2 * len(run) > filled)
        if (cells := _cut(run))
    ]


def _runs(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Lines next to each other that have a wide gap within."""
    run: list[str] = []
    for number, line in enumerate([*lines, ""]):
        if _GAP.search(line.strip()):
            run.append(line.expandtabs())
        elif run:
            yield number - len(run), run
            run = []


def _cut(run: Sequence[str]) -> list[list[str]]:
    """The cells of lines, by their gaps where all have as many; else by the gaps that run through
    all lines, where most lines fill all columns or each leaves as many open. [] where the lines
    agree in neither.
    """
    cells = [_GAP.split(line.strip()) for line in run]
    edges, width = _edges(run), max(map(len, cells))
    whole = sum(len(line) == width for line in cells)
    if whole == len(run) and len(edges) <= width:
        return cells
    if len(edges) < width or (2 * whole <= len(run) and len(edges) == width):
        return []
    if len(edges) > width and whole < len(run):
        return []
    return [[line[left:right].strip() for left, right in edges] for line in run]


def _edges(run: Sequence[str]) -> list[tuple[int, int]]:
    """Where each column starts and ends: parted by two places and more that are blank in all."""
    width = max(map(len, run))
    places = zip(*(line.ljust(width) for line in run), strict=True)
    taken = "".join("x" if any(not sign.isspace() for sign in signs) else " " for signs in places)
    return [match.span() for match in re.finditer(r"x+(?: x+)*", taken)]
