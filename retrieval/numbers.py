"""The grammar of one number as people write it: signs, marks, currency, percent, magnitude, unit.

`read_form` takes a text and gives its parts, without deciding whether "," or "." is the decimal
mark; `decimal_value` gives the value's canonical text once a column has decided.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache

from retrieval.dates import is_calendar_word
from retrieval.plain import ABOUT, may_begin_value
from retrieval.total_labels import is_total_word
from retrieval.units import CURRENCY


@dataclass(frozen=True)
class Number:
    """One number read from a text."""

    value: Decimal
    unit: str | None = None
    """As the text tells it: "%", "$", "kg"."""


@dataclass(frozen=True, slots=True)
class NumberForm:
    """A number's parts."""

    body: str
    """Digits with their thousands and decimal marks, no sign."""
    negative: bool = False
    exponent: str = ""
    fraction: str = ""
    """"1/2" of "3 1/2", or a vulgar fraction sign."""
    currency: str = ""
    percent: bool = False
    power: int = 0
    """Of ten, from a magnitude word: 6 for "1.2M"."""
    word: str = ""
    """A unit after the digits: "kg", "days"."""
    mark: str = ""
    """Footnote mark after the number, or a word in brackets that says how sure it is."""
    approximate: bool = False
    """"c. 300", "~150"."""

    @property
    def plain(self) -> bool:
        """Digits only: no sign, mark, unit or exponent."""
        return self.body.isdigit() and not (
            self.negative or self.exponent or self.fraction or self.unit or self.power
        )

    @property
    def leading_zero(self) -> bool:
        """An identifier such as "007", not a number."""
        return len(self.body) > 1 and self.body[0] == "0" and self.body[1].isdigit()

    @property
    def unit(self) -> str | None:
        """The unit that the text itself tells."""
        return "%" if self.percent else self.currency or self.word or None

    @property
    def word_key(self) -> str:
        """The unit word without case and plural."""
        folded = self.word.casefold().rstrip(".")
        return folded[:-1] if len(folded) > 2 and folded.endswith("s") else folded


_POWERS = {
    **{"k": 3, "thousand": 3, "m": 6, "mn": 6, "mln": 6, "million": 6, "b": 9, "bn": 9},
    **{"billion": 9, "t": 12, "tn": 12, "trillion": 12, "millions": 6, "billions": 9},
    **{"Tsd": 3, "tsd": 3, "Mio": 6, "mio": 6, "Mrd": 9, "mrd": 9, "Millionen": 6},
    **{"Milliarden": 9, "milliard": 9, "milliards": 9, "millones": 6, "milioni": 6, "miliardi": 9},
}
_LETTERS = frozenset("kmbt")
_MAGNITUDES = "|".join(sorted((w for w in _POWERS if w not in _LETTERS), key=len, reverse=True))
_SPACE = " \u00a0\u2009\u202f"
_ERAS = frozenset({"bc", "bce", "ad", "ce", "ah", "vchr", "nchr", "avjc"})
_DOUBT = (
    "e(?:st(?:imated?)?)?|p(?:rov(?:isional)?|relim(?:inary)?)?|r(?:ev(?:ised)?)?|approx|geschätzt"
    "|vorläufig|provisoire|estimé"
)
"""What statistics set in brackets behind a number that is not final."""

