"""Which date a table's rows came about on: "Date", or "Order date" of orders; no "Due", no "Paid".

Takes columns, the question and what its words name; gives those that are it. Where a question has a
date that no word ties to a column, this one is meant.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sql_engine.offline.columns import ColumnData
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.question import Question
from sql_engine.words import name_words, stem

_DATE_NAMES = frozenset(
    map(
        stem,
        [
            "date",
            "day",
            "time",
            "timestamp",
            "datum",
            "when",
            "datetime",
            "month",
            "period",
            "year",
        ],
    )
)


def is_own_date(column: ColumnData, found: Mentions, question: Question) -> bool:
    """Whether a column says when each row came about: "Date", "Order date" of orders."""
    rows = {w.stem for i, w in enumerate(question.words) if found.rows >> i & 1}
    return set(name_words(column.name)) <= _DATE_NAMES | rows


def own_dates(
    dated: Sequence[int], columns: Sequence[ColumnData], found: Mentions, question: Question
) -> list[int]:
    """Of columns of times, the one that says when the rows came about; all where none does, or
    several do.
    """
    own = [i for i in dated if is_own_date(columns[i], found, question)]
    days = [i for i in own if columns[i].temporal]
    own = days if len(own) > 1 and len(days) == 1 else own  # a "Time" beside the "Date"
    own = own if len(own) == 1 else _begun(dated, columns)
    return own if len(own) == 1 else list(dated)


def _begun(dated: Sequence[int], columns: Sequence[ColumnData]) -> list[int]:
    """Of the two ends of one stretch of time the one where it began: "Start" beside "Finish"."""
    starts = [i for i in dated if set(name_words(columns[i].name)) & _STARTS]
    ends = [i for i in dated if set(name_words(columns[i].name)) & _ENDS]
    if len(starts) != 1 or len(ends) != 1 or len(dated) != 2 or starts == ends:
        return []
    first, last = (columns[i].encoded().row_floats for i in (*starts, *ends))
    with np.errstate(invalid="ignore"):
        return [] if bool((first > last).any()) else starts


_STARTS = frozenset(map(stem, ["start", "begin", "began", "pickup", "pick", "from", "checkin"]))
_ENDS = frozenset(
    map(
        stem, ["finish", "end", "return", "until", "to", "complete", "close", "dropoff", "checkout"]
    )
)
