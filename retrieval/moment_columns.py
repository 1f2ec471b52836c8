"""A column of dates, times or lengths of time, decided on all its distinct texts.

Takes the texts with their counts; gives the type and each text's canonical form, or None where the
column is none of these. Day or month first is told by the cells that allow one reading alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrieval.column_readings import MIXED_SHARE, Hints, Reading, share_of
from retrieval.dates import Clock, read_moment
from retrieval.durations import TwoParts, read_span, span_words, told_as
from retrieval.table import ColumnType, Kind

_SPAN_UNITS = (("hours", 3600), ("minutes", 60), ("seconds", 1))
_TWO_PARTS = "lengths of time of two parts, hours and minutes or minutes and seconds: kept as text"


def read_durations(
    texts: Sequence[str], counts: Sequence[int], missing: frozenset[str], header: str
) -> Reading | None:
    """Lengths of time, in the coarsest unit that tells them all."""
    spans = [None if text in missing else read_span(text) for text in texts]
    found, held = share_of(texts, counts, [span is not None for span in spans], missing)
    if found < held or len(span_words(texts)) == 1:
        return None
    two = told_as([span for span in spans if span is not None], header)
    if two is None:
        return None
    if two is TwoParts.UNKNOWN:
        return ColumnType(evidence="text", warnings=(_TWO_PARTS,)), list(texts)
    lengths = [None if span is None else span.seconds(two) for span in spans]
    told = [length for length in lengths if length is not None]
    unit, size = next(
        u for u in _SPAN_UNITS if all(length % u[1] == 0 for length in told) or u[1] == 1
    )
    forms = [None if s is None else format((s / size).normalize(), "f") for s in lengths]
    scale = max(len(form.partition(".")[2]) for form in forms if form is not None)
    kind = Kind.DECIMAL if scale else Kind.INTEGER
    column = ColumnType(
        kind,
        precision=18 if scale else 0,
        scale=scale,
        unit=unit,
        missing=missing,
        evidence=f"{found:,} of {held:,} values are lengths of time",
    )
    return column, list(forms)


def read_moments(
    texts: Sequence[str], counts: Sequence[int], missing: frozenset[str], hints: Hints
) -> Reading | None:
    """Dates and times, in the order of day and month that the whole column tells."""
    moments = [None if text in missing else read_moment(text) for text in texts]
    found, held = share_of(texts, counts, [moment is not None for moment in moments], missing)
    if found <= held * MIXED_SHARE:
        return None
    read = [moment for moment in moments if moment is not None]
    if len({moment.year is None for moment in read}) > 1:
        return None
    if found < held and read[0].year is None:
        return None
    day_first, warnings = _day_first(read, hints)
    if day_first is None and any(moment.ambiguous or moment.swappable for moment in read):
        return _both_orders(read), list(texts)
    kind, form = _moment_kind(read)
    offsets = {moment.offset_minutes for moment in read}
    if len(offsets) > 1:
        warnings.append("times are told in several zones: read in UTC")
    canonical = [None if moment is None else form(moment, bool(day_first)) for moment in moments]
    evidence = f"{found:,} of {held:,} values are {kind.value}s"
    if offsets != {0} and len(offsets) == 1:
        evidence += ", in the time of their place as published"
    column = ColumnType(
        kind,
        day_first=day_first if any(moment.swappable for moment in read) else None,
        missing=missing,
        mixed=found < held,
        evidence=evidence,
        warnings=tuple(warnings),
    )
    return column, canonical


def _both_orders(read: Sequence[Clock]) -> ColumnType:
    """A column that stays text because its cells contradict each other."""
    day, month = (next(m.text for m in read if m.day_first is told) for told in (True, False))
    warning = f'"{day}" has the day first and "{month}" the month: kept as text, not as dates'
    return ColumnType(evidence="text", warnings=(warning,))


def _day_first(read: Sequence[Clock], hints: Hints) -> tuple[bool | None, list[str]]:
    """Day or month first, by the cells that allow one reading only.

    None where cells contradict each other: such a column stays text.
    """
    told = {moment.day_first for moment in read if moment.day_first is not None}
    if len(told) > 1:
        return None, []
    if told:
        return told.pop(), []
    if not any(moment.ambiguous for moment in read):
        return False, []
    if hints.day_first is not None:
        return hints.day_first, []
    example = next(moment for moment in read if moment.ambiguous)
    dotted = "." in example.text
    day_first = dotted or hints.mark == ","  # who writes a decimal comma has the day first
    order = "day" if day_first else "month"
    warning = f'"{example.text}" fits day first and month first alike; read {order} first'
    return day_first, [] if dotted else [warning]


def _moment_kind(read: Sequence[Clock]) -> tuple[Kind, Callable[[Clock, bool], str | None]]:
    if read[0].year is None:
        return Kind.TIME, lambda moment, day_first: moment.time_text()
    if any(moment.has_time for moment in read):
        alike = len({moment.offset_minutes for moment in read}) == 1
        return Kind.TIMESTAMP, Clock.wall_text if alike else Clock.timestamp_text
    return Kind.DATE, Clock.date_text
