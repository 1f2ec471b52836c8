"""Where a table's rows end and its notes begin, and the notes that stand among its rows.

Takes a grid whose header is known; tells rows apart by how a note begins, what stands above it and
what other rows look like.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from retrieval.grid import TEXT, Grid
from retrieval.total_labels import is_total

_HEAD = 400
"""Rows above a line that are looked at for labels like its own."""

_NOTE = re.compile(
    r"(?:notes?|sources?|remarks?|legend|footnotes?|quelle|anmerkung|fuente|nota)\b"
    r"|end of (?:report|file|data|table|list)\b|last updated\b|-- "
    r"|(?:report |file |data )?(?:generated|exported|printed|created|downloaded|updated|prepared"
    r"|compiled|approved|checked|reviewed|submitted|issued|published) (?:on|by|at|from)\b"
    r"|(?:erstellt|geprüft|établi|préparé|elaborado|preparado|redatto|opgesteld) (?:von|am|par|le"
    r"|por|da|door)\b|\(?\d+ rows?(?:\)| in set| selected)"
    r"|[*†‡§]|\(?(?:\d{1,2}|[a-z])[).:/]\s|\[[^\[\]]{1,4}\]|[¹²³⁴⁵⁶⁷⁸⁹⁰]|\\",
    re.I,
)
_BETWEEN = re.compile(
    r"[*†‡§]|(?:notes?|remarks?|sources?|anmerkung|hinweis|quelle|remarque|nota|fuente)\s*[:*]"
    r"|\[[^\[\]]{1,4}\]\s",
    re.I,
)
"""How a note begins that stands among the rows: surer signs than below them."""

_NUMBERED = re.compile(r"\d{1,2}\s+\S")
_TOLD = re.compile(r"[^\W\d][^:]{1,40}:\s+\S")
"""A lone line that says what it tells: "Prepared by: H. Stroud"."""

_LEGEND = re.compile(r"[\"'(]?([^\s=:]{1,8}?)[\"')]?\s*(?:[=:]|\s[–-]\s)\s*\S")
_SENTENCE = re.compile(r"\S+(?:\s+\S+){2,}[.!]|\S+(?:\s+\S+){3,}")
"""Three words that end as a sentence does, or four."""

_COUNTED = re.compile(
    r"\b(?:rows?|records?|entr(?:y|ies)|items?|lines?|results?|count|zeilen|datensätze|einträge"
    r"|anzahl|lignes|enregistrements|filas|registros|righe|строк|записей)\b",
    re.I,
)
_SUPERSCRIPT = "¹²³⁴⁵⁶⁷⁸⁹"
_MARK_ALONE = re.compile(r"\(?(?:\d{1,2}|[a-z]|[*†‡§]+)[).:]?", re.I)


_TOTALS_BELOW = 3
"""Rows of totals that may stand under the records that a line counts."""


def body_end(grid: Grid, start: int) -> int:
    """One past the last row of the body; the notes follow.

    The rows below the last values are notes from the first one on that reads like a note; a lone
    label that does not is a row whose other cells are empty.
    """
    if grid.column_count == 1:
        return grid.row_count
    usual = grid.usual_shapes
    tail = grid.row_count
    while tail > start and _may_be_note(grid, tail - 1, usual):
        tail -= 1
    rows = int((grid.filled[start:tail] > 0).sum())
    closed = tail > start and is_total(grid.at(tail - 1, 0))
    for row in range(tail, grid.row_count):
        if not grid.filled[row]:
            continue
        if closed or _reads_like_note(grid, row) or _counts_rows(grid, row, rows):
            return row
    return grid.row_count


def notes_between(grid: Grid, rows: npt.NDArray[np.int64]) -> list[int]:
    """Body rows of one cell that reads like a note, where other rows are full."""
    lone = rows[grid.filled[rows] == 1].tolist()
    if grid.column_count < 3 or len(lone) * 4 > len(rows):
        return []
    return [row for row in lone if _BETWEEN.match(next(filter(None, grid.row(row))))]


def _counts_rows(grid: Grid, row: int, rows: int) -> bool:
    """Whether a line tells how many rows stand above it: "(3 rows affected)", "Records: 3"; by a
    word of the table's own ("8 stations"), where the number is right.
    """
    text = " ".join(filter(None, grid.row(row)))
    numbers = re.findall(r"\d+", text)
    if len(numbers) != 1:
        return False
    more = rows - int(numbers[0])
    return 0 <= more <= (_TOTALS_BELOW if _COUNTED.search(text) else 0) and text != numbers[0]


def _may_be_note(grid: Grid, row: int, usual: Sequence[int]) -> bool:
    filled = grid.filled[row]
    if filled < 2:
        return True
    if grid.column_count == 2:
        return False  # a number and some words fill the row: that is what its rows look like
    return bool(filled == 2 and _MARK_ALONE.fullmatch(grid.at(row, 0)) and grid.at(row, 1)) and (
        grid.shapes_of([row])[0, 1] == TEXT and len(grid.at(row, 1).split()) > 2
    )


def _reads_like_note(grid: Grid, row: int) -> bool:
    text = next(cell for cell in grid.row(row) if cell)
    spanning = any(r == row and size[1] >= grid.column_count for (r, _), size in grid.spans.items())
    after_blank = row > 0 and grid.filled[row - 1] == 0
    return bool(
        spanning
        or after_blank
        or grid.filled[row] == 2
        or _NOTE.match(text)
        or len(text.split()) > 7
        or (_TOLD.match(text) and not _labels_so(grid, row))
        or (_NUMBERED.match(text) and _has_superscripts(grid))
        or _says_more_than_a_label(grid, row, text)
    )


def _says_more_than_a_label(grid: Grid, row: int, text: str) -> bool:
    """Whether a line of words is none of the labels above it: it tells what a sign among the cells
    means ("AB = absent"), or ends as a sentence and stands where the rows have numbers.
    """
    above = range(max(0, row - _HEAD), row)
    sign = _LEGEND.match(text)
    if sign and any(sign[1] in grid.row(r) for r in above):
        return True
    place = grid.row(row).index(text)
    rows = [r for r in above if grid.at(r, place) and grid.filled[r] > 1]
    words = (grid.shapes_of(rows)[:, place] == TEXT).sum() if rows else 0
    return bool(rows) and words * 4 < len(rows) and bool(_SENTENCE.fullmatch(text))


def _labels_so(grid: Grid, row: int) -> bool:
    """Whether records above have a colon in their label too."""
    above = range(max(0, row - _HEAD), row)
    return any(": " in grid.at(r, 0) for r in above if grid.filled[r] > 1)


def _has_superscripts(grid: Grid) -> bool:
    """Whether cells carry raised numbers, which "1 estimated" below the table then explains."""
    return any(text[-1] in _SUPERSCRIPT for strip in grid.strips for text in strip.texts)
