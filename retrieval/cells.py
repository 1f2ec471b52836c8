"""What a column's text means: the one place that reads numbers, dates and identifiers.

Takes a column's distinct texts with their counts; gives the `ColumnType` with its evidence, and
each text's canonical form (the form a database casts). Every decision is made on the whole column:
the decimal mark, day or month first, missing marks. `parse_number` and `parse_date` read one text
by the same grammar, for numbers and dates that stand in a question.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from retrieval.dates import Clock, read_moment
from retrieval.durations import TwoParts, read_span, span_words, told_as
from retrieval.numbers import (
    Number,
    NumberForm,
    decimal_value,
    ends_in_check_letter,
    is_code,
    mark_evidence,
    proper_fraction,
    read_form,
)
from retrieval.plain import (
    LONG_DIGITS,
    Lines,
    compact_dates,
    none_is_value,
    plain_dates,
    plain_number,
)
from retrieval.table import ColumnType, Kind
from retrieval.units import (
    caption_applies,
    combine,
    currency_code,
    factors,
    is_unit,
    unit_in_header,
)

__all__ = [
    "Hints",
    "Number",
    "decide",
    "is_missing_mark",
    "looks_like",
    "parse_date",
    "parse_number",
]

MIXED_SHARE = 0.5
"""A column of which more than this share is of one kind, and the rest words, is of that kind."""

MAX_SCALE = 9
"""Numbers of more decimal places than this are kept as DOUBLE."""

_MISSING_WORDS = """
n/a na n.a. n.a n/d nd nan null none nil - -- --- – — ― − . .. ... … ? (na) (n/a) (x) (d) (s) (z)
(-) unknown <na> n.d. tba tbd k.a. n.v. n.c. s/d s/o 0000-00-00
"""
_ERROR = re.compile(
    r"#[¡¿]?[A-ZÀ-Þ][A-ZÀ-Þ/0]+[!?]|#(?:N/A|N/D|N/B|NV|ND|I/T|SAKNAS|GETTING_DATA|PUUTTUU!?|Н/Д)"
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
_PHONE = re.compile(r"\+[1-9]\d{7,14}")
_PHONE_HEADER = re.compile(
    r"(?<![^\W_])(?:phone|telephone|telefon|téléphone|teléfono|tel|mobile|handy|fax)(?![^\W_\d])",
    re.I,
)
_POINT_CURRENCIES = frozenset({"USD", "GBP", "INR", "CNY", "JPY", "AUD", "NZD", "SGD", "HKD"})
"""Currencies of countries that write a decimal point."""

_THREE_DIGITS_BY_CHANCE = 6
"""So many distinct numbers with three digits after a comma each are not decimals by chance."""

_SENTINEL = re.compile(r"-9{2,6}(?:\.[09]+)?")
_LONE_MAGNITUDE = re.compile(r"\d\s+[KMBT]$")
_SPAN_UNITS = (("hours", 3600), ("minutes", 60), ("seconds", 1))
_TWO_PARTS = "lengths of time of two parts, hours and minutes or minutes and seconds: kept as text"

_MOST_KINDS = 8
_FEWEST_OF_A_KIND = 3

MOST_BOOLEANS = 6
MOST_MISSING = 40
"""Distinct texts that a column of booleans, and of missing marks alone, may have."""


@dataclass(frozen=True)
class Hints:
    """What the rest of the table tells about a column that could be read two ways."""

    decimal_mark: str | None = None
    """"." or ",": decided in another column, or by the file's delimiter."""
    day_first: bool | None = None


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
        or _numbers(texts, counts, missing, told or unit, hints, header_unit=told is not None)
        or _durations(texts, counts, missing, header)
        or _moments(texts, counts, missing, hints)
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
    doubts = _doubtful_values(texts, counts, texts) if "\n-99" in f"\n{lines.text}" else ()
    return replace(
        number,
        warnings=tuple(doubts),
        unit=told if years else told or unit,
        evidence=f"{cells:,} of {cells:,} values are numbers",
    )


def is_year(text: str) -> bool:
    """Whether a text of digits may be a year."""
    return len(text) == 4 and "1500" <= text <= "2100"


def is_missing_mark(text: str) -> bool:
    """Whether a text may stand for "no value" in a column of numbers or dates."""
    return text.casefold() in _MISSING or is_error(text)


