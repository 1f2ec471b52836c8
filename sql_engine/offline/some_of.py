"""Rows that have some of an amount of which others have none, a 0: "with a discount", "those
fined", "the average tip where there is one".

Takes a question with the columns that it names and arrays; gives each such amount with the words
that say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sql_engine.offline.columns import ColumnData
from sql_engine.offline.question import ColumnMention, Mention, Question
from sql_engine.words import folded_words, stem

SURE = 0.8
"""How well an amount must be named, to be what the rows have some of."""
ALIKE = 0.6
"""How well a participle must: "penalised" of a "Penalty"."""
FIRST = 4
"""Letters that a participle and its noun have in common."""


@dataclass(frozen=True, slots=True)
class Some:
    """An amount of which the rows are said to have some."""

    column: int
    mask: int
    """The words that say so."""
    apart: bool
    """Whether the amount is named elsewhere as well: no more than this is left to say."""


def some_of(
    question: Question, named: Iterable[ColumnMention], columns: Sequence[ColumnData]
) -> tuple[Some, ...]:
    """The amounts of which the rows are said to have some, where many have none."""
    sure = [m for m in named if m.score >= ALIKE and _has_none(columns[m.column])]
    return tuple(_found(question, sure, columns))


def _found(
    question: Question, sure: Sequence[ColumnMention], columns: Sequence[ColumnData]
) -> Iterator[Some]:
    for mention in sure:
        others = [m for m in sure if m.column == mention.column and not m.mask & mention.mask]
        opened = _opened(question, mention) if mention.score >= SURE else 0
        if opened:
            yield Some(mention.column, opened | mention.mask, bool(others))
        elif _is_participle(question, mention, columns[mention.column]):
            yield Some(mention.column, mention.mask, bool(others))
        elif mention.score >= SURE and (there := _there_is_one(question, mention)):
            yield Some(mention.column, there, True)


def _has_none(column: ColumnData) -> bool:
    return column.amount and bool((column.encoded().row_floats == 0).any())


def _opened(question: Question, mention: Mention) -> int:
    """Mask of a "with a" right before a name; 0 where none stands there."""
    before = [word.folded for word in question.words[max(0, mention.first - 2) : mention.first]]
    opened = len(before) == 2 and before[0] in _OWNING and before[1] in ("a", "an", "any", "some")
    return 3 << (mention.first - 2) if opened else 0


_OWNING = frozenset(["with", "have", "has", "had", "having", "got", "get"])


def _is_participle(question: Question, mention: ColumnMention, column: ColumnData) -> bool:
    """Whether a word says that it happened to the rows, as "fined" does beside a "Fine"."""
    word, names = question.words[mention.last], folded_words(column.name)
    done = len(names) == 1 and mention.first == mention.last and word.folded.endswith("ed")
    if not done:
        return False
    alike = word.stem == stem(names[0]) or word.folded[:FIRST] == names[0][:FIRST]
    return word.folded != names[0] and alike


def _there_is_one(question: Question, mention: ColumnMention) -> int:
    """Mask of "where there is one" after a name; 0 where it is not said."""
    words = [word.folded for word in question.words]
    for place in range(mention.last + 1, len(words) - 3):
        where, there, being, one = words[place : place + 4]
        if where in _WHERE and there == "there" and being in _BEING and one in _ONE:
            return 15 << place
    return 0


_WHERE = frozenset(["where", "when", "if", "whenever"])
_BEING = frozenset(["is", "was", "are", "were"])
_ONE = frozenset(["one", "any", "some"])
