"""Dates and stretches of time that a question names.

Takes text and today's date; gives `Period`s with character offsets: half-open, in days. Relative
time ("last month") counts from `today`, never from the data.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
OF_THE_WEEK = "day of the week"
"""The unit of days that come again each week."""
_WEEKDAYS = {f"{name.lower()}{s}": (i, 1) for i, name in enumerate(WEEKDAYS) for s in ("", "s")}
_WEEKDAYS |= {"weekends": (5, 2), "weekend": (5, 2), "weekdays": (0, 5)}
"""By name: the first day from Monday on, and how many."""
MONTHS = {name.lower(): i for i, name in enumerate(calendar.month_name) if name}
MONTHS |= {name.lower(): i for i, name in enumerate(calendar.month_abbr) if name}
MONTHS["sept"] = 9
_MONTH = "(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:1[5-9]|20)\d{2})"


@dataclass(frozen=True)
class Period:
    """A stretch of days that the question names."""

    start: int
    end: int
    """Character offsets in the question, end exclusive."""
    first: dt.date
    after: dt.date
    """The first day that is not in it."""
    unit: str
    """"day", "month", "quarter", "year", "span"; "month of the year" where no year is told, of one
    month or several; "day of the week" for those of every week."""
    relative: bool = False
    yearless: bool = False
    """A day whose year is not told: that of `today`, unless the data is of one other year."""
    swapped: Period | None = None
    """The other reading of a date whose day and month may change places: "03/02/2025"."""

    def in_year(self, year: int) -> Period:
        """The same days of another year; a 29 February that it lacks is none of its days."""
        if self.unit == _OF_THE_YEAR:
            after = self.after.replace(year=year + self.after.year - self.first.year)
        else:
            last = self.after - dt.timedelta(days=1)
            moved = _moved(last, year + last.year - self.first.year)
            after = moved + dt.timedelta(days=moved.month == last.month)
        return replace(
            self,
            first=_moved(self.first, year),
            after=after,
            yearless=False,
            unit="month" if self.unit == _OF_THE_YEAR else self.unit,
        )

    @property
    def last_month(self) -> int:
        """The month that its last day is in."""
        return (self.after - dt.timedelta(days=1)).month

    @property
    def year_only(self) -> bool:
        """A year told as four digits: it may as well be a plain number."""
        return self.unit == "year" and not self.relative


def _moved(day: dt.date, year: int) -> dt.date:
    """The day in another year; 1 March for a 29 February that it lacks."""
    return dt.date(year, day.month, 1) + dt.timedelta(days=day.day - 1)


def periods(text: str, today: dt.date) -> list[Period]:
    """All periods of a text; where two overlap, the longer."""
    found: list[Period] = []
    for pattern, read in _PATTERNS:
        for match in pattern.finditer(text.lower()):
            period = _read(read, match, today)
            if period and not any(p.start < period.end and period.start < p.end for p in found):
                found.append(period)
    return _with_years(text.lower(), sorted(found, key=lambda p: p.start))


def _with_years(text: str, found: list[Period]) -> list[Period]:
    """The first day or month of a range in the year told with the last: "1 May to 3 June 2024"."""
    for i, (low, high) in enumerate(pairwise(found)):
        told = not (high.relative or high.yearless or high.unit == _OF_THE_YEAR)
        open_ = low.yearless or low.unit == _OF_THE_YEAR
        if open_ and told and _JOIN.fullmatch(text[low.end : high.start]):
            year = high.first.year
            later = (low.first.month, low.first.day) > (high.first.month, high.first.day)
            found[i] = low.in_year(year - later)
    return found


_JOIN = re.compile(r"\s*(?:and|to|until|till|through|[-–—])\s*(?:the\s+)?")
_OF_THE_YEAR = "month of the year"


Reader = Callable[[re.Match[str], dt.date], tuple[dt.date, dt.date, str, bool]]


def _read(read: Reader, match: re.Match[str], today: dt.date) -> Period | None:
    try:
        first, after, unit, relative = read(match, today)
    except (ValueError, OverflowError):
        return None
    period = Period(match.start(), match.end(), first, after, unit, relative)
    if read is _day_of_month or (read is _days and not match["year"]):
        return replace(period, yearless=True)
    if read is _day_first and "/" in match[0] and first.day <= 12 and first.day != first.month:
        return replace(period, swapped=_read(_month_first, match, today))
    return period


def _day(year: int, month: int, day: int) -> tuple[dt.date, dt.date, str, bool]:
    first = dt.date(year, month, day)
    return first, first + dt.timedelta(days=1), "day", False


def _days(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    """Days of one month that is told once: "between 4 and 6 June"."""
    year, month = int(m["year"] or today.year), MONTHS[m["month"]]
    first, last = dt.date(year, month, int(m["day"])), dt.date(year, month, int(m["last"]))
    if last < first:
        raise ValueError("a range runs forwards")
    return first, last + dt.timedelta(days=1), "span", False


def _iso(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    return _day(int(m["year"]), int(m["m"]), int(m["day"]))


def _written(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    return _day(int(m["year"]), MONTHS[m["month"]], int(m["day"]))


def _day_of_month(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    return _day(today.year, MONTHS[m["month"]], int(m["day"]))


def _day_first(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    day, month = int(m["one"]), int(m["two"])
    return _day(int(m["year"]), month, day) if month <= 12 else _month_first(m, today)


def _month_first(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    return _day(int(m["year"]), int(m["one"]), int(m["two"]))


def add_months(day: dt.date, count: int) -> dt.date:
    """The first of the month `count` months from `day`'s month."""
    index = day.year * 12 + day.month - 1 + count
    return dt.date(index // 12, index % 12 + 1, 1)


def _months(first: dt.date, count: int, unit: str) -> tuple[dt.date, dt.date, str, bool]:
    return first, add_months(first, count), unit, False


def _month(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    return _months(dt.date(int(m["year"]), MONTHS[m["month"]], 1), 1, "month")


def _iso_month(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    return _months(dt.date(int(m["year"]), int(m["m"]), 1), 1, "month")


def _years(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    first, last = dt.date(int(m["year"]), 1, 1), dt.date(int(m["until"]), 1, 1)
    if last <= first:
        raise ValueError("a range runs forwards")
    return first, last.replace(year=last.year + 1), "span", False


def _part_of_year(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    first, count = _PARTS[m["part"]]
    return _months(dt.date(int(m["year"]), first, 1), count, "quarter" if count == 3 else "span")


def _part_alone(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    first, count = _PARTS[m["part"]]
    return _months(dt.date(today.year, first, 1), count, _OF_THE_YEAR)


def _half_of_month(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    """Its first fifteen days, or the rest."""
    first = dt.date(int(m["year"]), MONTHS[m["month"]], 1)
    middle = first.replace(day=16)
    if m["half"] in ("first", "1st"):
        return first, middle, "span", False
    return middle, add_months(first, 1), "span", False


def _year(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    year = int(m["year"])
    return dt.date(year, 1, 1), dt.date(year + 1, 1, 1), "year", False


def _month_alone(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    first = dt.date(today.year, MONTHS[m["month"]], 1)
    return _months(first, 1, _OF_THE_YEAR)


def _day_of_week(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    start, count = _WEEKDAYS[m["weekday"]]
    first = _unit_start("week", today, 0) + dt.timedelta(days=start)
    return first, first + dt.timedelta(days=count), OF_THE_WEEK, False


def _relative_day(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    first = today + dt.timedelta(days={"today": 0, "yesterday": -1, "tomorrow": 1}[m["word"]])
    return first, first + dt.timedelta(days=1), "day", True


def _unit_start(unit: str, today: dt.date, count: int) -> dt.date:
    if unit == "day":
        return today + dt.timedelta(days=count)
    if unit == "week":
        return today - dt.timedelta(days=today.weekday()) + dt.timedelta(weeks=count)
    if unit == "month":
        return add_months(today, count)
    if unit == "quarter":
        return add_months(dt.date(today.year, (today.month - 1) // 3 * 3 + 1, 1), count * 3)
    return dt.date(today.year + count, 1, 1)


def _relative_unit(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    shift = {"last": -1, "previous": -1, "past": -1, "this": 0, "current": 0, "next": 1}[m["which"]]
    unit = m["unit"]
    return _unit_start(unit, today, shift), _unit_start(unit, today, shift + 1), unit, True


def _past_units(m: re.Match[str], today: dt.date) -> tuple[dt.date, dt.date, str, bool]:
    count = int(_NUMBERS.get(m["count"], m["count"]))
    after = today + dt.timedelta(days=1)
    if m["unit"] in ("day", "week"):
        days = count * (7 if m["unit"] == "week" else 1)
        return after - dt.timedelta(days=days), after, "span", True
    months = count * {"month": 1, "quarter": 3, "year": 12}[m["unit"]]
    start = add_months(today, -months)
    last = calendar.monthrange(start.year, start.month)[1]
    return start.replace(day=min(today.day, last)) + dt.timedelta(days=1), after, "span", True


_ORDINALS = (("first", "1st"), ("second", "2nd"), ("third", "3rd"), ("fourth", "4th"))
_PARTS = {
    name: (number * months + 1, months)
    for noun, short, months in (("quarter", "q", 3), ("half", "h", 6))
    for number, ordinals in enumerate(_ORDINALS[: 12 // months])
    for name in (f"{short}{number + 1}", *(f"{ordinal} {noun}" for ordinal in ordinals))
}
"""By name of a part of the year: its first month, and how many it has."""
_LAST_PARTS = {"last quarter": (10, 3), "last half": (7, 6)}
_PARTS |= _LAST_PARTS
_NUMBERS = {
    word: i
    for i, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight"]
    )
}
_NUMBERS |= {"nine": 9, "ten": 10, "twelve": 12, "thirty": 30, "ninety": 90}
_UNTIL = r"(?P<until>(?:1[5-9]|20)\d{2})"
_UNIT = r"(?P<unit>day|week|month|quarter|year)"
_WEEKDAY = rf"(?P<weekday>{'|'.join(sorted(_WEEKDAYS, key=len, reverse=True))})"
_PART = rf"(?P<part>{'|'.join(_PARTS)})"
_PART_ALONE = rf"(?P<part>{'|'.join(name for name in _PARTS if name not in _LAST_PARTS)})"
_LAST = r"(?P<last>\d{1,2})(?:st|nd|rd|th)?"
_TO = r"\s*(?:to|till|until|through|[-–—])\s*(?:the\s+)?"
_BETWEEN = r"between\s+(?:the\s+)?"
_AND = r"\s+and\s+(?:the\s+)?"
_OF_NO_YEAR = r"(?!\s+of\s+(?!(?:the|this|last|next|each|every)\s+year\b))"
"""What follows a part of the year, which is none in "the first half of June", "of the match"."""
_NO_MONTH = r"(?!\s+[a-z]{3,9}\s+\d)"
_MAYBE_YEAR = rf"(?:\s*,?\s+{_YEAR})?\b(?![/-]\d)"
_PATTERNS: list[tuple[re.Pattern[str], Reader]] = [
    (re.compile(rf"\b{_BETWEEN}{_DAY}{_AND}{_LAST}\s+(?:of\s+)?{_MONTH}{_MAYBE_YEAR}"), _days),
    (re.compile(rf"\b{_BETWEEN}{_MONTH}\s+{_DAY}{_AND}{_LAST}{_MAYBE_YEAR}"), _days),
    (
        re.compile(
            rf"\b(?:from\s+)?(?:the\s+)?{_DAY}{_TO}{_LAST}\s+(?:of\s+)?{_MONTH}{_MAYBE_YEAR}"
        ),
        _days,
    ),
    (
        re.compile(rf"\b(?:from\s+)?{_MONTH}\s+{_DAY}{_TO}{_LAST}{_NO_MONTH}{_MAYBE_YEAR}"),
        _days,
    ),
    (re.compile(rf"\b{_YEAR}[-/.](?P<m>\d{{1,2}})[-/.](?P<day>\d{{1,2}})\b"), _iso),
    (re.compile(rf"\b{_MONTH}\s+{_DAY}\b\s*,?\s+{_YEAR}\b"), _written),
    (re.compile(rf"\b{_DAY}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}\b"), _written),
    (
        re.compile(rf"\b(?P<half>first|1st|second|2nd|last)\s+half\s+of\s+{_MONTH},?\s+{_YEAR}\b"),
        _half_of_month,
    ),
    (re.compile(rf"\b{_PART}[\s/-]+(?:of\s+)?{_YEAR}\b"), _part_of_year),
    (re.compile(rf"\b{_YEAR}[\s/-]*{_PART}\b"), _part_of_year),
    (re.compile(rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}\b"), _month),
    (re.compile(rf"\b{_YEAR}-(?P<m>0[1-9]|1[0-2])\b"), _iso_month),
    (re.compile(rf"(?<![\d./-])(?P<m>0[1-9]|1[0-2])/{_YEAR}\b(?![/-]\d)"), _iso_month),
    (
        re.compile(rf"(?<![\d./-]){_YEAR}\s?[-\u2013]\s?(?P<until>(?:1[5-9]|20)\d\d)\b(?![/-]\d)"),
        _years,
    ),
    (
        re.compile(
            rf"\b(?:last|past|previous)\s+(?P<count>\d{{1,4}}|{'|'.join(_NUMBERS)})\s+{_UNIT}s?\b"
        ),
        _past_units,
    ),
    (re.compile(rf"\b(?P<which>last|previous|past|this|current|next)\s+{_UNIT}\b"), _relative_unit),
    (re.compile(r"\b(?P<word>today|yesterday|tomorrow)\b"), _relative_day),
    (re.compile(rf"\b(?P<one>\d{{1,2}})([./])(?P<two>\d{{1,2}})\2{_YEAR}\b"), _day_first),
    (re.compile(rf"\b{_MONTH}\s+{_DAY}\b(?!\s*,?\s*\d)"), _day_of_month),
    (re.compile(rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}\b"), _day_of_month),
    (re.compile(rf"\b(?<![\d.,/-]){_YEAR}\b(?![/-]\d|[.,]\d)"), _year),
    (re.compile(rf"(?<!the )\b{_MONTH}(?=\W|$)"), _month_alone),
    (re.compile(rf"(?<!last )(?<!next )(?<!this )(?<!per )\b{_WEEKDAY}\b"), _day_of_week),
    (re.compile(rf"\b{_PART_ALONE}\b{_OF_NO_YEAR}"), _part_alone),
]
