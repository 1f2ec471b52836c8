"""Units as tables tell them: in a header, in a caption, or as a currency sign in a cell.

Gives the unit as published ("millions of euro", "kg", "%"); converts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from decimal import Decimal

_CODES = (
    "USD|EUR|GBP|JPY|CNY|RMB|INR|CHF|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RUB|TRY|BRL|MXN|ZAR|KRW|"
    "SGD|HKD|THB|IDR|MYR|PHP|ILS|AED|SAR|QAR|EGP|NGN|KES|PKR|BDT|LKR|VND|UAH|RON|BGN"
)
_SIGNS = r"(?:US|U\.S\.|C|CA|A|AU|NZ|HK|S|R|NT|MX)?\$|[€£¥₹₩₽₺₫₪₦₱฿₴]|Rs\.?|kr\.?|zł"
CURRENCY = rf"(?:{_SIGNS}|\b(?:{_CODES})\b)"
"""Pattern of one currency sign or ISO code."""

_SYMBOLS = {
    **{"$": "USD", "US$": "USD", "U.S.$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"},
    **{"Rs": "INR", "Rs.": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY", "C$": "CAD", "CA$": "CAD"},
    **{"A$": "AUD", "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD", "S$": "SGD", "R$": "BRL"},
}

_CURRENCY_WORDS = {
    **{"dollar": "USD", "dollars": "USD", "euro": "EUR", "euros": "EUR", "pound": "GBP"},
    **{"pounds": "GBP", "sterling": "GBP", "yen": "JPY", "yuan": "CNY", "renminbi": "CNY"},
    **{"rupee": "INR", "rupees": "INR", "won": "KRW", "franc": "CHF", "francs": "CHF"},
}

_UNIT_WORDS = """
% percent percentage pct ‰ k m b bn mn mln mio thousand thousands million millions billion
billions trillion trillions hundred hundreds '000 000 000s '000s thous mil dollar dollars euro
euros pound pounds sterling yen yuan renminbi rupee rupees lakh lakhs crore crores franc francs
krona kronor krone kroner peso pesos real reais rand won ruble rubles riyal riyals dirham dirhams
lira cent cents pence kg g mg µg t tonne tonnes ton tons kt mt lb lbs oz km m cm mm µm nm mi mile
miles ft foot feet in inch inches yd yard yards km² km2 m² m2 sqm ha hectare hectares acre acres
sq square cubic m³ m3 l liter liters litre litres ml hl gal gallon gallons bbl barrel barrels
bushel bushels s sec secs second seconds min mins minute minutes h hr hrs hour hours day days week
weeks month months year years yr yrs ms °c °f c f kw mw gw kwh mwh gwh twh w v a hz khz mhz ghz j
kj mj btu cal kcal kb mb gb tb bytes mph kph km/h m/s kn knots persons people inhabitants
households workers employees units number shares points basis bps pp per of in and the capita us
u.s. current constant nominal real annual average rate ratio index tsd tausend mrd mia milliarden
millionen millier milliers milliard milliards millones miles prozent stück stk liter
"""
_WORDS = frozenset(_UNIT_WORDS.split())
_COUNT_WORDS = "unit units number shares points employees people persons households workers"
_COUNTED = frozenset(_COUNT_WORDS.split())
"""Words that name what a column counts where they stand alone under a group."""

_LINK_WORDS = "per of in and the us u.s. current constant pro je en de par por"
_LINKS = frozenset(_LINK_WORDS.split())
_BRACKETED = re.compile(r"[(\[]([^()\[\]]{1,40})[)\]]")
_TOLD_IN = re.compile(
    r"(?:^|[\s(,\[])"
    r"((?:amounts?|figures|values|dollars|all)?\s*(?:expressed\s+)?(?:in|en)\s+[^()\[\];]{2,50})",
    re.I,
)
_DEGREES = re.compile(r"°[CF](?=$| >)")
_MAGNITUDE = re.compile(
    r"\b(?:thousand|million|billion|trillion|hundred|lakh|crore|millier|milliard)s?\b|'?000s?\b"
    r"|\b(?:tausend|tsd|mio|mrd|mia|millionen|milliarden|millones|miles)\b",
    re.I,
)


def currency_code(symbol: str) -> str:
    """The ISO code of a currency sign, or the sign itself where it is not known."""
    stripped = symbol.strip()
    return _SYMBOLS.get(stripped, stripped.rstrip(".").upper())


def unit_in_header(header: str) -> str | None:
    """The unit in a header: "Weight (kg)" gives "kg", "Revenue, $ millions" gives "$ millions"."""
    for inner in reversed(_BRACKETED.findall(header)):
        if is_unit(inner):
            return _without_in(inner)
    for separator in (",", " in ", " > "):
        _, found, tail = header.rpartition(separator)
        if (
            found
            and is_unit(tail)
            and (separator != " in " or tail.strip().casefold() not in _LINKS)
            and (separator != " > " or tail.strip().casefold() not in _COUNTED)
        ):
            return _without_in(tail)
    if degrees := _DEGREES.search(header):
        return degrees[0]
    if header.rstrip().endswith("%") or header.lstrip().startswith("%"):
        return "%"
    return None


def caption_applies(unit: str | None, header: str) -> bool:
    """Whether a table's unit is that of a column: money is not in its hours, pieces and numbers.

    "Price per hour" is money all the same.
    """
    if unit is None or not _MONEY.search(unit):
        return True
    named = re.findall(r"[^\W\d_]+", header.rpartition(" > ")[2].casefold())
    return not set(named) & _NO_MONEY or bool(set(named) & _RATED)


_MONEY = re.compile(rf"{CURRENCY}|\b(?:{'|'.join(_CURRENCY_WORDS)})\b", re.IGNORECASE)
_NO_MONEY_WORDS = """
hour hours hrs day days night nights week weeks month months minute minutes min qty quantity count
number no nr nos code id pieces pcs persons people headcount stunde stunden std tag tage woche
wochen monate minuten menge anzahl stück stk nummer personen heure heures jour jours nuits quantité
nombre numéro hora horas día días cantidad número
"""
_NO_MONEY = frozenset(_NO_MONEY_WORDS.split())
_RATED = frozenset(["per", "pro", "je", "par", "por", "rate", "price", "cost", "fee", "preis"])


def unit_in_caption(text: str) -> str | None:
    """The unit that a caption or title tells for the whole table: "(in millions of euro)"."""
    for inner in _BRACKETED.findall(text):
        if is_unit(inner):
            return _without_in(inner)
    told = _TOLD_IN.search(text)
    if told is not None:
        phrase = _without_in(re.split(r",|\bexcept\b|\bunless\b", told[1])[0])
        if is_unit(phrase) and _is_scale(phrase):
            return phrase
    _, comma, tail = text.rpartition(",")
    return _without_in(tail) if comma and is_unit(tail) and _is_scale(tail) else None


def unit_subjects(title: str) -> list[str]:
    """What a title's unit is of: "Eggs laid" in "Eggs laid (thousands)", "prices" in "Huts (prices
    in CHF)". Empty where all figures are in it: "(in thousands)", "(EUR)".
    """
    for match in _NOUN_IN.finditer(title):
        if is_unit(match["unit"]) and match["noun"].casefold() not in _ALL_FIGURES:
            return re.split(r"\s+(?:and|or|und|et|y)\s+|\s*&\s*", match["noun"])
    for match in _BRACKETED.finditer(title):
        if is_unit(match[1]):
            whole = _without_in(match[1]) != match[1].strip() or currency_in(match[1])
            return [] if whole else [title[: match.start()].strip()]
    return []


_NOUN_IN = re.compile(
    r"[(\[,;:–—-]\s*(?P<noun>[^\W\d_]+(?:\s[^\W\d_]+){0,2})\s(?:in|en)\s(?P<unit>[^()\[\],;]{1,40})",
    re.I,
)
_ALL_FIGURES = frozenset(["amount", "amounts", "figures", "values", "all", "numbers", "data"])


def is_plain_money(unit: str) -> bool:
    """Whether a unit is a currency and no more: "EUR", not "thousands of euro"."""
    return currency_in(unit) is not None and _MAGNITUDE.search(unit) is None


def _is_scale(phrase: str) -> bool:
    return bool(_MAGNITUDE.search(phrase) or re.search(CURRENCY, phrase))


def is_unit(text: str) -> bool:
    """Whether a phrase is made of unit words: "millions of euro", "kg/m3", "US$ '000"."""
    phrase = _without_in(re.split(r",|;|\bexcept\b|\bunless\b", text)[0])
    spaced = re.sub(CURRENCY, " $ ", re.sub(r"\bd['’](?=\w)", "", phrase))
    tokens = [token for token in re.split(r"[\s/]+", spaced) if token]
    folded = [
        token.casefold() if len(token) < 3 else token.casefold().rstrip(".") for token in tokens
    ]
    if not tokens or re.fullmatch(r"[\dabc]|in", phrase.strip().casefold()):
        return False
    known = all(t == "$" or t in _WORDS or t in _LINKS for t in folded)
    return known and not all(t in _LINKS for t in folded)


def tells_scale(unit: str) -> bool:
    """Whether a unit tells how numbers are scaled, or a currency: thousands, percent, dollars."""
    folded = unit.casefold()
    return bool(
        _MAGNITUDE.search(unit)
        or "percent" in folded
        or "%" in folded
        or currency_in(unit) is not None
        or folded.strip("() ") in ("number", "rate", "ratio", "index")
    )


def combine(cell: str | None, told: str | None, told_in_header: bool) -> str | None:
    """One unit from what the cells tell and what the header or caption tells.

    A currency in the cells that is not the caption's is the column's own: "$950" in a table in
    thousands of euro is in dollars.
    """
    if cell is None or told is None:
        return told if cell is None else cell
    named = currency_in(told)
    if named is not None:
        return told if named == currency_code(cell) else cell
    if _MAGNITUDE.search(told):
        return f"{told} of {cell}"
    return told if told_in_header else cell


_MEASURES = (
    {"mg": "0.001", "g": "1", "kg": "1000", "t": "1000000"},
    {"mm": "0.001", "cm": "0.01", "m": "1", "km": "1000"},
    {"ml": "0.001", "cl": "0.01", "dl": "0.1", "l": "1", "hl": "100"},
    {"b": "0.000001", "kb": "0.001", "mb": "1", "gb": "1000", "tb": "1000000"},
    {"w": "1", "kw": "1000", "mw": "1000000"},
    {"wh": "1", "kwh": "1000", "mwh": "1000000", "gwh": "1000000000"},
    {"m²": "1", "ha": "10000", "km²": "1000000"},
)
"""Units of one measure, by how many of its base each is."""


def factors(words: Collection[str], to: str) -> dict[str, Decimal] | None:
    """How many `to` one of each unit is; None where they do not all measure one thing."""
    for sizes in _MEASURES:
        if to in sizes and all(word in sizes for word in words):
            return {word: Decimal(sizes[word]) / Decimal(sizes[to]) for word in words}
    return None


def currency_in(unit: str) -> str | None:
    """The ISO code of the currency that a unit names, by sign, code or word."""
    sign = re.search(CURRENCY, unit)
    if sign is not None:
        return currency_code(sign[0])
    words = unit.casefold().split()
    return next((_CURRENCY_WORDS[w] for w in words if w in _CURRENCY_WORDS), None)


def _without_in(text: str) -> str:
    stripped = " ".join(re.split(r",|\bexcept\b|\bunless\b", text)[0].split()).strip(" .:")
    return re.sub(
        r"^(?:(?:amounts?|figures|values|dollars|all|numbers)\s+)?(?:(?:are\s+)?expressed\s+|are\s+)?(?:in|en)\s+(?=\S)",
        "",
        stripped,
        flags=re.I,
    )
