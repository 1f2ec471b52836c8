"""Words that deny by a prefix: "unpaid", "inactive" and "non-returnable" say "not" of what the
tables hold.

Takes a question and the tables it is asked of; gives the question with such words in two, so that
they are read as any other denial. A word that a header or cell has as it stands is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.table import Kind
from sql_engine.catalog import CatalogTable
from sql_engine.offline.lexicon import lexicon
from sql_engine.value_index import value_index
from sql_engine.words import Word, name_words, stem, words

LEAST = 4
"""Letters that a word has at least without its prefix."""
_LATIN = ("in", "im", "il", "ir", "dis", "non")
"""Prefixes that many words begin with which deny nothing; their rest must be an adjective."""
_ADJECTIVES = ("ed", "ive", "ete", "ble", "ent", "ant", "lid", "ect", "ular")


def without_prefixes(question: str, tables: Sequence[CatalogTable]) -> str:
    """The question with "unpaid" as "not paid", where a table speaks of "paid"."""
    text = question
    for word in reversed(words(question)):
        rest = _denied(word)
        if rest and _is_known(rest, tables) and not _is_known(word.folded, tables):
            text = f"{text[: word.start]}not {rest}{text[word.end :]}"
    return text


def _denied(word: Word) -> str:
    """What a word denies by its prefix; empty where it has none."""
    folded = word.folded
    if folded.startswith("un"):
        rest = folded[2:]
    else:
        prefix = next((p for p in _LATIN if folded.startswith(p)), "")
        rest = folded[len(prefix) :].lstrip("-") if prefix else ""
        rest = rest if rest.endswith(_ADJECTIVES) else ""
    return rest if len(rest) >= LEAST and rest.isalpha() else ""


def _is_known(word: str, tables: Sequence[CatalogTable]) -> bool:
    """Whether a header or a cell of text holds the word."""
    said = stem(word)
    names = lexicon().synonyms.get(said, frozenset()) | {said}
    for table in tables:
        for column in table.columns:
            if names & set(name_words(column.name)):
                return True
            if column.kind is Kind.TEXT and len(value_index(column.source).holding(said)):
                return True
    return False
