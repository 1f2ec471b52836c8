"""The catalog's columns as arrays: what the evaluator computes with.

Gives, for each column and facet, a dictionary encoding: a code a row (-1 where there is no value),
the distinct values, and the same values as floats where they have an order. Made once a table and
kept as long as the table lives.
"""

from __future__ import annotations

import datetime as dt
import re
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retrieval.table import EMPTY, NUMERIC, Kind
from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.offline.tree import Facet
from sql_engine.words import name_words

IDENTIFIER_WORDS = frozenset({"id", "no", "code", "key", "ref", "nr", "zip", "identifi", "postcod"})
"""Stems in the names of columns that hold identifiers."""

NUMBER_PATTERN = r"-?\d[\d,]*(?:\.\d+)?"
YEAR_PATTERN = r"\b(1[0-9]{3}|20[0-9]{2})\b"
_NUMBER = re.compile(NUMBER_PATTERN)
_YEAR = re.compile(YEAR_PATTERN)

Value = str | int | float | bool | dt.date | dt.datetime | dt.time


@dataclass(frozen=True)
class Encoded:
    """A dictionary encoding of one facet of a column."""

    codes: npt.NDArray[np.int32]
    """Shape (rows,); -1 where there is no value."""
    values: tuple[Value, ...]
    """Distinct values, by code."""
    floats: npt.NDArray[np.float64]
    """By code: the value as a number (dates as days), NaN where it has none."""

    @cached_property
    def row_floats(self) -> npt.NDArray[np.float64]:
        """Shape (rows,): NaN where there is no value."""
        return np.append(self.floats, np.nan)[self.codes]

    @cached_property
    def ordered(self) -> bool:
        """Whether the values have an order as numbers or dates."""
        return bool(len(self.floats)) and not bool(np.isnan(self.floats).all())

    @cached_property
    def unique(self) -> bool:
        """Whether no value occurs twice."""
        used = self.codes[self.codes >= 0]
        return len(used) == len(self.values) and len(used) > 0


class ColumnData:
    """One column over the rows that SQL sees."""

    def __init__(self, column: CatalogColumn, rows: npt.NDArray[np.int64]) -> None:
        source = column.source
        whole = len(rows) == len(source.codes)
        self.column = column
        self.name = column.name
        self.kind = column.kind
        self.texts = source.texts
        self.codes = source.codes if whole else source.codes[rows]
        self._facets: dict[Facet, Encoded] = {}

    @property
    def numeric(self) -> bool:
        """Whether sums are possible."""
        return self.kind in NUMERIC

    @cached_property
    def identifier(self) -> bool:
        """Whether it is a number that names a row: adding it up means nothing."""
        named = set(name_words(self.name)) & IDENTIFIER_WORDS
        return self.numeric and bool(named) and self.kind is Kind.INTEGER

    @property
    def temporal(self) -> bool:
        """Whether the values are dates."""
        return self.kind in (Kind.DATE, Kind.TIMESTAMP)

    def encoded(self, facet: Facet = Facet.VALUE) -> Encoded:
        """The encoding of one facet."""
        found = self._facets.get(facet)
        if found is None:
            found = self._facets[facet] = self._encode(facet)
        return found

    def _encode(self, facet: Facet) -> Encoded:
        if facet is Facet.VALUE and self.kind is Kind.TEXT:
            nothing = np.full(len(self.texts), np.nan)
            return Encoded(self.codes, self.texts, nothing)
        read: Callable[[Value], Value | None] = _READERS[facet]
        values = [None if v is None else read(v) for v in self._typed()]
        return _factorise(self.codes, values)

    def _typed(self) -> list[Value | None]:
        source = self.column.source
        forms = self.texts if source.canonical is None else source.canonical
        if self.kind is Kind.TEXT:
            return list(self.texts)
        parse: Callable[[str], Value] = _PARSERS[self.kind]
        return [None if form is None else parse(form) for form in forms]

    @cached_property
    def text_numbers(self) -> float:
        """The share of the distinct texts that hold a number, for text columns."""
        if self.kind is not Kind.TEXT or not self.texts:
            return 0.0
        return sum(1 for text in self.texts if _NUMBER.search(text)) / len(self.texts)


def _factorise(codes: npt.NDArray[np.int32], values: list[Value | None]) -> Encoded:
    seen: dict[Value, int] = {}
    lookup = np.full(len(values) + 1, EMPTY, np.int32)
    for index, value in enumerate(values):
        if value is not None:
            lookup[index] = seen.setdefault(value, len(seen))
    distinct = tuple(seen)
    return Encoded(lookup[codes], distinct, np.array([as_float(v) for v in distinct], np.float64))


def as_float(value: object) -> float:
    """A value's place in the order of its kind: numbers as they are, dates in days; else NaN."""
    if isinstance(value, bool | int | float):
        return float(value)
    if isinstance(value, dt.datetime):
        day = dt.datetime(value.year, value.month, value.day, tzinfo=value.tzinfo)
        return value.toordinal() + (value - day).total_seconds() / 86400
    if isinstance(value, dt.date):
        return float(value.toordinal())
    if isinstance(value, dt.time):
        return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    return float("nan")


def _integer(form: str) -> int | float:
    try:
        return int(form)
    except ValueError:
        return float(form)


_PARSERS: dict[Kind, Callable[[str], Value]] = {
    Kind.INTEGER: _integer,
    Kind.DECIMAL: float,
    Kind.DOUBLE: float,
    Kind.BOOLEAN: lambda form: form.lower() in ("true", "t", "1", "yes"),
    Kind.DATE: dt.date.fromisoformat,
    Kind.TIMESTAMP: dt.datetime.fromisoformat,
    Kind.TIME: dt.time.fromisoformat,
}


def _first_number(value: Value) -> float | None:
    if not isinstance(value, str):
        number = as_float(value)
        return None if number != number else number
    match = _NUMBER.search(value)
    return float(match.group().replace(",", "")) if match else None


def _year(value: Value) -> int | None:
    if isinstance(value, dt.date):
        return value.year
    match = _YEAR.search(str(value))
    return int(match.group(1)) if match else None


def _quarter(value: Value) -> str | None:
    return f"{value.year}-Q{(value.month + 2) // 3}" if isinstance(value, dt.date) else None


def _month(value: Value) -> str | None:
    return f"{value.year:04d}-{value.month:02d}" if isinstance(value, dt.date) else None


def _month_of_year(value: Value) -> int | None:
    return value.month if isinstance(value, dt.date) else None


def _day(value: Value) -> dt.date | None:
    if isinstance(value, dt.datetime):
        return value.date()
    return value if isinstance(value, dt.date) else None


_READERS: dict[Facet, Callable[[Value], Value | None]] = {
    Facet.VALUE: lambda value: value,
    Facet.NUMBER: _first_number,
    Facet.YEAR: _year,
    Facet.QUARTER: _quarter,
    Facet.MONTH: _month,
    Facet.MONTH_OF_YEAR: _month_of_year,
    Facet.DAY: _day,
}


class TableData:
    """One table's columns over the rows that SQL sees."""

    def __init__(self, table: CatalogTable) -> None:
        rows = table.table.data_rows
        self.name = table.name
        self.row_count = table.row_count
        self.columns = tuple(ColumnData(column, rows) for column in table.columns)


_KEPT: dict[int, TableData] = {}


def table_data(table: CatalogTable) -> TableData:
    """The arrays of a table, made on first use and kept while the catalog entry lives."""
    found = _KEPT.get(id(table))
    if found is None:
        found = _KEPT[id(table)] = TableData(table)
        weakref.finalize(table, _KEPT.pop, id(table), None)
    return found
