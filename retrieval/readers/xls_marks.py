"""What a values-only reader of .xls leaves out: errors, number formats, bold, hidden parts.

Takes the workbook's bytes; values themselves are read elsewhere.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from retrieval.readers.number_formats import Shown, header_shown, number_shown
from retrieval.readers.workbook_marks import (
    CellMarks,
    SheetMarks,
    constant,
    header_cells,
    hidden_columns,
    hidden_rows,
)

_BOLD = 700
"""The weight of bold letters."""

_DAMAGED = (NotImplementedError, AssertionError, ValueError, LookupError, struct.error)
"""What the library may raise besides on a file that the reader of values can still read."""

_UNREAD = "the formats of its cells cannot be read: 12 % may stand as 0.12, and errors as blanks"


def read_xls_marks(data: bytes, names: Sequence[str]) -> dict[str, SheetMarks]:
    """The marks of each sheet by its name; a warning on each of `names` where none can be read."""
    import xlrd

    try:
        book = xlrd.open_workbook(
            file_contents=data, formatting_info=True, logfile=io.StringIO(), ragged_rows=True
        )
    except (xlrd.XLRDError, xlrd.compdoc.CompDocError, *_DAMAGED):
        return dict.fromkeys(names, SheetMarks(warnings=(_UNREAD,)))
    return {sheet.name: _marks(book, sheet) for sheet in book.sheets()}


def _marks(book: Any, sheet: Any) -> SheetMarks:
    import xlrd

    formats = [book.format_map[style.format_key] for style in book.xf_list]
    numbers = [number_shown(told.format_key, told.format_str) for told in formats]
    headers = [header_shown(told.format_key, told.format_str) for told in formats]
    bold = [book.font_list[style.font_index].weight >= _BOLD for style in book.xf_list]
    places: dict[tuple[int, Shown], list[int]] = {}
    dates: dict[tuple[int, int], Shown] = {}
    strong = set()
    for row, column, kind, style in _cells(sheet):
        if bold[style]:
            strong.add(row)
        if kind == xlrd.XL_CELL_NUMBER and (shown := numbers[style]) is not None:
            places.setdefault((column, shown), []).append(row)
        elif kind == xlrd.XL_CELL_DATE and (shown := headers[style]) is not None:
            dates[row, column] = shown
        elif kind == xlrd.XL_CELL_ERROR:
            text = xlrd.error_text_from_code[sheet.cell_value(row, column)]
            places[column, constant(text)] = [row]
    for row, column in header_cells(dates):
        places.setdefault((column, dates[row, column]), []).append(row)
    return SheetMarks(frozenset(strong), _by_column(places), _hidden(sheet))


def _cells(sheet: Any) -> Iterator[tuple[int, int, int, int]]:
    """Row, column, kind and style of each cell with content."""
    import xlrd

    empty = (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK)
    for row in range(sheet.nrows):
        for column, kind in enumerate(sheet.row_types(row)):
            if kind not in empty:
                yield row, column, kind, sheet.cell_xf_index(row, column)


def _by_column(places: dict[tuple[int, Shown], list[int]]) -> dict[int, list[CellMarks]]:
    columns: dict[int, list[CellMarks]] = {}
    for (column, shown), rows in places.items():
        columns.setdefault(column, []).append((shown, np.array(rows, np.int64)))
    return columns


def _hidden(sheet: Any) -> tuple[str, ...]:
    rows = [row + 1 for row, told in sorted(sheet.rowinfo_map.items()) if told.hidden]
    columns = [column + 1 for column, told in sorted(sheet.colinfo_map.items()) if told.hidden]
    kept = [column for column in columns if column <= sheet.ncols]
    told = tuple(hidden_columns(column, column) for column in kept)
    return hidden_rows([row for row in rows if row <= sheet.nrows]) + told
