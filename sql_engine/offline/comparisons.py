"""A bound that a question states, compared with one column: a number, a time of day or a date.

Takes a `Bounded` and a column; gives the condition, or None where the column cannot hold such a
value.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData
from sql_engine.offline.periods import OF_THE_WEEK, Period
from sql_engine.offline.question import NumberMention, PeriodMention
from sql_engine.offline.spans import Span
from sql_engine.offline.tree import Cmp, Col, Cond, Facet, In, Not, Within
from sql_engine.offline.unit_words import agree, column_scale, column_unit, converted


@dataclass(frozen=True)
class Bounded:
    """A comparison that the question states, before its column is known."""

    mask: int
    op: str
    low: NumberMention | PeriodMention
    high: NumberMention | PeriodMention | None = None
    aged: bool = False
    """Whether it says how old something is by when it came about: "older than 2019"."""


def number_condition(bounded: Bounded, index: int, column: ColumnData) -> Cond | None:
    """A bounded number against a column; None where its unit or its kind is another."""
    assert isinstance(bounded.low, NumberMention)
    if bounded.low.clock is not None:
        return _clock_condition(bounded, index, column)
    if column.kind is Kind.TIME:
        clocks = _on_the_clock(bounded)
        return None if clocks is None else _clock_condition(clocks, index, column)
    facet = _number_facet(column)
    if bounded.low.ordinal and facet is Facet.NUMBER and column.says_days:
        return None  # "first" of days without a year is no 1st
    value = _in_units_of(column, bounded.low)
    if facet is None or value is None:
        return None
    col = Col(index, facet)
    if bounded.op == "between":
        assert isinstance(bounded.high, NumberMention)
        high = _in_units_of(column, bounded.high)
        return None if high is None else Within(col, value, high, closed=True)
    if bounded.op == "=" and not np.any(column.encoded(facet).floats == value):
        return None
    return Cmp(col, bounded.op, value)


def _on_the_clock(bounded: Bounded) -> Bounded | None:
    """A bound in hours, minutes or seconds as one of clocks; None for other numbers."""
    low = _as_clock(bounded.low)
    high = None if bounded.high is None else _as_clock(bounded.high)
    if low is None or (high is None) != (bounded.high is None):
        return None
    return replace(bounded, low=low, high=high)


def _as_clock(number: NumberMention | PeriodMention) -> NumberMention | None:
    """A length of time as a clock shows it, for columns that tell lengths so: "under 2 hours"."""
    if not isinstance(number, NumberMention):
        return None
    factor = converted(number.unit, "seconds")
    seconds = number.value * factor if factor is not None else -1.0
    if not 0 <= seconds < 86400:
        return None
    time = (dt.datetime.min + dt.timedelta(seconds=seconds)).time()
    return replace(number, clock=time)


def _clock_condition(bounded: Bounded, index: int, column: ColumnData) -> Cond | None:
    """A time of day against a column of times."""
    low, high = bounded.low, bounded.high
    if column.kind is not Kind.TIME or not isinstance(low, NumberMention) or low.clock is None:
        return None
    col = Col(index)
    if bounded.op != "between":
        return Cmp(col, bounded.op, low.clock)
    told = isinstance(high, NumberMention) and high.clock is not None
    return Within(col, low.clock, high.clock, closed=True) if told else None  # type: ignore[union-attr, arg-type]


def scaled_as(
    low: NumberMention | PeriodMention, high: NumberMention | PeriodMention
) -> NumberMention | PeriodMention:
    """The lower bound with the magnitude and the unit that are told once, at the end: "5 to 8
    million", "between 10 and 20 minutes".
    """
    if not (isinstance(low, NumberMention) and isinstance(high, NumberMention)):
        return low
    low = low if low.unit else replace(low, unit=high.unit)
    if low.scale > 1 or low.value * high.scale > high.value:
        return low
    return replace(low, value=low.value * high.scale, scale=high.scale)


def _in_units_of(column: ColumnData, number: NumberMention) -> float | None:
    """A number as the column tells its own: "5 million" is 5 in "$ millions", 2 hours 120 minutes.

    None where the units differ, or where "20kg" meets a column without one.
    """
    if number.attached and not column_unit(column.unit):
        return None
    if not agree(number.unit, column.unit):
        factor = converted(number.unit, column.unit)
        return None if factor is None else number.value * factor
    scale = column_scale(column.unit)
    return number.value / scale if number.scale > 1 else number.value


def _number_facet(column: ColumnData) -> Facet | None:
    if column.numeric:
        return Facet.VALUE
    inside = column.text_numbers > 0.5 and column.spans is None
    return Facet.NUMBER if inside else None


def _month_condition(op: str, low: Period, high: Period, index: int) -> Cond | None:
    col, month = Col(index, Facet.MONTH_OF_YEAR), float(low.first.month)
    last = float(high.last_month)
    if high.unit != low.unit or month > last:
        return None
    match op:
        case ">" | "<=":
            return Cmp(col, op, last)
        case ">=" | "<":
            return Cmp(col, op, month)
        case "=" | "!=" if month == last:
            return Cmp(col, op, month)
    within = Within(col, month, last, closed=True)
    return Not(within) if op == "!=" else within


def _weekday_condition(bounded: Bounded, index: int) -> Cond | None:
    """Days of every week: "on a Monday", "not at weekends"."""
    assert isinstance(bounded.low, PeriodMention)
    days = bounded.low.period
    if bounded.op not in ("=", "!="):
        return None
    col, first = Col(index, Facet.DAY_OF_WEEK), float(days.first.isoweekday())
    last = first + (days.after - days.first).days - 1
    if first == last:
        return Cmp(col, bounded.op, first)
    within = Within(col, first, last, closed=True)
    return Not(within) if bounded.op == "!=" else within


def _as_column_tells(period: Period, column: ColumnData) -> Period | None:
    """A day in the year and the order of day and month that the column's dates have.

    None where neither the question nor the column tells which day is meant.
    """
    if period.swapped is not None:
        day_first = column.column.source.type.day_first
        if day_first is None:
            return None
        return period if day_first else period.swapped
    if period.yearless:
        years = {value.year for value in column.encoded().values if isinstance(value, dt.date)}
        if len(years) == 1:
            return period.in_year(years.pop())
        return period if period.first.year in years else None
    return period


def _cells_in_time(
    bounded: Bounded, index: int, column: ColumnData, spans: Mapping[str, Span]
) -> Cond | None:
    """The cells of months or the like that lie in a period, or on one side of it."""
    low = bounded.low.period  # type: ignore[union-attr]
    high = bounded.high.period if isinstance(bounded.high, PeriodMention) else low
    if OF_THE_WEEK in (low.unit, high.unit):
        return None
    if low.unit == high.unit == "month of the year" and (year := _only_year(spans)):
        low, high = low.in_year(year), high.in_year(year)
    if low.swapped is not None or low.yearless or "month of the year" in (low.unit, high.unit):
        return _cells_of_month(bounded.op, low, high, index, spans)
    sides: dict[str, Callable[[dt.date, dt.date], bool]] = {
        "=": lambda first, after: first >= low.first and after <= low.after,
        "between": lambda first, after: first >= low.first and after <= high.after,
        ">": lambda first, _: first >= low.after,
        ">=": lambda first, _: first >= low.first,
        "<": lambda _, after: after <= low.first,
        "<=": lambda _, after: after <= low.after,
    }
    fits = sides.get(bounded.op)
    texts = tuple(text for text, span in spans.items() if fits and fits(*span))
    return In(Col(index), texts) if texts else None


def _only_year(spans: Mapping[str, Span]) -> int | None:
    """The year that all spans lie in."""
    years = {
        day.year for first, after in spans.values() for day in (first, after - dt.timedelta(days=1))
    }
    return years.pop() if len(years) == 1 else None


def _cells_of_month(
    op: str, low: Period, high: Period, index: int, spans: Mapping[str, Span]
) -> Cond | None:
    """The cells of months that are told without their year: those of every year."""
    if low.unit != "month of the year" or high.unit != low.unit or op not in ("=", "between"):
        return None
    months = range(low.first.month, high.last_month + 1)
    texts = tuple(text for text, span in spans.items() if _is_month(span, months))
    return In(Col(index), texts) if texts else None


def _is_month(span: Span, months: range) -> bool:
    first, after = span
    return first.month in months and (after - first).days <= 31


def time_condition(bounded: Bounded, index: int, column: ColumnData) -> Cond | None:
    """A bounded stretch of time against a column; None where the column tells none."""
    assert isinstance(bounded.low, PeriodMention)
    if column.spans is not None:
        return _cells_in_time(bounded, index, column, column.spans)
    if not column.temporal:
        return None
    low = _as_column_tells(bounded.low.period, column)
    high = low
    if isinstance(bounded.high, PeriodMention):
        high = _as_column_tells(bounded.high.period, column)
    if low is None or high is None:
        return None
    if OF_THE_WEEK in (low.unit, high.unit):
        return _weekday_condition(bounded, index)
    if low.unit == "month of the year":
        return _month_condition(bounded.op, low, high, index)
    col = Col(index)
    label = f"{low.first.isoformat()}"
    match bounded.op:
        case "=":
            return Within(col, low.first, low.after, label=label)
        case "between":
            return Within(col, low.first, high.after, label=label)
        case ">":
            return Cmp(col, ">=", low.after)
        case ">=":
            return Cmp(col, ">=", low.first)
        case "<":
            return Cmp(col, "<", low.first)
        case "<=":
            return Cmp(col, "<", low.after)
    return Not(Within(col, low.first, low.after, label=label))
