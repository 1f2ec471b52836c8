"""Women and men, where a column of a letter or a word says the sex of each row's person.

Takes a question and a table; gives the `ValueMention`s of "women", "male" and the like.
"""

from __future__ import annotations

from collections.abc import Iterator

from retrieval.table import Kind
from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.question import Question, ValueMention
from sql_engine.words import fold

MAX_SEXES = 6
"""Distinct texts of a column of sexes: with "x", "unknown" and the like."""


def sex_mentions(question: Question, table: CatalogTable) -> Iterator[ValueMention]:
    """The words that say a sex, as the cells that say it."""
    known = lexicon().sexes
    said = [(i, sex) for i, w in enumerate(question.words) for sex in known if w.folded in sex.said]
    if not said:
        return
    for index, column in enumerate(table.columns):
        for place, sex in said if _tells_sex(column) else ():
            texts = tuple(t for t in column.source.texts if fold(t.strip()) in sex.cells)
            if texts and question.words[place].folded not in map(fold, texts):
                yield ValueMention(place, place, index, texts, 1.0)


def _tells_sex(column: CatalogColumn) -> bool:
    """Whether the cells are those of one sex and the other, and hardly anything else."""
    texts = column.source.texts
    if column.kind is not Kind.TEXT or len(texts) > MAX_SEXES:
        return False
    folded = {fold(text.strip()) for text in texts}
    return all(folded & sex.cells for sex in lexicon().sexes)
