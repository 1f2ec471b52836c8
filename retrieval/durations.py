"""Lengths of time as people write them: "26:30:00", "4:35", "1:23.4", "1h 20m", "45 min".

`read_span` gives the parts of one text; `told_as` decides on a column's spans and its header
whether they are lengths of time, not times of day, and what two parts alone stand for: hours and
minutes, or minutes and seconds. Where nothing tells which, nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

from retrieval.units import unit_in_header

_DAY_MINUTES, _DAY_S = 1_440, 86_400
_CLOCK = re.compile(
    r"(?P<sign>-)?(?P<first>\d{1,6}):(?P<second>[0-5]\d)"
    r"(?::(?P<third>[0-5]\d(?:\.\d{1,6})?)|(?P<part>\.\d{1,6}))?"
)
_SPAN_PARTS = (
    (r"\d{1,4}", r"d|days?|tage?|j|jours?|días?", 86_400),
    (r"\d{1,5}(?:\.\d{1,4})?", r"h|hrs?|hours?|std|stunden?|heures?|horas?", 3600),
    (r"\d{1,5}", r"m|mins?|minutes?|minuten?|minutos?", 60),
    (r"\d{1,5}(?:\.\d{1,6})?", r"s|secs?|seconds?|sekunden?|sek|secondes?|segundos?", 1),
)
_WORDED = re.compile(
    " ?".join(
        rf"(?:({digits}) ?(?:{words})(?![^\W\d_])\.?,?)?" for digits, words, _ in _SPAN_PARTS
    ),
    re.I,
)
_IN_MINUTES = r"pace|laps?|splits?|playing time|rundenzeit|spielzeit|talk time|handling time"
_IN_HOURS = r"worked|overtime|travel time|journey time|stunden|arbeitszeit|fahrzeit|überstunden"
_OF_EITHER = (
    r"durations?|length|elapsed|run(?:ning)?[ -]?time|time (?:taken|spent|needed)|took|waits?"
    r"|(?:wait(?:ing)?|lead|cycle|response|processing|cooking|prep(?:aration)?|chip|net|gun) time"
    r"|downtime|uptime|[^\W\d_]*dauer|laufzeit|wartezeit|durée|duración|duração|durata|duur"
)


def _told_by(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_:])(?:{words})(?![^\W_:])", re.IGNORECASE)


_TELLS_LENGTH = _told_by(f"{_IN_MINUTES}|{_IN_HOURS}|{_OF_EITHER}")
_TELLS_MINUTES = _told_by(rf"{_IN_MINUTES}|m{{1,2}}:ss|min:s(?:ec)?")
_TELLS_HOURS = _told_by(rf"{_IN_HOURS}|hours|h{{1,2}}:mm")
_MINUTE_UNITS = frozenset({"m", "min", "mins", "minute", "minutes", "minuten"})
_HOUR_UNITS = frozenset({"h", "hr", "hrs", "hour", "hours", "std", "stunden"})


class Form(Enum):
    """How a length of time is written."""

    WORDS = "1h 20m"
    TWO_PARTS = "4:35"
    THREE_PARTS = "2:15:00"
    LAP = "1:23.4"


class TwoParts(Enum):
    """What "4:35" stands for."""

    HOURS = 60
    MINUTES = 1
    UNKNOWN = 0


@dataclass(frozen=True, slots=True)
class Span:
    """One length of time."""

    size: Decimal
    """In seconds; of two parts between colons, in as many as the second part counts."""
    form: Form
    padded: bool = False
    """Written with a leading zero, as clocks are."""

    @property
    def is_no_clock(self) -> bool:
        """Whether no time of day is written so."""
        day = _DAY_MINUTES if self.form is Form.TWO_PARTS else _DAY_S
        return self.form is Form.LAP or not 0 <= self.size <= day

    def seconds(self, two: TwoParts) -> Decimal:
        """Its length."""
        return self.size * two.value if self.form is Form.TWO_PARTS else self.size


def read_span(text: str) -> Span | None:
    """The length of time that a text may tell; None where it tells none."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        worded = _WORDED.fullmatch(text)
        parts = () if worded is None else zip(worded.groups(), _SPAN_PARTS, strict=True)
        told = [Decimal(number) * seconds for number, (_, _, seconds) in parts if number]
        return Span(sum(told, Decimal()), Form.WORDS) if told else None
    size, form = Decimal(60 * int(match["first"]) + int(match["second"])), Form.TWO_PARTS
    if match["third"]:
        size, form = 60 * size + Decimal(match["third"]), Form.THREE_PARTS
    elif match["part"]:
        size, form = size + Decimal(match["part"]), Form.LAP
    return Span(-size if match["sign"] else size, form, match["first"].startswith("0"))


def told_as(spans: Sequence[Span], header: str) -> TwoParts | None:
    """What two parts stand for, where the spans of a column are lengths; None where they may be
    times of day.
    """
    unit = (unit_in_header(header) or "").casefold()
    forms = {span.form for span in spans}
    longer = bool(forms & {Form.THREE_PARTS, Form.LAP})
    unpadded = any(span.form is Form.THREE_PARTS and not span.padded for span in spans)
    if not (
        forms == {Form.WORDS}
        or any(span.is_no_clock for span in spans if span.form is not Form.WORDS)
        or _TELLS_LENGTH.search(header)
        or unit in _MINUTE_UNITS
        or (Form.TWO_PARTS in forms and unpadded)
    ):
        return None
    if _TELLS_HOURS.search(header) or unit in _HOUR_UNITS:
        return TwoParts.HOURS
    minutes = _TELLS_MINUTES.search(header) or unit in _MINUTE_UNITS
    return (
        TwoParts.MINUTES if minutes or longer or Form.TWO_PARTS not in forms else TwoParts.UNKNOWN
    )


def span_words(texts: Iterable[str]) -> set[str]:
    """The words that lengths of time are told in; those of one alone ("1920s") may be names."""
    return set(re.findall(r"[^\W\d_]+", " ".join(texts).casefold()))
