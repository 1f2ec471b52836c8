"""The catalog's columns as arrays: what the evaluator computes with.

Gives, for each column and facet, a dictionary encoding: a code a row (-1 where there is no value),
the distinct values, and the same values as floats where they have an order. Made once a table and
kept as long as the table lives.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retrieval.kept import kept, kept_together
from retrieval.table import EMPTY, NUMERIC, Kind
from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.periods import WEEKDAYS
from sql_engine.offline.relation import Join, Relation
from sql_engine.offline.spans import ISO_MONTH, Span, spans_of
from sql_engine.offline.spans import MAX_TEXTS as MAX_SPANS
from sql_engine.offline.tree import Facet
from sql_engine.value_index import text_stems, value_index
from sql_engine.words import name_words

IDENTIFIER_WORDS = frozenset({"id", "no", "code", "key", "ref", "nr", "zip", "identifi", "postcod"})
"""Stems in the names of columns that hold identifiers."""

_COUNTING = re.compile(r"\bno\.? of\b", re.IGNORECASE)
"""In the name of a column it says how many, and numbers nothing: "No. of seats"."""
FEWEST_SERIAL = 10
"""Fewer numbers may run on by chance."""
FEWEST_IN_BLOCKS, HIGH = 4, 100
"""Of fewer numbers some may follow one another by chance; so high ones, years aside, measure
nothing where most do.
"""
FEW_TEXTS = 1000
"""Up to this many distinct texts, looking at each is quicker than an index."""
MAX_LISTS = 2000
"""Columns of more distinct texts are not looked through for lists."""
MAX_THING = 4
"""Words of one thing in a list."""
_SEVERAL = re.compile(r" ?[,;|] ?| / ")
"""Between things, one blank at most in a row: a pattern for runs of them would try each anew."""
FIRST_YEAR, LAST_YEAR = 1700, 2100
"""Whole numbers in between may be years."""

NUMBER_PATTERN = r"-?\d[\d,]*(?:\.\d+)?"
YEAR_PATTERN = r"\b(1[0-9]{3}|20[0-9]{2})\b"
_NUMBER = re.compile(NUMBER_PATTERN)
_YEAR = re.compile(YEAR_PATTERN)
_SCALE = re.compile(r"\(\s*[01]\s*(?:-|–|to|\.\.)\s*\d+\s*\)|\bout of \d+\b", re.IGNORECASE)
"""The ends of a scale in a column's name: "(1-5)"."""
_CODE = re.compile(r"\s*[A-Za-z]{1,5}[-_/]?\d+\s*")
"""A letter or more and a number, as "SO-1001"."""
_DIGITS = re.compile(r"\s*\d+\s*")

Value = str | int | float | bool | dt.date | dt.datetime | dt.time


GAPLESS = 1.2
"""How far numbers may spread, by how many they are, that follow one another."""


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
    def dense(self) -> bool:
        """Whether several numbers leave hardly any gap between the least and the greatest."""
        if len(self.floats) < 2:
            return False
        return bool(self.floats.max() - self.floats.min() < GAPLESS * len(self.floats))

    @cached_property
    def row_ranks(self) -> npt.NDArray[np.int64]:
        """Shape (rows,): place of the value among the sorted values; -1 where there is none."""
        order = sorted(range(len(self.values)), key=self._sort_key)
        ranks = np.full(len(self.values) + 1, -1, np.int64)
        ranks[order] = np.arange(len(order))
        return ranks[self.codes]

    def _sort_key(self, code: int) -> tuple[float, str]:
        number = float(self.floats[code])
        return (0.0, str(self.values[code])) if number != number else (number, "")

    @cached_property
    def ordered(self) -> bool:
        """Whether the values have an order as numbers or dates."""
        return bool(len(self.floats)) and not bool(np.isnan(self.floats).all())

    @cached_property
    def unique(self) -> bool:
        """Whether no value occurs twice."""
        used = self.codes[self.codes >= 0]
        # A cell of a totals row is a value that no row here has.
        return 0 < len(used) <= len(self.values) and len(np.unique(used)) == len(used)


