"""Parsed documents given as lines: dicts of `text`, and `page_num`, `line_num` where known.

Runs of pipe-delimited lines are tables; one that runs over a page break is one table. Of two
columns without pipes around them there must be several lines. The other lines are prose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile

from retrieval.cells import looks_like
from retrieval.grid import grid_of
from retrieval.readers.markdown import split_row
from retrieval.table import Paragraph
from retrieval.understand import Sheet, Source

_EDGE = 2
"""Lines at the top and at the bottom of a page that may be no text."""

_PAGE = r"(?:page|seite|página|pagina|стр\.?)"
_OF = r"(?:\s*(?:of|von|de|di|из|/)\s*\d+)?"
_PAGE_NUMBER = re.compile(rf"[-–—\s]*(?:{_PAGE}\s*)?\d{{1,4}}{_OF}[-–—\s]*", re.I)
_NUMBERED = re.compile(rf"[-–—|,\s]*\b{_PAGE}\s*\d{{1,4}}{_OF}[-–—|,\s]*", re.I)
"""The number of a page beside other words."""

_PAIR = re.compile(r"[^|\n]*[^|\s][^|\n]*\|[^|\n]*[^|\s][^|\n]*")
_FEWEST_PAIRS = 3
"""So many lines that are parted once are no prose."""

_NOTE_SIGN = re.compile(r"(?:[*†‡§]+|[¹²³⁴⁵⁶⁷⁸⁹])\s*\S")


@dataclass(frozen=True)
class _Line:
    text: str
    page: int
    number: int
    paired: bool = False
    """Whether it stands among lines that are parted once, a text on either side."""


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
    lines = _with_pairs([line for line in lines if line.text.strip()])
    furniture = _furniture(lines)
    sheets: list[Sheet] = []
    paragraphs: list[Paragraph] = []
    heading: tuple[str, ...] = ()
    for is_table, group in _runs(lines, furniture):
        if is_table and len(group) > 1:
            sheets.append(_sheet(group, heading))
            continue
        paragraphs += [Paragraph(ln.text.strip(), heading, ln.page, ln.number) for ln in group]
        if sheets and is_note(group[0].text.strip()):
            notes = takewhile(is_note, (line.text.strip() for line in group))
            sheets[-1] = replace(sheets[-1], notes=tuple(notes))
        told = [line for line in group if line not in furniture]
        if told:
            heading = (told[-1].text.strip().strip("#* ").rstrip(":"),)
    return Source(tuple(sheets), tuple(paragraphs))


def _with_pairs(lines: Sequence[_Line]) -> list[_Line]:
    """The lines, those marked that make the rows of a table of two columns together."""
    told: list[_Line] = []
    for is_pair, group in groupby(lines, _is_pair):
        run = list(group)
        paired = is_pair and (len(run) >= _FEWEST_PAIRS or _names_a_value(run))
        told += [replace(line, paired=paired) for line in run]
    return told


def _is_pair(line: _Line) -> bool:
    return not _in_table(line) and _PAIR.fullmatch(line.text.strip()) is not None


def _names_a_value(run: Sequence[_Line]) -> bool:
    """Whether two lines are names over a value: "Item | Qty", "Bolt | 10"."""
    last = [looks_like(line.text.partition("|")[2].strip()) for line in run]
    return len(run) == 2 and last[0] == "text" and last[1] in ("number", "date")


def is_note(text: str) -> bool:
    """Whether a line below a table begins with a mark that no list begins with."""
    return _NOTE_SIGN.match(text) is not None


def _furniture(lines: Sequence[_Line]) -> frozenset[_Line]:
    """What stands at the edge of pages and is no text: page numbers, and lines that open or close
    more than one page in the same words, digits and the page's number aside.
    """
    pages = [list(run) for _, run in groupby(lines, lambda line: line.page)]
    edges = [line for page in pages for line in (*page[:_EDGE], *page[-_EDGE:])]
    loose = {line for line in edges if not _in_table(line)}
    alike, bare = _pages_of(loose, _digits_alike), _pages_of(loose, _unnumbered)

    def repeats(line: _Line) -> bool:
        told, words = _digits_alike(line.text), _unnumbered(line.text)
        return len(alike[told]) > 1 or (words != told and len(bare[words]) > 1)

    numbers = {line for line in loose if _PAGE_NUMBER.fullmatch(line.text.strip())}
    return frozenset(numbers | set(filter(repeats, loose)) if len(pages) > 1 else ())


def _pages_of(lines: Collection[_Line], form: Callable[[str], str]) -> dict[str, set[int]]:
    """The pages on which lines of one form stand."""
    pages: dict[str, set[int]] = {}
    for line in lines:
        pages.setdefault(form(line.text), set()).add(line.page)
    return pages


def _unnumbered(text: str) -> str:
    return _digits_alike(_NUMBERED.sub("", text))


def _digits_alike(text: str) -> str:
    return re.sub(r"\d+", "0", text.strip().casefold())


def _runs(
    lines: Sequence[_Line], furniture: frozenset[_Line]
) -> Iterator[tuple[bool, list[_Line]]]:
    """Runs of table lines and of others; a table that goes on after the edge of a page is one."""
    runs = [(known, list(run)) for known, run in groupby(lines, _in_table)]
    place = 0
    while place < len(runs):
        is_table, group = runs[place]
        edges: list[_Line] = []
        while is_table and place + 2 < len(runs) and set(runs[place + 1][1]) <= furniture:
            if not _goes_on(group, runs[place + 2][1]):
                break
            edges += runs[place + 1][1]
            group = group + runs[place + 2][1]
            place += 2
        if edges:
            yield False, edges
        yield is_table, group
        place += 1


def _goes_on(above: Sequence[_Line], below: Sequence[_Line]) -> bool:
    """Whether lines on a later page are of the same table: they repeat its header, or have as many
    cells as its last line and no header of their own.
    """
    rows = [split_row(line.text) for line in (above[0], above[-1], *below[:2])]
    if above[-1].page == below[0].page:
        return False
    ruled = len(below) > 1 and _is_rule(rows[3])
    return rows[2] == rows[0] or (len(rows[2]) == len(rows[1]) and not ruled)


def _is_rule(cells: Sequence[str]) -> bool:
    return all(cell.strip() and not cell.strip("-:= ") for cell in cells)


def _whole(value: object) -> int:
    return int(str(value)) if value is not None else 1


def _in_table(line: _Line) -> bool:
    text = line.text.strip()
    return line.paired or text.startswith("|") or text.count("|") > 1


def _sheet(lines: Sequence[_Line], heading: tuple[str, ...]) -> Sheet:
    rows: list[list[str]] = []
    kept: list[_Line] = []
    ruled = False
    for line in lines:
        cells = [cell.strip() for cell in split_row(line.text)]
        if _is_rule(cells):
            ruled = ruled or len(rows) == 1
            continue
        rows.append(cells)
        kept.append(line)
    grid = grid_of(rows, [line.number for line in kept])
    grid = replace(grid, pages=[line.page for line in kept], header_rows=1 if ruled else None)
    return Sheet(grid, "", heading, whole=True)
