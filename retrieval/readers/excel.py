"""Excel and OpenDocument workbooks: each sheet's values, merged cells, hidden parts told."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from retrieval.errors import UnreadableSource
from retrieval.grid import Cell, Grid, StripBuilder
from retrieval.readers.workbook_marks import SheetMarks, read_marks
from retrieval.understand import Sheet, Source


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
    rows = sheet.to_python(skip_empty_area=False)
    strips = []
    for column, values in enumerate(zip_longest(*rows)):
        cells = _texts(values)
        for row, shown in marks.columns.get(column, {}).items():
            if row < len(cells):
                cells[row] = shown(cells[row])
        builder = StripBuilder()
        builder.extend(cells)
        strips.append(builder.build())
    count = len(rows)
    grid = Grid(tuple(strips), count, range(1, count + 1))
    return replace(grid, spans=_spans(sheet), warnings=marks.warnings)


def _texts(values: Sequence[object]) -> list[str]:
    """A column's stored values as texts; each distinct value is turned once."""
    kinds = set(map(type, values))
    if kinds == {str}:
        return list(map(str, values))
    if bool in kinds:
        return [_text(value) for value in values]
    texts = {
        value: repr(value).removesuffix(".0") if type(value) is float else _text(value)
        for value in set(values)
    }
    return list(map(texts.__getitem__, values))


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
        return repr(value).removesuffix(".0")
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, dt.datetime):
        return str(value.date() if value.time() == dt.time() else value)
    if value is None:
        return ""
    return str(value)
