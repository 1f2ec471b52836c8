"""CSV, TSV and other delimited text, in any encoding; the dialect is found, not assumed."""

from __future__ import annotations

import codecs
import csv
import gc
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any

from retrieval.errors import UnreadableSource
from retrieval.grid import Grid, GridBuilder, grid_of
from retrieval.readers.aligned import Block, aligned_blocks, aligned_rows
from retrieval.readers.rectangular import rectangular_strips
from retrieval.readers.text import decode
from retrieval.understand import Sheet, Source

DELIMITERS = ",;\t|"
RARE_DELIMITERS = "^~¦\x1f\x01"
"""Looked at where none of the usual ones parts the lines."""

ALIGNED = "  "
"""Columns kept apart by two or more spaces."""

_LARGE = 1_000_000
"""Bytes from which on arrays are quicker than a parser."""

_EVEN = 0.3
_CERTAIN = 0.9
_TOLD = re.compile(r"\ufeff?sep=([,;\t|])\r?\n")
"""A first line by which spreadsheets are told the delimiter."""

_WRAPPED = re.compile(r'"(?:[^"]|"")*"\s*')
"""A line of one quoted cell."""

_WRAPPED_SAMPLE = 20_000
_SAMPLE_ROWS = 300
_CHUNK = 20_000
_MOST_COLUMNS = 100_000
_LONGEST_LINE = 2_000_000


@dataclass(frozen=True)
class Dialect:
    """How lines are cut to cells."""

    delimiter: str = ","
    quote: str = '"'
    """"" where no sign quotes."""
    escape: str | None = None
    """The sign before a quotation mark that is a plain one, where it is not doubled."""


def read_delimited(data: bytes, suffix: str = ".csv") -> Source:
    """One sheet of text cells.

    Raises:
        EmptySource: nothing but white space.
        UnreadableSource: binary data, or a line of more cells than a table has columns.
    """
    text, encoding, warnings = decode(data)
    if (inner := _unwrapped(text)) is not None:
        text, data = inner, inner.encode()
        warnings += ("each line stands in quotes as a whole: they are left out",)
    text, data = _without_quote_marks(text, data)
    told = _TOLD.match(text)
    if told is not None:
        dialect = Dialect(told[1])
    else:
        dialect = find_dialect(text, "\t" if suffix in (".tsv", ".tab") else ",")
    if dialect.delimiter == ALIGNED:
        rows = aligned_rows(text.splitlines())
        grid = replace(grid_of(rows), widths=None)  # blanks at a line's end are not printed
        return Source((Sheet(grid),), (), encoding, ALIGNED, None, warnings)
    mark = "," if dialect.delimiter == ";" else None
    plain = told is None and len(data) >= _LARGE
    if plain and encoding in ("utf-8", "utf-8-sig") and dialect.quote == '"':
        strips = rectangular_strips(data.removeprefix(codecs.BOM_UTF8), dialect.delimiter)
        if strips is not None:
            count = len(strips[0].codes)
            sheet = Sheet(Grid(strips, count, range(1, count + 1)))
            return Source((sheet,), (), encoding, dialect.delimiter, mark, warnings)
    csv.field_size_limit(2**31 - 1)
    start = 0 if told is None else told.end()
    opened = _open_quote(text, start, dialect)
    parts = [(text[start:], dialect)]
    if opened is not None:
        parts = [(text[start:opened], dialect), (text[opened:], Dialect(dialect.delimiter, ""))]
        line = text.count("\n", 0, opened) + 1
        warnings += (f"line {line}: a quotation mark is never closed; read as a plain sign",)
    builder, lines = GridBuilder(), _Lines()
    lines.skip(0 if told is None else 1)
    with without_collector():
        for part, its_dialect in parts:
            reader, before = _reader(io.StringIO(part, newline=""), its_dialect), lines.last
            while chunk := list(islice(reader, _CHUNK)):
                _check_width(chunk, its_dialect)
                lines.extend(chunk, before + reader.line_num)
                builder.extend(chunk)
    if builder.row_count == 1 and len(text) > _LONGEST_LINE:
        raise UnreadableSource(
            f"one line of {len(text):,} characters, and no row below it",
            hint="check that the lines end where the rows do",
        )
    sheet = Sheet(builder.build(lines.numbers()))
    return Source((sheet,), (), encoding, dialect.delimiter, mark, warnings)


def _check_width(rows: Sequence[Sequence[str]], dialect: Dialect) -> None:
    widest = max(map(len, rows))
    if widest > _MOST_COLUMNS:
        raise UnreadableSource(
            f"a line holds {widest:,} cells parted by {dialect.delimiter!r}, and no table has more "
            f"than {_MOST_COLUMNS:,} columns",
            hint="check that the lines end where the rows do",
        )


def _without_quote_marks(text: str, data: bytes) -> tuple[str, bytes]:
    """The text without the signs that a mail sets before each line it quotes."""
    lines = text.splitlines() if "\n>" in text[:_WRAPPED_SAMPLE] else []
    quoted = sum(line.startswith(">") for line in lines)
    if 2 * quoted <= sum(map(bool, lines)):
        return text, data
    text = "\n".join(_QUOTED.sub("", line) for line in lines)
    return text, text.encode()


_QUOTED = re.compile(r"^(?:> ?)+")


