"""Columns that no line rules off: read from where the words of a page stand.

Takes words with their places (points from the page's upper left corner); gives lines, blocks of
lines, and a block's cells by the gaps that run through all its lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

GAP = 5.0
"""Points of white space that part two columns where they run through a block."""

_SAME_LINE = 3.0


@dataclass(frozen=True)
class Word:
    """A word and where it stands."""

    text: str
    left: float
    right: float
    top: float
    bottom: float


@dataclass(frozen=True)
class TextLine:
    """Words of one height, left to right."""

    words: tuple[Word, ...]

    @property
    def text(self) -> str:
        """The words with single spaces."""
        return " ".join(word.text for word in self.words)

    @property
    def top(self) -> float:
        """The upper edge."""
        return min(word.top for word in self.words)

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return max(word.bottom for word in self.words)


def text_lines(words: Sequence[Mapping[str, Any]]) -> list[TextLine]:
    """Lines from words given as dicts of `text, x0, x1, top, bottom`, top to bottom."""
    found = [Word(str(w["text"]), w["x0"], w["x1"], w["top"], w["bottom"]) for w in words]
    found.sort(key=lambda word: (word.top, word.left))
    lines: list[list[Word]] = []
    for word in found:
        if lines and abs(word.top - lines[-1][0].top) < _SAME_LINE:
            lines[-1].append(word)
        else:
            lines.append([word])
    return [TextLine(tuple(sorted(line, key=lambda word: word.left))) for line in lines]


def line_blocks(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """Runs of lines at an even pitch."""
    if not lines:
        return []
    pitch = median(b.top - a.top for a, b in pairwise(lines)) if len(lines) > 1 else 0.0
    blocks = [[lines[0]]]
    for above, line in pairwise(lines):
        if line.top - above.top > 1.25 * pitch:
            blocks.append([])
        blocks[-1].append(line)
    return blocks


def cut_columns(block: Sequence[TextLine]) -> list[list[str]]:
    """The cells of each line, cut where a gap runs through all lines."""
    edges = _columns(block)
    rows = []
    for line in block:
        cells: list[list[str]] = [[] for _ in edges]
        for word in line.words:
            place = next(i for i, (_, right) in enumerate(edges) if word.left < right)
            cells[place].append(word.text)
        rows.append([" ".join(cell) for cell in cells])
    return rows


def _columns(block: Sequence[TextLine]) -> list[tuple[float, float]]:
    """Left and right edge of each column."""
    spans = sorted((word.left, word.right) for line in block for word in line.words)
    columns = [spans[0]]
    for left, right in spans[1:]:
        if left - columns[-1][1] >= GAP:
            columns.append((left, right))
        else:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
    return columns
