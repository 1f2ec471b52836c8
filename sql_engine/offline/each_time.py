"""What took place is counted and listed each time, and not once of each kind: "how many lessons did
Ada give" counts rows, where a column "Lesson" says piano or violin; "how many days" counts dates.

Takes a tree with the question's mentions and arrays; gives the tree as it is meant, or None.
"""

from __future__ import annotations

from dataclasses import replace

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData, TableData
from sql_engine.offline.features import conditions_of
from sql_engine.offline.happenings import happenings, tells_when
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.periods import WEEKDAYS
from sql_engine.offline.question import Question
from sql_engine.offline.tree import Agg, Grouped, In, Tree, Values
from sql_engine.words import fold


def each_time(question: Question, found: Mentions, data: TableData, tree: Tree) -> Tree | None:
    """The tree with rows in the place of their kinds, where a cell says whose or which they are;
    None where kinds are counted for them, or weekdays for days.
    """
    if not isinstance(tree, Agg | Values | Grouped):
        return tree
    if isinstance(tree, Agg) and _counts_weekdays(question, data, tree):
        return None
    kinds = {m.column for m in happenings(question, found.columns, data)}
    if isinstance(tree, Grouped):
        measured = {m.col.index for m in tree.measures if m.fn == "distinct" and m.col is not None}
        return None if measured & kinds else tree
    if not kinds or not any(isinstance(cond, In) for cond in conditions_of(tree)):
        return tree
    if isinstance(tree, Agg):
        counted = tree.fn == "distinct" and tree.col is not None and tree.col.index in kinds
        return None if counted else tree
    listed = len(tree.cols) == 1 and tree.cols[0].index in kinds and tree.order is None
    return replace(tree, cols=(), distinct=False) if listed else tree


def _counts_weekdays(question: Question, data: TableData, tree: Agg) -> bool:
    """Whether weekdays are counted for "how many days", where one date tells the days."""
    if tree.fn != "distinct" or tree.col is None or question.of("distinct"):
        return False
    after = (question.words[t.last + 1 :][:1] for t in question.of("count"))
    if not any(word.folded == "days" for words in after for word in words):
        return False
    return sum(map(tells_when, data.columns)) == 1 and _holds_weekdays(data.columns[tree.col.index])


def _holds_weekdays(column: ColumnData) -> bool:
    if column.kind is not Kind.TEXT or not column.texts:
        return False
    texts = map(fold, column.texts)
    return all(text.isalpha() and text[:SHORT] in _WEEKDAYS for text in texts)


SHORT = 3
"""Letters of the shortest name of a weekday."""
_WEEKDAYS = frozenset(fold(day)[:SHORT] for day in WEEKDAYS)
