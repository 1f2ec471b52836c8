"""What a values-only reader of .ods leaves out: number formats, errors, bold, hidden parts.

Takes the content of the document; values themselves are read elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from xml.etree import ElementTree

import numpy as np

from retrieval.readers.number_formats import (
    Shown,
    as_money,
    as_month,
    as_padded,
    as_percent,
    as_year,
)
from retrieval.readers.workbook_marks import (
    CellMarks,
    SheetMarks,
    constant,
    header_cells,
    hidden_columns,
    hidden_rows,
)

_NAMES = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
_TABLE, _OFFICE, _STYLE, _NUMBER, _FO = (
    _NAMES % name for name in ("table", "office", "style", "datastyle", "xsl-fo-compatible")
)
_ERROR_KIND = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}value-type"
_ERROR_TEXT = re.compile(r"#\S+|Err:\d+")
_TOLD = re.compile(
    rb'value-type="(?:percentage|currency|error)"|visibility="[cf]|>(?:0\d+|#\S+|Err:\d+)<'
    rb'|font-weight="bold"|<number:date-style'
)
"""Where none of these stands in the content, there is nothing to look for."""


@dataclass(frozen=True)
class _Styles:
    """What the document's cell styles tell, by their names."""

    bold: frozenset[str] = frozenset()
    dates: Mapping[str, Shown] = field(default_factory=dict)
    """Those that show of a date its month and year, or its year alone."""


def read_ods_marks(content: bytes) -> dict[str, SheetMarks]:
    """The marks of each sheet by its name."""
    if _TOLD.search(content) is None:
        return {}
    root = ElementTree.fromstring(content)
    styles = _read_styles(root)
    tables = root.iter(f"{_TABLE}table")
    return {table.get(f"{_TABLE}name", ""): _marks(table, styles) for table in tables}


def _read_styles(root: ElementTree.Element) -> _Styles:
    formats = {
        node.get(f"{_STYLE}name", ""): {part.tag.removeprefix(_NUMBER) for part in node}
        for node in root.iter(f"{_NUMBER}date-style")
    }
    bold, dates = set(), {}
    for style in root.iter(f"{_STYLE}style"):
        name = style.get(f"{_STYLE}name", "")
        weights = [text.get(f"{_FO}font-weight") for text in style.iter(f"{_STYLE}text-properties")]
        if "bold" in weights:
            bold.add(name)
        parts = formats.get(style.get(f"{_STYLE}data-style-name", ""), set())
        if "year" in parts and parts.isdisjoint({"day", "hours", "seconds"}):
            dates[name] = as_month if "month" in parts else as_year
    return _Styles(frozenset(bold), dates)


def _marks(table: ElementTree.Element, styles: _Styles) -> SheetMarks:
    places: dict[tuple[int, Shown], list[int]] = {}
    hidden: list[int] = []
    strong: set[int] = set()
    dates: dict[tuple[int, int], Shown] = {}
    kinds: dict[tuple[str, str], Shown] = {}
    for row, node in _repeated(table.iter(f"{_TABLE}table-row"), "rows"):
        if _is_hidden(node):
            hidden.append(row + 1)
        for column, cell in _repeated(iter(node), "columns"):
            style = cell.get(f"{_TABLE}style-name", "")
            if style in styles.bold and len(cell):
                strong.add(row)
            if style in styles.dates and cell.get(f"{_OFFICE}value-type") == "date":
                dates[row, column] = styles.dates[style]
            key = _kind(cell)
            if key is not None:
                places.setdefault((column, kinds.setdefault(key, _shown(*key))), []).append(row)
    for row, column in header_cells(dates):
        places.setdefault((column, dates[row, column]), []).append(row)
    columns: dict[int, list[CellMarks]] = {}
    for (column, shown), rows in places.items():
        columns.setdefault(column, []).append((shown, np.array(rows, np.int64)))
    return SheetMarks(frozenset(strong), columns, hidden_rows(hidden) + _hidden_columns(table))


def _is_hidden(node: ElementTree.Element) -> bool:
    return node.get(f"{_TABLE}visibility") in ("collapse", "filter")


def _hidden_columns(table: ElementTree.Element) -> tuple[str, ...]:
    told, first = [], 1
    for node in table.iter(f"{_TABLE}table-column"):
        last = first + int(node.get(f"{_TABLE}number-columns-repeated", "1")) - 1
        if _is_hidden(node):
            told.append(hidden_columns(first, last))
        first = last + 1
    return tuple(told)


def _repeated(
    nodes: Iterator[ElementTree.Element], what: str
) -> Iterator[tuple[int, ElementTree.Element]]:
    """Each node at its place; an empty one may stand for very many, and is given once."""
    place = 0
    for node in nodes:
        count = int(node.get(f"{_TABLE}number-{what}-repeated", "1"))
        told = count if len(node) else 1
        yield from ((place + step, node) for step in range(told))
        place += count


def _kind(cell: ElementTree.Element) -> tuple[str, str] | None:
    """How a cell is shown, where that is not as it is stored."""
    kind = cell.get(f"{_OFFICE}value-type", "")
    if kind == "percentage":
        return kind, ""
    if kind == "currency":
        return kind, cell.get(f"{_OFFICE}currency", "")
    text = "".join(cell.itertext()).strip() if len(cell) else ""
    if cell.get(_ERROR_KIND) == "error" or _is_failed(cell, text):
        return "error", text
    padded = kind == "float" and text.isdigit() and len(text) > 1 and text[0] == "0"
    return ("padded", str(len(text))) if padded else None


def _is_failed(cell: ElementTree.Element, text: str) -> bool:
    """Whether a formula shows an error, as documents tell it that do not mark errors."""
    return cell.get(f"{_TABLE}formula") is not None and _ERROR_TEXT.fullmatch(text) is not None


def _shown(kind: str, detail: str) -> Shown:
    if kind == "percentage":
        return as_percent
    if kind == "error":
        return constant(detail)
    return partial(as_money, detail) if kind == "currency" else partial(as_padded, int(detail))