_PLAIN = re.compile(r"([+-]?)(\d+(?:\.\d+)?)")
_NUMBER = re.compile(
    rf"""
    (?P<about>{ABOUT})? [{_SPACE}]*
    (?P<sign>[-+−–])? [{_SPACE}]*
    (?P<before>{CURRENCY})? [{_SPACE}]*
    (?P<open>\()? [{_SPACE}]*
    (?P<inner>[-+−–])? (?P<inner_currency>{CURRENCY})? [{_SPACE}]* (?P<last_sign>[-−–])?
    (?P<body> \d{{1,3}}(?:[{_SPACE}'’]\d{{3}})+(?:[.,]\d+)? | \d[\d.,]*\d | \d | [.,]\d+ )?
    (?P<exponent>(?<=\d)[eE][+-]?\d{{1,3}})? (?P<trailing>(?<=\d)-)?
    (?P<fraction>(?<=\d)[{_SPACE}]+\d{{1,2}}/\d{{1,3}}(?!\d)|[{_SPACE}]*[¼½¾⅓⅔⅛⅜⅝⅞⅕⅖⅗⅘⅙⅚])?
    [{_SPACE}]*(?P<percent>%|percent\b|per\ cent\b|pct\b)?
    (?P<magnitude>[{_SPACE}]*(?:{_MAGNITUDES})\b\.?|[kKMBT]\b|m\b)?
    [{_SPACE}]*(?P<after>{CURRENCY})?
    (?P<close>\))? [{_SPACE}]*(?P<late_percent>%)?
    [{_SPACE}]*(?P<word>(?![¹²³⁴⁵⁶⁷⁸⁹⁰])[^\W\d_][^\s\d()\[\]*†‡§|]{{0,11}}|°[CF]?|[^\W\d_]{{1,8}}/[^\s\d()*]{{1,8}}\d?)?
    [{_SPACE}]*(?P<mark>[*†‡§¹²³⁴⁵⁶⁷⁸⁹⁰]+|(?:\[[^\[\]]{{1,6}}\])+|\((?:[a-z0-9]|{_DOUBT})\.?\))?
    """,
    re.VERBOSE,
)
LONGEST = 60
"""No number is written in this many characters or more."""

_DIGIT = re.compile(r"[\d¼½¾⅓⅔⅛⅜⅝⅞⅕⅖⅗⅘⅙⅚]")
_CODE = re.compile(r"\d[\d\s.,:/()+-]*")
_CHECKED = re.compile(r"\d{7,}[-–]?[A-Z]")
_FRACTION = re.compile(r"([-−–]?)(\d{1,2})/(\d{1,3})")
_DECADE = re.compile(r"(?:1[5-9]|20)\d0")
_CERTAIN_EXPONENT = re.compile(r"\d[.,]\d+[eE]|[eE][+-]")


@cache
def _to_ascii() -> dict[int, str]:
    """The digits and marks of other scripts and of full width, as those of ASCII."""
    digits = (c for c in map(chr, range(0x80, 0x1FBFA)) if c.isdecimal())
    marks = dict(zip(map(ord, "，．％＋－٫٬٪"), ",.%+-.,%", strict=True))
    return {ord(c): str(int(c)) for c in digits} | marks


def read_form(text: str, *, exponents: bool = False) -> NumberForm | None:
    """The parts of a number; None where the text is no number.

    `exponents`: the column is known to hold them, so "1e5" is one, and no code.
    """
    if not text.isascii() and len(text) < LONGEST:
        text = text.translate(_to_ascii())
    plain = _PLAIN.fullmatch(text)
    if plain is not None:
        return NumberForm(plain[2], negative=plain[1] == "-")
    if len(text) >= LONGEST or not may_begin_value(text) or not _DIGIT.search(text):
        return None
    match = _NUMBER.fullmatch(text)
    return None if match is None else _form_of(match, exponents)


def proper_fraction(text: str) -> NumberForm | None:
    """A fraction below one on its own: a number in a column of mixed numbers ("2 1/2"), elsewhere
    a score, a part or a day.
    """
    match = _FRACTION.fullmatch(text)
    if match is None or int(match[2]) >= int(match[3]):
        return None
    return NumberForm("0", negative=bool(match[1]), fraction=f"{match[2]}/{match[3]}")


