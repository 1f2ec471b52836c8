"""What a page tells beside its table: the caption above it, and the footnotes under it, each on a
line that opens with its mark.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

from retrieval.cleanup import note_mark
from retrieval.grid import Grid
from retrieval.understand import Sheet

_LONGEST_CAPTION = 200
_SIGNS = "*†‡§"
"""Marks that need no frame to be told from the text they stand behind."""


_CAPTION = re.compile(
    r"(?:table|tab\.|tabelle|tableau|tabla|tabella|tabel|exhibit)\s*[\dIVX]+[\w.]*\s*[.:–—-]\s*\S",
    re.I,
)


def caption_in(text: str) -> str:
    """The caption that a paragraph above a table is: "Table 2: Revenue (US$ million)"; else ""."""
    return text if len(text) < _LONGEST_CAPTION and _CAPTION.match(text) else ""


def with_notes_under(sheet: Sheet, lines: Iterable[str]) -> Sheet:
    """The sheet with those of the lines under it that open with a mark which a cell carries."""
    told = {note_mark(note) for note in sheet.notes}
    marks = {mark for found in sheet.grid.marks.values() for mark in found}
    found = [
        line
        for line in map(str.strip, lines)
        if (mark := note_mark(line)) not in told and _is_carried(mark, marks, sheet.grid)
    ]
    return replace(sheet, notes=(*sheet.notes, *found)) if found else sheet


def _is_carried(mark: str, marks: Collection[str], grid: Grid) -> bool:
    if mark in marks:
        return True
    if not mark or mark[0] not in _SIGNS:
        return False
    return any(text.endswith(mark) for strip in grid.strips for text in strip.texts)