def is_amount(text: str) -> bool:
    """Whether a text is a number with a currency."""
    form = read_form(text)
    return form is not None and bool(form.currency)


def is_error(text: str) -> bool:
    """Whether a text is an error that a spreadsheet shows."""
    return text.startswith("#") and _ERROR.fullmatch(text) is not None


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


type_and_forms = tuple[ColumnType, list[str | None]]


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


def _share(
    texts: Sequence[str], counts: Sequence[int], fits: Sequence[bool], missing: frozenset[str]
) -> tuple[int, int]:
    """Cells that fit, and cells that are not missing."""
    held = [n if text not in missing else 0 for text, n in zip(texts, counts, strict=True)]
    return sum(n for n, fit in zip(held, fits, strict=True) if fit), sum(held)


def _booleans(texts: Sequence[str], missing: frozenset[str]) -> type_and_forms | None:
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
) -> type_and_forms | None:
    """Dates without marks between their parts: so many numbers are not all days by chance."""
    dates = compact_dates([text for text in texts if text not in missing])
    if dates is None:
        return None
    found, held = _share(texts, counts, [True] * len(texts), missing)
    forms = iter(dates)
    evidence = f"{found:,} of {held:,} values are dates written as YYYYMMDD"
    column = ColumnType(Kind.DATE, missing=missing, evidence=evidence)
    return column, [None if text in missing else next(forms) for text in texts]


def _numbers(
    texts: Sequence[str],
    counts: Sequence[int],
    missing: frozenset[str],
    unit: str | None,
    hints: Hints,
    *,
    header_unit: bool,
) -> type_and_forms | None:
    forms = [None if text in missing else read_form(text) for text in texts]
    if any(form.exponent for form in forms if form):
        forms = [f or read_form(t, exponents=True) for f, t in zip(forms, texts, strict=True)]
    if any(form.fraction for form in forms if form):
        forms = [f or proper_fraction(t) for f, t in zip(forms, texts, strict=True)]
    found, held = _share(texts, counts, [form is not None for form in forms], missing)
    if found <= held * MIXED_SHARE or any(_identifier(form) for form in forms if form):
        return None
    if are_phones(texts, missing) or any(map(ends_in_check_letter, texts)):
        return None
    mark, warnings = _decimal_mark([form for form in forms if form], hints, unit)
    values = [None if form is None else _value(form, mark) for form in forms]
    if any(is_code(t) for t, v in zip(texts, values, strict=True) if v is None):
        return None
    found, held = _share(texts, counts, [value is not None for value in values], missing)
    if found <= held * MIXED_SHARE:
        return None
    read = [form for form, value in zip(forms, values, strict=True) if form and value is not None]
    told = _cell_unit(read)
    if told.differs and found == held:
        forms, values, told = _in_one_unit(texts, counts, forms, values)
        read = [form for form in forms if form is not None]
    if told.differs or (found < held and _are_kinds(texts, counts, forms, missing)):
        return None
    warnings += [words for words in (told.warning, told.note) if words]
    warnings += _doubtful_values(texts, counts, values) + _inexact(texts, forms)
    if found == held and _are_years(read):
        unit = told.unit
    elif not told.warning:
        unit = told.unit if told.unit == "%" else combine(told.unit, unit, header_unit)
    else:
        unit = None
    return _numeric_type(texts, values, read, missing, found, held, unit, mark, warnings)


def _numeric_type(
    texts: Sequence[str],
    values: Sequence[str | None],
    read: Sequence[NumberForm],
    missing: frozenset[str],
    found: int,
    held: int,
    unit: str | None,
    mark: str,
    warnings: list[str],
) -> type_and_forms:
    digits = [value.lstrip("-").partition(".") for value in values if value is not None]
    exponents = any("e" in value for value in values if value is not None)
    scale = max(len(fraction) for _, _, fraction in digits)
    whole = max(len(integer) for integer, _, _ in digits)
    kind, precision = Kind.INTEGER, 0
    if exponents or scale > MAX_SCALE or whole + scale > 38:
        kind, scale = Kind.DOUBLE, 0
    elif scale:
        kind, precision = Kind.DECIMAL, max(18, whole + scale)
    elif whole > 18:
        kind, precision = Kind.DECIMAL, 38
    evidence = f"{found:,} of {held:,} values are numbers"
    if missing:
        evidence += f"; missing: {', '.join(sorted(missing))}"
    column = ColumnType(
        kind,
        precision=precision,
        scale=scale,
        unit=unit,
        decimal_mark=mark,
        missing=missing,
        mixed=found < held,
        evidence=evidence,
        warnings=tuple(warnings),
    )
    return column, list(values)


