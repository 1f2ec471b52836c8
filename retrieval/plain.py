"""Columns written plainly: all integers, all decimals, all ISO dates, or nothing like a value.

Decides such a column with a few passes of a pattern over all its texts at once, where reading each
text by the full grammar would take a hundred times as long. Gives None where the grammar must read.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.dates import CALENDAR_START
from retrieval.table import ColumnType, Kind
from retrieval.units import CURRENCY

LONG_DIGITS = 16
"""Integers of this many digits or more are identifiers: no one counts with them."""

_LONGEST_FRACTION = 9
_OTHER_THAN_DAY = re.compile(r"^(?!\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$)", re.MULTILINE)
_END, _PLUS, _MINUS, _POINT, _ZERO, _NINE = b"\n+-.09"
_COMPACT_DATE = re.compile(r"((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
_FEWEST_COMPACT = 3
"""Distinct numbers of eight digits that are not all days of the calendar by chance."""

ABOUT = r"(?:[~≈∼]|(?:ca|circa|approx|env|etwa|about)\b\.?|c\.)"
"""Pattern of what stands before a number that is not exact."""

_CANDIDATE = re.compile(
    rf"[-+−–(.,\d¼½¾⅓⅔⅛⅜⅝⅞⅕⅖⅗⅘⅙⅚~≈∼]|ca[\s.]|circ|abou|c\.|appr|env[\s.]|etwa"
    rf"|{CURRENCY}|{CALENDAR_START}",
    re.IGNORECASE,
)
"""How a text must begin to be a number, a date or a time: told by its first few characters."""
_LATE_DAYS = re.compile(r"^\d{4}-\d\d-(?:29|3[01])$", re.MULTILINE)


def may_begin_value(text: str) -> bool:
    """Whether a text begins like a number, a date or a time."""
    return _CANDIDATE.match(text) is not None


def none_is_value(texts: Sequence[str]) -> bool:
    """Whether no text even begins like a number, a date or a time."""
    if any(map(_CANDIDATE.match, texts[:20])):
        return False
    starts = {text[:4] for text in texts}
    return not any(map(_CANDIDATE.match, starts))


@dataclass(frozen=True)
class Lines:
    """A column's distinct texts as the lines of one text."""

    text: str
    count: int

    @staticmethod
    def of(texts: Sequence[str]) -> Lines | None:
        """None where a text has line breaks of its own."""
        joined = "\n".join(texts)
        return None if joined.count("\n") != len(texts) - 1 else Lines(joined, len(texts))

    def digits(self) -> tuple[int, int] | None:
        """The most digits before and after a decimal point, where every line is plainly a number:
        no mark of thousands, no leading zero, no more digits than one counts with. None elsewhere.
        """
        if not self.text.isascii():
            return None
        signs = np.frombuffer(f"{self.text}\n".encode(), np.uint8)
        marks = np.flatnonzero((signs < _ZERO) | (signs > _NINE))
        kinds = signs[marks]
        ends, points = marks[kinds == _END], marks[kinds == _POINT]
        firsts = np.concatenate([[0], ends[:-1] + 1])
        signed = (signs[firsts] == _PLUS) | (signs[firsts] == _MINUS)
        if len(ends) + len(points) + int(signed.sum()) < len(marks):
            return None
        lines = np.searchsorted(ends, points)
        if bool((np.diff(lines) == 0).any()):
            return None
        firsts += signed
        wholes = ends.copy()
        wholes[lines] = points
        zeros = (signs[firsts] == _ZERO) & (wholes - firsts > 1)
        fractions = ends[lines] - points - 1
        most, scale = int((wholes - firsts).max()), int(fractions.max(initial=0))
        sound = int((wholes - firsts).min()) > 0 and int(fractions.min(initial=1)) > 0
        if not sound or zeros.any() or most >= LONG_DIGITS or scale > _LONGEST_FRACTION:
            return None
        return most, scale


def plain_number(lines: Lines) -> ColumnType | None:
    """The type of a column of integers or decimals without any mark; None where it is not one."""
    digits = lines.digits()
    if digits is None:
        return None
    most, scale = digits
    if not scale:
        return ColumnType(Kind.INTEGER)
    return ColumnType(Kind.DECIMAL, precision=max(18, most + scale), scale=scale)


def plain_dates(lines: Lines) -> bool:
    """Whether every line is an ISO date that exists."""
    dated = _OTHER_THAN_DAY.search(lines.text) is None
    return dated and all(map(_exists, _LATE_DAYS.findall(lines.text)))


def compact_dates(texts: Sequence[str]) -> list[str] | None:
    """The ISO dates of texts like "20240305"; None where one is no such day, or they are few."""
    if len(texts) < _FEWEST_COMPACT or _COMPACT_DATE.fullmatch(texts[0]) is None:
        return None
    found = [_COMPACT_DATE.fullmatch(text) for text in texts]
    dates = ["-".join(match.groups()) for match in found if match is not None]
    return dates if len(dates) == len(texts) and all(map(_exists, dates)) else None


def _exists(text: str) -> bool:
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True
