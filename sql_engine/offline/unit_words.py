"""Units that a question says, against the units that columns have.

Takes words and a column's unit as published; gives the units they may mean ("$" is a dollar of any
country, "pounds" money or weight) and the scale a unit tells ("€ millions"). Lengths of time alone
are converted: a question in tonnes finds no place in a column of kilograms.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache, lru_cache

from sql_engine.magnitudes import scale_of
from sql_engine.offline.lexicon import lexicon
from sql_engine.words import Word, words

_ATTACHED = re.compile(r"(\d+(?:\.\d+)?)([^\W\d_]+)")
_NONE: frozenset[str] = frozenset()


def said_unit(folded: str) -> frozenset[str]:
    """The units that one word may mean; none where it is no unit."""
    return lexicon().units.get(folded, _NONE)


def attached_unit(folded: str) -> tuple[float, frozenset[str]] | None:
    """The number and the unit of a word that is both: "20kg". "300m" may be millions: None."""
    found = _ATTACHED.fullmatch(folded)
    if found is None or found[2] in ("m", "k", "b"):
        return None
    unit = said_unit(found[2])
    return (float(found[1]), unit) if unit else None


@lru_cache(maxsize=4096)
def column_unit(unit: str | None) -> frozenset[str]:
    """The units that a column's unit may mean: "$ millions" is a dollar."""
    found: frozenset[str] = _NONE
    for word in words(unit or ""):
        found |= said_unit(word.folded)
    return found


def tells_how_long(unit: str | None) -> bool:
    """Whether a column's unit is one of time and nothing else: "days", no "km/h"."""
    held = column_unit(unit)
    return bool(held) and held <= _of_time()


def is_money(unit: str | None) -> bool:
    """Whether a column's unit is a currency."""
    known = lexicon()
    currencies = (known.units.get(name, _NONE) for name in known.currencies)
    return bool(column_unit(unit) & frozenset().union(*currencies))


@cache
def _of_time() -> frozenset[str]:
    units = lexicon().units
    return frozenset().union(*(units[name] for name in _TIMES))


_TIMES = ("hours", "minutes", "seconds", "days", "weeks", "months", "years")


@cache
def _seconds() -> dict[frozenset[str], float]:
    """By unit of time: its seconds. Months and years have no one length."""
    lengths = {"seconds": 1.0, "minutes": 60.0, "hours": 3600.0, "days": 86400.0, "weeks": 604800.0}
    return {lexicon().units[name]: seconds for name, seconds in lengths.items()}


def converted(said: frozenset[str], unit: str | None) -> float | None:
    """What an amount of one unit of time is multiplied by, to be told in a column's; else None."""
    one, other = _seconds().get(said), _seconds().get(column_unit(unit))
    return None if one is None or other is None else one / other


@lru_cache(maxsize=4096)
def column_scale(unit: str | None) -> float:
    """What the numbers of a column are told in: 1e6 for "$ millions", else 1."""
    return math.prod(scale_of(word.folded) or 1.0 for word in words(unit or ""))


def agree(said: frozenset[str], unit: str | None) -> bool:
    """Whether a unit said may be that of a column; a column without a unit contradicts none."""
    held = column_unit(unit)
    return not said or not held or bool(said & held)


def units_said(found: Sequence[Word], amounts: Sequence[int]) -> dict[int, frozenset[str]]:
    """The places of the words that say a unit: after a number, or at "in kg".

    `amounts` are the places of the last words of numbers.
    """
    said = {}
    for i, word in enumerate(found[1:], 1):
        unit = said_unit(word.folded)
        if unit and (i - 1 in amounts or found[i - 1].folded == "in"):
            said[i] = unit
    return said
