"""HTML pages: data tables with their spans, captions, headings above and footnote marks; prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from selectolax.lexbor import LexborHTMLParser, LexborNode

from retrieval.grid import Cell, grid_of
from retrieval.readers.text import decode
from retrieval.table import Paragraph
from retrieval.understand import Sheet, Source

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SKIPPED = frozenset({"script", "style", "noscript", "template", "head", "-comment"})
_BLOCK_TAGS = "p div li tr td th ul ol dd dt table caption hr blockquote pre"
_BLOCKS = frozenset(_BLOCK_TAGS.split())
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_HIDDEN_CLASSES = frozenset({"sortkey", "sr-only", "visually-hidden", "screen-reader-text"})
"""Classes that the style sheets of wikis and common frameworks hide."""

_CHARSET = re.compile(rb"<meta[^>]+charset=[\"']?\s*([\w-]+)", re.I)
_MARK = re.compile(r"\[?\s*(?:note\s+)?([^\[\]\s]{1,4})\s*\]?", re.I)
_BASE = re.compile(r"(?:\b[kcmd]?m|\bft|\bmi|\bin|\byd|\bs|[×x*]\s*10)$")
"""What a superscript number raises to a power, where it is no footnote mark."""

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
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
        _walk(root, page)
    return Source(tuple(page.sheets), tuple(page.paragraphs), encoding, None, None, warnings)


@dataclass
class _Page:
    sheets: list[Sheet] = field(default_factory=list)
    paragraphs: list[Paragraph] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(text for _, text in self.headings)


def _walk(node: LexborNode, page: _Page) -> None:
    for child in _children(node):
        tag = child.tag or ""
        if tag in _SKIPPED or is_hidden(child):
            continue
        if tag in _HEADINGS:
            level = _HEADINGS[tag]
            page.headings = [h for h in page.headings if h[0] < level]
            page.headings.append((level, cell_text(child)[0]))
        elif tag == "table" and not is_layout(child):
            sheet = _sheet(child, page.path)
            if sheet is not None:
                page.sheets.append(sheet)
        elif tag in ("p", "li", "dd", "blockquote"):
            text = cell_text(child)[0]
            if text and child.css_first("table") is None:
                page.paragraphs.append(Paragraph(text, page.path))
            else:
                _walk(child, page)
        else:
            _walk(child, page)


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        yield child
        child = child.next


def is_hidden(node: LexborNode) -> bool:
    """Whether a reader of the page does not see this element."""
    attributes = node.attributes if node.is_element_node else {}
    if "hidden" in attributes or _HIDDEN.search(attributes.get("style") or ""):
        return True
    return not _HIDDEN_CLASSES.isdisjoint((attributes.get("class") or "").split())


def is_layout(table: LexborNode) -> bool:
    """Whether a table only arranges the page: it holds other tables, or no two cells in a row."""
    role = (table.attributes.get("role") or "").casefold()
    if role in ("presentation", "none"):
        return True
    inner = [node for node in table.css("table") if node.mem_id != table.mem_id]
    if inner and any(len(node.css("tr")) > 1 for node in inner):
        return True
    rows = [len(row.css("td, th")) for row in table.css("tr")]
    return max(rows, default=0) < 2


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


def _sheet(table: LexborNode, path: tuple[str, ...]) -> Sheet | None:
    cells = _placed(table)
    if not cells.rows or max(map(len, cells.rows)) < 1:
        return None
    caption = table.css_first("caption")
    title = cell_text(caption)[0] if caption is not None else ""
    warnings = (f"{cells.hidden} hidden row(s) left out",) if cells.hidden else ()
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
    )


def _placed(table: LexborNode) -> _Cells:
    """Place each cell at its row and column, as the HTML table model does."""
    cells = _Cells()
    taken: dict[Cell, bool] = {}
    for row in table.css("tr"):
        if _owner(row) != table.mem_id:
            continue
        if is_hidden(row):
            cells.hidden += 1
            continue
        _place_row(row, cells, taken)
    return cells


def _owner(node: LexborNode) -> int:
    parent = node.parent
    while parent is not None and parent.tag != "table":
        parent = parent.parent
    return parent.mem_id if parent is not None else 0


def _place_row(row: LexborNode, cells: _Cells, taken: dict[Cell, bool]) -> None:
    number, column = len(cells.rows), 0
    texts: list[str] = []
    tags: list[str] = []
    for node in _children(row):
        if node.tag not in ("td", "th") or is_hidden(node):
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


def cell_text(node: LexborNode) -> tuple[str, tuple[str, ...]]:
    """An element's visible text with white space folded, and the footnote marks beside it."""
    parts: list[str] = []
    marks: list[str] = []
    _collect(node, parts, marks)
    lines = [" ".join(line.split()) for line in "".join(parts).split("\n")]
    return "\n".join(line for line in lines if line), tuple(marks)


def _collect(node: LexborNode, parts: list[str], marks: list[str]) -> None:
    for child in _children(node):
        if child.is_text_node:
            parts.append(re.sub(r"\s+", " ", child.text_content or ""))
        elif child.tag in _SKIPPED or is_hidden(child):
            continue
        elif child.tag == "sup":
            _superscript(child, parts, marks)
        elif child.tag == "br":
            parts.append("\n")
        else:
            block = child.tag in _BLOCKS
            parts.append("\n" if block else "")
            _collect(child, parts, marks)
            parts.append("\n" if block else "")


def _superscript(node: LexborNode, parts: list[str], marks: list[str]) -> None:
    """A footnote mark, or a part of the text: an exponent ("km2", "106"), an ordinal ("5th")."""
    text = (node.text() or "").strip()
    if text.isdigit() and _BASE.search("".join(parts)):
        parts.append(text.translate(_RAISED))
        return
    match = _MARK.fullmatch(text)
    if match is not None and text.casefold() not in ("st", "nd", "rd", "th"):
        marks.append(match[1])
        return
    found = re.findall(r"\[([^\[\]]{1,8})\]", text)
    if found and not re.sub(r"\[[^\[\]]{1,8}\]", "", text).strip(" ,"):
        marks.extend(found)
    else:
        parts.append(text)
