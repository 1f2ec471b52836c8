"""PDF documents: ruled tables with the page of each row, and the prose around them.

Needs the `pdf` extra. A table that runs over a page break is one table. Where a page has no ruled
table but its words stand in columns, the columns are read from the spacing, and a warning says so.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from retrieval.errors import UnreadableSource
from retrieval.grid import Cell, grid_of
from retrieval.readers.text_columns import (
    TextLine,
    column_edges,
    cut_rows,
    line_blocks,
    text_lines,
)
from retrieval.table import Paragraph
from retrieval.understand import Sheet, Source

_NEAR = 2.0
"""Points within which two edges are one."""

_MARGIN = 90.0
"""Points from the page's edge within which a table may go on over the break."""

_UNSURE = (
    "page {page}: no ruled table; columns are read from the spacing of words and may be wrong: "
    "check this table against the page"
)


def read_pdf(data: bytes, suffix: str = ".pdf") -> Source:
    """Each table as a sheet, and each block of prose.

    Raises:
        UnreadableSource: damaged, locked by a password, only pictures of pages, or the `pdf` extra
            is not installed.
    """
    try:
        import pdfplumber
        from pdfminer.pdfexceptions import PDFException
        from pdfplumber.utils.exceptions import PdfminerException
    except ImportError as error:
        raise UnreadableSource(
            "PDF files need pdfplumber", hint="pip install -e '.[pdf]'"
        ) from error
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    try:
        with pdfplumber.open(io.BytesIO(data)) as document:
            return _source(document)
    except (PdfminerException, PDFException) as error:
        raise UnreadableSource(
            f"not a readable PDF: {error or type(error).__name__}",
            hint="remove the password, or print it to PDF again",
        ) from error


@dataclass
class _Found:
    """One table as it grows over its pages."""

    rows: list[list[str]]
    top: float
    bottom: float
    """How far its last part ends above the page's lower edge."""
    pages: list[int] = field(default_factory=list)
    spans: dict[Cell, Cell] = field(default_factory=dict)
    title: str = ""
    goes_on: bool = False
    """It stands at the top of its page, under no other text."""
    warnings: list[str] = field(default_factory=list)
    blocks: list[list[TextLine]] = field(default_factory=list)
    """The lines of each page, where no line rules the table."""


def _source(document: Any) -> Source:
    found: list[_Found] = []
    paragraphs: list[Paragraph] = []
    for number, page in enumerate(document.pages, 1):
        parts, prose = _page(page, number)
        for part in parts:
            if not (part.goes_on and found and _joined(found[-1], part)):
                found.append(part)
        paragraphs += [Paragraph(text, (), number) for text in prose]
    if not found and not paragraphs:
        raise UnreadableSource(
            "the PDF holds no text, only pictures of pages", hint="run text recognition on it first"
        )
    return Source(tuple(map(_sheet, found)), tuple(paragraphs))


def _page(page: Any, number: int) -> tuple[list[_Found], list[str]]:
    """A page's tables, and its blocks of prose."""
    ruled = [table for table in page.find_tables() if _is_grid(table)]
    lines = text_lines(_outside(page, ruled).extract_words())
    blocks = line_blocks(lines)
    spaced = [] if ruled else [block for block in blocks if _in_columns(block)]
    prose = [block for block in blocks if block not in spaced]
    parts = [_ruled_part(table) for table in ruled] + [_spaced_part(block) for block in spaced]
    for part in parts:
        above = [block for block in prose if block[-1].bottom <= part.top + _NEAR]
        part.title = above[-1][-1].text if above else ""
        part.goes_on = not above and part.top < _MARGIN
        part.bottom = float(page.height) - part.bottom
        part.pages = [number] * len(part.rows)
        part.warnings += [_UNSURE.format(page=number)] if spaced else []
    texts = [" ".join(line.text for line in block) for block in prose]
    return sorted(parts, key=lambda part: part.top), texts


