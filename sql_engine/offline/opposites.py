"""Words whose opposite is a cell: "sold", where some rows say "unsold" and none says "sold"; "let",
where some say "vacant".

Takes a question and a table; gives the cells that say the opposite, each with the word: the rows
that the word restricts to are all others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from retrieval.table import Kind
from sql_engine.catalog import CatalogTable
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.question import BEING, Question, ValueMention
from sql_engine.value_index import value_index
from sql_engine.words import folded_words, stem

LEAST = 4
"""Letters that a word has at least."""


def opposites(question: Question, table: CatalogTable) -> Iterator[ValueMention]:
    """The cells that deny a word of the question by their prefix or their first word, or say that
    nobody has what the question says is taken.
    """
    for index, column in enumerate(table.columns):
        if column.kind is not Kind.TEXT:
            continue
        known, texts = value_index(column.source), column.source.texts
        for place in predicates([w.folded for w in question.words], lexicon().had):
            free = tuple(text for text in texts if _is_free(text))
            if free and not known.equal((question.words[place].stem,)):
                yield ValueMention(place, place, index, free, 1.0)
        for place, word in enumerate(question.words):
            if len(word.folded) < LEAST or not word.folded.isalpha() or known.equal((word.stem,)):
                continue
            ways = ((stem(f"un{word.folded}"),), ("not", word.stem))
            told = [texts[code] for way in ways for code in known.equal(way)]
            held = tuple(t for t in told if folded_words(t)[-1].endswith(word.folded))
            if held:
                yield ValueMention(place, place, index, held, 1.0)


def _is_free(text: str) -> bool:
    words = folded_words(text)
    return len(words) == 1 and words[0] in lexicon().free


def predicates(folded: Sequence[str], known: Collection[str]) -> Iterator[int]:
    """The places of some words where they say how the rows are: "are let", "plots let in May"."""
    for place, word in enumerate(folded):
        if word not in known or not place:
            continue
        after = folded[place + 1] if place + 1 < len(folded) else ""
        told = not BEING.isdisjoint(folded[max(0, place - REACH) : place])
        if told or after in _PLACING:
            yield place


REACH = 2
"""Words from a "was" to what is said, at most."""
_PLACING = frozenset(["", "in", "at", "on", "to", "by", "since", "now", "out"])
"""What may come after it, where no "are" comes before; nothing at the end."""
