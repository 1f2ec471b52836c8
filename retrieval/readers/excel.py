"""Excel and OpenDocument workbooks: each sheet's values, merged cells, hidden parts told."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np

from retrieval.errors import UnreadableSource
from retrieval.grid import Cell, Grid, Strip, recoded
from retrieval.readers.delimited import without_collector
from retrieval.readers.ods_marks import read_ods_marks
from retrieval.readers.workbook_columns import column_strip
from retrieval.readers.workbook_marks import CellMarks, SheetMarks, read_marks
from retrieval.readers.xls_marks import read_xls_marks
from retrieval.table import EMPTY
from retrieval.understand import Sheet, Source

_ZIP = b"PK\x03\x04"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_LOCKED = "the workbook is locked by a password"
_UNLOCK = "save a copy without the password"
_OFFICE: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("a Word document", lambda name: name.startswith("word/")),
    ("a presentation", lambda name: name.startswith("ppt/")),
)


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
        raise UnreadableSource(_LOCKED, hint=_UNLOCK) from error
    except (CalamineError, ElementTree.ParseError, zipfile.BadZipFile, KeyError) as error:
        raise UnreadableSource(_why_unreadable(data, error), hint=_hint(data)) from error
    return Source(tuple(sheets), warnings=tuple(warnings))


def _why_unreadable(data: bytes, error: Exception) -> str:
    if _ENCRYPTED in data:
        return _LOCKED
    if not data.startswith(_ZIP):
        return f"not a readable workbook: {error}"
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return "not a readable workbook: damaged or cut off"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        kinds = [what for what, folder in _OFFICE if any(map(folder, archive.namelist()))]
    return f"{kinds[0]}, not a workbook" if kinds else f"not a readable workbook: {error}"


def _hint(data: bytes) -> str:
    return _UNLOCK if _ENCRYPTED in data else "open and save it again as .xlsx"


def _with_marks(workbook: Any, data: bytes) -> Iterator[tuple[Any, Any, SheetMarks]]:
    """What is known of each sheet with content, the sheet, and its marks; a second thread looks
    for these while the library, which holds no lock, reads the first sheet.
    """
    with ThreadPoolExecutor(1) as pool:
        names = [meta.name for meta in workbook.sheets_metadata]
        pending = pool.submit(_marks_of, data, names)
        for index, meta in enumerate(workbook.sheets_metadata):
            sheet = workbook.get_sheet_by_index(index)
            if sheet.height > 0:
                yield meta, sheet, pending.result().get(meta.name, SheetMarks())


def _marks_of(data: bytes, sheets: Sequence[str]) -> dict[str, SheetMarks]:
    """The marks of each sheet by its name."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return read_xls_marks(data, sheets)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        if "xl/workbook.xml" in names:
            return read_marks(archive)
        return read_ods_marks(archive.read("content.xml")) if "content.xml" in names else {}


def _grid(sheet: Any, marks: SheetMarks) -> Grid:
    with without_collector():
        columns = list(zip(*sheet.to_python(skip_empty_area=False), strict=True))
        strips = []
        for column, values in enumerate(columns):
            columns[column] = ()
            strips.append(_shown(column_strip(values), marks.columns.get(column, ())))
            del values
    count = len(strips[0].codes) if strips else 0
    grid = Grid(tuple(strips), count, range(1, count + 1))
    return replace(grid, spans=_spans(sheet), strong=marks.strong, warnings=marks.warnings)


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