def _unwrapped(text: str) -> str | None:
    """The text without the quotes around each of its lines; None where lines are not quoted so."""
    if not text.startswith('"'):
        return None
    sample = text[:_WRAPPED_SAMPLE].splitlines()[:_SAMPLE_ROWS]
    whole = [line for line in sample[: -1 if len(text) > _WRAPPED_SAMPLE else None] if line]
    if len(whole) < 2 or not all(_WRAPPED.fullmatch(line) for line in whole):
        return None
    lines = [line.strip()[1:-1].replace('""', '"') for line in text.splitlines()]
    inner = "\n".join(lines) + "\n"
    return inner if _evenness(inner[:_WRAPPED_SAMPLE], find_dialect(inner)) > _CERTAIN else None


@contextmanager
def without_collector() -> Iterator[None]:
    """Rows are lists of texts without cycles: the collector would only walk them in vain, at half
    of the whole time of parsing.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Lines:
    """The first source line of each row, kept as a range while no cell holds a line break."""

    def __init__(self) -> None:
        self._first = 1
        self.last = 0
        self._numbers: list[int] | None = None

    def skip(self, count: int) -> None:
        """Count lines that hold no row."""
        self._first += count
        self.last += count

    def extend(self, rows: list[list[str]], last_line: int) -> None:
        if self._numbers is None and last_line - self.last == len(rows):
            self.last = last_line
            return
        if self._numbers is None:
            self._numbers = list(range(self._first, self.last + 1))
        line = self.last + 1
        for row in rows:
            self._numbers.append(line)
            line += 1 + sum(_breaks(cell) for cell in row)
        self.last = last_line

    def numbers(self) -> list[int] | range:
        return range(self._first, self.last + 1) if self._numbers is None else self._numbers


def _breaks(cell: str) -> int:
    return cell.count("\n") + cell.count("\r") - cell.count("\r\n")


def find_dialect(text: str, expected: str = ",") -> Dialect:
    """The dialect under which neighbouring lines have the same number of cells.

    A text that no delimiter parts is one column; `expected` is then given.
    """
    sample = text[:200_000]
    quotes = '"' if '"' in sample else "\"'"
    dialects = [Dialect(mark, quote) for quote in quotes for mark in DELIMITERS]
    if '\\"' in sample:
        dialects += [replace(d, escape="\\") for d in dialects if _as_many_rows(d, sample)]
    scores = {dialect: _evenness(sample, dialect) for dialect in dialects}
    best = max(
        dialects,
        key=lambda d: (scores[d], d.escape is not None, d.quote == '"', d.delimiter == expected),
    )
    lines = sample.splitlines()[:_SAMPLE_ROWS]
    blocks = aligned_blocks(lines)
    unusual = [Dialect(mark) for mark in RARE_DELIMITERS if mark in sample]
    rare = next((d for d in unusual if _evenness(sample, d) > _CERTAIN), None)
    if rare is not None and scores[best] <= _CERTAIN:
        return rare
    if scores[best] > _EVEN and not _stands_aside(best.delimiter, lines, blocks):
        return best
    return rare or Dialect(ALIGNED if blocks else expected)


def _as_many_rows(dialect: Dialect, sample: str) -> bool:
    """Whether a backslash may stand before plain quotation marks: before closing ones, as at the
    end of a folder's name, it would join rows.
    """
    escaped = replace(dialect, escape="\\")
    readers = (_reader(io.StringIO(sample, newline=""), one) for one in (dialect, escaped))
    try:
        plain, joined = (sum(1 for _ in reader) for reader in readers)
    except csv.Error:
        return False
    return joined >= plain


def _stands_aside(delimiter: str, lines: list[str], blocks: Sequence[Block]) -> bool:
    """Whether a delimiter is a sign of the prose beside aligned columns: it parts none of their
    lines, and fewer others.
    """
    aligned = {first + place for first, cells in blocks for place in range(len(cells))}
    parted = {number for number, line in enumerate(lines) if delimiter in line}
    return aligned.isdisjoint(parted) and len(aligned) >= len(parted)


def _open_quote(text: str, start: int, dialect: Dialect) -> int | None:
    """Where the last line begins that opens a quotation and never closes it."""
    if text.count(dialect.quote) % 2 == 0 or text.rstrip().endswith(dialect.quote):
        return None
    reader = _reader(io.StringIO(text[start:], newline=""), dialect)
    first, last, cell = 0, 0, ""
    for row in reader:
        first, last, cell = last, reader.line_num, row[-1] if row else ""
    if "\n" not in cell and "\r" not in cell:
        return None
    return start + sum(map(len, text[start:].splitlines(keepends=True)[:first]))


def _reader(stream: io.StringIO, dialect: Dialect) -> Any:
    return csv.reader(
        stream,
        delimiter=dialect.delimiter,
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        skipinitialspace=dialect.delimiter != "\t",
        escapechar=dialect.escape,
    )


def _evenness(sample: str, dialect: Dialect) -> float:
    """Share of lines with two or more cells, times how often neighbours are of one width."""
    reader = _reader(io.StringIO(sample, newline=""), dialect)
    try:
        widths = [len(row) for row in islice(reader, _SAMPLE_ROWS) if row]
    except csv.Error:
        return 0.0
    wide = [width for width in widths if width > 1]
    if not wide:
        return 0.0
    pairs = list(pairwise(wide))
    same = sum(a == b for a, b in pairs) / len(pairs) if pairs else 0.5
    return len(wide) / len(widths) * (0.1 + 0.9 * same)
