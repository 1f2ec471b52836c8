"""What the rows are called of a table that has no name of its own: "export_3", "Sheet1".

Takes a question with what it names of such a table; gives the mask of the noun that can mean
nothing but its rows: "how many schools have over 500 pupils" counts the rows with over 500 pupils.
"""

from __future__ import annotations

from collections.abc import Iterable

from sql_engine.catalog import CatalogTable
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.question import Mention, Question
from sql_engine.offline.table_words import table_words


def is_unnamed(table: CatalogTable) -> bool:
    """Whether neither the table's name nor its title says what its rows are."""
    known = lexicon()
    said = (word.strip(_DIGITS) for word in table_words(table))
    return all(len(word) <= 1 or word in known.listings | known.unnamed for word in said)


_DIGITS = "0123456789"


def rows_counted(question: Question, table: CatalogTable, named: Iterable[Mention]) -> int:
    """Mask of the plural right after "how many" that names nothing of an unnamed table, where other
    words of the question do: they say that it is asked of this table.
    """
    said = 0
    for mention in named:
        said |= mention.mask
    mask = 0
    for trigger in question.of("count"):
        place = trigger.last + 1
        if place < len(question.words) and not said >> place & 1 and _is_plural(question, place):
            mask |= 1 << place
    tied = said & question.content & ~question.light & ~mask
    return mask if mask and (tied or question.listing) and is_unnamed(table) else 0


def _is_plural(question: Question, place: int) -> bool:
    word, known = question.words[place], lexicon()
    plural = word.folded.endswith("s") and not word.folded.endswith("ss")
    return (plural or word.stem in known.people) and not question.function >> place & 1
