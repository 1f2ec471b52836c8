"""What a values-only reader of .xlsx leaves out: errors, percent and money formats, hidden parts.

Looks into the workbook's XML only for sheets that hold such a thing, by a scan for their cell tags;
values themselves are read elsewhere.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from retrieval.readers.number_formats import Shown, header_shown, number_shown

CellMarks = tuple[Shown, npt.NDArray[np.int64]]

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_ERROR = re.compile(rb'<c\s([^>]*\bt="e"[^>]*)>(.*?)</c>', re.DOTALL)
_VALUE = re.compile(rb"<v>(.*?)</v>", re.DOTALL)
_REFERENCE = re.compile(rb'\br="([A-Z]+)(\d+)"')
_HIDDEN_ROW = re.compile(rb'<row\s[^>]*\bhidden="(?:1|true)"[^>]*>')
_HIDDEN_COLUMN = re.compile(rb'<col\s[^>]*\bhidden="(?:1|true)"[^>]*>')
_FORMULA = re.compile(rb"<c\s([^>]*)><f[^>]*(?:/>|>.*?</f>)(?:<v\s*/>|<v></v>)?</c>", re.DOTALL)


@dataclass(frozen=True)
class SheetMarks:
    """What one sheet's XML tells beside its values."""

    strong: frozenset[int] = frozenset()
    """Rows with a cell in bold."""
    columns: Mapping[int, Sequence[CellMarks]] = field(default_factory=dict)
    """By column: what turns stored values into shown texts, and in which rows (an array)."""
    warnings: tuple[str, ...] = ()


def read_marks(archive: zipfile.ZipFile) -> dict[str, SheetMarks]:
    """The marks of each sheet of an .xlsx archive by its name."""
    names = set(archive.namelist())
    styles = _read_styles(archive) if "xl/styles.xml" in names else _Styles()
    return {
        name: _marks(archive.read(path), styles)
        for name, path in _sheet_paths(archive)
        if path in names
    }


def _sheet_paths(archive: zipfile.ZipFile) -> list[tuple[str, str]]:
    relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    targets = {node.get("Id"): node.get("Target", "") for node in relations}
    workbook = ElementTree.fromstring(archive.read("xl/workbook.xml"))
    found = []
    for sheet in workbook.iter(f"{_MAIN}sheet"):
        target = targets.get(sheet.get(f"{_REL}id"), "")
        path = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
        found.append((sheet.get("name", ""), path))
    return found


@dataclass(frozen=True)
class _Styles:
    """Cell styles by their index, as digits."""

    shown: Mapping[bytes, Shown] = field(default_factory=dict)
    """Those that show a percentage, a currency or leading zeros."""
    bold: tuple[bytes, ...] = ()
    months: Mapping[bytes, Shown] = field(default_factory=dict)
    """Those that show of a date its month and year, or its year alone."""


def _read_styles(archive: zipfile.ZipFile) -> _Styles:
    root = ElementTree.fromstring(archive.read("xl/styles.xml"))
    custom = {
        int(node.get("numFmtId", "0")): node.get("formatCode", "")
        for node in root.iter(f"{_MAIN}numFmt")
    }
    fonts = [font.find(f"{_MAIN}b") for font in root.iterfind(f"{_MAIN}fonts/{_MAIN}font")]
    strong = {
        str(n) for n, b in enumerate(fonts) if b is not None and b.get("val") not in ("0", "false")
    }
    styles: dict[bytes, Shown] = {}
    bold: list[bytes] = []
    months: dict[bytes, Shown] = {}
    for index, node in enumerate(root.iterfind(f"{_MAIN}cellXfs/{_MAIN}xf")):
        if node.get("fontId") in strong:
            bold.append(str(index).encode())
        number = int(node.get("numFmtId", "0"))
        code = custom.get(number, "")
        if (shown := header_shown(number, code)) is not None:
            months[str(index).encode()] = shown
        if (shown := number_shown(number, code)) is not None:
            styles[str(index).encode()] = shown
    return _Styles(styles, tuple(bold), months)


def _marks(xml: bytes, styles: _Styles) -> SheetMarks:
    columns: dict[int, list[CellMarks]] = {}
    if b't="e"' in xml:
        for attributes, content in _ERROR.findall(xml):
            value, place = _VALUE.search(content), _REFERENCE.search(attributes)
            if value is not None and place is not None:
                entry = constant(value[1].decode()), np.array([int(place[2]) - 1])
                columns.setdefault(_column(place[1]), []).append(entry)
    used = [style for style in styles.shown if b's="' + style + b'"' in xml]
    for (letters, style), rows in _styled_cells(xml, used).items() if used else ():
        entry = styles.shown[style], np.array(rows, np.int64) - 1
        columns.setdefault(_column(letters), []).append(entry)
    for (row, column), shown in _month_headers(xml, styles.months).items():
        columns.setdefault(column, []).append((shown, np.array([row], np.int64)))
    strong = _bold_rows(xml, styles.bold)
    return SheetMarks(strong, columns, _hidden(xml) + _without_value(xml))


