"""From text to the words and tokens that the index compares.

A `Word` is what a person would call one word: "SKU-4471-B", "1,200" and "Zürich's" are one each.
Its `tokens` are its searchable parts (folded, stemmed), its `whole` the parts written together,
so a code is found whole, in parts, joined and spaced. Folding is Unicode's (NFKC, case folding,
Latin accents off); Chinese, Japanese, Korean and Thai runs become overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Protocol

from retrieval.word_forms import PICTURE, singular

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad\ufe58\ufe63\uff0d"
_QUOTES = "\u2018\u2019\u02bc\uff07`"
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\ufe0e\ufe0f"
_UNDECOMPOSED = {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe"}
"""Latin letters that Unicode does not take apart into a letter and its mark."""
_FOLD = (
    {ord(c): "-" for c in _DASHES}
    | {ord(c): "'" for c in _QUOTES}
    | {ord(c): None for c in _INVISIBLE}
    | {ord("\u0131"): "i", ord("\u06a9"): "\u0643"}
    | {ord(c): "\u064a" for c in "\u06cc\u0649"}
    | {ord(c): plain for c, plain in _UNDECOMPOSED.items()}
)
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640]+")
"""Of Latin, Greek and Cyrillic; the points of Hebrew and Arabic, which few people write."""
# Vowel signs of Indic and other scripts are parts of words, though `\w` leaves them out.
_MARKS = "".join(chr(c) for c in range(0x0370, 0x1E00) if unicodedata.category(chr(c))[0] == "M")
_LETTER = rf"(?:[^\W_]|[{_MARKS}])"
_WORD = re.compile(
    rf"{_LETTER}+(?:(?:[-_./@'+:&?=]|://|(?<=\d),(?=\d\d\d(?!\d))){_LETTER}+)*|{PICTURE}",
    re.UNICODE,
)
_CONNECTOR = re.compile(r"[-_./@'+:&?=]+")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PLAIN_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0002fa1f]+"
)
_STEMMED = re.compile("[a-z]{3,}[cdegilmnrsty]|[a-z]{2}s")
"""Words that the English stemmer may shorten: no suffix of its rules ends in another letter."""

_PLURAL_ACRONYM = re.compile("[bcdfghjklmnpqrtvwxz]{2,}s")
"""As "tvs" and "dvds": the stemmer wants a vowel."""


@dataclass(frozen=True)
class Word:
    """One word of a text."""

    text: str
    """As folded: lower case, no accents."""
    tokens: tuple[str, ...]
    """Its searchable parts; all of them make the word."""
    whole: str | None = None
    """The parts written together, where there are several."""
    start: int = 0
    """Position in the folded text."""

    @property
    def joined(self) -> str:
        """The parts, unstemmed, written together."""
        return self.whole or self.text


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


@cache
def _stemmer() -> _Stemmer:
    import snowballstemmer

    stemmer: _Stemmer = snowballstemmer.stemmer("english")
    return stemmer


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The English stem of a folded word; other words come back as they are."""
    if _PLURAL_ACRONYM.fullmatch(word):
        return word[:-1]
    word = singular(word)
    return _stemmer().stemWord(word) if _STEMMED.fullmatch(word) else word


def fold(text: str) -> str:
    """Unicode folding: compatibility forms, case, Latin accents, dashes and quotes made one."""
    if text.isascii():
        return text.casefold()
    text = unicodedata.normalize("NFKC", text.translate(_FOLD)).casefold()
    text = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", text).translate(_FOLD)


def words(text: str) -> list[Word]:
    """The words of `text`, in order, stop words included."""
    return list(_words(fold(text)))


def tokens(text: str) -> list[str]:
    """What the index holds of `text`: each word's parts, and the whole where it has several."""
    return analyse(text)[0]


def analyse(text: str) -> tuple[list[str], str]:
    """The tokens of `text`, and the key under which it is the same as another cell."""
    folded = fold(text)
    if not folded.isascii() and _UNSPACED.search(folded):
        return _analyse_unspaced(folded)
    found: list[str] = []
    key = ""
    for chunk in _WORD.findall(folded):
        indexed, joined = _indexed(chunk)
        found.extend(indexed)
        key += joined
    return found, key


@lru_cache(maxsize=1 << 16)
def _indexed(chunk: str) -> tuple[tuple[str, ...], str]:
    word = _word(chunk, 0)
    return (word.tokens if word.whole is None else (*word.tokens, word.whole)), word.joined


def _analyse_unspaced(folded: str) -> tuple[list[str], str]:
    """As `analyse`; each character of an unspaced script is a token beside the pairs."""
    found: list[str] = []
    key = ""
    for word in _words(folded):
        found.extend(word.tokens if word.whole is None else (*word.tokens, word.whole))
        key += word.joined
    singles = [char for run in _UNSPACED.findall(folded) if len(run) > 1 for char in run]
    return found + singles, key


def cell_key(text: str) -> str:
    """The form under which two cells are the same: all words' parts written together."""
    return analyse(text)[1]


def _words(folded: str) -> Iterator[Word]:
    for match in _WORD.finditer(folded):
        chunk, start = match.group(), match.start()
        if chunk.isascii() or not _UNSPACED.search(chunk):
            yield _word(chunk, start)
        else:
            yield from _unspaced_words(chunk, start)


def _word(chunk: str, start: int) -> Word:
    if chunk.isalpha() or chunk.isdecimal():
        return Word(chunk, (stem(chunk),), None, start)
    if _GROUPED.fullmatch(chunk) or _PLAIN_NUMBER.fullmatch(chunk):
        number = _number(chunk)
        return Word(number, (number,), None, start)
    chunk = chunk.removesuffix("'s")
    parts = [part for part in _CONNECTOR.split(chunk.replace(",", "")) if part]
    found = tuple([part if part.isdecimal() else stem(part) for part in parts])
    if len(parts) == 1:
        return Word(parts[0], found, None, start)
    return Word(chunk, found, "".join(parts), start)


def _number(part: str) -> str:
    """A number without grouping commas and trailing decimal zeros; other text as it is."""
    part = part.replace(",", "")
    if "." in part and _PLAIN_NUMBER.fullmatch(part):
        return part.rstrip("0").rstrip(".")
    return part


def _unspaced_words(chunk: str, start: int) -> Iterator[Word]:
    """Pairs of characters for a run of an unspaced script; other runs as words."""
    at = 0
    for run in _UNSPACED.finditer(chunk):
        yield from _plain_words(chunk[at : run.start()], start + at)
        text = run.group()
        for i in range(max(1, len(text) - 1)):
            pair = text[i : i + 2]
            yield Word(pair, (pair,), None, start + run.start() + i)
        at = run.end()
    yield from _plain_words(chunk[at:], start + at)


def _plain_words(text: str, start: int) -> Iterator[Word]:
    for match in _WORD.finditer(text):
        yield _word(match.group(), start + match.start())


STOP_WORDS = frozenset(
    Path(__file__).with_name("stop_words.txt").read_text(encoding="utf-8").split()
)
"""Function words of a question, as folded: they choose no row."""
