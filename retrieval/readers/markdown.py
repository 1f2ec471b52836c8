"""Markdown: pipe tables and prose, each with heading path and line; code fences are not taken."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from markdown_it import MarkdownIt
from markdown_it.token import Token
from selectolax.lexbor import LexborHTMLParser

from retrieval.grid import grid_of
from retrieval.readers.html import read_html
from retrieval.readers.html_text import cell_text
from retrieval.readers.notes import caption_in, with_notes_under
from retrieval.readers.text import decode
from retrieval.table import Paragraph
from retrieval.understand import Sheet, Source

_PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_BREAK = re.compile(r"<br\s*/?>", re.I)
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_FOOTNOTE = re.compile(r"\s{0,3}\[\^([^\[\]\s]+)\]:\s*(.*)")
_FOOTNOTE_MARK = re.compile(r"\[\^([^\[\]\s]+)\]")
_RAISED = re.compile(r"<sup>([^<>]+)</sup>")
_RAISED_TAG = re.compile(r"</?sup>")
_DRAWN = re.compile(r"[+|][-=+|:\s]*[-=][-=+|:\s]*")
_PIPED = re.compile(r"\|.*\|.*\|")


def read_markdown(data: bytes, suffix: str = ".md") -> Source:
    """Each pipe table as a sheet of its own; each block of prose as a paragraph.

    Raises:
        EmptySource: nothing but white space.
    """
    text, encoding, warnings = decode(data)
    page = _Page(*_without_footnotes(text.splitlines()))
    tokens = _PARSER.parse("\n".join(page.lines))
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            level = int(token.tag[1:])
            page.after_table, page.caption = False, ""
            page.headings = [h for h in page.headings if h[0] < level]
            page.headings.append((level, plain_text(tokens[index + 1])))
        elif token.type in ("blockquote_open", "blockquote_close"):
            page.quoted += token.nesting
        elif token.type == "table_open" and token.map:
            first, end = token.map
            page.add([first, *range(first + 2, end)], header_rows=1)
        elif token.type == "html_block" and "<table" in token.content.casefold():
            page.sheets += _html_sheets(token, page.path)
            page.after_table = bool(page.sheets)
        elif token.type == "inline" and tokens[index - 1].type == "paragraph_open" and token.map:
            _take_paragraph(token, page)
    notes = [Paragraph(f"[^{mark}]: {note}") for mark, note in page.footnotes.items()]
    return Source(tuple(page.sheets), (*page.paragraphs, *notes), encoding, None, None, warnings)


def _without_footnotes(lines: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The lines with those blank that define footnotes, and the footnotes: the parser takes them
    for targets of links, and drops them.
    """
    kept, footnotes, fence, last = [], dict[str, str](), "", ""
    for line in lines:
        mark = _FENCE.match(line)
        if mark is not None and (not fence or mark[1][0] == fence):
            fence = "" if fence else mark[1][0]
        found = None if fence else _FOOTNOTE.match(line)
        if found is not None:
            last = found[1]
            footnotes[last] = f"{footnotes.get(last, '')} {found[2]}".strip()
        elif last and not fence and line[:1].isspace() and line.strip():
            footnotes[last] += f" {line.strip()}"
        else:
            last = ""
        kept.append("" if last else line)
    return kept, footnotes


@dataclass
class _Page:
    """The lines of a text, and what is taken from them."""

    lines: list[str]
    footnotes: dict[str, str]
    headings: list[tuple[int, str]] = field(default_factory=list)
    sheets: list[Sheet] = field(default_factory=list)
    paragraphs: list[Paragraph] = field(default_factory=list)
    quoted: int = 0
    """How many block quotes are open."""
    caption: str = ""
    """The last paragraph, where it is a caption and no table has stood below it."""
    after_table: bool = False
    """Whether what follows may be the notes of the last table."""

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(text for _, text in self.headings)

    def line(self, number: int) -> str:
        """A line without the signs of the block quotes that are open."""
        return re.sub(rf"^(?:\s*>){{0,{self.quoted}}}", "", self.lines[number])

    def add(self, numbers: Sequence[int], header_rows: int | None) -> None:
        """Add the table of these lines.

        They are cut here and not by the parser, which drops the cells that a long row has more
        than the header, and says nothing.
        """
        cells = [[_marked_cell(cell) for cell in split_row(self.line(n))] for n in numbers]
        marks = {
            (r, c): found
            for r, row in enumerate(cells)
            for c, (_, found) in enumerate(row)
            if found
        }
        rows = [[text for text, _ in row] for row in cells]
        grid = grid_of(rows, [number + 1 for number in numbers])
        told = dict.fromkeys(mark.lstrip("^") for found in marks.values() for mark in found)
        notes = tuple(f"[^{m}] {self.footnotes[m]}" for m in told if m in self.footnotes)
        titles = (self.caption,) if self.caption else ()
        grid = replace(grid, header_rows=header_rows, marks=marks, titles=titles)
        self.sheets.append(Sheet(grid, "", self.path, whole=True, notes=notes))
        self.after_table, self.caption = True, ""

    def add_notes(self, text: str) -> None:
        """Give the last table the notes that a paragraph under it tells."""
        if self.after_table:
            self.sheets[-1] = with_notes_under(self.sheets[-1], text.split("\n"))


