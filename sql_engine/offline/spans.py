"""Texts that each name a month, a quarter or a year: "2024-05", "May 2024", "Q1 2024", "Jan-24",
"Mrz 2023".

Takes the distinct texts of a column; gives the days that each stands for, so that "in May 2024" and
"since June" find their cells.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Sequence

from retrieval.word_forms import MONTH_OF
from sql_engine.offline.periods import periods

Span = tuple[dt.date, dt.date]
"""The first day, and the first that is not in it."""
MAX_TEXTS = 1000
ISO_MONTH = re.compile(r"(\d{4})-(\d{2})")
_SHORT_YEAR = re.compile(r"([a-z]{3,9})[-/ '’](\d{2})")
_YEAR_FIRST = re.compile(r"(\d{4})[-/ ]?(q[1-4])")
_LETTERS = re.compile(r"[^\W\d_]+")
_WHOLE = frozenset(["month", "quarter", "year"])
_ANY_DAY = dt.date(2000, 1, 1)
"""Only texts that tell their year are taken, so that no day of today's matters."""


def spans_of(texts: Sequence[str]) -> dict[str, Span] | None:
    """The span of each text; None where one names none."""
    if not texts or len(texts) > MAX_TEXTS:
        return None
    found = {}
    for text in texts:
        span = _span(text.strip().lower())
        if span is None:
            return None
        found[text] = span
    return found


def _in_english(word: re.Match[str]) -> str:
    """A month's name in English; another word as it is."""
    month = MONTH_OF.get(word[0])
    return calendar.month_name[month].lower() if month else word[0]


def _span(text: str) -> Span | None:
    if text.isdigit():
        return None
    text = _LETTERS.sub(_in_english, text)
    if short := _SHORT_YEAR.fullmatch(text):
        text = f"{short[1]} 20{short[2]}"
    elif first := _YEAR_FIRST.fullmatch(text):
        text = f"{first[2]} {first[1]}"
    named = periods(text, _ANY_DAY)
    if len(named) != 1 or (named[0].start, named[0].end) != (0, len(text)):
        return None
    period = named[0]
    whole = period.unit in _WHOLE and not period.relative and not period.yearless
    return (period.first, period.after) if whole else None
