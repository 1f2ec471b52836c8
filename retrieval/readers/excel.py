"""Excel and OpenDocument workbooks: each sheet's values, merged cells, hidden parts told."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from retrieval.errors import UnreadableSource
from retrieval.grid import Cell, Grid, GridBuilder
from retrieval.readers.workbook_marks import SheetMarks, read_marks
from retrieval.understand import Sheet, Source

_CHUNK = 20_000


def read_excel(data: bytes, suffix: str = ".xlsx") -> Source:
    """Each sheet with content, in order; formulas by their stored value.

    Raises:
        UnreadableSource: not a workbook, damaged, or locked by a password.
    """
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetVisibleEnum

    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        marks = read_marks(data)
        sheets, warnings = [], []
        for index, meta in enumerate(workbook.sheets_metadata):
            sheet = workbook.get_sheet_by_index(index)
            if sheet.height == 0:
                continue
            if meta.visible != SheetVisibleEnum.Visible:
                warnings.append(f'sheet "{meta.name}" is hidden in the workbook; read all the same')
            grid = _grid(sheet, marks.get(meta.name, SheetMarks()))
            sheets.append(Sheet(grid, meta.name))
    except PasswordError as error:
        raise UnreadableSource(
            "the workbook is locked by a password", hint="save a copy without the password"
        ) from error
    except CalamineError as error:
        raise UnreadableSource(
            f"not a readable workbook: {error}", hint="open and save it again as .xlsx"
        ) from error
    return Source(tuple(sheets), warnings=tuple(warnings))


def _grid(sheet: Any, marks: SheetMarks) -> Grid:
    builder = GridBuilder()
    chunk: list[list[str]] = []
    for number, row in enumerate(_rows(sheet)):
        chunk.append([_text(value) for value in row])
        if number in marks.cells:
            for column, shown in marks.cells[number].items():
                chunk[-1].extend([""] * (column + 1 - len(chunk[-1])))
                chunk[-1][column] = shown(chunk[-1][column])
        if len(chunk) == _CHUNK:
            builder.extend(chunk)
            chunk = []
    builder.extend(chunk)
    grid = builder.build()
    return replace(grid, spans=_spans(sheet), warnings=marks.warnings)


def _rows(sheet: Any) -> Iterator[list[object]]:
    rows: Iterator[list[object]] = iter(sheet.to_python(skip_empty_area=False))
    return rows


def _spans(sheet: Any) -> dict[Cell, Cell]:
    ranges = sheet.merged_cell_ranges or []
    return {
        (top, left): (bottom - top + 1, right - left + 1) for (top, left), (bottom, right) in ranges
    }


def _text(value: object) -> str:
    """A stored value as its cell shows it; whole floats without their point."""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, dt.datetime):
        return str(value.date() if value.time() == dt.time() else value)
    if value is None:
        return ""
    return str(value)
