"""Parsed documents given as lines: dicts of `text`, and `page_num`, `line_num` where known.

Runs of pipe-delimited lines are tables; one that runs over a page break is one table. The other
lines are prose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from retrieval.grid import grid_of
from retrieval.readers.markdown import split_row
from retrieval.table import Paragraph
from retrieval.understand import Sheet, Source


@dataclass(frozen=True)
class _Line:
    text: str
    page: int
    number: int


def is_parsed_lines(rows: Sequence[object]) -> bool:
    """Whether rows are lines of a parsed document."""
    return bool(rows) and all(
        isinstance(row, Mapping) and "text" in row and ("line_num" in row or "page_num" in row)
        for row in rows
    )


def read_parsed_lines(rows: Sequence[Mapping[str, object]]) -> Source:
    """Tables with page and line of each row, and paragraphs."""
    lines = [
        _Line(str(row["text"] or ""), _whole(row.get("page_num")), _whole(row.get("line_num", n)))
        for n, row in enumerate(rows, 1)
    ]
    sheets: list[Sheet] = []
    paragraphs: list[Paragraph] = []
    heading: tuple[str, ...] = ()
    for is_table, run in groupby((line for line in lines if line.text.strip()), _in_table):
        group = list(run)
        if is_table and len(group) > 1:
            sheets.append(_sheet(group, heading))
            continue
        paragraphs += [Paragraph(ln.text.strip(), heading, ln.page, ln.number) for ln in group]
        heading = (group[-1].text.strip().strip("#* ").rstrip(":"),)
    return Source(tuple(sheets), tuple(paragraphs))


def _whole(value: object) -> int:
    return int(str(value)) if value is not None else 1


def _in_table(line: _Line) -> bool:
    text = line.text.strip()
    return text.startswith("|") or text.count("|") > 1


def _sheet(lines: Sequence[_Line], heading: tuple[str, ...]) -> Sheet:
    rows: list[list[str]] = []
    kept: list[_Line] = []
    ruled = False
    for line in lines:
        cells = [cell.strip() for cell in split_row(line.text)]
        if all(cell and not cell.strip("-:= ") for cell in cells):
            ruled = ruled or len(rows) == 1
            continue
        rows.append(cells)
        kept.append(line)
    grid = grid_of(rows, [line.number for line in kept])
    grid = replace(grid, pages=[line.page for line in kept], header_rows=1 if ruled else None)
    return Sheet(grid, "", heading, whole=True)
