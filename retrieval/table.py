"""The values every room shares: a `Document` with its paragraphs and `Table`s.

A table keeps each cell as published. A column is dictionary-encoded: its distinct texts once, and
an integer code a row. So typing, tokenising and profiling work on the distinct texts, and a column
of a million rows costs four bytes a row. What a text means (`ColumnType`, canonical form) is
decided in `cells.py`; nothing here reads numbers or dates.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retrieval.dates import is_calendar_word

Scalar = str | int | float | bool | Decimal | dt.date | dt.datetime | dt.time | dt.timedelta | None
"""A typed cell or result value."""

EMPTY = -1
"""The code of an empty cell."""

PATH_SEPARATOR = " > "

_EXTENSION = re.compile(r"\.\w{1,8}$")
_NAME_WORD = re.compile(r"[^\W\d_]{2,}")


class Kind(StrEnum):
    """What a column holds, decided on all its rows."""

    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    """Exact: money and other numbers of few decimal places."""
    DOUBLE = "double"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIME = "time"


NUMERIC = frozenset({Kind.INTEGER, Kind.DECIMAL, Kind.DOUBLE})
TEMPORAL = frozenset({Kind.DATE, Kind.TIMESTAMP, Kind.TIME})


@dataclass(frozen=True)
class ColumnType:
    """The decision about one column, with the evidence for it."""

    kind: Kind = Kind.TEXT
    precision: int = 0
    """DECIMAL only: digits in all."""
    scale: int = 0
    """DECIMAL only: digits after the point."""
    unit: str | None = None
    """As told by cells, header or caption: "USD", "%", "millions of euro"."""
    decimal_mark: str = "."
    day_first: bool | None = None
    """Dates only: None where no cell needed the decision."""
    missing: frozenset[str] = frozenset()
    """Texts that stand for "no value" in this column ("n/a", "-")."""
    mixed: bool = False
    """A numeric or temporal column some of whose texts are words ("Unlimited"): the text stays
    queryable beside the value."""
    evidence: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Column:
    """One column: `codes[i]` indexes `texts`, or is `EMPTY`. Equal to itself alone, so hashable."""

    name: str
    """The header path as published, joined by " > "; unique within the table."""
    path: tuple[str, ...]
    codes: npt.NDArray[np.int32]
    """Shape (row_count,)."""
    texts: tuple[str, ...]
    """Distinct cells as published, in order of first appearance."""
    type: ColumnType = ColumnType()
    canonical: tuple[str | None, ...] | None = None
    """Aligned with `texts`: the form a database casts ("1200" for "$1,200"), None where the text
    has no value of this type. None as a whole where every text is its own canonical form."""
    derived: bool = False
    """Made by the reader (a section, a source file), not a column of the published grid."""

    def text_at(self, row: int) -> str:
        """The cell as published; "" where empty."""
        code = self.codes.item(row)
        return "" if code == EMPTY else self.texts[code]

    def canonical_at(self, row: int) -> str | None:
        """The cell's canonical form; None where empty, missing or not of the column's type."""
        code = int(self.codes[row])
        if code == EMPTY:
            return None
        forms: tuple[str | None, ...] = self.texts if self.canonical is None else self.canonical
        return forms[code]

    def cells(self) -> list[str]:
        """Every cell as published, in row order."""
        texts = self.texts
        return ["" if code == EMPTY else texts[code] for code in self.codes.tolist()]

    def at(self, rows: npt.NDArray[np.int64]) -> Column:
        """The column of these rows alone; `texts` stay, with a count of 0 where no row has one."""
        return replace(self, codes=self.codes[rows])

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """How often each distinct text occurs; aligned with `texts`."""
        used = self.codes[self.codes != EMPTY]
        return np.bincount(used, minlength=len(self.texts)).astype(np.int64)


def made_up_header(position: int) -> str:
    """The name of a column above which nothing stands."""
    return f"column_{position + 1}"


def encode(cells: Iterable[str]) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    """Dictionary-encode `cells`: codes, and the distinct texts in order of first appearance."""
    seen: dict[str, int] = {"": EMPTY}
    codes = np.fromiter((seen.setdefault(cell, len(seen) - 1) for cell in cells), np.int32)
    del seen[""]
    return codes, tuple(seen)


@dataclass(frozen=True)
class Note:
    """A footnote, bound to the cells that carry its mark."""

    marker: str
    text: str
    cells: tuple[tuple[int, int], ...] = ()
    """(row, column) of each cell that carries the mark; row -1 is the header."""

    @property
    def told(self) -> str:
        """The text with its mark, which it may open with as published."""
        mark = self.marker.strip("[](^)")
        opens = mark and self.text.lstrip("[(^ ").startswith(mark)
        return self.text if opens else f"{self.marker} {self.text}".strip()


@dataclass(frozen=True, eq=False)
class Table:
    """One table as published, after the reader has understood its grid. Equal to itself alone."""

    table_id: str
    """`document#ordinal`."""
    document: str
    version: str
    name: str
    """The name SQL should use; the catalog makes clashes distinct."""
    title: str
    """Caption or title line; else the nearest heading; else the name."""
    columns: tuple[Column, ...]
    row_count: int
    heading_path: tuple[str, ...] = ()
    unit: str | None = None
    """Unit told for the whole table, as published."""
    key: int | None = None
    """The column that names each row (the primary entity), where there is one."""
    totals: frozenset[int] = frozenset()
    """Rows that sum others: kept and searchable, left out of the table that SQL sees."""
    unverified: frozenset[int] = frozenset()
    """Those of `totals` that are labelled so but do not add up."""
    notes: tuple[Note, ...] = ()
    lines: Sequence[int] | None = None
    """Source line (text formats) or sheet row (1-based) of each row; a `range` where the rows
    follow each other."""
    pages: Sequence[int] | None = None
    """Source page of each row, where the format has pages."""
    warnings: tuple[str, ...] = ()
    summary: str = ""
    """What a language model says it holds: helps to find the table, and is no evidence."""

    @cached_property
    def document_words(self) -> str:
        """What the document's name says that the table's own does not: of a folder ("acme" of
        "acme/income.csv"), or of the name it was added by. No numbers and no months: those may
        be what rows are chosen by.
        """
        own = set(_NAME_WORD.findall(f"{self.name} {self.title}".casefold()))
        said = _NAME_WORD.findall(_EXTENSION.sub("", self.document))
        left = (word for word in said if word.casefold() not in own)
        return " ".join(word for word in left if not is_calendar_word(word.casefold()))

    @property
    def headers(self) -> tuple[str, ...]:
        """The column names in order."""
        return tuple(column.name for column in self.columns)

    def row(self, position: int) -> tuple[str, ...]:
        """One row's cells as published."""
        return tuple(column.text_at(position) for column in self.columns)

    def column(self, name: str) -> Column:
        """The column of this name. Raises KeyError."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    @cached_property
    def data_rows(self) -> npt.NDArray[np.int64]:
        """Positions of the rows that SQL sees: all but totals."""
        rows = np.arange(self.row_count)
        return np.delete(rows, sorted(self.totals)) if self.totals else rows

    @cached_property
    def records(self) -> tuple[Column, ...]:
        """The columns as SQL sees them: without totals rows."""
        if not self.totals:
            return self.columns
        return tuple(column.at(self.data_rows) for column in self.columns)

    def line_of(self, row: int) -> int | None:
        """Source line of a row, where known."""
        return self.lines[row] if self.lines else None

    def page_of(self, row: int) -> int | None:
        """Source page of a row, where known."""
        return self.pages[row] if self.pages else None


@dataclass(frozen=True)
class Paragraph:
    """A block of prose beside the tables."""

    text: str
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    line: int | None = None


@dataclass(frozen=True)
class Document:
    """What one source holds."""

    name: str
    version: str
    """A hash of the content."""
    tables: tuple[Table, ...] = ()
    paragraphs: tuple[Paragraph, ...] = ()


@dataclass(frozen=True)
class SetAside:
    """A source row that is not in the table's data, and why."""

    line: int
    text: str
    reason: str


