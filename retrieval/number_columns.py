"""A column of numbers: its decimal mark, unit and type, decided on all its distinct texts.

Takes the texts with their counts; gives the type and each text's canonical form, or None where the
column holds identifiers, kinds of things or words instead.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from retrieval.column_readings import MIXED_SHARE, Hints, Reading, share_of
from retrieval.numbers import (
    NumberForm,
    decimal_value,
    ends_in_check_letter,
    is_code,
    mark_evidence,
    proper_fraction,
    read_form,
)
from retrieval.plain import LONG_DIGITS
from retrieval.table import ColumnType, Kind
from retrieval.units import combine, currency_code, factors, is_unit

MAX_SCALE = 9
"""Numbers of more decimal places than this are kept as DOUBLE."""

_PHONE = re.compile(r"\+[1-9]\d{7,14}")
_POINT_CURRENCIES = frozenset({"USD", "GBP", "INR", "CNY", "JPY", "AUD", "NZD", "SGD", "HKD"})
"""Currencies of countries that write a decimal point."""

_THREE_DIGITS_BY_CHANCE = 6
"""So many distinct numbers with three digits after a comma each are not decimals by chance."""

_SENTINEL = re.compile(r"-9{2,6}(?:\.[09]+)?")
_LONE_MAGNITUDE = re.compile(r"\d\s+[KMBT]$")
_MOST_KINDS = 8
_FEWEST_OF_A_KIND = 3


def read_numbers(
    texts: Sequence[str],
    counts: Sequence[int],
    missing: frozenset[str],
    unit: str | None,
    hints: Hints,
    *,
    header_unit: bool,
) -> Reading | None:
    """Decide a column of numbers; None where it is none.

    `unit` is what the header or the table tells; `header_unit`, that it was the header.
    """
    forms = [None if text in missing else read_form(text) for text in texts]
    if any(form.exponent for form in forms if form):
        forms = [f or read_form(t, exponents=True) for f, t in zip(forms, texts, strict=True)]
    if any(form.fraction for form in forms if form):
        forms = [f or proper_fraction(t) for f, t in zip(forms, texts, strict=True)]
    found, held = share_of(texts, counts, [form is not None for form in forms], missing)
    if found <= held * MIXED_SHARE or any(_identifier(form) for form in forms if form):
        return None
    if are_phones(texts, missing) or any(map(ends_in_check_letter, texts)):
        return None
    mark, warnings = _decimal_mark([form for form in forms if form], hints, unit)
    values = [None if form is None else _value(form, mark) for form in forms]
    if any(is_code(t) for t, v in zip(texts, values, strict=True) if v is None):
        return None
    found, held = share_of(texts, counts, [value is not None for value in values], missing)
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
    warnings += doubtful_values(texts, counts, values) + _inexact(texts, forms)
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
) -> Reading:
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
        return hints.mark or ".", []
    if hints.decimal_mark:
        return hints.decimal_mark, []
    example = next(form for form in forms if mark_evidence(form) == "?")
    mark = hints.mark or "."
    grouped = mark not in example.body  # its only sign parts thousands under this mark
    currencies = {currency_code(sign) for sign in (example.currency, unit or "") if sign}
    if (mark == "." and currencies & _POINT_CURRENCIES) or (grouped and _thousands_shown(forms)):
        return mark, []
    if grouped and evidence["?"] >= _THREE_DIGITS_BY_CHANCE:
        return mark, []
    return mark, [
        f'"{example.body}" fits a thousands mark and a decimal mark alike (thousands or decimal '
        f"{'comma' if ',' in example.body else 'point'}); read as "
        f"{'thousands' if grouped else 'decimals'}"
        + (", as files with semicolons are" if hints.mark else "")
    ]


def _thousands_shown(forms: Sequence[NumberForm]) -> bool:
    """Whether the column marks thousands: short integers stand plain and no long one does."""
    plain = [len(form.body) for form in forms if form.plain]
    return bool(plain) and max(plain) <= 3


def doubtful_values(
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


def is_year(text: str) -> bool:
    """Whether a text of digits may be a year."""
    return len(text) == 4 and "1500" <= text <= "2100"
