"""Words whose opposite is a cell: "sold", where some rows say "unsold" and none says "sold".

Takes a question and a table; gives the cells that say the opposite, each with the word: the rows
that the word restricts to are all others.
"""

from __future__ import annotations

from collections.abc import Iterator

from retrieval.table import Kind
from sql_engine.catalog import CatalogTable
from sql_engine.offline.question import Question, ValueMention
from sql_engine.value_index import value_index
from sql_engine.words import folded_words, stem

LEAST = 4
"""Letters that a word has at least."""


def opposites(question: Question, table: CatalogTable) -> Iterator[ValueMention]:
    """The cells that deny a word of the question by their prefix or their first word."""
    for index, column in enumerate(table.columns):
        if column.kind is not Kind.TEXT:
            continue
        known, texts = value_index(column.source), column.source.texts
        for place, word in enumerate(question.words):
            if len(word.folded) < LEAST or not word.folded.isalpha() or known.equal((word.stem,)):
                continue
            ways = ((stem(f"un{word.folded}"),), ("not", word.stem))
            told = [texts[code] for way in ways for code in known.equal(way)]
            held = tuple(t for t in told if folded_words(t)[-1].endswith(word.folded))
            if held:
                yield ValueMention(place, place, index, held, 1.0)
