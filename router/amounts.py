"""Which published cells tell how many or how much, and which only look like numbers.

Takes a cell's text or a column. A year, a date and the number of a game, a week or a draft pick are
written in digits, and yet no answer to "how many": the question counts the rows that they name.
"""

from __future__ import annotations

import re
from itertools import pairwise

from retrieval.cells import is_year
from retrieval.kept import kept
from retrieval.table import NUMERIC, TEMPORAL, Column, Kind
from sql_engine.offline.sense import amounts
from sql_engine.words import name_words, words

_AMOUNT = re.compile(r"[^\w\s]{0,3}\s?\d[\d.,' ]*\D*")
"""One number with its unit: "$659", "7 days"; not "10:00 to 15:00"."""
_NUMBERING = re.compile(r"\w\W+(?:number|no\.?|nr\.?|#)\W*$", re.IGNORECASE)
"""A header that numbers things: "Track number", no "Number of tracks"."""
MOST_NUMBERED = 1000
"""Higher numbers than this are amounts, and number no things."""
LISTED = 4
"""As many rows show whether a column numbers them."""
IN_STEP = 0.75
"""Share of rows that follow the one before by one, where a column numbers them."""


def is_amount(text: str) -> bool:
    """Whether a text is one number, a unit with it or not."""
    return _AMOUNT.fullmatch(text) is not None


def numbers_rows(column: Column) -> bool:
    """Whether a column numbers its rows, by its header or its cells: years, or one number more in
    each row.
    """
    if _NUMBERING.search(column.name):
        return True
    if column.type.kind is not Kind.INTEGER:
        return False
    forms = [form for form in column.canonical or column.texts if form is not None]
    if forms and all(map(is_year, forms)):
        return True
    if len(forms) < LISTED or int(column.counts.max(initial=0)) > 1:
        return False
    steps = [abs(int(after) - int(before)) for before, after in pairwise(forms)]
    return sum(step == 1 for step in steps) >= IN_STEP * len(steps)


def numbers_things(column: Column, *, key: bool) -> bool:
    """Whether a column's numbers tell which one a row is, and not how long or how much: its table's
    `key`, or one that numbers the rows; a unit speaks for an amount.
    """
    if column.type.unit or column.type.kind is not Kind.INTEGER:
        return False
    return key or numbers_rows(column)


@kept
def holds_amounts(column: Column) -> bool:
    """Whether a column tells how many: no dates, no years, no numbering of the rows."""
    if column.type.kind in TEMPORAL or numbers_rows(column):
        return False
    return column.type.kind in NUMERIC or 2 * sum(map(is_amount, column.texts)) >= len(column.texts)


def numbers_what_is_counted(question: str, column: Column) -> bool:
    """Whether a column is called as one of the things that the question has in the plural: the
    "Game" of "how many games" tells which one it was.
    """
    names = name_words(column.name)
    if column.type.kind is not Kind.INTEGER or column.type.unit or len(names) != 1:
        return False
    said = [word.folded for word in words(question) if word.stem == names[0]]
    plural = bool(said) and all(len(word) > len(column.name.strip()) for word in said)
    return plural and names[0] not in amounts() and _highest(column) <= MOST_NUMBERED


@kept
def _highest(column: Column) -> int:
    return max((int(form) for form in column.canonical or column.texts if form), default=0)
