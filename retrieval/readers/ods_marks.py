"""What a values-only reader of .ods leaves out: percents, money, leading zeros, hidden rows.

Takes the content of the document; values themselves are read elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from xml.etree import ElementTree

import numpy as np

from retrieval.readers.number_formats import Shown, as_money, as_padded, as_percent
from retrieval.readers.workbook_marks import CellMarks, SheetMarks, hidden_rows

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TOLD = re.compile(rb'value-type="(?:percentage|currency)"|visibility="[cf]|>0\d+<')
"""Where none of these stands in the content, there is nothing to look for."""


def read_ods_marks(content: bytes) -> dict[str, SheetMarks]:
    """The marks of each sheet by its name."""
    if _TOLD.search(content) is None:
        return {}
    root = ElementTree.fromstring(content)
    return {table.get(f"{_TABLE}name", ""): _marks(table) for table in root.iter(f"{_TABLE}table")}


def _marks(table: ElementTree.Element) -> SheetMarks:
    places: dict[tuple[int, Shown], list[int]] = {}
    hidden: list[int] = []
    kinds: dict[tuple[str, str], Shown] = {}
    for row, node in _repeated(table.iter(f"{_TABLE}table-row"), "rows"):
        if node.get(f"{_TABLE}visibility") in ("collapse", "filter"):
            hidden.append(row + 1)
        for column, cell in _repeated(iter(node), "columns"):
            key = _kind(cell)
            if key is not None:
                places.setdefault((column, kinds.setdefault(key, _shown(*key))), []).append(row)
    columns: dict[int, list[CellMarks]] = {}
    for (column, shown), rows in places.items():
        columns.setdefault(column, []).append((shown, np.array(rows, np.int64)))
    return SheetMarks(columns=columns, warnings=hidden_rows(hidden))


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
    """How a cell's number is shown, where that is not as it is stored."""
    kind = cell.get(f"{_OFFICE}value-type", "")
    if kind == "percentage":
        return kind, ""
    if kind == "currency":
        return kind, cell.get(f"{_OFFICE}currency", "")
    text = "".join(cell.itertext()).strip() if kind == "float" else ""
    padded = text.isdigit() and len(text) > 1 and text[0] == "0"
    return ("padded", str(len(text))) if padded else None


def _shown(kind: str, detail: str) -> Shown:
    if kind == "percentage":
        return as_percent
    return partial(as_money, detail) if kind == "currency" else partial(as_padded, int(detail))
