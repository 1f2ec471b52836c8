"""The typed trees that a question is read as: conditions, row sets, and what is made of them.

Values only; `evaluate.py` computes them over arrays, `to_sql.py` writes them as SQL, `reading.py`
says them in words. A column is named by table and position so that a tree can be hashed and its
parts shared.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum


class Facet(StrEnum):
    """A way to read a column's cells."""

    VALUE = "value"
    NUMBER = "number"
    """The first number inside a text."""
    YEAR = "year"
    QUARTER = "quarter"
    """"2024-Q2"."""
    MONTH = "month"
    """"2024-05"."""
    DAY = "day"
    WEEK = "week"
    """"2024-W18"."""
    MONTH_OF_YEAR = "month of the year"
    """1 to 12."""
    DAY_OF_WEEK = "day of the week"
    """1 for Monday to 7."""
    WEEKDAY = "weekday"
    """"Monday"."""


@dataclass(frozen=True, slots=True)
class Col:
    """A column of the relation's n-th table, read through a facet."""

    index: int
    facet: Facet = Facet.VALUE
    table: int = 0


Bound = float | dt.date | dt.datetime | dt.time | str


@dataclass(frozen=True, slots=True)
class In:
    """The published text is one of these."""

    col: Col
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cmp:
    """The value compares so with a bound. `op`: =, !=, <, <=, >, >=."""

    col: Col
    op: str
    bound: Bound


@dataclass(frozen=True, slots=True)
class Within:
    """A date or number from `low` (included) to `high` (excluded unless `closed`)."""

    col: Col
    low: Bound
    high: Bound
    closed: bool = False
    label: str = ""
    """How the question said it: "March 2024"."""


@dataclass(frozen=True, slots=True)
class Filled:
    """The cell has a value."""

    col: Col


@dataclass(frozen=True, slots=True)
class Not:
    """The condition does not hold; a row without a value counts as not holding."""

    cond: Cond


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one condition holds."""

    conds: tuple[Cond, ...]


@dataclass(frozen=True, slots=True)
class Beyond:
    """The value compares so with a number that is itself computed."""

    col: Col
    op: str
    bound: Agg


@dataclass(frozen=True, slots=True)
class Against:
    """The value compares so with that of another column in the same row: "below its minimum"."""

    col: Col
    op: str
    other: Col


@dataclass(frozen=True, slots=True)
class NoneOf:
    """The row's key is given, and the condition holds for no row that has the same key."""

    key: Col
    cond: Cond


@dataclass(frozen=True, slots=True)
class Shares:
    """The value is one that the column has in some other rows: "in the same city as Ann"."""

    col: Col
    rows: Rows
    others: bool = True
    """Whether those rows themselves are left out."""


Cond = In | Cmp | Within | Filled | Not | AnyOf | Beyond | Against | NoneOf | Shares


@dataclass(frozen=True, slots=True)
class All:
    """All rows of the relation."""


@dataclass(frozen=True, slots=True)
class Where:
    """The rows for which all conditions hold."""

    rows: Rows
    conds: tuple[Cond, ...]


@dataclass(frozen=True, slots=True)
class Top:
    """The `n` rows with the largest or smallest key, with all that tie at the cut; where `single`,
    those with the n-th of the different keys alone. With `within`, so many of each group.
    """

    rows: Rows
    key: Col
    largest: bool
    n: int = 1
    single: bool = False
    within: Col | None = None
    """The column whose values part the rows: "the largest batch of each style"."""


@dataclass(frozen=True, slots=True)
class Slice:
    """The first or last `n` rows as published, or the n-th alone (`single`)."""

    rows: Rows
    n: int = 1
    from_end: bool = False
    single: bool = False


@dataclass(frozen=True, slots=True)
class Shift:
    """The rows that stand `by` places after (before, when negative) these in the table, without
    these themselves.
    """

    rows: Rows
    by: int


@dataclass(frozen=True, slots=True)
class Once:
    """Of the rows with the same keys, the first as published."""

    rows: Rows
    keys: tuple[Col, ...]


Rows = All | Where | Top | Slice | Shift | Once


@dataclass(frozen=True, slots=True)
class Values:
    """The cells of some columns, a row each; no columns means all."""

    rows: Rows
    cols: tuple[Col, ...]
    distinct: bool = False
    order: Col | None = None
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Agg:
    """One number: count, distinct, sum, mean, median, max, min. Only count has no column."""

    fn: str
    rows: Rows
    col: Col | None = None


@dataclass(frozen=True, slots=True)
class Measure:
    """What is computed for each group; `col` is None for rows: their count, or share of all."""

    fn: str
    col: Col | None = None


@dataclass(frozen=True, slots=True)
class Grouped:
    """A row for each distinct key: the keys and, where `show`, the measures."""

    rows: Rows
    keys: tuple[Col, ...]
    measures: tuple[Measure, ...]
    having: tuple[tuple[str, float], ...] = ()
    """Comparisons with numbers: the first of the first measure, the second of the second."""
    largest: bool | None = None
    """Ordered by the first measure, descending when True; None: by the keys."""
    n: int | None = None
    """Keep the first `n` groups in that order, and all that tie at the cut."""
    show: bool = True
    """Whether the measures are put out."""
    show_keys: bool = True
    keys_down: bool = False
    """Whether groups that are ordered by their keys run from the last to the first."""

    @property
    def of_filled(self) -> bool:
        """Whether rows without a key are left out: where groups are named or ranked."""
        return not self.show or bool(self.largest and self.n)


@dataclass(frozen=True, slots=True)
class Tally:
    """How many groups there are."""

    groups: Grouped

    @property
    def rows(self) -> Rows:
        """The rows that are grouped."""
        return self.groups.rows


@dataclass(frozen=True, slots=True)
class Arith:
    """Two numbers made one. `op`: "-", "|-|" (absolute), "+", "/", "%" (share, in percent)."""

    op: str
    left: Scalar
    right: Scalar


@dataclass(frozen=True, slots=True)
class Holds:
    """Whether two numbers compare so: a truth value."""

    op: str
    left: Scalar
    right: Scalar | float


@dataclass(frozen=True, slots=True)
class Number:
    """A constant."""

    value: float


Scalar = Agg | Arith | Values | Number
Tree = Values | Agg | Grouped | Tally | Arith | Holds
