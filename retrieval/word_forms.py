"""What both halves of the house must agree on about words: irregular plurals, signs, misspellings,
the names of months and weekdays in several languages.

A header, a cell and a question are cut and stemmed in `tokenize.py` for the index and in
`sql_engine/words.py` for SQL; what only a list can tell is told here for both.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

PICTURE = "[\u2190-\u21ff\u2300-\u23ff\u2460-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
"""Arrows, ticks, stars and emoji: each is a word, as a cell may hold nothing else."""

_PLURALS = """
knife knives life lives wife wives wolf wolves shelf shelves half halves leaf leaves loaf loaves
thief thieves calf calves elf elves scarf scarves hoof hooves
child children man men woman women foot feet tooth teeth goose geese mouse mice ox oxen
bus buses gas gases index indices matrix matrices vertex vertices appendix appendices
criterion criteria phenomenon phenomena analysis analyses crisis crises thesis theses
hypothesis hypotheses diagnosis diagnoses
"""
_SINGULARS = dict(zip(_PLURALS.split()[1::2], _PLURALS.split()[::2], strict=True))


def singular(word: str) -> str:
    """The singular of an irregular plural; another word as it is."""
    return _SINGULARS.get(word, word)


_MONTHS_BY_LANGUAGE = (
    "january february march april may june july august september october november december",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
)
_SHORT_MONTHS = {
    **{"sept": 9, "jänner": 1, "jän": 1, "mrz": 3, "mrt": 3, "janv": 1, "févr": 2, "fevr": 2},
    **{"avr": 4, "juil": 7},
}
"""Short forms that are not the first three letters."""


def _plain(text: str) -> str:
    """A text without its accents."""
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def _months() -> dict[str, int]:
    """The number of each month's name and short form, with accents and without."""
    found: dict[str, int] = {}
    for names in _MONTHS_BY_LANGUAGE:
        for number, name in enumerate(names.split(), 1):
            for form in (name, _plain(name), name[:3], _plain(name)[:3]):
                found.setdefault(form, number)
    del found["jui"]  # June or July in French
    return found | _SHORT_MONTHS


MONTH_OF = _months()
"""The number of each month by its name and short form, in several languages."""

WEEKDAYS_BY_LANGUAGE = (
    "monday tuesday wednesday thursday friday saturday sunday",
    "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles jueves viernes sábado domingo",
    "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
)
"""Their names from Monday on, a line a language."""

DENYING = frozenset(["no", "not", "non", "never", "without"])
"""Words that deny the next one, and that some headers have: "Visit no", "Not paid"."""
_DENIED = rf"\b(?:{'|'.join(sorted(DENYING))})[\s-]+"


def says_otherwise(text: str, word: str) -> bool:
    """Whether a text has a word only where it is denied: "non-taxable" has no "taxable".

    Args:
        text: as folded.
        word: as folded, or its stem.
    """
    held = len(re.findall(rf"\b{re.escape(word)}", text))
    return 0 < held == len(re.findall(rf"{_DENIED}{re.escape(word)}", text))


_SHORTEST = 5
_LONG = 10
"""From so many letters on, a word may hold two slips: "Slovenia" is no Slovakia."""


def misspelt(word: str, known: Iterable[str], *, letters: int = 0) -> str | None:
    """The one of `known` that `word` is a misspelling of; None where none is, or two are as near.

    A slip is a letter too many, too few, another, or two that changed places. A word with other
    letters at its end is another word ("Martina" is not Martin).

    Args:
        word: as folded, or its stem.
        known: the words, or their stems.
        letters: of the whole word, where `word` is its stem.
    """
    from rapidfuzz.distance import OSA

    if len(word) < _SHORTEST:
        return None
    slips = 1 if max(len(word), letters) < _LONG else 2
    near: dict[int, list[str]] = {}
    for other in known:
        if other[:1] == word[:1] and not (word.startswith(other) or other.startswith(word)):
            distance = OSA.distance(word, other, score_cutoff=slips)
            if distance <= slips:
                near.setdefault(distance, []).append(other)
    best = near[min(near)] if near else []
    return best[0] if len(best) == 1 else None
