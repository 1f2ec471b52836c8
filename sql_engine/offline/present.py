"""What is so at present: "current staff", "who still works here", where a table also keeps what is
over.

Takes a question, its mentions and arrays; gives the words that say so as far as the table tells
when its rows ended or in what state they are, and a condition where one date alone tells that a row
has not ended: it is empty.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData, TableData
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.parts import ConditionPart, Part
from sql_engine.offline.question import Question
from sql_engine.offline.tree import Col, Filled, Not
from sql_engine.words import folded_words, name_words


def _has_begun(data: TableData, rows: npt.NDArray[np.bool_]) -> bool:
    """Whether another date tells that all these rows began: a free room has no guest who stays on.

    A table that keeps no other date tells nothing against it.
    """
    dated = [column for column in data.columns if column.temporal and not tells_end(column)]
    return all(bool((column.encoded().codes[rows] >= 0).all()) for column in dated)


def at_present(question: Question, data: TableData) -> int:
    """Mask of "current" and the like, where the table tells what is over."""
    words = enumerate(question.words)
    mask = sum(1 << i for i, word in words if word.folded in lexicon().present)
    return mask if mask and any(map(tells_end, data.columns)) else 0


def tells_end(column: ColumnData) -> bool:
    """Whether a column tells when a row ended, or in what state it is."""
    if not names_an_end(column.name):
        return False
    state = bool(set(name_words(column.name)) & lexicon().states_named)
    return column.temporal or (state and column.kind in (Kind.TEXT, Kind.BOOLEAN))


def names_an_end(header: str) -> bool:
    """Whether a header speaks of an end or of a state."""
    said = set(name_words(header))
    whole = "".join(folded_words(header))
    return bool(said & (lexicon().over | lexicon().states_named)) or whole == "checkout"


def still_so(question: Question, data: TableData) -> Iterator[ConditionPart]:
    """The rows that have not ended, where one date tells it."""
    mask = at_present(question, data)
    told = [i for i, column in enumerate(data.columns) if tells_end(column)] if mask else []
    dated = [i for i in told if data.columns[i].temporal]
    if len(told) != 1 or not dated:
        return
    codes = data.columns[dated[0]].encoded().codes
    if 0 < int((codes < 0).sum()) < len(codes) and _has_begun(data, codes < 0):
        features = (("value_exact", 1.0), ("negated", 1.0), ("blank", 1.0))
        yield Part(Not(Filled(Col(dated[0]))), mask, features)
