"""Words of questions, names and cells, cut and folded the same way so that they can be compared.

Takes text; gives `Word`s with character offsets, the folded form (no case, no accents) and the
stem. Knows nothing of grammar or tables.
"""

from __future__ import annotations

import calendar
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import snowballstemmer

from retrieval.word_forms import PICTURE, singular

_WORD = re.compile(
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!,?\d)|\d+\.\d+(?![\d.])|\d+(?:st|nd|rd|th)\b"
    rf"|[^\W_]+(?:['’](?:s|t|re|ve|ll|d)\b)?|[%$€£₹¥#]|[<>]=?|!=|=|{PICTURE}"
)
_CAMEL = re.compile(r"(?<=[a-z])(?<!^[a-z])(?<![\W\d_][a-z])(?=[A-Z][a-z])")
"""Where a name in camel case is cut ("IsPaid"); one small letter is no word: "kWh", "iPhone"."""
MAX_CAPITALS = 4
"""Letters of a word in capitals that may be a name: "IT", "US", "WHO"."""
_MONTHS = frozenset([*(name.lower() for name in calendar.month_name if len(name) > 3), "sept"])
"""Months that have a short form of three letters."""
_PLURAL_ACRONYM = re.compile("[bcdfghjklmnpqrtvwxz]{2,}s")
"""As "TVs" and "kgs": the stemmer wants a vowel."""
_STEMMER = snowballstemmer.stemmer("english")
_UNSTEMMED = frozenset("abfhjkopquvwxz")
"""No suffix that the stemmer's rules take away ends in these."""


@dataclass(frozen=True)
class Word:
    """One word: character offsets (end exclusive), as written, folded and stemmed."""

    start: int
    end: int
    text: str
    folded: str
    stem: str


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """The text without case and accents, with plain apostrophes."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    plain = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    return plain.replace("’", "'").casefold()


@lru_cache(maxsize=65536)
def stem(folded: str) -> str:
    """The English stem of a folded word; numerals and short words stay as they are. A month has one
    stem, written in full or short.
    """
    base = folded.removesuffix("'s")
    if base in _MONTHS:
        return base[:3]
    base = singular(base)
    if _PLURAL_ACRONYM.fullmatch(base):
        return base[:-1]
    if len(base) < 3 or base[-1] in _UNSTEMMED or not base.isalpha():
        return base
    return str(_STEMMER.stemWord(base)) if len(base) > 3 or base[-1] == "s" else base


@lru_cache(maxsize=16384)
def words(text: str) -> tuple[Word, ...]:
    """The words of a text, in order."""
    found = []
    for match in _WORD.finditer(text):
        folded = fold(match.group())
        found.append(Word(match.start(), match.end(), match.group(), folded, stem(folded)))
    return tuple(found)


def stems(text: str) -> tuple[str, ...]:
    """The stems of a text's words, in order."""
    if text.isascii() and text.isdecimal():
        return (text,)
    return tuple(map(_stem_of, _WORD.findall(text)))


@lru_cache(maxsize=65536)
def _stem_of(word: str) -> str:
    return stem(fold(word))


def in_capitals(found: Sequence[Word], text: str) -> int:
    """Mask of the short words written in capitals where the question is not: "people in IT".

    A letter alone counts where it does not open the question and the words around it are no title
    ("group A"); an "I" only at the end.
    """
    if len(found) > 1 and text == text.upper():
        return 0
    titled = sum(word.text[:1].isupper() for word in found) * 2 > len(found)
    mask = 0
    for i, word in enumerate(found):
        if not (word.text.isalpha() and word.text.isupper() and len(word.text) <= MAX_CAPITALS):
            continue
        single = len(word.text) == 1
        opens = single and (not i or (titled and len(found) > 3))
        pronoun = word.text == "I" and i + 1 < len(found)
        mask |= 0 if opens or pronoun else 1 << i
    return mask


def folded_words(text: str) -> tuple[str, ...]:
    """The folded words of a text."""
    return tuple(fold(word) for word in _WORD.findall(text))


def split_name(name: str) -> tuple[str, ...]:
    """The parts of a column or table name, cut at camel case and underscores."""
    return tuple(_CAMEL.sub(" ", name.replace("_", " ")).split())


@lru_cache(maxsize=16384)
def name_words(name: str) -> tuple[str, ...]:
    """The stems of a column or table name; camel case and underscores are cut."""
    return stems(" ".join(split_name(name)))
