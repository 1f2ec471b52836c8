"""Excel and OpenDocument workbooks: each sheet's values, merged cells, hidden parts told."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from retrieval.errors import UnreadableSource
from retrieval.grid import Cell, Grid, Strip, encode_values, recoded
from retrieval.readers.delimited import without_collector
from retrieval.readers.workbook_marks import CellMarks, SheetMarks, read_marks
from retrieval.table import EMPTY
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
    with without_collector():
        rows = sheet.to_python(skip_empty_area=False)
        strips = [
            _shown(_strip(values), marks.columns.get(column, ()))
            for column, values in enumerate(zip(*rows, strict=True))
        ]
    count = len(rows)
    grid = Grid(tuple(strips), count, range(1, count + 1))
    return replace(grid, spans=_spans(sheet), strong=marks.strong, warnings=marks.warnings)


def _strip(values: Sequence[object]) -> Strip:
    """A column's stored values as texts; each distinct value is turned once."""
    if bool in set(map(type, values)):
        values = [_text(value) for value in values]  # True equals 1
    codes, distinct = encode_values(values)
    texts = [value.strip() if type(value) is str else _text(value) for value in distinct]
    plain = len(set(texts)) == len(texts) and "" not in texts
    return Strip(codes, tuple(texts)) if plain else recoded(codes, texts)


def _shown(strip: Strip, marks: Sequence[CellMarks]) -> Strip:
    """The column with the texts that its cells show where they are not the stored ones."""
    codes, texts = strip.codes.copy(), list(strip.texts)
    for shown, rows in marks:
        places = rows[rows < len(codes)]
        used, inverse = np.unique(codes[places], return_inverse=True)
        codes[places] = len(texts) + inverse
        texts += [shown("" if code == EMPTY else texts[code]) for code in used.tolist()]
    return recoded(codes, texts).compact() if marks else strip


def _spans(sheet: Any) -> dict[Cell, Cell]:
    ranges = sheet.merged_cell_ranges or []
    return {
        (top, left): (bottom - top + 1, right - left + 1) for (top, left), (bottom, right) in ranges
    }


def _text(value: object) -> str:
    """A stored value as its cell shows it; whole floats without their point."""
    if type(value) is float:
        return repr(value).removesuffix(".0")
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, dt.datetime):
        return str(value.date() if value.time() == dt.time() else value)
    if value is None:
        return ""
    return str(value)
