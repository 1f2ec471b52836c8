"""Excel and OpenDocument workbooks: each sheet's values, merged cells, hidden parts told."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
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
        sheets, warnings = [], []
        for meta, sheet, marks in _with_marks(workbook, data):
            if meta.visible != SheetVisibleEnum.Visible:
                warnings.append(f'sheet "{meta.name}" is hidden in the workbook; read all the same')
            sheets.append(Sheet(_grid(sheet, marks), meta.name))
    except PasswordError as error:
        raise UnreadableSource(
            "the workbook is locked by a password", hint="save a copy without the password"
        ) from error
    except CalamineError as error:
        raise UnreadableSource(
            f"not a readable workbook: {error}", hint="open and save it again as .xlsx"
        ) from error
    return Source(tuple(sheets), warnings=tuple(warnings))


def _with_marks(workbook: Any, data: bytes) -> Iterator[tuple[Any, Any, SheetMarks]]:
    """What is known of each sheet with content, the sheet, and its marks; a second thread looks
    for these while the library, which holds no lock, reads the first sheet.
    """
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(read_marks, data)
        for index, meta in enumerate(workbook.sheets_metadata):
            sheet = workbook.get_sheet_by_index(index)
            if sheet.height > 0:
                yield meta, sheet, pending.result().get(meta.name, SheetMarks())


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
    numbers = iter(_number_texts([value for value in distinct if type(value) is float]))
    texts = [
        value.strip()
        if type(value) is str
        else next(numbers)
        if type(value) is float
        else _text(value)
        for value in distinct
    ]
    plain = len(set(texts)) == len(texts) and "" not in texts
    return Strip(codes, tuple(texts)) if plain else recoded(codes, texts)


def _number_texts(values: Sequence[float]) -> list[str]:
    """The numbers as texts, whole ones without their point."""
    lines = "\n".join(map(repr, values)) + "\n"
    return lines.replace(".0\n", "\n").split("\n")[:-1]


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
        return _number_texts([value])[0]
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, dt.datetime):
        return str(value.date() if value.time() == dt.time() else value)
    if isinstance(value, dt.timedelta):
        return _duration_text(value)
    return "" if value is None else str(value)


def _duration_text(value: dt.timedelta) -> str:
    """Hours, minutes and seconds, as under the format [h]:mm:ss; hours may be more than a day's."""
    seconds, micros = divmod(abs(value) // dt.timedelta(microseconds=1), 1_000_000)
    part = f".{micros:06d}".rstrip("0").rstrip(".")
    sign = "-" if value < dt.timedelta() else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{part}"
