"""What a number format makes of a stored value: percentages, money, leading zeros, months.

Takes a format as workbooks keep it, its number and its code; gives what turns the text of a stored
value into the one that its cell shows, where that is another one.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from decimal import Decimal
from functools import partial

from retrieval.units import is_unit

Shown = Callable[[str], str]

_PADDED = re.compile(r"0{2,}")
_NO_LETTERS = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
"""What stands in a number format beside its codes: words in quotes, a locale, escaped signs."""

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MONTH_ID = 17
_PERCENT_IDS = frozenset({9, 10})
_DOLLAR_IDS = frozenset({5, 6, 7, 8, 42, 44})
_LOCALE = re.compile(r"\[\$-[^\]]*\]")
"""A language in a number format, without a currency: `[$-409]`."""

_SIGN = re.compile(r'\[\$([^\-\]]+)[^\]]*\]|"?([$€£¥₹])"?')
"""The currency in a number format: `[$€-407]`, `"$"`."""


_SUFFIX = re.compile(r'(?<!,)(?:"\s*([^"\d]{1,12})"|\\ ?([^\W\d_]))(?:;.*)?$')
"""A word that a number format sets behind the number, which no comma before it scales."""


def number_shown(number: int, code: str) -> Shown | None:
    """What a format makes of a number; None where it shows the stored one."""
    sign = _SIGN.search(_LOCALE.sub("", code))
    if number in _PERCENT_IDS or "%" in code:
        return as_percent
    if _PADDED.fullmatch(code):
        return partial(as_padded, len(code))
    if number in _DOLLAR_IDS or sign:
        return partial(as_money, (sign[1] or sign[2]).strip() if sign else "$")
    word = _SUFFIX.search(code)
    if word is not None and is_unit((word[1] or word[2]).strip()):
        return partial(as_measure, (word[1] or word[2]).strip())
    return None


def header_shown(number: int, code: str) -> Shown | None:
    """What a format makes of a header's date; None where it shows its day, a time, or no year."""
    letters = set(_NO_LETTERS.sub("", "mmm-yy" if number == _MONTH_ID else code).casefold())
    if "y" not in letters or not letters.isdisjoint("dhs"):
        return None
    return as_month if "m" in letters else as_year


def as_money(symbol: str, text: str) -> str:
    """1200.5 under the format "$"#,##0 is shown with its sign."""
    return f"{symbol}{' ' if symbol.isalpha() else ''}{text}" if text else text


def as_measure(unit: str, text: str) -> str:
    """1.5 under the format 0.0" kg" is shown with its unit."""
    return f"{text} {unit}" if text else text


def as_padded(width: int, text: str) -> str:
    """123 under the format 00000 is shown as 00123."""
    return text.zfill(width) if text.isdigit() else text


def as_month(text: str) -> str:
    """2024-02-01 under the format mmm-yy is shown as Feb 2024."""
    if _DAY.fullmatch(text) is None:
        return text
    return f"{list(calendar.month_abbr)[int(text[5:7])]} {text[:4]}"


def as_year(text: str) -> str:
    """2024-02-01 under the format yyyy is shown as 2024."""
    return text[:4] if _DAY.fullmatch(text) else text


def as_percent(text: str) -> str:
    """0.125 is shown as 12.5%."""
    try:
        value = (Decimal(text) * 100).normalize()
    except ArithmeticError:
        return text
    return f"{round(value, 6).normalize():f}%"