def _form_of(match: re.Match[str], exponents: bool) -> NumberForm | None:
    part = match.groupdict()
    body, fraction, word = part["body"] or "", (part["fraction"] or "").strip(), part["word"] or ""
    if not body and (not fraction or "/" in fraction):
        return None
    if bool(part["open"]) != bool(part["close"]) or _names_something(word):
        return None
    signs = [part[name] for name in ("sign", "inner", "last_sign", "trailing") if part[name]]
    if len(signs) > 1 or (part["open"] and signs and part["open"]):
        return None
    certain = exponents or _CERTAIN_EXPONENT.search(body + (part["exponent"] or ""))
    if part["exponent"] and not certain:
        return None
    currencies = [part[n] for n in ("before", "inner_currency", "after") if part[n]]
    if len(currencies) > 1:
        return None
    if word and (part["percent"] or (word == "s" and _DECADE.fullmatch(body))):
        return None
    magnitude = (part["magnitude"] or "").strip().rstrip(".")
    if magnitude == "m" and not currencies:
        magnitude, word = "", word or "m"
    return NumberForm(
        body or "0",
        negative=bool(part["open"]) or bool(signs and signs[0] != "+"),
        exponent=(part["exponent"] or "").lower(),
        fraction=fraction,
        currency=currencies[0].strip() if currencies else "",
        percent=bool(part["percent"] or part["late_percent"]),
        power=_POWERS.get(magnitude, _POWERS.get(magnitude.casefold(), 0)),
        word=word,
        mark=part["mark"] or "",
        approximate=bool(part["about"]),
    )


def _names_something(word: str) -> bool:
    """Whether a word after digits names a date, an era or a row ("2023 Total"), not a unit."""
    if word.casefold().replace(".", "") in _ERAS:
        return True
    return bool(word) and (is_calendar_word(word) or is_total_word(word))


_POINT = re.compile(
    r"(?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+|[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?"
    rf"|[1-9]\d{{0,2}}(?:[{_SPACE}'’]\d{{3}})+(?:\.\d+)?|[1-9]\d?(?:,\d{{2}})+,\d{{3}}(?:\.\d+)?)"
)
_COMMA = re.compile(
    r"(?:(?:0|[1-9]\d*)(?:,\d+)?|,\d+|[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?"
    rf"|[1-9]\d{{0,2}}(?:[{_SPACE}'’]\d{{3}})+(?:,\d+)?)"
)
_GRAMMAR = {".": _POINT, ",": _COMMA}
_GROUPING = {mark: re.compile(rf"[{_SPACE}'’{other}]") for mark, other in ((".", ","), (",", "."))}


def is_code(text: str) -> bool:
    """Digits and separators that are no number: "2.0.1", "555-1234", "45:00"."""
    return _CODE.fullmatch(text.lstrip("+(")) is not None


def ends_in_check_letter(text: str) -> bool:
    """Whether a letter closes a row of digits, as in codes that check themselves: "7831614841X"."""
    return _CHECKED.fullmatch(text) is not None


def mark_evidence(form: NumberForm) -> str:
    """What a number tells of the decimal mark: "." or "," certain, "?" both fit, "" nothing."""
    if "." not in form.body and "," not in form.body:
        return ""
    fits = [mark for mark, grammar in _GRAMMAR.items() if grammar.fullmatch(form.body)]
    return "?" if len(fits) == 2 else fits[0] if fits else ""


def decimal_value(form: NumberForm, mark: str) -> str | None:
    """The canonical text of the value under this decimal mark; None where it does not fit."""
    if not _GRAMMAR[mark].fullmatch(form.body):
        return None
    digits = _GROUPING[mark].sub("", form.body).replace(mark, ".")
    if digits.startswith("."):
        digits = "0" + digits
    if form.fraction:
        digits = _with_fraction(digits, form.fraction)
    if form.power:
        digits = format(Decimal(digits).scaleb(form.power), "f")
    return ("-" if form.negative else "") + digits + form.exponent


_VULGAR = {
    **{"¼": "1/4", "½": "1/2", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "⅛": "1/8", "⅜": "3/8"},
    **{"⅝": "5/8", "⅞": "7/8", "⅕": "1/5", "⅖": "2/5", "⅗": "3/5", "⅘": "4/5", "⅙": "1/6"},
    "⅚": "5/6",
}


def _with_fraction(digits: str, fraction: str) -> str:
    top, _, bottom = _VULGAR.get(fraction, fraction).partition("/")
    if int(bottom) == 0:
        return digits
    value = Fraction(digits) + Fraction(int(top), int(bottom))
    places = Decimal(value.numerator) / Decimal(value.denominator)
    return format(round(places, 6).normalize(), "f")
