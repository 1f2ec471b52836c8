"""What a column's text means: the one place that reads numbers, dates and identifiers.

Takes a column's distinct texts with their counts; gives the `ColumnType` with its evidence, and
each text's canonical form (the form a database casts). Every decision is made on the whole column:
the decimal mark, day or month first, missing marks. `parse_number` and `parse_date` read one text
by the same grammar, for numbers and dates that stand in a question.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from retrieval.column_readings import Hints, Reading, share_of
from retrieval.dates import read_moment
from retrieval.moment_columns import read_durations, read_moments
from retrieval.number_columns import are_phones, doubtful_values, is_year, read_numbers
from retrieval.numbers import Number, decimal_value, read_form
from retrieval.plain import Lines, compact_dates, none_is_value, plain_dates, plain_number
from retrieval.table import ColumnType, Kind
from retrieval.units import caption_applies, unit_in_header

__all__ = [
    "Hints",
    "Number",
    "are_phones",
    "decide",
    "is_missing_mark",
    "is_year",
    "looks_like",
    "parse_date",
    "parse_number",
]

_MISSING_WORDS = """
n/a na n.a. n.a n/d nd nan null none nil - -- --- – — ― − . .. ... … ? (na) (n/a) (x) (d) (s) (z)
(-) unknown <na> n.d. tba tbd k.a. n.v. n.c. s/d s/o 0000-00-00
"""
_ERROR = re.compile(
    r"#[¡¿]?[A-ZÀ-Þ][A-ZÀ-Þ/0]+[!?]|#(?:N/A|N/D|N/B|NV|ND|I/T|SAKNAS|GETTING_DATA|PUUTTUU!?|Н/Д)"
    r"|Err:\d{3}"
)
"""An error that a spreadsheet shows in a cell, in its user's language: #DIV/0!, #WERT!, #NV."""

_MISSING_PHRASES = (
    *("not available", "not applicable", "no data", "0000-00-00 00:00:00", "k. a."),
    *("keine angabe", "keine angaben", "nicht verfügbar", "non disponible", "sin datos"),
    "no disponible",
)
_MISSING = frozenset({*_MISSING_WORDS.split(), *_MISSING_PHRASES})
_DASHES = frozenset(["-", "--", "---", "–", "—", "―", "−"])
_PAIRS = (
    *(("true", "false"), ("yes", "no"), ("y", "n"), ("wahr", "falsch"), ("vrai", "faux")),
    *(("verdadero", "falso"), ("vero", "falso"), ("waar", "onwaar"), ("prawda", "fałsz")),
)
_TRUE = frozenset(true for true, _ in _PAIRS)
_BOOLEANS = _TRUE | {false for _, false in _PAIRS}
_PHONE_HEADER = re.compile(
    r"(?<![^\W_])(?:phone|telephone|telefon|téléphone|teléfono|tel|mobile|handy|fax)(?![^\W_\d])",
    re.I,
)
MOST_BOOLEANS = 6
MOST_MISSING = 40
"""Distinct texts that a column of booleans, and of missing marks alone, may have."""


def decide(
    texts: Sequence[str],
    counts: Sequence[int],
    *,
    header: str = "",
    unit: str | None = None,
    hints: Hints | None = None,
) -> tuple[ColumnType, tuple[str | None, ...] | None]:
    """Decide a column's type on all its distinct texts.

    Args:
        texts: distinct non-empty cells as published.
        counts: how often each occurs; aligned with `texts`.
        header: the column's header path, which may tell a unit.
        unit: the table's unit, where one is told.
        hints: what the rest of the table decided.

    Returns:
        The type, and the canonical forms aligned with `texts` (None where every text is its own).
    """
    hints = hints or Hints()
    told = unit_in_header(header)
    unit = unit if caption_applies(unit, header) else None
    plain = _decide_plain(texts, counts, header, told, unit)
    if plain is not None and plain.kind is Kind.INTEGER and compact_dates(texts) is not None:
        plain = None
    if plain is not None:
        return _without_dashes(plain, texts)
    missing = frozenset(text for text in texts if is_missing_mark(text))
    if len(missing) == len(texts):
        return ColumnType(evidence="no values"), None
    reading = (
        _booleans(texts, missing)
        or _compact_dates(texts, counts, missing)
        or read_numbers(texts, counts, missing, told or unit, hints, header_unit=told is not None)
        or read_durations(texts, counts, missing, header)
        or read_moments(texts, counts, missing, hints)
    )
    if reading is None:
        return _without_dashes(ColumnType(evidence="text"), texts)
    kind, canonical = reading
    return _with_error_warning(kind, texts, counts), _own_forms(texts, canonical)


def _without_dashes(
    kind: ColumnType, texts: Sequence[str]
) -> tuple[ColumnType, tuple[str | None, ...] | None]:
    """A column of words in which a lone dash is no value: nobody, nothing, not yet."""
    if kind.kind is not Kind.TEXT:
        return kind, None
    dashes = _DASHES.intersection(texts)
    if not dashes:
        return kind, None
    words = sum(1 for text in texts if sum(map(str.isalpha, text)) > 1)
    if 2 * words <= len(texts) - len(dashes):
        return kind, None
    forms = tuple(None if text in dashes else text for text in texts)
    told = f"text; {', '.join(sorted(dashes))} is no value"
    return replace(kind, missing=dashes, evidence=told), forms


