"""Whether rows stand in the order in which they came, so that the last row is the latest.

Takes the columns of a table; tells which of them say when a row came about, or which place it took.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import numpy as np

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData, holds_years
from sql_engine.offline.periods import periods
from sql_engine.words import name_words, stem

_OF_THINGS = frozenset(map(stem, ["birth", "born", "dob", "founded", "built", "established"]))
"""Stems of dates that tell of a thing or a person, and not when the row came about."""
_PLACES = frozenset(map(stem, ["pos", "position", "place", "rank", "ranking", "placing"]))
_ANY_DAY = dt.date(2000, 1, 1)
MAX_DAYS = 400
"""Columns of more distinct texts are not looked through for days without a year."""


def stands_in_order(columns: Sequence[ColumnData], *, of_things: bool = False) -> bool:
    """Whether no column says when rows came about, or one of them never falls from row to row.

    `of_things` says that the age of a thing is one of them: the newest ship was built last.
    """
    told = [column for column in columns if _tells(column, of_things=of_things)]
    return not told or any(map(_rises, told))


def tells_place(column: ColumnData) -> bool:
    """Whether it is the place that a row took, the first of which is 1."""
    return column.kind is Kind.INTEGER and bool(set(name_words(column.name)) & _PLACES)


def _tells(column: ColumnData, *, of_things: bool) -> bool:
    if not of_things and set(name_words(column.name)) & _OF_THINGS:
        return False
    when = column.temporal or column.runs or column.kind is Kind.TIME or holds_years(column)
    return when or tells_place(column) or _days(column) is not None


def _rises(column: ColumnData) -> bool:
    """Whether the values never fall from one row to the next."""
    days = _days(column)
    ranks = column.encoded().row_ranks if days is None else np.array([*days, -1])[column.codes]
    ranks = ranks[ranks >= 0]
    return bool((ranks[1:] >= ranks[:-1]).all())


def _days(column: ColumnData) -> list[int] | None:
    """By text: the day of the year, where all texts are days that tell none: "3rd Sep"."""
    if column.kind is not Kind.TEXT or not 0 < len(column.texts) <= MAX_DAYS:
        return None
    found = []
    for text in column.texts:
        plain = text.strip().lower()
        named = periods(plain, _ANY_DAY) if plain[:1].isalnum() else []
        if len(named) != 1 or not named[0].yearless or named[0].end - named[0].start < len(plain):
            return None
        found.append(named[0].first.timetuple().tm_yday)
    return found
