"""Rows that came late, early or on time: the date on which something happened against the date by
which it was meant to.

Takes a question, its mentions and arrays; gives `Part`s of conditions, where a table has one date
that was planned ("Due") and one on which it came about in the end ("Returned").
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from retrieval.table import Kind
from sql_engine.offline.columns import TableData
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.parts import NAMED, ConditionPart, Part
from sql_engine.offline.question import Question, covering
from sql_engine.offline.tree import Against, Col
from sql_engine.words import name_words

_LATENESS = {"late": ">", "early": "<", "punctual": "<=", "punctually": "<="}
_COMING = frozenset(["come", "came", "comes", "brought", "given", "gave", "bring", "sent"])


def lateness(
    question: Question, found: Mentions, data: TableData
) -> Iterator[tuple[ConditionPart, int]]:
    """The rows whose date came after, before or by the planned one, where words say so."""
    said = list(_said(question, found))
    ends = _planned_and_done(data) if said else None
    if ends is None:
        return
    planned, done = ends
    deed = covering(m for m in found.columns if m.column == done and m.score >= NAMED)
    for mask, sign in said:
        cond = Against(Col(done), sign, Col(planned))
        features = (("against_column", 1.0), ("slot_hinted", 1.0))
        for told in dict.fromkeys((mask | deed | _back(question), mask)):
            if not any(told & value.mask for value in found.values if value.exact):
                yield Part(cond, told, features), mask.bit_length() - 1


def _planned_and_done(data: TableData) -> tuple[int, int] | None:
    """The one planned date and the date on which a thing came about in the end; None where it
    cannot be told which they are.
    """
    dated = [i for i, column in enumerate(data.columns) if column.kind is Kind.DATE]
    named = {i: set(name_words(data.columns[i].name)) for i in dated}
    planned = [i for i in dated if named[i] & lexicon().planned]
    others = [i for i in dated if i not in planned]
    if len(planned) != 1 or not 0 < len(others) <= 2:
        return None
    if len(others) == 1:
        return (planned[0], others[0]) if not _precedes(data, others[0], planned[0]) else None
    first, last = others
    ways = [(one, two) for one, two in ((first, last), (last, first)) if _precedes(data, one, two)]
    return (planned[0], ways[0][1]) if len(ways) == 1 else None


def _precedes(data: TableData, first: int, last: int) -> bool:
    """Whether no row has the one date after the other, and some before it."""
    one, two = (data.columns[i].encoded().row_floats for i in (first, last))
    both = ~(np.isnan(one) | np.isnan(two))
    steps = two[both] - one[both]
    return bool((steps >= 0).all() and (steps > 0).any())


def _said(question: Question, found: Mentions) -> Iterator[tuple[int, str]]:
    """Masks of the words for late, early and on time, with how the dates then compare."""
    words = [word.folded for word in question.words]
    named = covering(found.columns)
    for i, word in enumerate(words):
        if word in _LATENESS and not named >> i & 1 and not _is_of_time(question, i):
            yield 1 << i, _LATENESS[word]
        elif word == "on" and words[i + 1 : i + 2] == ["time"]:
            yield 3 << i, "<="


def _is_of_time(question: Question, place: int) -> bool:
    """Whether "late" says which part of a stretch of time is meant, or as what work: "late March",
    "early in the year", "late shifts".
    """
    after = question.words[place + 1 : place + 2]
    timed = any(period.first == place + 1 for period in question.periods)
    return timed or any(word.folded in _PARTS for word in after)


_PARTS = frozenset(
    ["in", "on", "shift", "shifts", "night", "nights", "morning", "evening", "start", "starts"]
)


def _back(question: Question) -> int:
    """Mask of the "came back" that only says that it happened."""
    words = [word.folded for word in question.words]
    return sum(
        3 << i for i in range(len(words) - 1) if words[i] in _COMING and words[i + 1] == "back"
    )
