"""What a search gives back: rows, tables and paragraphs, with where each came from and how well
the question is covered. Plain values; nothing here searches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, overload

import numpy as np
import numpy.typing as npt

Match = Literal["exact", "near"]


@dataclass(frozen=True)
class Coverage:
    """How much of a question a piece of evidence accounts for."""

    share: float = 0.0
    """Idf mass of the content words found, over the mass of all; 0 to 1. A word that no table
    holds weighs most, so a question about something else scores low."""
    cell_words: tuple[str, ...] = ()
    """Question words found in the row's cells (or the paragraph's text), as asked, folded."""
    header_words: tuple[str, ...] = ()
    """Question words found only in the table's words: title, headings, headers, unit."""
    missing_words: tuple[str, ...] = ()
    """Content words found in neither."""


@dataclass(frozen=True)
class RowHit:
    """One row that matches a question."""

    document: str
    table_id: str
    table: str
    """The table's name."""
    row_position: int
    """0-based data row."""
    cells: Mapping[str, str]
    """Header to text as published; empty cells are ""."""
    score: float
    """Higher is better; comparable within one search only."""
    match: Match
    """"exact": a whole cell that names the row, or every content word, is in the question;
    "near" otherwise."""
    text: str
    """The row with its headers, as a chunk."""
    coverage: Coverage = Coverage()
    named: tuple[tuple[str, str], ...] = ()
    """(header, cell) of each cell that the question names in full."""
    total: bool = False
    """The row sums others."""
    version: str = ""
    title: str = ""
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    line: int | None = None

    @property
    def chunk_id(self) -> str:
        """`table_id:row`."""
        return f"{self.table_id}:{self.row_position}"


@dataclass(frozen=True)
class RowHits(Sequence[RowHit]):
    """The best rows, best first; `total` tells how many rows match as well as the first."""

    hits: tuple[RowHit, ...] = ()
    total: int = 0
    """Rows that match the same words of the question as the best one, returned or not."""
    truncated: bool = False
    """More rows match as well as the best one than were returned."""
    tables: Mapping[str, str] = field(default_factory=dict)
    """By table id: the whole table as Markdown, where that was asked for and it is small."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """By table id, of one that is not small: the rows and columns that the question needs."""

    @overload
    def __getitem__(self, index: int) -> RowHit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RowHit, ...]: ...
    def __getitem__(self, index: int | slice) -> RowHit | tuple[RowHit, ...]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[RowHit]:
        return iter(self.hits)


@dataclass(frozen=True)
class TableHit:
    """One table that matches a question."""

    document: str
    table_id: str
    table: str
    title: str
    score: float
    coverage: Coverage = Coverage()
    """Words found in its own words (title, headings, headers, unit) or in any cell."""


@dataclass(frozen=True)
class ParagraphHit:
    """One paragraph that matches a question."""

    document: str
    text: str
    heading_path: tuple[str, ...]
    page: int | None
    line: int | None
    score: float
    coverage: Coverage = Coverage()
    version: str = ""


@dataclass(frozen=True)
class MatchingRows:
    """The rows of one table that a question is about: the input of the widening rule."""

    table_id: str
    rows: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Positions of the matching body rows, ascending; totals only where nothing else matches."""
    body_rows: int = 0
    """Rows of the table that are not totals."""
    coverage: Coverage = Coverage()
    """Of the question by the matching rows together and the table's words."""

    @property
    def share(self) -> float:
        """Matching rows over body rows; above 0.6 the whole table is the better evidence."""
        return len(self.rows) / self.body_rows if self.body_rows else 0.0
