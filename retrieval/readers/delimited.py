"""CSV, TSV and other delimited text, in any encoding; the dialect is found, not assumed."""

from __future__ import annotations

import csv
import gc
import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, pairwise

from retrieval.grid import GridBuilder
from retrieval.readers.text import decode
from retrieval.understand import Sheet, Source

DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 300
_CHUNK = 20_000


def read_delimited(data: bytes, suffix: str = ".csv") -> Source:
    """One sheet of text cells.

    Raises:
        EmptySource: nothing but white space.
        UnreadableSource: binary data.
    """
    text, encoding, warnings = decode(data)
    delimiter = find_delimiter(text, "\t" if suffix in (".tsv", ".tab") else ",")
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    builder, lines = GridBuilder(), _Lines()
    with _without_collector():
        while chunk := list(islice(reader, _CHUNK)):
            lines.extend(chunk, reader.line_num)
            builder.extend(chunk)
    sheet = Sheet(builder.build(lines.numbers()))
    return Source((sheet,), (), encoding, delimiter, "," if delimiter == ";" else None, warnings)


@contextmanager
def _without_collector() -> Iterator[None]:
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
        self._last = 0
        self._numbers: list[int] | None = None

    def extend(self, rows: list[list[str]], last_line: int) -> None:
        if self._numbers is None and last_line - self._last == len(rows):
            self._last = last_line
            return
        if self._numbers is None:
            self._numbers = list(range(1, self._last + 1))
        line = self._last + 1
        for row in rows:
            self._numbers.append(line)
            line += 1 + sum(_breaks(cell) for cell in row)
        self._last = last_line

    def numbers(self) -> list[int] | range:
        return range(1, self._last + 1) if self._numbers is None else self._numbers


def _breaks(cell: str) -> int:
    return cell.count("\n") + cell.count("\r") - cell.count("\r\n")


def find_delimiter(text: str, expected: str = ",") -> str:
    """The delimiter under which neighbouring lines have the same number of cells.

    A text that no delimiter parts is one column; `expected` is then given.
    """
    sample = text[:200_000]
    scores = {mark: _evenness(sample, mark) for mark in DELIMITERS}
    best = max(DELIMITERS, key=lambda mark: (scores[mark], mark == expected))
    return best if scores[best] > 0.3 else expected


def _evenness(sample: str, delimiter: str) -> float:
    """Share of lines with two or more cells, times how often neighbours are of one width."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
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