@dataclass(frozen=True)
class TableReport:
    """How one table was read."""

    table_id: str
    name: str
    rows_seen: int
    rows_kept: int
    set_aside: tuple[SetAside, ...] = ()
    header_rows: int = 1
    header_lines: tuple[int, ...] = ()
    """Source lines of the header rows."""
    columns: tuple[tuple[str, ColumnType], ...] = ()
    totals: tuple[int, ...] = ()
    column_groups: tuple[int, ...] = ()
    """How many columns each part of a row has that is indexed as one, where the table is wide: the
    later parts repeat the key column. Empty where a row is indexed whole."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class LoadReport:
    """How a source was read; `skipped` names each file that was not, with the reason."""

    tables: tuple[TableReport, ...] = ()
    documents: tuple[str, ...] = ()
    paragraphs: int = 0
    encoding: str | None = None
    delimiter: str | None = None
    skipped: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    def merged(self, others: Sequence[LoadReport]) -> LoadReport:
        """This report and `others` as one."""
        reports = (self, *others)
        return LoadReport(
            tables=tuple(table for report in reports for table in report.tables),
            documents=tuple(name for report in reports for name in report.documents),
            paragraphs=sum(report.paragraphs for report in reports),
            encoding=next((r.encoding for r in reports if r.encoding), None),
            delimiter=next((r.delimiter for r in reports if r.delimiter), None),
            skipped=tuple(skip for report in reports for skip in report.skipped),
            warnings=tuple(warning for report in reports for warning in report.warnings),
        )


@dataclass(frozen=True)
class ReadResult:
    """A reader's product: the document, and the report of how it was read."""

    document: Document
    report: LoadReport = field(default_factory=LoadReport)
