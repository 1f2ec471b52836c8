"""Columns written plainly: all integers, all decimals, all ISO dates, or nothing like a value.

Decides such a column with a few passes of a pattern over all its texts at once, where reading each
text by the full grammar would take a hundred times as long. Gives None where the grammar must read.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.dates import CALENDAR_START
from retrieval.table import ColumnType, Kind
from retrieval.units import CURRENCY

LONG_DIGITS = 16
"""Integers of this many digits or more are identifiers: no one counts with them."""

_ALL_INTEGERS = r"[+-]?(?:0|[1-9]\d{0,14})"
_ALL_DECIMALS = r"[+-]?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?"
_ALL_DATES = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
_COMPACT_DATE = re.compile(r"((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
_FEWEST_COMPACT = 3
"""Distinct numbers of eight digits that are not all days of the calendar by chance."""

_OTHER_THAN = {
    kind: re.compile(rf"^(?!{pattern}$)", re.MULTILINE)
    for kind, pattern in (
        (Kind.INTEGER, _ALL_INTEGERS),
        (Kind.DECIMAL, _ALL_DECIMALS),
        (Kind.DATE, _ALL_DATES),
    )
}
ABOUT = r"(?:[~≈∼]|(?:ca|circa|approx|env|etwa|about)\b\.?|c\.)"
"""Pattern of what stands before a number that is not exact."""

_CANDIDATE = re.compile(
    rf"[-+−–(.,\d¼½¾⅓⅔⅛⅜⅝⅞⅕⅖⅗⅘⅙⅚~≈∼]|ca[\s.]|circ|abou|c\.|appr|env[\s.]|etwa"
    rf"|{CURRENCY}|{CALENDAR_START}",
    re.IGNORECASE,
)
"""How a text must begin to be a number, a date or a time: told by its first few characters."""
_FRACTIONS = re.compile(r"\.(\d+)")
_WHOLES = re.compile(r"^[+-]?(\d+)", re.MULTILINE)
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

    def all_are(self, kind: Kind) -> bool:
        """Whether every line is plainly of this kind."""
        if kind is Kind.INTEGER and self._are_short_digits():
            return True
        return _OTHER_THAN[kind].search(self.text) is None

    def _are_short_digits(self) -> bool:
        """Whether every line is digits without a leading zero: told without a pattern."""
        digits = self.text.replace("\n", "")
        if not (digits.isascii() and digits.isdigit()) or "\n0" in f"\n{self.text}":
            return False
        return len(max(self.text.split("\n"), key=len)) < LONG_DIGITS


def plain_number(lines: Lines) -> ColumnType | None:
    """The type of a column of integers or decimals without any mark; None where it is not one."""
    if lines.all_are(Kind.INTEGER):
        return ColumnType(Kind.INTEGER)
    if not lines.all_are(Kind.DECIMAL):
        return None
    scale = max(map(len, _FRACTIONS.findall(lines.text)))
    precision = len(max(lines.text.split("\n"), key=len))
    if precision > 18:
        precision = max(18, scale + max(map(len, _WHOLES.findall(lines.text))))
    return ColumnType(Kind.DECIMAL, precision=max(18, precision), scale=scale)


def plain_dates(lines: Lines) -> bool:
    """Whether every line is an ISO date that exists."""
    return lines.all_are(Kind.DATE) and all(map(_exists, _LATE_DAYS.findall(lines.text)))


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