def _value(form: NumberForm, mark: str) -> str | None:
    """The value under the column's decimal mark, or under the only one that this cell allows."""
    value = decimal_value(form, mark)
    return decimal_value(form, "," if mark == "." else ".") if value is None else value


def _identifier(form: NumberForm) -> bool:
    return form.leading_zero or (form.plain and len(form.body) >= LONG_DIGITS)


def are_phones(texts: Sequence[str], missing: Collection[str] = ()) -> bool:
    """Whether every text is a "+" and as many digits as a telephone number has."""
    return all(_PHONE.fullmatch(text) for text in texts if text not in missing)


def _are_years(forms: Sequence[NumberForm]) -> bool:
    """Whether every number may be a year: a caption's unit does not reach such a column."""
    return all(form.plain and is_year(form.body) for form in forms)


def _decimal_mark(
    forms: Sequence[NumberForm], hints: Hints, unit: str | None
) -> tuple[str, list[str]]:
    """The column's decimal mark, with a warning where both readings fit."""
    evidence = Counter(mark_evidence(form) for form in forms)
    point, comma = evidence["."], evidence[","]
    if point or comma:
        mark = "." if point >= comma else ","
        if point and comma:
            fewer = min(point, comma)
            return mark, [
                f'{fewer} distinct numbers are written with the other decimal mark than "{mark}"; '
                "each is read by its own"
            ]
        return mark, []
    if not evidence["?"]:
        return hints.decimal_mark or ".", []
    if hints.decimal_mark:
        return hints.decimal_mark, []
    example = next(form for form in forms if mark_evidence(form) == "?")
    currencies = {currency_code(sign) for sign in (example.currency, unit or "") if sign}
    if currencies & _POINT_CURRENCIES or _thousands_shown(forms):
        return ".", []
    if "," in example.body and evidence["?"] >= _THREE_DIGITS_BY_CHANCE:
        return ".", []
    reading = "thousands" if "," in example.body else "decimals"
    return ".", [
        f'"{example.body}" fits a thousands mark and a decimal mark alike (thousands or decimal '
        f"{'comma' if ',' in example.body else 'point'}); read as {reading}"
    ]


def _thousands_shown(forms: Sequence[NumberForm]) -> bool:
    """Whether the column marks thousands: short integers stand plain and no long one does."""
    plain = [len(form.body) for form in forms if form.plain]
    commas = any("," in form.body for form in forms)
    return commas and bool(plain) and max(plain) <= 3


def _doubtful_values(
    texts: Sequence[str], counts: Sequence[int], values: Sequence[str | None]
) -> list[str]:
    """Numbers that may mean something else: -999 far below all others, "3.5 M" among bare ones."""
    warnings = []
    read = [(t, n, float(v)) for t, n, v in zip(texts, counts, values, strict=True) if v]
    for text, count, value in read:
        least = min((other for _, _, other in read if other != value), default=value)
        if _SENTINEL.fullmatch(text) and least > value / 2 and len(read) > 2:
            warnings.append(
                f"{text} stands in {count} {'cell' if count == 1 else 'cells'}, far from all other "
                "numbers: it may mark a missing value, but counts as a number"
            )
    letters = [text for text in texts if _LONE_MAGNITUDE.search(text)]
    if letters and any(text[-1].isdigit() for text in texts):
        warnings.append(f'"{letters[0]}" is read as a magnitude; numbers beside it have none')
    return warnings


def _inexact(texts: Sequence[str], forms: Sequence[NumberForm | None]) -> list[str]:
    """Numbers that say of themselves that they are not exact."""
    about = [text for text, form in zip(texts, forms, strict=True) if form and form.approximate]
    if not about:
        return []
    return [f"{', '.join(about[:3])}{', …' if len(about) > 3 else ''}: not exact, read as numbers"]