class ColumnData:
    """One column over the rows that SQL sees."""

    def __init__(
        self,
        column: CatalogColumn,
        rows: npt.NDArray[np.int64],
        *,
        repeats: bool = False,
        counts: bool = False,
        leads: bool = False,
        called: bool = False,
    ) -> None:
        source = column.source
        whole = not repeats and len(rows) == len(source.codes)
        self.repeats = repeats
        self.counts = counts
        """Whether a join shows rows of its table more than once: its sums mean nothing."""
        self._leads = leads
        self._called = called
        """Whether the table is called by its name: "Room" of "rooms"."""
        self.column = column
        self.name = column.name
        self.kind = column.kind
        self.texts = source.texts
        codes = source.codes if whole else source.codes[rows]
        self.codes = _without_marks(column, codes)
        self.answer_kind: str | None = None
        """What kind of answer its cells are, once that was asked."""
        self._facets: dict[Facet, Encoded] = {}

    @property
    def unit(self) -> str | None:
        """The unit of the values as published."""
        return self.column.source.type.unit

    @property
    def numeric(self) -> bool:
        """Whether sums are possible."""
        return self.kind in NUMERIC

    @cached_property
    def identifier(self) -> bool:
        """Whether it is a number that names a row: adding it up means nothing."""
        if self.kind is not Kind.INTEGER:
            return False
        name = _COUNTING.sub("", self.name)
        return bool(set(name_words(name)) & IDENTIFIER_WORDS) or self._serial

    @cached_property
    def _serial(self) -> bool:
        """Whether the numbers run on without gaps from where another count left off, once a row or
        through all the rows of one thing: the lines of a bill.
        """
        encoded = self.encoded()
        if (self._leads or self._called) and _in_blocks(encoded):
            return True
        runs_on = self._in_order if encoded.unique else self._in_runs
        if len(encoded.values) < FEWEST_SERIAL or not runs_on:
            return False
        low = encoded.floats.min()
        return bool(encoded.dense and low > 1 and not FIRST_YEAR <= low <= LAST_YEAR)

    @cached_property
    def numbers_rows(self) -> bool:
        """Whether the numbers are one of each row, with no gaps: 1, 2, 3, in whatever order."""
        if self.kind is not Kind.INTEGER:
            return False
        return self.encoded().unique and self.encoded().dense

    @cached_property
    def numbers_in_order(self) -> bool:
        """Whether the numbers are one of each row, as a table is numbered: its first column, or
        rising or falling from row to row. Others may be measures that happen to have no gaps.
        """
        return self.numbers_rows and self._in_order

    @property
    def _in_order(self) -> bool:
        codes = self.encoded().codes
        steps = np.diff(self.encoded().floats[codes[codes >= 0]])
        return self._leads or bool((steps > 0).all() or (steps < 0).all())

    @property
    def _in_runs(self) -> bool:
        """Whether the rows of each value stand together."""
        codes = self.encoded().codes
        return int((np.diff(codes) != 0).sum()) + 1 == len(self.encoded().values)

    def codes_of(self, texts: Iterable[str]) -> list[int]:
        """The codes of published texts; one that is not here has none."""
        if len(self.texts) <= FEW_TEXTS:
            wanted = set(texts)
            return [code for code, text in enumerate(self.texts) if text in wanted]
        known = value_index(self.column.source)
        return [
            code
            for text in texts
            for code in known.equal(text_stems(text))
            if self.texts[code] == text
        ]

    @property
    def measured(self) -> bool:
        """Whether it is a number that says how much."""
        return self.numeric and not self.identifier

    @cached_property
    def amount(self) -> bool:
        """Whether it is a number that says how much, years aside: no label of anything."""
        if not self.measured:
            return False
        floats = self.encoded().floats
        years = self.kind is Kind.INTEGER and len(floats) > 0
        return not (years and bool(((floats >= FIRST_YEAR) & (floats <= LAST_YEAR)).all()))

    @cached_property
    def intensive(self) -> bool:
        """Whether it is a level, whose sum means nothing: a score, a rate, a mark on a scale."""
        named = set(name_words(self.name))
        return bool(named & lexicon().intensive) or _SCALE.search(self.name) is not None

    @cached_property
    def spans(self) -> Mapping[str, Span] | None:
        """The days that each text of a row stands for, where all are names of months or the like;
        what only a totals row says is none.
        """
        if self.kind is not Kind.TEXT or len(self.texts) > MAX_SPANS:
            return None
        held = [self.texts[code] for code in np.unique(self.codes).tolist() if code >= 0]
        return spans_of(held)

    @cached_property
    def items(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        """Where the cells hold several things each ("milk, egg"): by a thing's stems, the cells
        that hold it. Things that hardly ever come again are parts of a name, and no things.
        """
        if self.kind is not Kind.TEXT or not 1 < len(self.texts) <= MAX_LISTS:
            return {}
        held = [(text, _SEVERAL.split(" ".join(text.split()))) for text in self.texts]
        things = [(text_stems(thing), text) for text, several in held for thing in several]
        found: dict[tuple[str, ...], list[str]] = {}
        for stems, text in things:
            found.setdefault(stems, []).append(text)
        lists = sum(len(several) > 1 for _, several in held)
        short = all(len(stems) <= MAX_THING for stems in found)
        if 3 * lists < len(held) or len(found) > 0.7 * len(things) or not short:
            return {}
        return {stems: tuple(dict.fromkeys(texts)) for stems, texts in found.items() if stems}

    @cached_property
    def says_days(self) -> bool:
        """Whether texts are days of months that are told without a year: "3rd Sep". Their numbers
        neither order nor count anything.
        """
        some = self.texts[:: 1 + len(self.texts) // FEW_TEXTS]
        return 2 * sum(bool(_DAY_OF_MONTH.search(text)) for text in some) > len(some)

    @cached_property
    def runs(self) -> bool:
        """Whether texts that are spans stand in the order of time when sorted as texts."""
        if self.spans is None:
            return False
        ordered = [span for _, span in sorted(self.spans.items())]
        return ordered == sorted(ordered)

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
            return Encoded(self.codes, self.texts, self._places())
        read: Callable[[Value], Value | None] = _READERS[facet]
        values = [None if v is None else read(v) for v in self._typed()]
        return _factorise(self.codes, values)

    def _places(self) -> npt.NDArray[np.float64]:
        """By text: its place in time, where it has one."""
        if not self.runs or self.spans is None:
            return np.full(len(self.texts), np.nan)
        spans = map(self.spans.get, self.texts)
        return np.array([s[0].toordinal() if s else np.nan for s in spans], np.float64)

    def _typed(self) -> list[Value | None]:
        source = self.column.source
        forms = self.texts if source.canonical is None else source.canonical
        if self.kind is Kind.TEXT:
            return list(self.texts)
        parse: Callable[[str], Value] = _PARSERS[self.kind]
        return [None if form is None else parse(form) for form in forms]

    @cached_property
    def coded(self) -> bool:
        """Whether the texts are codes: "SO-1001", or "0420" among nothing but digits."""
        some = self.texts[:: 1 + len(self.texts) // FEW_TEXTS]
        led = any(text.startswith("0") and len(text) > 1 for text in some)
        if led and all(map(_DIGITS.fullmatch, some)):
            return True
        return 2 * sum(1 for text in some if _CODE.fullmatch(text)) > len(some)

    @cached_property
    def text_numbers(self) -> float:
        """The share of the distinct texts that hold one number, for text columns; codes hold none,
        nor do texts of several: a score, a stretch of years.

        The published texts of a column of numbers hold none beside it. Of many texts some are
        looked at, spread over the column.
        """
        if self.kind is not Kind.TEXT or not self.texts or self.column.as_text:
            return 0.0
        if self.coded:
            return 0.0
        some = self.texts[:: 1 + len(self.texts) // FEW_TEXTS]
        return sum(1 for text in some if len(_NUMBER.findall(text)) == 1) / len(some)

    @cached_property
    def numbers_names(self) -> bool:
        """Whether most texts are a name with its number: "Room 12", no "about 12"."""
        some = self.texts[:FEW_TEXTS] if self.kind is Kind.TEXT else ()
        return 2 * sum(_NUMBERED.fullmatch(text.strip()) is not None for text in some) > len(some)


_NUMBERED = re.compile(
    r"(?!(?:about|around|approx|approximately|circa|over|under|nearly|almost|some|up to)\b)"
    r"[^\W\d_]{3,}[^\d]*\s(?:no\.?\s*|#)?\d+",
    re.IGNORECASE,
)
_DAY_OF_MONTH = re.compile(
    r"\d\D{0,4}\b(?:" + "|".join(calendar.month_abbr[1:]) + ")", re.IGNORECASE
)


def _in_blocks(encoded: Encoded) -> bool:
    """Whether high numbers, one a row, mostly follow one another: orders 1001 to 1008, or rooms
    101 to 104 and 201 to 204. So number books, floors and aisles; amounts do not.
    """
    if not encoded.unique or len(encoded.values) < FEWEST_IN_BLOCKS:
        return False
    numbers = np.sort(encoded.floats[np.unique(encoded.codes[encoded.codes >= 0])])
    if numbers[0] < HIGH or FIRST_YEAR <= numbers[0] <= LAST_YEAR:
        return False
    return bool(2 * (np.diff(numbers) == 1).sum() > len(numbers) - 1)


def _without_marks(column: CatalogColumn, codes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """The codes of a column of texts, those of marks that stand for no value left out."""
    forms = column.source.canonical
    if column.kind is not Kind.TEXT or column.as_text or forms is None:
        return codes
    kept = [EMPTY if form is None else code for code, form in enumerate(forms)]
    return np.array([*kept, EMPTY], np.int32)[codes]


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
    if isinstance(value, str) and (iso := ISO_MONTH.fullmatch(value)):
        return f"{iso[1]}-Q{(int(iso[2]) + 2) // 3}"
    return f"{value.year}-Q{(value.month + 2) // 3}" if isinstance(value, dt.date) else None


def _month(value: Value) -> str | None:
    return f"{value.year:04d}-{value.month:02d}" if isinstance(value, dt.date) else None


def _month_of_year(value: Value) -> int | None:
    return value.month if isinstance(value, dt.date) else None


def _week(value: Value) -> str | None:
    if not isinstance(value, dt.date):
        return None
    year, week, _ = value.isocalendar()
    return f"{year:04d}-W{week:02d}"


def _day_of_week(value: Value) -> int | None:
    return value.isoweekday() if isinstance(value, dt.date) else None


def _weekday(value: Value) -> str | None:
    return WEEKDAYS[value.weekday()] if isinstance(value, dt.date) else None


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
    Facet.WEEK: _week,
    Facet.DAY_OF_WEEK: _day_of_week,
    Facet.WEEKDAY: _weekday,
}


def holds_years(column: ColumnData) -> bool:
    """Whether its numbers are years: they measure, and nothing adds them up."""
    return column.measured and not column.amount and column.unit is None


class TableData:
    """A relation's columns over the rows that SQL sees."""

    def __init__(self, columns: tuple[ColumnData, ...], row_count: int) -> None:
        self.columns = columns
        self.row_count = row_count


@kept
def table_data(table: CatalogTable) -> TableData:
    """The arrays of a table, made on first use and kept while the catalog entry lives."""
    rows = table.table.data_rows
    called = name_words(table.name)
    columns = (
        ColumnData(c, rows, leads=i == 0, called=name_words(c.name) == called)
        for i, c in enumerate(table.columns)
    )
    return TableData(tuple(columns), table.row_count)


def relation_data(relation: Relation) -> TableData:
    """The arrays of a relation; those of one table are kept, the last few joined ones too."""
    return _composed_data(relation) if relation.composed else table_data(relation.tables[0])


@kept_together(Relation.made_of, size=32)
def _composed_data(relation: Relation) -> TableData:
    positions = [np.arange(relation.tables[0].row_count)]
    for join in relation.joins:
        matches = _matches(relation.tables[join.left], relation.tables[join.right], join)
        positions.append(np.append(matches, -1)[positions[join.left]])
    kept = np.logical_and.reduce([found >= 0 for found in positions])
    columns = [
        ColumnData(column, table.table.data_rows[found[kept]], repeats=i > 0, leads=place == 0)
        for i, (table, found) in enumerate(zip(relation.tables, positions, strict=True))
        for place, column in enumerate(table.columns)
    ]
    if relation.computed is not None:
        rows = relation.tables[0].table.data_rows[positions[0][kept]]
        counts = relation.counted is not None
        columns.append(ColumnData(relation.computed, rows, counts=counts))
    return TableData(tuple(columns), int(kept.sum()))


def _matches(left: CatalogTable, right: CatalogTable, join: Join) -> npt.NDArray[np.int64]:
    """For each row of the left table, the row of the right one that it finds, else -1."""
    one, two = encoded_column(left, join.left_column), encoded_column(right, join.right_column)
    row_of = {two.values[code]: row for row, code in enumerate(two.codes.tolist()) if code >= 0}
    found = np.array([row_of.get(value, -1) for value in one.values] + [-1], np.int64)
    return found[one.codes]


def encoded_column(table: CatalogTable, name: str) -> Encoded:
    """The encoding of a column of a table, by its name."""
    index = next(i for i, column in enumerate(table.columns) if column.name == name)
    return table_data(table).columns[index].encoded()
