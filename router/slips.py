"""Slips of the pen in a question, put right before it is read: "smalest", "diffrent", "whats".

Takes the question and what the tables hold; gives the question as it was meant, and a note on each
word that was read otherwise. A word that a header or cell has is no slip, nor is one that English
has; a number is written as the tables write theirs, a month of another language in English.
"""

from __future__ import annotations

import calendar
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from retrieval.table import NUMERIC
from retrieval.word_forms import MONTH_OF, misspelt
from sql_engine.catalog import Catalog

Holds = Callable[[str], bool]
"""Whether a header or cell of a table has a word, as folded."""
_LETTERS = re.compile(r"(?<![\w'’-])[^\W\d_]{3,}(?![\w'’-])")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+(?![\d.]|,\d{3})")
_SHORTEST_MONTH = 5
_FIRST_NAMES = frozenset(["julio", "abril", "avril", "marzo"])
"""Months that people are called by."""


@dataclass(frozen=True)
class _Words:
    by_letter: Mapping[str, tuple[str, ...]]
    """The words that are meant, by their first letter, which people rarely get wrong."""
    others: frozenset[str]
    run_together: Mapping[str, str]


@cache
def _words() -> _Words:
    told = tomllib.loads(files("router").joinpath("slips.toml").read_text(encoding="utf-8"))
    meant = told["meant"].split()
    letters = {word[0]: tuple(w for w in meant if w[0] == word[0]) for word in meant}
    return _Words(letters, frozenset((*meant, *told["others"].split())), told["run_together"])


def put_right(question: str, holds: Holds, catalog: Catalog) -> tuple[str, tuple[str, ...]]:
    """The question as it was meant, and what was read otherwise than it is written."""
    read: dict[str, str] = {}

    def meant(match: re.Match[str]) -> str:
        word = match[0]
        named = bool(match.start()) and word[:1].isupper()
        other = _meant(word.casefold(), holds, named=named)
        if other is None:
            return word
        if word.casefold() not in _words().run_together:
            read[word] = other
        return other.capitalize() if word[:1].isupper() else other

    def grouped(match: re.Match[str]) -> str:
        read[match[0]] = match[0].replace(".", ",")
        return read[match[0]]

    text = _LETTERS.sub(meant, question)
    if _GROUPED.search(text) and _writes_decimal_commas(catalog):
        text = _GROUPED.sub(grouped, text)
    return text, tuple(f'"{word}" is read as "{other}"' for word, other in read.items())


def _meant(word: str, holds: Holds, *, named: bool) -> str | None:
    """What is meant by a word, as folded; None where it stands for itself."""
    known = _words()
    if word in known.others or holds(word):
        return None
    if word in known.run_together:
        return known.run_together[word]
    if len(word) >= _SHORTEST_MONTH and word in MONTH_OF and word not in _FIRST_NAMES:
        english = calendar.month_name[MONTH_OF[word]]
        return None if english.casefold() == word else english
    return None if named else misspelt(word, known.by_letter.get(word[:1], ()))


def _writes_decimal_commas(catalog: Catalog) -> bool:
    """Whether the tables write 18.000 for what others write as 18,000."""
    types = [c.source.type for entry in catalog for c in entry.columns if c.kind in NUMERIC]
    commas = any(told.decimal_mark == "," for told in types)
    return commas and not any(told.decimal_mark == "." and told.scale for told in types)
