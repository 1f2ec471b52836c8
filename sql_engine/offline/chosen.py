"""Tables that a question chooses by name: "in table b", "the orders table".

Takes the question and the tables of the catalog; gives those it chooses.
"""

from __future__ import annotations

from collections.abc import Sequence

from sql_engine.catalog import CatalogTable
from sql_engine.offline.question import Question
from sql_engine.words import name_words

_TABLE = name_words("table")[0]


def chosen_tables(question: Question, tables: Sequence[CatalogTable]) -> tuple[CatalogTable, ...]:
    """The tables whose whole name stands beside the word "table"; none where none does."""
    stems = tuple(word.stem for word in question.words)
    if _TABLE not in stems:
        return ()
    return tuple(t for t in tables if _stands_beside(name_words(t.name), stems))


def _stands_beside(name: tuple[str, ...], stems: tuple[str, ...]) -> bool:
    size = len(name)
    if not size or _TABLE in name:
        return False
    places = (i for i in range(len(stems) - size + 1) if stems[i : i + size] == name)
    return any(_TABLE in (*stems[i - 1 : i], *stems[i + size : i + size + 1]) for i in places)
