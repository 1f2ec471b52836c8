"""HTML pages: data tables with their spans, captions, headings above and footnote marks; prose."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from selectolax.lexbor import LexborHTMLParser, LexborNode

from retrieval.grid import Cell, grid_of
from retrieval.readers.html_notes import linked_notes
from retrieval.readers.html_text import (
    BLOCKS,
    SKIPPED,
    cell_text,
    children,
    hide_by_style,
    is_hidden,
)
from retrieval.readers.notes import caption_in, with_notes_under
from retrieval.readers.text import decode
from retrieval.table import Paragraph
from retrieval.understand import Sheet, Source

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CHARSET = re.compile(rb"<meta[^>]+charset=[\"']?\s*([\w-]+)", re.I)
_MAX_SPAN = 1000


def read_html(data: bytes, suffix: str = ".html") -> Source:
    """Each data table as a sheet of its own; each paragraph of prose.

    Raises:
        EmptySource: nothing but white space.
    """
    declared = _CHARSET.search(data[:4096])
    try:
        text, encoding, warnings = decode(data, declared[1].decode() if declared else None)
    except (LookupError, ValueError):
        text, encoding, warnings = decode(data)
    root = LexborHTMLParser(text).root
    page = _Page()
    if root is not None:
        hide_by_style(root)
        page.targets = {str(node.attributes.get("id")): node for node in root.css("[id]")}
        _walk(root, page)
    if page.hidden:
        warnings += (f"{page.hidden} hidden table(s) left out",)
    return Source(tuple(page.sheets), tuple(page.paragraphs), encoding, None, None, warnings)


@dataclass
class _Page:
    sheets: list[Sheet] = field(default_factory=list)
    paragraphs: list[Paragraph] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    targets: Mapping[str, LexborNode] = field(default_factory=dict)
    """Elements by their `id`."""
    hidden: int = 0
    """Tables that the page does not show."""
    caption: str = ""
    """The last paragraph, where it is a caption and no table has stood below it."""
    after_table: bool = False
    """Whether what follows may be the notes of the last table."""

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(text for _, text in self.headings)

    def add_notes(self, node: LexborNode) -> None:
        """Give the last table the notes that a block under it tells."""
        if self.after_table:
            lines = cell_text(node, marks_shown=True)[0].split("\n")
            self.sheets[-1] = with_notes_under(self.sheets[-1], lines)


def _walk(node: LexborNode, page: _Page) -> None:
    for child in children(node):
        tag = child.tag or ""
        if tag in SKIPPED:
            continue
        if is_hidden(child):
            page.hidden += (tag == "table") or len(child.css("table"))
            continue
        if tag in _HEADINGS:
            level = _HEADINGS[tag]
            page.after_table, page.caption = False, ""
            page.headings = [h for h in page.headings if h[0] < level]
            page.headings.append((level, cell_text(child)[0]))
        elif tag == "table" and not is_layout(child):
            sheet = _sheet(child, page.path, page.caption)
            if sheet is not None:
                notes = linked_notes(child, page.targets, lambda node: cell_text(node)[0])
                page.sheets.append(replace(sheet, notes=tuple(notes)))
                page.after_table, page.caption = True, ""
        elif tag in ("p", "li", "dd", "blockquote"):
            text = cell_text(child)[0]
            if text and child.css_first("table") is None:
                page.paragraphs.append(Paragraph(text, page.path))
                page.caption = caption_in(text)
                page.add_notes(child)
            else:
                _walk(child, page)
        else:
            if _is_leaf(child):
                page.add_notes(child)
                if child.tag in BLOCKS and _is_prose(child):
                    page.paragraphs.append(Paragraph(cell_text(child)[0], page.path))
            _walk(child, page)


def _is_leaf(node: LexborNode) -> bool:
    """Whether an element holds text and no block of its own."""
    if not node.is_element_node or not (node.text() or "").strip():
        return False
    return all(inner.mem_id == node.mem_id for inner in node.css(", ".join(BLOCKS)))


def _is_prose(node: LexborNode) -> bool:
    """Whether a block's text is sentences, and no menu: several words, most of them no links."""
    text = cell_text(node)[0]
    linked = sum(len(cell_text(link)[0]) for link in node.css("a"))
    return len(text.split()) >= _FEWEST_WORDS and linked * 2 < len(text)


def is_layout(table: LexborNode) -> bool:
    """Whether a table only arranges the page: it holds other tables, no two cells in a row, or one
    row of links.
    """
    role = (table.attributes.get("role") or "").casefold()
    if role in ("presentation", "none"):
        return True
    inner = [node for node in table.css("table") if node.mem_id != table.mem_id]
    if inner and any(len(node.css("tr")) > 1 for node in inner):
        return True
    rows = [len(row.css("td, th")) for row in table.css("tr")]
    menu = len(rows) == 1 and table.css_first("th") is None and not _is_prose(table)
    return max(rows, default=0) < 2 or (menu and table.css_first("a") is not None)


_FEWEST_WORDS = 4


