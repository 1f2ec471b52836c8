"""Names that stand on either side of a row: the teams of a match, at home and away.

"The matches of Leeds" are those of both columns, unless a word says on which side. Takes a question
with its mentions and arrays; gives the conditions of both columns, and tells what they do not fit.
"""

from __future__ import annotations

from collections.abc import Iterable

from retrieval.table import Kind
from sql_engine.offline.columns import TableData
from sql_engine.offline.parts import NAMED
from sql_engine.offline.question import ColumnMention, Question, ValueMention
from sql_engine.offline.tree import AnyOf, Col, Cond, In
from sql_engine.words import name_words

SHARED = 0.8
"""The share of one column's texts that the other holds, from which they are sides of one thing."""
FEWEST = 3
"""Fewer names may be shared by chance: yes and no."""
_SAYING_SIDE = frozenset(["from", "to", "at", "by", "against", "into", "via", "in", "as"])
"""Right before a name they say on which side it stands."""


def on_either_side(
    question: Question,
    value: ValueMention,
    values: Iterable[ValueMention],
    columns: Iterable[ColumnMention],
    data: TableData,
) -> AnyOf | None:
    """The rows with a name on either side, where no word says on which; None where none does."""
    before = question.words[value.first - 1].folded if value.first else ""
    if not value.exact or len(value.texts) != 1 or before in _SAYING_SIDE:
        return None
    alike = [v for v in values if v.exact and v.mask == value.mask and v.texts == value.texts]
    held = sorted({v.column for v in alike})
    named = {m.column for m in columns if m.score >= NAMED}
    if len(held) != 2 or named & set(held) or not _are_sides(data, *held):
        return None
    return AnyOf(tuple(In(Col(index), value.texts) for index in held))


def _are_sides(data: TableData, one: int, two: int) -> bool:
    """Whether two columns of one table hold the same names."""
    columns = (data.columns[one], data.columns[two])
    if any(c.kind is not Kind.TEXT or c.repeats or len(c.texts) < FEWEST for c in columns):
        return False
    first, second = (set(column.texts) for column in columns)
    return len(first & second) >= SHARED * max(len(first), len(second))


def tells_one_side(cond: Cond, used: Iterable[int], data: TableData) -> bool:
    """Whether a column is of one of the sides that a condition takes together: the "Home goals" of
    a team that plays away as well.
    """
    sides = cond.conds if isinstance(cond, AnyOf) else ()
    held = {side.col.index for side in sides if isinstance(side, In)}
    if len(held) < 2:
        return False
    said = {word for index in held for word in name_words(data.columns[index].name)}
    return any(said & set(name_words(data.columns[i].name)) for i in set(used) - held)