def _is_grid(table: Any) -> bool:
    return len(table.rows) > 1 and max(len(row.cells) for row in table.rows) > 1


def _ruled_part(table: Any) -> _Found:
    rows = [[" ".join((cell or "").split()) for cell in row] for row in table.extract()]
    top, bottom = float(table.bbox[1]), float(table.bbox[3])
    return _Found(rows, top, bottom, spans=_spans(table))


def _in_columns(block: Sequence[TextLine]) -> bool:
    """Whether lines stand in columns: two or more gaps, or numbers under each other."""
    if len(block) < 3:
        return False
    rows = cut_rows(block, column_edges(block))
    cells = [cell for row in rows for cell in row[1:] if cell]
    digits = sum(any(char.isdigit() for char in cell) for cell in cells)
    return len(rows[0]) > 2 or (len(rows[0]) == 2 and digits * 2 >= len(cells) > 0)


def _spaced_part(block: Sequence[TextLine]) -> _Found:
    rows = cut_rows(block, column_edges(block))
    return _Found(rows, block[0].top, block[-1].bottom, blocks=[list(block)])


def _spans(table: Any) -> dict[Cell, Cell]:
    """Merged cells, by the edges that they cover."""
    boxes = [
        (r, c, box)
        for r, row in enumerate(table.rows)
        for c, box in enumerate(row.cells)
        if box is not None
    ]
    lefts = sorted({round(box[0], 1) for _, _, box in boxes})
    tops = sorted({round(box[1], 1) for _, _, box in boxes})
    spans = {}
    for r, c, (left, top, right, bottom) in boxes:
        width = sum(left - _NEAR < edge < right - _NEAR for edge in lefts)
        height = sum(top - _NEAR < edge < bottom - _NEAR for edge in tops)
        if width > 1 or height > 1:
            spans[r, c] = (max(height, 1), max(width, 1))
    return spans


def _joined(first: _Found, second: _Found) -> bool:
    """Take in a table that goes on at the top of the next page; False where it is another one."""
    if second.pages[0] != first.pages[-1] + 1 or first.bottom > _MARGIN:
        return False
    if first.blocks and second.blocks:
        _cut_again(first, second)
    widths = {len(row) for row in (*first.rows, *second.rows)}
    if len(widths) != 1:
        return False
    offset = len(first.rows)
    first.rows += second.rows
    first.pages += second.pages
    first.spans |= {(r + offset, c): size for (r, c), size in second.spans.items()}
    first.bottom = second.bottom
    first.blocks += second.blocks
    return True


def _cut_again(first: _Found, second: _Found) -> None:
    """Cut both parts by the gaps that run through all their lines, where columns remain."""
    edges = column_edges([line for block in (*first.blocks, *second.blocks) for line in block])
    if len(edges) < max(2, min(len(first.rows[0]), len(second.rows[0]))):
        return
    for part in (first, second):
        cut = [cut_rows(block, edges) for block in part.blocks]
        pages = dict.fromkeys(part.pages)
        part.pages = [page for page, rows in zip(pages, cut, strict=True) for _ in rows]
        part.rows = [row for rows in cut for row in rows]


def _outside(page: Any, tables: Sequence[Any]) -> Any:
    """The page without its tables."""
    boxes = [table.bbox for table in tables]

    def kept(item: dict[str, Any]) -> bool:
        x, y = (item["x0"] + item["x1"]) / 2, (item["top"] + item["bottom"]) / 2
        return not any(b[0] <= x <= b[2] and b[1] <= y <= b[3] for b in boxes)

    return page.filter(kept)


def _sheet(found: _Found) -> Sheet:
    grid = replace(
        grid_of(found.rows),
        pages=tuple(found.pages),
        spans=found.spans,
        titles=(found.title,) if found.title else (),
        warnings=tuple(found.warnings),
    )
    return Sheet(grid, whole=True)
