"""What words that no table has a place for may mean, by the names nearest in meaning.

Takes a question and its mentions by table; gives the mentions with columns and tables that such
words stand near to, by the static vectors of the `dense` extra; unchanged where that is missing.
A reading by a near word is a guess: `Mentions.near` tells the words, each of which costs confidence
as a word left out does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

import retrieval.vectors as vectors
from retrieval.kept import kept
from sql_engine.catalog import CatalogTable
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.other_tables import words_placed
from sql_engine.offline.question import ColumnMention, Mention, Question, covering
from sql_engine.offline.table_words import IDENTIFIERS, table_words, without_unit
from sql_engine.words import folded_words, split_name, stem

LEAST_COSINE = 0.2
"""Words less alike than this are alike by chance."""
LEAST_ALONE = 0.3
"""The same over a table that stands alone, whose questions tell more beside its names than over
several tables, where a word mostly says which is meant.
"""
RIVAL = 0.02
"""Names that are nearly as near as the nearest are meant as well as it."""
NEAR = 0.72
"""How well a near word names a column."""
MAX_WORDS = 3
"""Words that are looked at together: "given name"."""
MAX_NAMES = 400
"""Over more names than this nothing is guessed."""


@dataclass(frozen=True)
class _Name:
    """What a column or a table is called; `column` is None for a table."""

    column: int | None
    words: str


def with_near_words(
    question: Question, tables: Sequence[CatalogTable], found: Mapping[str, Mentions], left: int
) -> dict[str, Mentions]:
    """The mentions with those of the words `left` out that no table has a place for."""
    given = dict(found)
    spans = list(_unplaced(question, given, left)) if vectors.available() else []
    named = [(table.name, name) for table in tables for name in _names(table)]
    if not spans or not named or len(named) > MAX_NAMES:
        return given
    known = np.concatenate([_vectors(table) for table in tables if _names(table)])
    said = [" ".join(question.text_of(span.mask)).lower() for span in spans]
    cosines = vectors.embed(said) @ known.T
    taken, least = 0, LEAST_COSINE if len(tables) > 1 else LEAST_ALONE
    for place in np.argsort(-cosines.max(axis=1), kind="stable").tolist():
        span, likeness = spans[place], cosines[place]
        if span.mask & taken or likeness.max() < least:
            continue
        taken |= span.mask
        for at in np.flatnonzero(likeness >= likeness.max() - RIVAL).tolist():
            table, name = named[at]
            given[table] = _with(given[table], span, name)
    return given


def _with(found: Mentions, span: Mention, name: _Name) -> Mentions:
    """The mentions of a table with a name that words stand near to."""
    if name.column is None:
        rows, called = found.rows | span.mask, found.table_words | span.mask
        return replace(found, rows=rows, table_words=called, near=found.near | span.mask)
    mention = ColumnMention(span.first, span.last, name.column, NEAR)
    return replace(found, columns=(*found.columns, mention), near=found.near | span.mask)


def _unplaced(question: Question, found: Mapping[str, Mentions], left: int) -> Iterator[Mention]:
    """Stretches of the words left out that mean nothing over any table, single words and side by
    side; "name" goes with the word before it.
    """
    said = covering((*question.triggers, *question.numbers, *question.periods))
    for each in found.values():
        said |= words_placed(each) | each.deeds | each.undone | each.veiled
    words = question.words
    unplaced = {
        i
        for i, word in enumerate(words)
        if (left & ~said & ~question.light) >> i & 1
        and word.text.isalpha()
        and (i == 0 or not word.text[:1].isupper())
    }
    for first in sorted(unplaced):
        for last in range(first, min(first + MAX_WORDS, len(words))):
            inside = set(range(first, last)) <= unplaced
            if inside and (last in unplaced or (last > first and words[last].stem == "name")):
                yield Mention(first, last)


@kept
def _names(table: CatalogTable) -> tuple[_Name, ...]:
    """What the table and its columns are called, without codes and without the table's noun."""
    nouns = set(map(stem, table_words(table)))
    own = " ".join(sorted(table_words(table)))
    names = [_Name(None, own)] if own else []
    for index, column in enumerate(table.columns):
        said = folded_words(" ".join(split_name(without_unit(column.name))))
        rest = [word for word in said if stem(word) not in nouns] or list(said)
        if any(word.isalpha() and word not in IDENTIFIERS - {"name"} for word in rest):
            names.append(_Name(index, " ".join(rest)))
    return tuple(names)


@kept
def _vectors(table: CatalogTable) -> vectors.Vectors:
    return vectors.embed([name.words for name in _names(table)])
