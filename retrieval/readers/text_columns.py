"""Columns that no line rules off: read from where the words of a page stand.

Takes words with their places (points from the page's upper left corner); gives lines, blocks of
lines, and a block's cells by the gaps that run through all its lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
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
    """Runs of lines no further apart than the lines of one column usually are."""
    if not lines:
        return []
    pitch = _pitch(lines)
    blocks = [[lines[0]]]
    for above, line in pairwise(lines):
        if line.top - above.top > 1.25 * pitch:
            blocks.append([])
        blocks[-1].append(line)
    return blocks


def _pitch(lines: Sequence[TextLine]) -> float:
    """The usual distance from a line to the next one that stands under it: a cell of one line
    beside a cell of two stands between its lines.
    """
    distances = []
    for place, line in enumerate(lines):
        below = (later for later in lines[place + 1 : place + 8] if _overlap(line, later))
        distances += [later.top - line.top for later in islice(below, 1)]
    return median(distances) if distances else 0.0


def _overlap(line: TextLine, other: TextLine) -> bool:
    return any(a.left < b.right and b.left < a.right for a in line.words for b in other.words)


Edges = list[tuple[float, float]]
"""Left and right edge of each column."""


def cut_rows(block: Sequence[TextLine], edges: Edges) -> list[list[str]]:
    """The cells of a block's rows; the lines of a cell that was broken are put together."""
    lines = [_cut(line, edges) for line in block]
    rows = []
    for start, end in pairwise(_row_starts(block, lines, edges)):
        cells = [[word for line in lines[start:end] for word in line[c]] for c in range(len(edges))]
        rows.append([" ".join(word.text for word in cell) for cell in cells])
    return rows


def _cut(line: TextLine, edges: Edges) -> list[list[Word]]:
    """The words of each column."""
    cells: list[list[Word]] = [[] for _ in edges]
    for word in line.words:
        cells[next(i for i, (_, right) in enumerate(edges) if word.left < right)].append(word)
    return cells


def _row_starts(
    block: Sequence[TextLine], lines: Sequence[Sequence[Sequence[Word]]], edges: Edges
) -> list[int]:
    """The first line of each row, and one past the last line.

    Columns without broken cells have one line a row, and most columns agree on these lines. The
    lines of a broken cell stand below the first one, each because its first word found no room
    above; or, where a page centres its cells, around the row's middle.
    """
    count = len(block)
    pitch, tops = _pitch(block) or 1.0, [line.top for line in block]
    anchors, likely = _anchors(lines, edges)
    if len(anchors) * 4 < count or len(anchors) == count:
        return list(range(count + 1))
    if anchors[0] > 0 or any(0.25 < _step(a, b, pitch) < 0.75 for a, b in pairwise(tops)):
        for choice in (likely, anchors):
            bounds = _centred_bounds([tops[a] for a in choice], pitch)
            if bounds is not None:
                after = (next((i for i in range(count) if tops[i] > at), count) for at in bounds)
                return [0, *after, count]
    starts = [0]
    for i in range(1, count):
        if i in anchors or not _continues(lines[starts[-1] : i], lines[i], edges):
            starts.append(i)
    return [*starts, count]


def _anchors(
    lines: Sequence[Sequence[Sequence[Word]]], edges: Edges
) -> tuple[list[int], list[int]]:
    """The lines on which most columns agree; and these with the lines that a label opens."""
    count = len(lines)
    filled = [tuple(i for i in range(count) if lines[i][c]) for c in range(len(edges))]
    common = Counter(filled).most_common(1)[0][0]
    labels = filled[0][:1] + tuple(
        below
        for above, below in pairwise(filled[0])
        if not _continues([lines[above][:1]], lines[below][:1], edges)
    )
    return list(common), sorted({*common, *labels})


def _step(above: float, below: float, pitch: float) -> float:
    return (below - above) / pitch % 1


def _continues(
    row: Sequence[Sequence[Sequence[Word]]], line: Sequence[Sequence[Word]], edges: Edges
) -> bool:
    """Whether each cell of a line goes on with the row's: its first word found no room above."""
    for column, words in enumerate(line):
        above = row[-1][column]
        if words and not above:
            return False
        room = edges[column][1] - above[-1].right if words else 0.0
        if words and words[0].right - words[0].left + 1.0 < room:
            return False
    return True


def _centred_bounds(centres: Sequence[float], pitch: float) -> list[float] | None:
    """Where rows part whose lines stand around these centres, each row as high as it has lines."""
    for first in range(1, 13):
        heights = [float(first)]
        for above, below in pairwise(centres):
            heights.append(2 * (below - above) / pitch - heights[-1])
        if all(height > 0.6 for height in heights):
            ends = zip(centres, heights, strict=True)
            return [centre + (height - 1) * pitch / 2 + pitch / 4 for centre, height in ends][:-1]
    return None


def column_edges(block: Sequence[TextLine]) -> Edges:
    """The columns of a block: parted by gaps that run through all its lines."""
    spans = sorted((word.left, word.right) for line in block for word in line.words)
    columns = [spans[0]]
    for left, right in spans[1:]:
        if left - columns[-1][1] >= GAP:
            columns.append((left, right))
        else:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
    return columns