@dataclass
class _Cells:
    """A table's cells as they fall into the grid."""

    rows: list[list[str]] = field(default_factory=list)
    heads: list[bool] = field(default_factory=list)
    """Whether each row stands in `thead` or is made of `th` alone."""
    opens: list[bool] = field(default_factory=list)
    """Whether each row's first cell is a header cell."""
    spans: dict[Cell, Cell] = field(default_factory=dict)
    marks: dict[Cell, tuple[str, ...]] = field(default_factory=dict)
    strong: set[int] = field(default_factory=set)
    hidden: int = 0
    """Rows that the page does not show."""
    hidden_cells: int = 0
    """Cells with content that it does not show, in rows that it does."""


def _sheet(table: LexborNode, path: tuple[str, ...], above: str) -> Sheet | None:
    cells = _placed(table)
    if not cells.rows or max(map(len, cells.rows)) < 1:
        return None
    caption = table.css_first("caption")
    title = cell_text(caption)[0] if caption is not None else above
    told = ((cells.hidden, "row"), (cells.hidden_cells, "cell"))
    warnings = tuple(f"{count} hidden {what}(s) left out" for count, what in told if count)
    if _heads_down(cells):
        cells = _turned(cells)
    grid = replace(
        grid_of(cells.rows),
        spans=cells.spans,
        marks=cells.marks,
        strong=frozenset(cells.strong),
        titles=(title,) if title else (),
        header_rows=_header_rows(cells),
        warnings=warnings,
        widths=None,
    )
    return Sheet(grid, "", path, whole=True)


def _heads_down(cells: _Cells) -> bool:
    """Whether the headers run down the first column: each row opens with a header cell, and no
    row is of header cells alone.
    """
    return len(cells.rows) > 1 and not any(cells.heads) and all(cells.opens)


def _turned(cells: _Cells) -> _Cells:
    """Rows as columns."""
    rows = [list(column) for column in zip_longest(*cells.rows, fillvalue="")]
    return _Cells(
        rows,
        [True] + [False] * (len(rows) - 1),
        [False] * len(rows),
        {(c, r): (width, height) for (r, c), (height, width) in cells.spans.items()},
        {(c, r): marks for (r, c), marks in cells.marks.items()},
        hidden=cells.hidden,
        hidden_cells=cells.hidden_cells,
    )


def _placed(table: LexborNode) -> _Cells:
    """Place each cell at its row and column, as the HTML table model does."""
    cells = _Cells()
    taken: dict[Cell, bool] = {}
    rows = [row for row in table.css("tr") if _owner(row) == table.mem_id]
    for row in sorted(rows, key=_stands_last):
        if is_hidden(row):
            cells.hidden += 1
            continue
        _place_row(row, cells, taken)
    return cells


def _stands_last(row: LexborNode) -> bool:
    """Whether a row is of the table's foot, which a page shows below all rows."""
    return row.parent is not None and row.parent.tag == "tfoot"


def _owner(node: LexborNode) -> int:
    parent = node.parent
    while parent is not None and parent.tag != "table":
        parent = parent.parent
    return parent.mem_id if parent is not None else 0


def _place_row(row: LexborNode, cells: _Cells, taken: dict[Cell, bool]) -> None:
    number, column = len(cells.rows), 0
    texts: list[str] = []
    tags: list[str] = []
    for node in children(row):
        if node.tag not in ("td", "th"):
            continue
        if is_hidden(node):
            cells.hidden_cells += bool(cell_text(node)[0])
            continue
        while taken.get((number, column)):
            column += 1
        height = _span(node, "rowspan") or _rows_left(row)
        width = _span(node, "colspan") or 1
        text, marks = cell_text(node)
        if not tags and (node.tag == "th" or _is_bold(node, text)):
            cells.strong.add(number)
        texts += [""] * (column - len(texts)) + [text] + [""] * (width - 1)
        tags.append(node.tag or "")
        if height > 1 or width > 1:
            cells.spans[number, column] = height, width
            for r in range(number, number + height):
                for c in range(column, column + width):
                    taken[r, c] = True
        if marks:
            cells.marks[number, column] = marks
        column += width
    parent = row.parent
    in_head = parent is not None and parent.tag == "thead"
    cells.rows.append(texts)
    cells.opens.append(bool(tags) and tags[0] == "th" and len(tags) > 1)
    cells.heads.append(in_head or (bool(tags) and all(tag == "th" for tag in tags)))


def _is_bold(node: LexborNode, text: str) -> bool:
    bold = node.css_first("b, strong")
    return bold is not None and bool(text) and cell_text(bold)[0] == text


def _span(node: LexborNode, name: str) -> int:
    """How many rows or columns a cell spans; 0 where it says so."""
    value = re.match(r"\s*(\d+)", node.attributes.get(name) or "")
    return min(int(value[1]), _MAX_SPAN) if value else 1


def _rows_left(row: LexborNode) -> int:
    """Rows of its group from this one on: what a cell spans whose `rowspan` is 0."""
    count = 0
    sibling: LexborNode | None = row
    while sibling is not None:
        count += sibling.tag == "tr" and not is_hidden(sibling)
        sibling = sibling.next
    return count


def _header_rows(cells: _Cells) -> int | None:
    """Leading rows of header cells; None where the page marks none, or all."""
    count = next((i for i, head in enumerate(cells.heads) if not head), len(cells.heads))
    return count if 0 < count < len(cells.heads) else None
