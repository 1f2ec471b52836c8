"""What of a result is drawn: one column of numbers over its labels, as a series or as groups.

Takes columns and rows; gives a `Chart`, or raises UsageError where there is nothing to draw. A
series needs labels that stand in time (dates, months, years) or numbers, each once for a line.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from router.answer import Row
from router.errors import UsageError, nearest
from router.json_values import to_text
from router.wording import as_read, counted

MAX_POINTS = 2_000
MAX_LINES = 6
FEWEST_POINTS = 3
"""Fewer points than this are groups, whatever their labels."""
_MONTH = re.compile(r"(\d{4})-(\d{2})")
_QUARTER = re.compile(r"(\d{4})[- ]?Q([1-4])")
_YEARS = range(1000, 3000)

Place = float | dt.datetime
"""Where a point stands along the horizontal axis."""


@dataclass(frozen=True)
class Line:
    """One line of a series, in order; `name` tells it from the others."""

    name: str
    points: tuple[tuple[Place, float], ...]


@dataclass(frozen=True)
class Chart:
    """A result ready to draw."""

    measure: str
    over: str
    """What the labels are."""
    bars: tuple[tuple[str, float, str], ...]
    """Label, value, and the value as published, a row each."""
    lines: tuple[Line, ...] = ()
    """The same as a series; none where the rows are groups."""
    left_out: str = ""
    """What is not drawn, in words."""


def chart_of(columns: Sequence[str], rows: Sequence[Row], column: str | None = None) -> Chart:
    """The chart of a result.

    Raises:
        UsageError: there is no numeric column, or `column` is not one.
    """
    measure = _measure(columns, rows, column)
    labels = [i for i in range(len(columns)) if i != measure and not _is_measure(rows, i)]
    labels = labels or [i for i in range(len(columns)) if i != measure][:1]
    drawn = [row for row in rows if row[measure] is not None][:MAX_POINTS]
    missing = len(rows) - len(drawn)
    bars = tuple(
        (_label(row, labels), float(row[measure]), as_read(row[measure]) or "") for row in drawn
    )
    return Chart(
        measure=columns[measure],
        over=", ".join(columns[i] for i in labels) or "row",
        bars=bars,
        lines=_lines(drawn, labels, measure),
        left_out=f"{counted(missing)} without a value or beyond {MAX_POINTS:,} not drawn"
        if missing
        else "",
    )


def _measure(columns: Sequence[str], rows: Sequence[Row], wanted: str | None) -> int:
    numeric = [i for i in range(len(columns)) if _is_numeric(rows, i)]
    if wanted is not None:
        found = [i for i in numeric if columns[i].casefold() == wanted.casefold()]
        if not found:
            close = nearest(wanted, [columns[i] for i in numeric])
            meant = f"Did you mean {close[0]}? " if close else ""
            told = ", ".join(columns[i] for i in numeric) or "none"
            raise UsageError(
                f'no numeric column "{wanted}"', hint=f"{meant}Numeric columns: {told}."
            )
        return found[0]
    measures = [i for i in numeric if _is_measure(rows, i)] or numeric
    if not measures:
        raise UsageError(
            "no numeric column to draw", hint="A chart needs one column of numbers and its labels."
        )
    return measures[-1]


def _is_numeric(rows: Sequence[Row], index: int) -> bool:
    values = [row[index] for row in rows if row[index] is not None]
    return bool(values) and all(_is_number(value) for value in values)


def _is_measure(rows: Sequence[Row], index: int) -> bool:
    """Whether a column is drawn rather than a label: numbers that are not all years."""
    if not _is_numeric(rows, index):
        return False
    values = [row[index] for row in rows if row[index] is not None]
    return not all(isinstance(v, int) and v in _YEARS for v in values) or len(rows[0]) == 1


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _label(row: Row, labels: Sequence[int]) -> str:
    return " · ".join("<null>" if row[i] is None else to_text(row[i]) or "" for i in labels)


def _lines(rows: Sequence[Row], labels: Sequence[int], measure: int) -> tuple[Line, ...]:
    """The rows as lines over time; none where a label is no time or stands twice on a line."""
    for along in labels:
        places = [_place(row[along]) for row in rows]
        if None in places or len({type(p) for p in places}) != 1:
            continue
        others = [i for i in labels if i != along]
        found: dict[str, dict[Place, float]] = {}
        for row, place in zip(rows, places, strict=True):
            line = found.setdefault(_label(row, others), {})
            if place is None or place in line:
                return ()
            line[place] = float(row[measure])
        if len(found) > MAX_LINES or max(map(len, found.values()), default=0) < FEWEST_POINTS:
            return ()
        return tuple(Line(name, tuple(sorted(line.items()))) for name, line in found.items())
    return ()


def _place(value: object) -> Place | None:
    """A date, month, quarter or year as a moment; None for what stands nowhere in time."""
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, dt.date):
        return dt.datetime(value.year, value.month, value.day)
    if isinstance(value, int) and not isinstance(value, bool) and value in _YEARS:
        return dt.datetime(value, 1, 1)
    if isinstance(value, str):
        if (month := _MONTH.fullmatch(value)) and 1 <= int(month[2]) <= 12:
            return dt.datetime(int(month[1]), int(month[2]), 1)
        if quarter := _QUARTER.fullmatch(value):
            return dt.datetime(int(quarter[1]), int(quarter[2]) * 3 - 2, 1)
    return None
