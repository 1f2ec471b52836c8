"""Rows with or without a value in a column: "missing weight", "not returned", "without a date".

Takes the question and its mentions of one table; gives `Part`s of conditions on columns with empty
cells, or with cells that say that there is nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData, TableData
from sql_engine.offline.flags import yes_and_no
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.parts import ConditionPart, Part
from sql_engine.offline.question import ColumnMention, Question, Trigger
from sql_engine.offline.tree import Col, Filled, In, Not
from sql_engine.words import fold, folded_words, name_words

_BETWEEN = frozenset(
    ["a", "an", "any", "the", "their", "its", "been", "being", "be", "yet", "ever"]
)
"""Words between a "not" or "without" and what there is none of: "not yet been closed"."""
_DONE = frozenset(["was", "were", "been", "is", "are", "got", "already"])
"""Words before a participle that says that something was done."""
_HAVING = frozenset(["with", "has", "have", "had", "having"])
_SOME = frozenset(["a", "an", "any", "some"])
"""Words between a "with" or "have" and what there is."""
_NOTHING = frozenset(["none", "nobody", "nothing", "n/a", "na", "nil", "-", "--", "unassigned"])
MAX_KINDS = 300
"""Distinct texts of a column that are looked through for a "none"."""


class Blanks:
    """What a question says of empty cells of one table."""

    def __init__(self, question: Question, found: Mentions, data: TableData) -> None:
        self._question = question
        self._found = found
        self._data = data
        self._negations = question.of("negation")

    def parts(self) -> Iterable[ConditionPart]:
        """Rows with or without a value in a column that is named beside a word that says so."""
        for mention in self._found.columns:
            column = self._data.columns[mention.column]
            filled = _has_value(mention.column, column)
            if filled is None or not (mention.score >= 0.8 or self._tells_whose(mention)):
                continue
            features = (("value_exact", 1.0), ("negated", 1.0), ("blank", 1.0))
            blank = filled.cond if isinstance(filled, Not) else Not(filled)
            for said in (*self._lacks(mention), *self._said_blank(mention)):
                yield Part(blank, said | mention.mask, features)
            for said in (*self._said_filled(mention), *self._has_some(mention)):
                yield Part(filled, said | mention.mask, features)
            if self._is_deed_of_rows(mention):
                yield Part(filled, mention.mask, features)

    def had(self) -> Iterator[int]:
        """The columns with empty cells of which the rows are said to have one."""
        for mention in self._found.columns:
            some = mention.score >= 0.8 and any(self._has_some(mention))
            if some and _has_value(mention.column, self._data.columns[mention.column]):
                yield mention.column

    @cached_property
    def words(self) -> int:
        """Mask of the words for "holds nothing": "missing", "empty"."""
        words, known = self._question.words, lexicon().blank
        return sum(1 << i for i, word in enumerate(words) if word.folded in known)

    def _lacks(self, mention: ColumnMention) -> Iterable[int]:
        """Masks of a "no" or "without" right before the column."""
        for negation in self._negations:
            gap = self._question.words[negation.last + 1 : mention.first]
            beside = mention.first > negation.last and all(w.folded in _BETWEEN for w in gap)
            if beside and self._denies_value(negation, mention):
                yield negation.mask

    def _said_blank(self, mention: ColumnMention) -> Iterable[int]:
        """Masks of a word for "holds nothing" beside the column: "missing weight", "weight is
        missing".
        """
        for place in (mention.first - 1, self._question.place_told_of(mention)):
            if place >= 0 and self.words >> place & 1:
                yield 1 << place

    def _said_filled(self, mention: ColumnMention) -> Iterable[int]:
        """Masks of "not missing" after the column."""
        told = self._question.place_told_of(mention)
        for negation in self._negations:
            if negation.first <= told <= negation.last and self.words >> told + 1 & 1:
                yield negation.mask | 2 << told

    def _has_some(self, mention: ColumnMention) -> Iterable[int]:
        """Masks of a "with a" or "have any" right before a text or a date: "have a note"."""
        measured = self._data.columns[mention.column].measured
        words = [word.folded for word in self._question.words]
        if not measured and has_some(words, mention.first):
            yield 1 << (mention.first - 2)

    def _tells_whose(self, mention: ColumnMention) -> bool:
        """Whether a part of a name says what it is of: the noun or the participle of "Assigned
        driver".
        """
        names = name_words(self._data.columns[mention.column].name)
        said = self._question.words[mention.last]
        return bool(names) and (names[-1] == said.stem or said.folded.endswith("ed"))

    def _is_deed_of_rows(self, mention: ColumnMention) -> bool:
        """Whether a participle says what was done to the rows: "shipped orders" and "orders that
        were shipped", where a column says when; "insured visits", where one says by whom.
        """
        words, at = self._question.words, mention.last
        if mention.first != at or not words[at].folded.endswith("ed"):
            return False
        column, before = self._data.columns[mention.column], bool(self._found.rows >> (at + 1) & 1)
        if column.temporal:
            return before or (at > 1 and words[at - 1].folded in _DONE)
        otherwise = folded_words(column.name) != (words[at].folded,)
        return before and otherwise and not column.measured

    def _denies_value(self, negation: Trigger, mention: ColumnMention) -> bool:
        """Whether "no" is said of a value, or "not" of a deed that a date or name tells: "not
        closed".
        """
        word = self._question.words[negation.last].folded
        if word in ("no", "without"):
            return True
        column = self._data.columns[mention.column]
        deed = self._question.words[mention.last].folded.endswith("ed") and not column.measured
        return deed and not any(yes_and_no(column)) and (word == "never" or "n" in word)


def has_some(words: Sequence[str], place: int) -> bool:
    """Whether folded words say "with a" or "have any" before a place, or "with Ada and a"."""
    if place < 2 or words[place - 1] not in _SOME:
        return False
    joined = words[place - 2] == "and" and not _HAVING.isdisjoint(words[: place - 2])
    return joined or words[place - 2] in _HAVING


def _has_value(index: int, column: ColumnData) -> Filled | Not | None:
    """That a cell is filled, and says no "none"; None where every cell is."""
    if (nothing := says_nothing(column)) and not bool((column.codes < 0).any()):
        return Not(In(Col(index), nothing))
    return Filled(Col(index)) if bool((column.encoded().codes < 0).any()) else None


def says_nothing(column: ColumnData) -> tuple[str, ...]:
    """The texts that say that there is none: "none", a remark in brackets such as "(vacant)"."""
    if column.kind is not Kind.TEXT or len(column.texts) > MAX_KINDS:
        return ()
    return tuple(text for text in column.texts if is_nothing(text.strip()))


def is_nothing(text: str) -> bool:
    """Whether a cell's text says that there is none."""
    return fold(text) in _NOTHING or (text[:1] == "(" and text.find(")") == len(text) - 1)
