"""What a values-only reader of .xlsx leaves out: errors, percent and money formats, hidden parts.

Looks into the workbook's XML only for sheets that hold such a thing, by a scan for their cell tags;
values themselves are read elsewhere.
"""

from __future__ import annotations

import calendar
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

Shown = Callable[[str], str]
CellMarks = tuple[Shown, npt.NDArray[np.int64]]

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_ERROR = re.compile(rb'<c\s([^>]*\bt="e"[^>]*)>(.*?)</c>', re.DOTALL)
_VALUE = re.compile(rb"<v>(.*?)</v>", re.DOTALL)
_REFERENCE = re.compile(rb'\br="([A-Z]+)(\d+)"')
_HIDDEN_ROW = re.compile(rb'<row\s[^>]*\bhidden="(?:1|true)"[^>]*>')
_HIDDEN_COLUMN = re.compile(rb'<col\s[^>]*\bhidden="(?:1|true)"[^>]*>')
_FORMULA = re.compile(rb"<c\s([^>]*)><f[^>]*(?:/>|>.*?</f>)(?:<v\s*/>|<v></v>)?</c>", re.DOTALL)
_PADDED = re.compile(r"0{2,}")
_NO_LETTERS = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
"""What stands in a number format beside its codes: words in quotes, a locale, escaped signs."""

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MONTH_ID = 17
_PERCENT_IDS = frozenset({9, 10})
_DOLLAR_IDS = frozenset({5, 6, 7, 8, 42, 44})
_LOCALE = re.compile(r"\[\$-[^\]]*\]")
"""A language in a number format, without a currency: `[$-409]`."""

_SIGN = re.compile(r'\[\$([^\-\]]+)[^\]]*\]|"?([$€£¥₹])"?')
"""The currency in a number format: `[$€-407]`, `"$"`."""


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
        code = custom.get(number, "mmm-yy" if number == _MONTH_ID else "")
        if (shown := month_shown(code)) is not None:
            months[str(index).encode()] = shown
        sign = _SIGN.search(_LOCALE.sub("", code))
        if number in _PERCENT_IDS or "%" in code:
            styles[str(index).encode()] = as_percent
        elif _PADDED.fullmatch(code):
            styles[str(index).encode()] = partial(as_padded, len(code))
        elif number in _DOLLAR_IDS or sign:
            symbol = (sign[1] or sign[2]).strip() if sign else "$"
            styles[str(index).encode()] = partial(as_money, symbol)
    return _Styles(styles, tuple(bold), months)


def _marks(xml: bytes, styles: _Styles) -> SheetMarks:
    columns: dict[int, list[CellMarks]] = {}
    if b't="e"' in xml:
        for attributes, content in _ERROR.findall(xml):
            value, place = _VALUE.search(content), _REFERENCE.search(attributes)
            if value is not None and place is not None:
                entry = _constant(value[1].decode()), np.array([int(place[2]) - 1])
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


def _constant(text: str) -> Shown:
    return lambda _: text


def as_money(symbol: str, text: str) -> str:
    """1200.5 under the format "$"#,##0 is shown with its sign."""
    return f"{symbol}{' ' if symbol.isalpha() else ''}{text}" if text else text


def as_padded(width: int, text: str) -> str:
    """123 under the format 00000 is shown as 00123."""
    return text.zfill(width) if text.isdigit() else text


def month_shown(code: str) -> Shown | None:
    """What a number format makes of a date; None where it shows its day, a time, or no year."""
    letters = set(_NO_LETTERS.sub("", code).casefold())
    if "y" not in letters or not letters.isdisjoint("dhs"):
        return None
    return as_month if "m" in letters else as_year


def as_month(text: str) -> str:
    """2024-02-01 under the format mmm-yy is shown as Feb 2024."""
    if _DAY.fullmatch(text) is None:
        return text
    return f"{list(calendar.month_abbr)[int(text[5:7])]} {text[:4]}"


def as_year(text: str) -> str:
    """2024-02-01 under the format yyyy is shown as 2024."""
    return text[:4] if _DAY.fullmatch(text) else text


def as_percent(text: str) -> str:
    """0.125 is shown as 12.5%."""
    try:
        value = (Decimal(text) * 100).normalize()
    except ArithmeticError:
        return text
    return f"{round(value, 6).normalize():f}%"


def _hidden(xml: bytes) -> tuple[str, ...]:
    warnings: list[str] = []
    if b'hidden="' not in xml:
        return ()
    rows = [match[0] for match in _HIDDEN_ROW.finditer(xml)]
    warnings += hidden_rows([int(m[1]) for row in rows if (m := re.search(rb'\br="(\d+)"', row))])
    for match in _HIDDEN_COLUMN.finditer(xml):
        first, last = (re.search(rb'\b%s="(\d+)"' % name, match[0]) for name in (b"min", b"max"))
        if first and last:
            letters = _letters(int(first[1]), int(last[1]))
            warnings.append(f"hidden column(s) {letters}; read all the same")
    return tuple(warnings)


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
