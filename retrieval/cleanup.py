"""What the rows of a table's body are: data, sections, totals, repeated headers; and its notes.

Takes a body whose header is known; labels rows and binds footnotes, and changes no cell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from operator import itemgetter

import numpy as np

from retrieval.grid import Cell, Grid, Strip, recoded
from retrieval.table import EMPTY, Note, Table
from retrieval.units import is_unit

_NOTE_MARK = re.compile(
    r"(?:\(?([*†‡§]+|\d{1,2}|[a-zA-Z]|[ivx]{1,4})[).:\]]|([*†‡§]+)|\[([^\[\]]{1,4}|\^[^\[\]]+)\]"
    r"|([¹²³⁴⁵⁶⁷⁸⁹⁰]+)|\\?(\d{1,2})\\?/?)\s*(?=\S)"
)
_RAISED = tuple("¹²³⁴⁵⁶⁷⁸⁹⁰")
_LAYOUT = re.compile(
    r"[+|:\s]*[-=_]{2,}[-=_+|:\s]*|(?:page|seite|página|pagina|стр\.?)\s+\d+(?:\s*(?:of|von|de|di|из|/)\s*\d+)?",
    re.IGNORECASE,
)
_LAYOUT_START = "-=+_|PpSsСс"
_TRAILING_MARK = re.compile(
    r"(?:([*†‡§]+)|([¹²³⁴⁵⁶⁷⁸⁹⁰]+)|\[([^\[\]]{1,4})\]|\s\(([a-z0-9]{1,2})\)|(?<=\d)\s([A-Za-z]{1,2}))$"
)


def repeated_headers(grid: Grid, header: tuple[int, ...], start: int, end: int) -> list[int]:
    """Body rows that repeat a header row cell for cell, in whatever case."""
    found: list[int] = []
    fewest_first = sorted(grid.strips, key=lambda strip: len(strip.texts))
    for row in header:
        cells = [strip.at(row).casefold() for strip in fewest_first]
        if sum(map(bool, cells)) < 2:
            continue
        rows = np.arange(start, end)
        for strip, cell in zip(fewest_first, cells, strict=True):
            codes = strip.codes[rows]
            used = (np.flatnonzero(np.bincount(codes - EMPTY)) + EMPTY).tolist()
            same = [c for c in used if (strip.texts[c].casefold() if c != EMPTY else "") == cell]
            rows = rows[np.isin(codes, same)]
            if not len(rows):
                break
        found += rows.tolist()
    return sorted(found)


def layout_lines(grid: Grid) -> list[int]:
    """Rows that hold the page together and no data: lines drawn with signs, as consoles print
    them ("----+-----"), and page numbers ("Page 2 of 7").
    """
    if grid.column_count < 2:
        return []
    first = grid.strips[0]
    if set("".join(map(itemgetter(0), first.texts))).isdisjoint(_LAYOUT_START):
        return []
    likely = (code for code, text in enumerate(first.texts) if text[0] in _LAYOUT_START)
    codes = [code for code in likely if _LAYOUT.fullmatch(first.texts[code])]
    if not codes:
        return []
    rows = np.flatnonzero(np.isin(first.codes, codes)).tolist()
    return [row for row in rows if all(_LAYOUT.fullmatch(cell) for cell in grid.row(row) if cell)]


def named_without_marks(
    strip: Strip, notes: Sequence[str]
) -> tuple[Strip, dict[int, tuple[str, ...]]]:
    """A column without the footnote marks behind its names ("Split¹"), and the marks by row.

    A mark is a raised number, or one that a note under the table opens with; what stands behind a
    number or a unit stays.
    """
    told = {note_mark(note) for note in notes} - {""}
    lines = "\n".join((*strip.texts, ""))
    ends = (*told, *(() if lines.isascii() else _RAISED))
    names: dict[int, tuple[str, str]] = {}
    if not any(f"{end}\n" in lines for end in ends):
        return strip, {}
    for code in [code for code, text in enumerate(strip.texts) if text.endswith(ends)]:
        text = strip.texts[code]
        mark = next(iter(_marks_of(text)), "")
        name = text.removesuffix(mark).rstrip()
        if (mark not in told and mark[:1] not in _RAISED) or name == text or is_unit(text):
            continue
        if sum(map(str.isalpha, name)) > 2:
            names[code] = name, mark
    if not names:
        return strip, {}
    texts = [names[c][0] if c in names else text for c, text in enumerate(strip.texts)]
    marked = np.flatnonzero(np.isin(strip.codes, list(names))).tolist()
    return recoded(strip.codes, texts), {r: (names[int(strip.codes[r])][1],) for r in marked}


def bind_notes(
    table: Table, texts: Sequence[str], marks: Mapping[Cell, tuple[str, ...]]
) -> tuple[Note, ...]:
    """Footnotes with the cells that carry their mark.

    Args:
        table: the table as built.
        texts: the note lines under it.
        marks: marks that stood beside cells, by (row, column) of the table; row -1 is the header.
    """
    if not texts and not marks:
        return ()
    places: dict[str, list[Cell]] = {}
    for cell, found in marks.items():
        for mark in found:
            places.setdefault(mark, []).append(cell)
    for index, column in enumerate(table.columns):
        for part in column.path:
            for mark in _marks_of(part):
                places.setdefault(mark, []).append((-1, index))
        for code, text in enumerate(column.texts):
            for mark in _marks_of(text):
                rows = np.flatnonzero(column.codes == code).tolist()
                places.setdefault(mark, []).extend((row, index) for row in rows)
    notes = [_note(text, places) for text in texts]
    told = {note.marker for note in notes}
    beside = {mark for found in marks.values() for mark in found}
    loose = [Note(mark, "", tuple(places[mark])) for mark in places if mark in beside - told]
    return (*notes, *loose)


def _marks_of(text: str) -> list[str]:
    match = _TRAILING_MARK.search(text)
    return [] if match is None else [next(group for group in match.groups() if group)]


def _note(text: str, places: dict[str, list[Cell]]) -> Note:
    marker = note_mark(text)
    return Note(marker, text, tuple(places.get(marker, ())))


def note_mark(text: str) -> str:
    """The mark that a note opens with; "" for none."""
    match = _NOTE_MARK.match(text)
    return "" if match is None else next(group for group in match.groups() if group)
