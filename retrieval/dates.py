"""The grammar of one date or time as people write it.

`read_moment` takes a text and gives its parts; where day and month could change places it says so,
and leaves the decision to the column.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from retrieval.word_forms import MONTH_OF, WEEKDAYS_BY_LANGUAGE

_WORDS_OF_THEIR_OWN = frozenset({"set", "out", "mag", "ago", "gen", "fev"})
"""Short months that are words elsewhere: told as months within a date alone."""


MONTH_NAMES = frozenset(MONTH_OF.keys() - _WORDS_OF_THEIR_OWN)
"""What months are called, in full and in short."""

_WEEKDAYS = tuple(dict.fromkeys(" ".join(WEEKDAYS_BY_LANGUAGE).split()))
_SHORT_WEEKDAYS = ("mo", "di", "mi", "do", "fr", "sa", "so")
_ENDINGS = ("st", "nd", "rd", "th", "er")
_CALENDAR = {
    *MONTH_NAMES,
    *_WEEKDAYS,
    *(name[:3] for name in WEEKDAYS_BY_LANGUAGE[0].split()),
    *_ENDINGS,
}
CALENDAR_START = (
    rf"(?:{'|'.join(sorted({n[:3] for n in (*MONTH_OF, *_WEEKDAYS)}))})"
    rf"|(?:{'|'.join(_SHORT_WEEKDAYS)})[.,]"
)
"""Pattern of the first letters of a month or weekday name."""

_MONTH = rf"(?P<month>{'|'.join(sorted(MONTH_OF, key=len, reverse=True))})\.?"
_WEEKDAY = (
    rf"(?:(?:{'|'.join((*_WEEKDAYS, *(n[:3] for n in _WEEKDAYS), *_SHORT_WEEKDAYS))})\.?,?\s+)?"
)
_TIME = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?P<part>\.\d{1,9})?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
)
_AND_TIME = rf"(?:(?:T|\s+|,\s+){_TIME})?"
_DAY = rf"(?P<day>\d{{1,2}})(?:{'|'.join(_ENDINGS)}|º)?"
_OF = r"(?:of\s+|de\s+)?"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<year>\d{{4}})([-/.])(?P<month>\d{{1,2}})\2(?P<day>\d{{1,2}}){_AND_TIME}",
        rf"(?P<first>\d{{1,2}})([-/.])(?P<second_part>\d{{1,2}})\2(?P<year>\d{{4}}|\d{{2}}){_AND_TIME}",
        rf"{_WEEKDAY}{_DAY}[\s.-]+{_OF}{_MONTH}[\s,-]+{_OF}(?P<year>\d{{4}}|\d{{2}}){_AND_TIME}",
        rf"{_WEEKDAY}{_MONTH}[\s-]+{_DAY},?\s+(?P<year>\d{{4}}){_AND_TIME}",
        rf"(?P<year>\d{{4}})[\s-]{_MONTH}[\s-]{_DAY}",
        r"(?P<year>\d{4})\s*[年년]\s*(?P<month>\d{1,2})\s*[月월]\s*(?P<day>\d{1,2})\s*[日일]",
        _TIME,
    )
)
_POSSIBLE = re.compile(r"\d.*(?:[-/.:\s年년]|[A-Za-z])|[^\W\d_]{2,10}\W", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Clock:
    """A date, a time, or both. `day` and `month` may change places where `swappable`."""

    text: str
    year: int | None = None
    """None for a time of day alone."""
    first: int = 1
    second: int = 1
    """Month and day in this order, unless `swappable`."""
    swappable: bool = False
    """Written as two numbers before the year."""
    time: dt.time | None = None
    offset_minutes: int = 0

    @property
    def has_time(self) -> bool:
        """Whether a time of day is told."""
        return self.time is not None

    @property
    def day_first(self) -> bool | None:
        """What this text alone tells of the order."""
        if not self.swappable or self.first == self.second:
            return None
        if self.first > 12:
            return True
        return False if self.second > 12 else None

    @property
    def ambiguous(self) -> bool:
        """Whether both orders give a date, and not the same one."""
        return self.swappable and self.first != self.second and max(self.first, self.second) <= 12

    def date(self, day_first: bool) -> dt.date | None:
        """The date under this order; None where it does not exist."""
        month, day = self.first, self.second
        if self.swappable and day_first:
            month, day = day, month
        try:
            return dt.date(self.year or 1, month, day)
        except ValueError:
            return None

    def date_text(self, day_first: bool) -> str | None:
        """`YYYY-MM-DD`."""
        date = self.date(day_first)
        return None if date is None else date.isoformat()

    def wall_text(self, day_first: bool) -> str | None:
        """`YYYY-MM-DD HH:MM:SS` as its place has it, whatever the offset."""
        date = self.date(day_first)
        return None if date is None else str(dt.datetime.combine(date, self.time or dt.time()))

    def timestamp_text(self, day_first: bool) -> str | None:
        """`YYYY-MM-DD HH:MM:SS` in UTC."""
        date = self.date(day_first)
        if date is None:
            return None
        moment = dt.datetime.combine(date, self.time or dt.time())
        return str(moment - dt.timedelta(minutes=self.offset_minutes))

    def time_text(self) -> str:
        """`HH:MM:SS`."""
        return str(self.time)


def is_calendar_word(word: str) -> bool:
    """Whether a word names a month, a weekday, or ends an ordinal: no unit of a number."""
    return word.casefold().rstrip(".,") in _CALENDAR


def read_moment(text: str) -> Clock | None:
    """The parts of a date or time; None where the text is none."""
    if not 4 <= len(text) <= 48 or not _POSSIBLE.search(text):
        return None
    for pattern in _PATTERNS:
        match = pattern.fullmatch(text)
        if match is not None:
            return _clock(text, match.groupdict())
    return None


def _clock(text: str, part: dict[str, str | None]) -> Clock | None:
    time = None
    if part.get("hour"):
        time = None if _is_stretch(text, part) else _time(part)
        if time is None:
            return None
    offset = _offset(part.get("zone"))
    if "year" not in part:
        return Clock(text, time=time)
    year = _year(part["year"] or "")
    if "first" in part:
        first, second = int(part["first"] or 0), int(part["second_part"] or 0)
        clock = Clock(text, year, first, second, True, time, offset)
        return clock if clock.date(False) or clock.date(True) else None
    named = part["month"] or ""
    month = int(named) if named.isdigit() else MONTH_OF[named.casefold()]
    clock = Clock(text, year, month, int(part["day"] or 0), False, time, offset)
    return clock if clock.date(False) else None


def _is_stretch(text: str, part: dict[str, str | None]) -> bool:
    """Whether hours and minutes go on to others, "09:00-17:00": no zone west of Greenwich."""
    return (part["zone"] or "").startswith("-") and not part["second"] and "T" not in text


def _year(text: str) -> int:
    """Two digits are read as POSIX does: 69-99 are of the last century."""
    year = int(text)
    if len(text) == 4:
        return year
    return year + (1900 if year >= 69 else 2000)


def _time(part: dict[str, str | None]) -> dt.time | None:
    hour, minute, second = (int(part[name] or 0) for name in ("hour", "minute", "second"))
    half = (part["half"] or "").replace(".", "").casefold()
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    micro = round(float(part["part"] or 0) * 1_000_000) if part["part"] else 0
    return dt.time(hour, minute, second, min(micro, 999_999))


def _offset(zone: str | None) -> int:
    """Minutes east of UTC."""
    if zone is None or zone[0] not in "+-":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return -minutes if zone[0] == "-" else minutes