@dataclass(frozen=True)
class _Told:
    unit: str | None = None
    warning: str = ""
    note: str = ""
    """What is worth telling and leaves the unit as it is."""
    differs: bool = False


def _cell_unit(forms: Sequence[NumberForm]) -> _Told:
    """The unit that the cells themselves tell, if they agree."""
    if _are_flags(forms):
        forms = [replace(form, word="") for form in forms]
    words = {form.word_key for form in forms if form.word}
    if len(words) > 1:
        return _Told(differs=True)
    codes = {currency_code(form.currency): form.currency for form in forms if form.currency}
    percent = [form.percent for form in forms]
    if len(codes) > 1:
        names = ", ".join(str(symbol) for symbol in codes.values())
        return _Told(warning=f"{len(codes)} currencies in one column ({names}): no sum is sound")
    if any(percent) and not all(percent):
        return _Told(warning="some values are marked % and some are not")
    if words and not all(form.word for form in forms):
        return _Told(unit=next(form.word for form in forms if form.word))
    return _Told(unit=next((form.unit for form in forms if form.unit), None))


def _in_one_unit(
    texts: Sequence[str],
    counts: Sequence[int],
    forms: Sequence[NumberForm | None],
    values: Sequence[str | None],
) -> tuple[list[NumberForm | None], list[str | None], _Told]:
    """Numbers in several units of one measure ("1.5 t", "900 kg"), all in the most usual one."""
    usual = Counter[str]()
    for form, count in zip(forms, counts, strict=True):
        if form is not None:
            usual[form.word.casefold().rstrip(".")] += count
    to = max(usual, key=lambda word: usual[word])
    sizes = factors(usual.keys(), to)
    if sizes is None:
        return list(forms), list(values), _Told(differs=True)
    same = [
        None
        if form is None or value is None
        else format((Decimal(value) * sizes[form.word.casefold().rstrip(".")]).normalize(), "f")
        for form, value in zip(forms, values, strict=True)
    ]
    unit = next(form.word for form in forms if form and form.word.casefold().rstrip(".") == to)
    alike = [form and replace(form, word=unit) for form in forms]
    others = ", ".join(sorted(usual.keys() - {to}))
    return alike, same, _Told(unit, note=f"numbers in {others} are counted in {unit}")


def _are_kinds(
    texts: Sequence[str],
    counts: Sequence[int],
    forms: Sequence[NumberForm | None],
    missing: frozenset[str],
) -> bool:
    """Whether few measures and words, each in many rows, sort the rows ("10 mg", "Placebo")."""
    held = [(n, form) for t, n, form in zip(texts, counts, forms, strict=True) if t not in missing]
    if len(held) > _MOST_KINDS or not all(form.word for _, form in held if form):
        return False
    return all(n >= _FEWEST_OF_A_KIND for n, _ in held)


def _are_flags(forms: Sequence[NumberForm]) -> bool:
    """Whether letters after some numbers mark their cells, as statistics do ("1,300 e", "12.5 p"):
    one or two each, and no unit among them alone. Several letters after small whole numbers, none
    of them twice, may well be names: "14 A".
    """
    marked = [form.word for form in forms if form.word]
    words = set(marked)
    if not words or len(marked) == len(forms) or any(len(w) > 2 or not w.isalpha() for w in words):
        return False
    if all(map(is_unit, words)):
        return False
    measured = any(len(form.body) > 3 or not form.body.isdigit() for form in forms)
    return len(words) == 1 or len(words) < len(marked) or measured


def _durations(
    texts: Sequence[str], counts: Sequence[int], missing: frozenset[str], header: str
) -> type_and_forms | None:
    """Lengths of time, in the coarsest unit that tells them all."""
    spans = [None if text in missing else read_span(text) for text in texts]
    found, held = _share(texts, counts, [span is not None for span in spans], missing)
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


def _moments(
    texts: Sequence[str], counts: Sequence[int], missing: frozenset[str], hints: Hints
) -> type_and_forms | None:
    moments = [None if text in missing else read_moment(text) for text in texts]
    found, held = _share(texts, counts, [moment is not None for moment in moments], missing)
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
    day_first = dotted or hints.decimal_mark == ","  # who writes a decimal comma has the day first
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
