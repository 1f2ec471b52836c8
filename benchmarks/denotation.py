"""Scoring rules of the public question sets.

`denotation` is the rule of WikiTableQuestions (Pasupat and Liang, 2015): both answers are sets of
items; an item matches by normalised text, as a number, or as a date. `lenient` also reads numerals
and dates as people write them, for sets whose gold has no canonical form.
`same_result` is execution accuracy: the same rows in any order (unless ordered), the columns in any
order but no column more or less, numbers to four decimals.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from router.evaluation.sameness import same_rows

_QUOTES = str.maketrans("‘’´`“”‐‑‒–—−", "''''\"\"------")
_CITATION = re.compile(r"(?<!^)(?:\[[^\]]*\]|[•♦†‡*#+])+$|^(?:\[\d+\])+$", re.S)
_ASIDE = re.compile(r"(?<!^)(?: \([^)]*\))+$", re.S)
_QUOTED = re.compile(r'^"([^"]*)"$')

_BARE = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.I)
_WRITTEN = re.compile(
    r"(?P<sign>[-+]?)\s*[$€£¥]?\s*(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"\s*(?:st|nd|rd|th)?\s*(?P<unit>%|[a-z°²/.]*)",
    re.I,
)
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_DATES = [
    re.compile(form, re.I)
    for form in (
        rf"{_MONTH}\s+{_DAY}(?:,?\s+(?P<year>\d{{4}}))?",
        rf"{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+(?P<year>\d{{4}}))?",
        rf"{_MONTH},?\s+(?P<year>\d{{4}})",
    )
]
_ISO = re.compile(r"(\d{4}|xx|xxxx)-(\d{1,2}|xx)-(\d{1,2}|xx)")

Date = tuple[int | None, int | None, int | None]


@dataclass(frozen=True)
class Item:
    """One item of an answer, in every form it can match by."""

    text: str
    number: float | None = None
    date: Date | None = None

    def matches(self, other: Item) -> bool:
        """Whether both denote the same."""
        if self.text == other.text:
            return True
        if self.number is not None and other.number is not None:
            return abs(self.number - other.number) < 1e-6
        return self.date is not None and self.date == other.date


def denotation(gold: Sequence[str], given: Sequence[str], *, lenient: bool = False) -> bool:
    """Whether two answers denote the same set."""
    wanted, had = (_distinct(item(text, lenient) for text in side) for side in (gold, given))
    return len(wanted) == len(had) and all(any(w.matches(h) for h in had) for w in wanted)


def item(text: str, lenient: bool = False) -> Item:
    """An item as read from its text."""
    number, date = _bare_number(text), None
    if number is None:
        date = _iso_date(text)
    if lenient and number is None and date is None:
        date = _written_date(text)
        number = _written_number(text) if date is None else None
    if date is not None and date[1:] == (None, None) and date[0] is not None:
        return Item(normalised(text), float(date[0]))
    return Item(normalised(text), number, date)


def normalised(text: str) -> str:
    """Text without accents, citations, asides, outer quotes, a final stop, case and white space."""
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(c for c in plain if unicodedata.category(c) != "Mn").translate(_QUOTES)
    before = None
    while before != plain:
        before = plain
        plain = _CITATION.sub("", plain.strip())
        plain = _ASIDE.sub("", plain.strip())
        plain = _QUOTED.sub(r"\1", plain.strip())
    return " ".join(plain.removesuffix(".").split()).lower()


def _distinct(items: Iterable[Item]) -> list[Item]:
    kept: list[Item] = []
    for one in items:
        if not any(_same_key(one, other) for other in kept):
            kept.append(one)
    return kept


def _same_key(one: Item, other: Item) -> bool:
    if one.number is not None or other.number is not None:
        return one.number is not None and one.number == other.number
    return one.date == other.date if one.date or other.date else one.text == other.text


def _bare_number(text: str) -> float | None:
    return float(text) if _BARE.fullmatch(text.strip()) else None


def _iso_date(text: str) -> Date | None:
    match = _ISO.fullmatch(text.strip().lower())
    if match is None:
        return None
    year, month, day = (None if part.startswith("x") else int(part) for part in match.groups())
    possible = (month is None or 1 <= month <= 12) and (day is None or 1 <= day <= 31)
    return (year, month, day) if possible and (year, month, day) != (None, None, None) else None


def _written_date(text: str) -> Date | None:
    for form in _DATES:
        match = form.fullmatch(text.strip())
        if match:
            parts = match.groupdict()
            month = _MONTHS.index(parts["month"].lower()[:3]) + 1
            year, day = parts.get("year"), parts.get("day")
            return (int(year) if year else None, month, int(day) if day else None)
    return None


def _written_number(text: str) -> float | None:
    plain = re.sub(r"\s*\([^)]*\)$|\[[^\]]*\]$", "", text.strip())
    if re.fullmatch(r"\([$\s]*[\d.,]+\)", plain):
        plain = f"-{plain.strip('()')}"
    match = _WRITTEN.fullmatch(plain)
    if match is None:
        return None
    number = float(match["digits"].replace(",", "")) * _SCALES.get(match["unit"].lower(), 1)
    return -number if match["sign"] == "-" else number


def as_text(value: Any) -> str:
    """A result cell as the sets write it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, dt.datetime):
        return str(value.date()) if value.time() == dt.time() else str(value)
    return str(value)


def same_result(
    gold: Sequence[Sequence[Any]], given: Sequence[Sequence[Any]], *, ordered: bool = False
) -> bool:
    """Execution accuracy."""
    if not gold or not given:
        return not gold and not given
    return same_rows(gold, given, ordered=ordered, extra_columns=False)
