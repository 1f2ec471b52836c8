"""What a question says of the rows it asks for, which is no answer to it: "furnished flats", "which
hires have a remark", "what was on that day".

Takes the question with its mentions of one relation and its arrays; tells for a tree whether it
gives back the cells of a column that only says what is so of the rows, or by which they are found.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from functools import cached_property

from retrieval.table import Kind
from sql_engine.offline.blanks import Blanks
from sql_engine.offline.columns import TableData
from sql_engine.offline.features import conditions_of, question_word
from sql_engine.offline.flags import flag
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.month_ranges import holds_stretches
from sql_engine.offline.parts import NAMED
from sql_engine.offline.question import ColumnMention, Question
from sql_engine.offline.scope import is_label
from sql_engine.offline.some_of import Some, some_of
from sql_engine.offline.tree import Agg, Cmp, Col, Filled, In, Not, Tree, Values, Within
from sql_engine.words import folded_words


class SaidOfRows:
    """What one question says of the rows of one relation."""

    def __init__(self, question: Question, found: Mentions, data: TableData) -> None:
        self._question = question
        self._found = found
        self._data = data

    def is_given_back(self, tree: Tree) -> bool:
        """Whether a tree gives what is said of the rows: "billable hours" are those that are so,
        and "what leaves at 3" asks for no 3.
        """
        cols = given(tree)
        if any(col.index in self._attributes for col in cols):
            return True
        return len(cols) == 1 and cols[0] in set(self._fixed_cells(tree))

    @cached_property
    def _attributes(self) -> frozenset[int]:
        """The columns that say right before the rows what is so of them: "billable hours", by a
        column of yes and no; "insured visits", where a column says by whom.
        """
        columns = self._data.columns
        opened = [m for m in self._found.columns if self._opens_before_cell(m)]
        rows = self._found.rows
        before = [m for m in self._found.columns if rows >> (m.last + 1) & 1] + opened
        if question_word(self._question) in ("who", "whom"):
            before = [m for m in before if m.first != 1]  # "who insured visit 3"
        return (
            self._said_some
            | self._had
            | frozenset(
                m.column
                for m in before
                if (m.score >= 0.7 and flag(m.column, columns[m.column]) is not None)
                or (
                    m.score >= NAMED
                    and not self._question.of("group")
                    and is_label(columns[m.column])
                )
                or self._tells_deed(m)
                or self._is_only_alike(m)
            )
        )

    @cached_property
    def _had(self) -> frozenset[int]:
        """The columns of which "which rows have a …" says that the rows have one."""
        if self._question.words[0].folded != "which" or not self._found.rows >> 1 & 1:
            return frozenset()
        return frozenset(Blanks(self._question, self._found, self._data).had())

    def _opens_before_cell(self, mention: ColumnMention) -> bool:
        """Whether a name opens the question right before a cell that says what rows are meant:
        "furnished flats", where "Furnished" is a column and "flat" a cell.
        """
        said = self._question.words
        opens = mention.first == 0 or not self._question.content & ((1 << mention.first) - 1)
        plural = any(
            value.exact
            and value.first == mention.last + 1
            and said[value.last].folded.endswith("s")
            for value in self._found.values
        )
        return opens and plural and said[mention.last].folded.endswith("ed")

    @cached_property
    def _said_some(self) -> frozenset[int]:
        """The amounts of which the rows are said to have some: "orders with a discount"."""
        return frozenset(some.column for some in self.some)

    @cached_property
    def some(self) -> tuple[Some, ...]:
        """The amounts of which the rows are said to have some."""
        return some_of(self._question, self._found.columns, self._data.columns)

    def _is_only_alike(self, mention: ColumnMention) -> bool:
        """Whether a word right before the rows is no word of the header: "open" of "Opened"."""
        word = self._question.words[mention.last].folded
        header = folded_words(self._data.columns[mention.column].name)
        return mention.first == mention.last and word not in header

    def _tells_deed(self, mention: ColumnMention) -> bool:
        """Whether a participle names a column that is called by more or otherwise: "insured" of
        "Insurer", "assigned" of "Assigned driver"; or one that says when: "returned loans".
        """
        word, column = self._question.words[mention.last].folded, self._data.columns[mention.column]
        if mention.first != mention.last or not word.endswith("ed"):
            return False
        return column.temporal or folded_words(column.name) != (word,)

    def _fixed_cells(self, tree: Tree) -> Iterator[Col]:
        """The columns of which the conditions leave one value: a number, a time, yes or no."""
        for cond in conditions_of(tree):
            inner = cond.cond if isinstance(cond, Not) else cond
            if isinstance(inner, Cmp) and inner.op == "=" and inner is cond:
                yield inner.col
            if isinstance(inner, Within) and inner is cond and _is_one_day(inner):
                yield inner.col  # "what was on that day" asks for no day
            if isinstance(inner, Filled):
                yield inner.col  # "returned loans" asks for the loans
            if isinstance(inner, In) and len(inner.texts) == 1:
                column = self._data.columns[inner.col.index]
                if column.kind is Kind.BOOLEAN or flag(inner.col.index, column) is not None:
                    yield inner.col
            if isinstance(inner, In) and self._holds_stretches(inner):
                yield inner.col  # "what can be sown in March" asks for no stretch of months

    def _holds_stretches(self, cells: In) -> bool:
        return holds_stretches(self._data.columns[cells.col.index].column.source)


def _is_one_day(cond: Within) -> bool:
    low, high = cond.low, cond.high
    dated = isinstance(low, dt.date) and isinstance(high, dt.date)
    return dated and high - low <= dt.timedelta(days=1)  # type: ignore[operator]


def given(tree: Tree) -> tuple[Col, ...]:
    """The columns whose cells, or whose different cells, a tree gives or counts."""
    if isinstance(tree, Values):
        return tree.cols
    distinct = isinstance(tree, Agg) and tree.fn == "distinct" and tree.col is not None
    return (tree.col,) if distinct else ()  # type: ignore[union-attr, return-value]