def _take_paragraph(token: Token, page: _Page) -> None:
    """A paragraph, or a table whose author left out the line under the header, or drew it."""
    first, end = token.map or (0, 0)
    lines = {number: page.line(number).strip() for number in range(first, end)}
    drawn = [number for number, line in lines.items() if _DRAWN.fullmatch(line)]
    rows = [number for number in lines if number not in drawn]
    if len(rows) > 1 and all(_PIPED.fullmatch(lines[number]) for number in rows):
        ruled = [number for number in drawn if rows[0] < number < rows[1]]
        page.add(rows, header_rows=1 if ruled else None)
    else:
        page.paragraphs.append(Paragraph(plain_text(token), page.path, line=first + 1))
        page.caption = caption_in(plain_text(token))
        page.add_notes(_RAISED.sub(r"[\1] ", plain_text(token, raised=True)))


def plain_text(inline: Token, *, raised: bool = False) -> str:
    """An inline token's text without emphasis marks; line breaks kept, and superscripts as tags
    where they are wanted (`raised`).
    """
    parts = []
    for child in inline.children or ():
        if child.type in ("softbreak", "hardbreak") or _BREAK.fullmatch(child.content):
            parts.append("\n")
        elif child.type in ("image", "text", "code_inline") or (
            raised and _RAISED_TAG.fullmatch(child.content)
        ):
            parts.append(child.content)
    return "".join(parts).strip()


def _html_sheets(token: Token, path: tuple[str, ...]) -> list[Sheet]:
    """The tables of an HTML block; each row is at the block's first line."""
    line = (token.map or [0])[0] + 1
    return [
        replace(
            sheet, heading_path=path, grid=replace(sheet.grid, lines=[line] * sheet.grid.row_count)
        )
        for sheet in read_html(token.content.encode()).sheets
    ]


def split_row(line: str) -> list[str]:
    """The cells of one line of a pipe table; an escaped or quoted-as-code pipe parts nothing."""
    stripped = line.strip()
    cells: list[str] = []
    cell = ""
    position = 0
    while position < len(stripped):
        char = stripped[position]
        if char == "\\" and stripped[position + 1 : position + 2] == "|":
            cell += "|"
            position += 2
            continue
        if char == "`":
            run = len(stripped) - position - len(stripped[position:].lstrip("`"))
            close = stripped.find("`" * run, position + run)
            if close != -1 and "|" in stripped[position:close]:
                cell += stripped[position : close + run].replace("\\|", "|")
                position = close + run
                continue
        if char == "|":
            cells.append(cell)
            cell = ""
        else:
            cell += char
        position += 1
    cells.append(cell)
    if stripped.startswith("|"):
        cells = cells[1:]
    if stripped.endswith("|") and not stripped.endswith("\\|"):
        cells = cells[:-1]
    return cells


def _marked_cell(text: str) -> tuple[str, tuple[str, ...]]:
    """A cell's text, and the footnote marks that stood in it."""
    found: tuple[str, ...] = ()
    body = LexborHTMLParser(text).body if "<sup>" in text else None
    if body is not None:
        text, found = cell_text(body)
    cell = _cell(text)
    marks = (*(f"^{mark}" for mark in _FOOTNOTE_MARK.findall(cell)), *found)
    return _FOOTNOTE_MARK.sub("", cell).strip() if marks else cell, marks


def _cell(text: str) -> str:
    stripped = text.strip()
    if not re.search(r"[*_`~\[<&\\]", stripped):
        return stripped
    inline = _PARSER.parseInline(stripped)
    return plain_text(inline[0]) if inline else stripped
