"""What the rows of a table's body are: data, sections, totals, repeated headers; and its notes.

Takes a body whose header is known; labels rows and binds footnotes, and changes no cell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import numpy as np

from retrieval.grid import Cell, Grid
from retrieval.table import EMPTY, Column, Note, Table

_TOTAL = re.compile(
    r"(?:sub-?\s?|grand\s+)?totals?|sum|overall|all|gesamt|summe|insgesamt|totaux|totale|celkem|"
    r"итого|всего|合计|总计|小计|计|合計|小計|net",
    re.I,
)
_TOTAL_WITHIN = re.compile(r"\b(?:sub-?\s?)?totals?\b|\bsum\b|合计|总计|小计|合計|小計|итого", re.I)
_NOTE_MARK = re.compile(
    r"(?:\(?([*†‡§]+|\d{1,2}|[a-zA-Z]|[ivx]{1,4})[).:\]]|([*†‡§]+)|\[([^\[\]]{1,4})\]"
    r"|([¹²³⁴⁵⁶⁷⁸⁹⁰]+)|\\?(\d{1,2})\\?/?)\s*(?=\S)"
)
_TRAILING_MARK = re.compile(
    r"(?:([*†‡§]+)|([¹²³⁴⁵⁶⁷⁸⁹⁰]+)|\[([^\[\]]{1,4})\]|\s\(([a-z0-9]{1,2})\))$"
)


def repeated_headers(grid: Grid, header: tuple[int, ...], start: int, end: int) -> list[int]:
    """Body rows that repeat a header row cell for cell."""
    found: list[int] = []
    for row in header:
        cells = grid.row(row)
        same = np.ones(end - start, bool)
        for strip, cell in zip(grid.strips, cells, strict=True):
            code = strip.texts.index(cell) if cell else EMPTY
            same &= strip.codes[start:end] == code
            if not same.any():
                break
        if sum(map(bool, cells)) > 1:
            found += (np.flatnonzero(same) + start).tolist()
    return sorted(found)


def section_rows(grid: Grid, rows: Sequence[int]) -> list[int]:
    """Body rows that hold one label and head the rows below them.

    In a table of two columns a row without its value looks the same; there the label must end
    with a colon.
    """
    if grid.column_count < 2 or not rows:
        return []
    array = np.asarray(rows, np.int64)
    alone = (grid.filled[array] == 1) & (grid.strips[0].codes[array] != EMPTY)
    heads = alone & np.append(~alone[1:], False)
    found = [int(row) for row in array[heads]]
    if grid.column_count == 2:
        return [row for row in found if grid.at(row, 0).endswith(":")]
    return found if len(found) * 2 <= len(rows) else []


@dataclass(frozen=True)
class TotalRow:
    """A row that sums others."""

    row: int
    checked: bool
    """Whether its numbers add up; else its label alone says so."""


def find_totals(columns: Sequence[Column], labels: Sequence[int]) -> list[TotalRow]:
    """Rows whose label says total and whose numbers are sums of the rows above or below.

    Args:
        columns: the table's columns, typed.
        labels: the columns whose text may name a total.
    """
    numeric = [c for c in columns if c.type.kind in ("integer", "decimal", "double")]
    candidates = _labelled(columns, labels)
    found: list[TotalRow] = []
    taken: set[int] = set()
    for row, exact in candidates:
        checked = [_sums(column, row, taken) for column in numeric]
        told = [verdict for verdict in checked if verdict is not None]
        right = sum(told)
        if told and right * 2 > len(told):
            found.append(TotalRow(row, True))
            taken.add(row)
        elif exact and numeric:
            found.append(TotalRow(row, False))
            taken.add(row)
    return found


def _labelled(columns: Sequence[Column], labels: Sequence[int]) -> list[tuple[int, bool]]:
    """(row, whether the label is nothing but a word for total), in row order."""
    found: dict[int, bool] = {}
    for index in labels:
        column = columns[index]
        for code, text in enumerate(column.texts):
            label = text.strip(" :*†‡.-")
            exact = _TOTAL.fullmatch(label) is not None
            if exact or _TOTAL_WITHIN.search(label):
                for row in np.flatnonzero(column.codes == code).tolist():
                    found[row] = found.get(row, False) or exact
    return sorted(found.items())


def _sums(column: Column, row: int, totals: set[int]) -> bool | None:
    """Whether a cell is the sum of the cells above it (all, or since the last total) or below.

    None where the column has nothing to check.
    """
    target = _value(column, row)
    if target is None:
        return None
    above = [r for r in range(row) if r not in totals]
    last = max((r for r in totals if r < row), default=-1)
    below = [r for r in range(row + 1, len(column.codes)) if r not in totals]
    runs = [above, [r for r in above if r > last], below, [r for r in range(row) if r in totals]]
    checked = False
    for run in runs:
        values = [v for v in (_value(column, r) for r in run) if v is not None]
        if len(values) < 1 or (len(values) == 1 and len(run) > 1):
            continue
        checked = True
        slack = _slack(target) * (len(values) + 1)
        total = Decimal(0)
        for value in values:
            total += value
        if abs(total - target) <= slack:
            return True
    return False if checked else None


def _slack(value: Decimal) -> Decimal:
    """Half of the last printed place: what rounding may add for each cell."""
    exponent = value.as_tuple().exponent
    return Decimal(5).scaleb(int(exponent) - 1) if int(exponent) < 0 else Decimal("0.5")


def _value(column: Column, row: int) -> Decimal | None:
    form = column.canonical_at(row)
    if form is None:
        return None
    try:
        return Decimal(form)
    except InvalidOperation:
        return None


def bind_notes(
    table: Table, texts: Sequence[str], marks: Mapping[Cell, tuple[str, ...]]
) -> tuple[Note, ...]:
    """Footnotes with the cells that carry their mark.

    Args:
        table: the table as built.
        texts: the note lines under it.
        marks: marks that stood beside cells, by (row, column) of the table; row -1 is the header.
    """
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
    match = _NOTE_MARK.match(text)
    marker = "" if match is None else next(group for group in match.groups() if group)
    return Note(marker, text, tuple(places.get(marker, ())))
