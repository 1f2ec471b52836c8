"""Markdown: pipe tables and prose, each with heading path and line; code fences are not taken."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from retrieval.grid import grid_of
from retrieval.readers.html import read_html
from retrieval.readers.text import decode
from retrieval.table import Paragraph
from retrieval.understand import Sheet, Source

_BREAK = re.compile(r"<br\s*/?>", re.I)


def read_markdown(data: bytes, suffix: str = ".md") -> Source:
    """Each pipe table as a sheet of its own; each block of prose as a paragraph.

    Raises:
        EmptySource: nothing but white space.
    """
    text, encoding, warnings = decode(data)
    lines = text.splitlines()
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = parser.parse("\n".join(lines))
    headings: list[tuple[int, str]] = []
    sheets: list[Sheet] = []
    paragraphs: list[Paragraph] = []
    for index, token in enumerate(tokens):
        path = tuple(text for _, text in headings)
        if token.type == "heading_open":
            level = int(token.tag[1:])
            headings = [h for h in headings if h[0] < level]
            headings.append((level, plain_text(tokens[index + 1])))
        elif token.type == "table_open" and token.map:
            sheets.append(_sheet(parser, lines, token.map[0], token.map[1], path))
        elif token.type == "html_block" and "<table" in token.content.casefold():
            sheets += _html_sheets(token, path)
        elif token.type == "inline" and tokens[index - 1].type == "paragraph_open" and token.map:
            paragraphs.append(Paragraph(plain_text(token), path, line=token.map[0] + 1))
    return Source(tuple(sheets), tuple(paragraphs), encoding, None, None, warnings)


def plain_text(inline: Token) -> str:
    """An inline token's text without emphasis marks; line breaks kept."""
    parts = []
    for child in inline.children or ():
        if child.type in ("softbreak", "hardbreak") or _BREAK.fullmatch(child.content):
            parts.append("\n")
        elif child.type == "image" or child.type in ("text", "code_inline"):
            parts.append(child.content)
    return "".join(parts).strip()


def _sheet(
    parser: MarkdownIt, lines: Sequence[str], first: int, end: int, path: tuple[str, ...]
) -> Sheet:
    """A pipe table's grid.

    The lines are cut here and not by the parser, which drops the cells that a long row has more
    than the header, and says nothing.
    """
    numbers = [first, *range(first + 2, end)]
    rows = [[_cell(parser, cell) for cell in split_row(lines[number])] for number in numbers]
    grid = grid_of(rows, [number + 1 for number in numbers])
    return Sheet(replace(grid, header_rows=1), "", path, whole=True)


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


def _cell(parser: MarkdownIt, text: str) -> str:
    stripped = text.strip()
    if not re.search(r"[*_`~\[<&\\]", stripped):
        return stripped
    inline = parser.parseInline(stripped)
    return plain_text(inline[0]) if inline else stripped
