"""Schema and value linking: which columns, cell values, numbers and dates a question names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """A stretch of the question: character offsets, end exclusive, and its text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class TableLink:
    """The question names a table."""

    span: Span
    table: str
    score: float


@dataclass(frozen=True)
class ColumnLink:
    """The question names a column."""

    span: Span
    table: str
    column: str
    score: float
    """1.0 exact; lower for stemmed, partial or near matches."""


@dataclass(frozen=True)
class ValueLink:
    """The question names a cell value."""

    span: Span
    table: str
    column: str
    value: str
    """The cell as published."""
    score: float


@dataclass(frozen=True)
class Links:
    """All links of a question; spans may overlap."""

    tables: tuple[TableLink, ...] = ()
    columns: tuple[ColumnLink, ...] = ()
    values: tuple[ValueLink, ...] = ()