def _decide_plain(
    texts: Sequence[str], counts: Sequence[int], header: str, told: str | None, unit: str | None
) -> ColumnType | None:
    """The type of a column that needs no grammar; None where the grammar must read."""
    if not texts:
        return ColumnType(evidence="empty")
    if none_is_value(texts):
        few = len(texts) <= MOST_BOOLEANS and any(text.casefold() in _BOOLEANS for text in texts)
        odd = len(texts) <= MOST_MISSING and any(map(is_missing_mark, texts))
        return None if few or odd else ColumnType(evidence="text")
    lines = Lines.of(texts)
    if lines is None:
        return None
    cells = sum(counts)
    if plain_dates(lines):
        return ColumnType(Kind.DATE, evidence=f"{cells:,} of {cells:,} values are dates")
    number = None if texts[0].startswith("+") else plain_number(lines)
    if number is None or (number.scale == 3 and lines.count < 1000):
        return None
    if (
        number.kind is Kind.INTEGER
        and _PHONE_HEADER.search(header)
        and len(min(texts, key=len)) > 6
    ):
        return ColumnType(evidence="telephone numbers")
    years = number.kind is Kind.INTEGER and all(map(is_year, texts))
    doubts = doubtful_values(texts, counts, texts) if "\n-99" in f"\n{lines.text}" else ()
    return replace(
        number,
        warnings=tuple(doubts),
        unit=told if years else told or unit,
        evidence=f"{cells:,} of {cells:,} values are numbers",
    )


def is_missing_mark(text: str) -> bool:
    """Whether a text may stand for "no value" in a column of numbers or dates."""
    return text.casefold() in _MISSING or is_error(text)


def is_amount(text: str) -> bool:
    """Whether a text is a number with a currency."""
    form = read_form(text)
    return form is not None and bool(form.currency)


def is_error(text: str) -> bool:
    """Whether a text is an error that a spreadsheet shows."""
    return text.startswith(("#", "Err:")) and _ERROR.fullmatch(text) is not None


def parse_number(text: str) -> Number | None:
    """Read one number: "1,200", "$950", "(120)", "12%", "1.2M", "3 1/2". None where it is none.

    "1,234" is read as 1234: one text alone cannot tell a decimal comma, except where the digits
    do ("12,5", "1.234,56").
    """
    form = read_form(text.strip())
    if form is None or form.leading_zero:
        return None
    value = decimal_value(form, ".")
    if value is None:
        value = decimal_value(form, ",")
    return None if value is None else Number(Decimal(value), form.unit)


def parse_date(text: str, day_first: bool | None = None) -> dt.date | None:
    """Read one date; None where it is none, or where day and month could change places."""
    moment = read_moment(text.strip())
    if moment is None or moment.year is None:
        return None
    if moment.ambiguous and day_first is None:
        return None
    told = moment.day_first
    return moment.date(bool(day_first if told is None else told))


def looks_like(text: str) -> str:
    """One text's shape, without its column: "", "number", "date", "missing" or "text".

    A number with a unit word ("1990s", "5 kg") is text here: alone it may well be a name.
    """
    if not text:
        return ""
    if is_missing_mark(text):
        return "missing"
    form = read_form(text)
    values = () if form is None or form.word else (decimal_value(form, mark) for mark in ".,")
    if any(value is not None for value in values):
        return "number"
    return "date" if read_moment(text) is not None else "text"


def _own_forms(texts: Sequence[str], canonical: list[str | None]) -> tuple[str | None, ...] | None:
    """None where every text is its own canonical form."""
    return None if list(texts) == canonical else tuple(canonical)


def _with_error_warning(
    kind: ColumnType, texts: Sequence[str], counts: Sequence[int]
) -> ColumnType:
    errors = [(text, n) for text, n in zip(texts, counts, strict=True) if is_error(text)]
    if not errors:
        return kind
    total = sum(n for _, n in errors)
    names = ", ".join(text for text, _ in errors)
    warning = f"{total} error {'cell' if total == 1 else 'cells'} ({names}) read as missing"
    return replace(kind, warnings=(*kind.warnings, warning))


def _booleans(texts: Sequence[str], missing: frozenset[str]) -> Reading | None:
    if len(texts) - len(missing) > MOST_BOOLEANS:
        return None
    words = {text.casefold() for text in texts if text not in missing}
    alone = words in ({"true"}, {"false"}) and len(missing) < 2
    if not alone and words not in map(set, _PAIRS):
        return None
    forms = [None if text in missing else str(text.casefold() in _TRUE).lower() for text in texts]
    return ColumnType(Kind.BOOLEAN, missing=missing, evidence=" / ".join(sorted(words))), forms


def _compact_dates(
    texts: Sequence[str], counts: Sequence[int], missing: frozenset[str]
) -> Reading | None:
    """Dates without marks between their parts: so many numbers are not all days by chance."""
    dates = compact_dates([text for text in texts if text not in missing])
    if dates is None:
        return None
    found, held = share_of(texts, counts, [True] * len(texts), missing)
    forms = iter(dates)
    evidence = f"{found:,} of {held:,} values are dates written as YYYYMMDD"
    column = ColumnType(Kind.DATE, missing=missing, evidence=evidence)
    return column, [None if text in missing else next(forms) for text in texts]