def _bold_rows(xml: bytes, styles: Sequence[bytes]) -> frozenset[int]:
    """Rows with content in one of these styles."""
    used = [style for style in styles if b's="' + style + b'"' in xml]
    if not used:
        return frozenset()
    pattern = rb'<c\s(?=[^>]*\br="[A-Z]+(\d+)")[^>]*\bs="(?:' + b"|".join(used) + rb')"[^>]*(?<!/)>'
    return frozenset(int(row) - 1 for row in re.findall(pattern, xml))


def _month_headers(xml: bytes, styles: Mapping[bytes, Shown]) -> dict[tuple[int, int], Shown]:
    """The dates without a day that are headers, by row and column."""
    used = [style for style in styles if b's="' + style + b'"' in xml]
    cells = {
        (int(row) - 1, _column(letters)): styles[style]
        for (letters, style), rows in (_styled_cells(xml, used).items() if used else ())
        for row in rows
    }
    return {cell: cells[cell] for cell in header_cells(cells)}


def header_cells(cells: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those of some (row, column) that stand beside another one, with none above or below: the
    body of a column has several.
    """
    alone = [(r, c) for r, c in cells if (r + 1, c) not in cells and (r - 1, c) not in cells]
    beside = Counter(row for row, _ in alone)
    return [(row, column) for row, column in alone if beside[row] > 1]


def _styled_cells(xml: bytes, styles: Sequence[bytes]) -> dict[tuple[bytes, bytes], list[bytes]]:
    """The rows (as digits) of the number cells of these styles, by column letters and style."""
    pattern = (
        rb'<c\s(?=[^>]*\br="([A-Z]+)(\d+)")(?=[^>]*\bs="(' + b"|".join(styles) + rb')")'
        rb'(?![^>]*\bt="(?!n"))[^>]*(?<!/)>'
    )
    cells: dict[tuple[bytes, bytes], list[bytes]] = {}
    for letters, row, style in re.findall(pattern, xml):
        cells.setdefault((letters, style), []).append(row)
    return cells


def _without_value(xml: bytes) -> tuple[str, ...]:
    """Formulas that were never calculated: a library wrote the workbook, no program opened it."""
    if b"<f" not in xml:
        return ()
    found = [_REFERENCE.search(attributes) for attributes in _FORMULA.findall(xml)]
    names = [(match[1] + match[2]).decode() for match in found if match]
    if not names:
        return ()
    shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return (f"{len(names)} formula(s) without a stored value ({shown}): open and save the file",)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1


def constant(text: str) -> Shown:
    """What shows this text whatever is stored."""
    return lambda _: text


def _hidden(xml: bytes) -> tuple[str, ...]:
    warnings: list[str] = []
    if b'hidden="' not in xml:
        return ()
    rows = [match[0] for match in _HIDDEN_ROW.finditer(xml)]
    warnings += hidden_rows([int(m[1]) for row in rows if (m := re.search(rb'\br="(\d+)"', row))])
    for match in _HIDDEN_COLUMN.finditer(xml):
        first, last = (re.search(rb'\b%s="(\d+)"' % name, match[0]) for name in (b"min", b"max"))
        if first and last:
            warnings.append(hidden_columns(int(first[1]), int(last[1])))
    return tuple(warnings)


def hidden_columns(first: int, last: int) -> str:
    """What is told of hidden columns, counted from 1."""
    return f"hidden column(s) {_letters(first, last)}; read all the same"


def hidden_rows(numbers: Sequence[int]) -> tuple[str, ...]:
    """What is told of hidden rows, by their numbers in the sheet."""
    if not numbers:
        return ()
    shown = ", ".join(map(str, numbers[:5])) + (", …" if len(numbers) > 5 else "")
    return (f"{len(numbers)} hidden row(s) in the sheet ({shown}); read all the same",)


def _letters(first: int, last: int) -> str:
    def letter(number: int) -> str:
        text = ""
        while number:
            number, rest = divmod(number - 1, 26)
            text = chr(65 + rest) + text
        return text

    return letter(first) if first == last else f"{letter(first)} to {letter(last)}"
