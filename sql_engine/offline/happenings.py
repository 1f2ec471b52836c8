"""Nouns for what took place in each row, where a column of that name only tells of which kind it
was: the lessons of a timetable with a "Lesson" of piano or violin.

Takes a question with the columns that it names and arrays; gives where such columns are named.
"""

from __future__ import annotations

from collections.abc import Iterable

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData, TableData
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.question import ColumnMention, Question

WHOLE = 0.95
"""How well a noun must name the column of kinds."""


def happenings(
    question: Question, named: Iterable[ColumnMention], data: TableData
) -> tuple[ColumnMention, ...]:
    """Where the kinds of what took place are named in the plural, in a table that tells when."""
    if question.of("distinct"):
        return ()
    kinds = tuple(m for m in named if _names_kinds(question, m, data.columns[m.column]))
    return kinds if kinds and any(map(tells_when, data.columns)) else ()


def _names_kinds(question: Question, mention: ColumnMention, column: ColumnData) -> bool:
    word = question.words[mention.last]
    noun = word.stem in lexicon().happenings and word.folded.endswith("s")
    whole = mention.score >= WHOLE and mention.first == mention.last
    return noun and whole and column.kind is Kind.TEXT and not column.encoded().unique


def tells_when(column: ColumnData) -> bool:
    """Whether a column tells the date of every row."""
    return column.temporal and not bool((column.encoded().codes < 0).any())
