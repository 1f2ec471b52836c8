"""Which columns an adjective speaks of, and which end of them it means: "longer" of a length, the
fastest time is the smallest, the best place 1.

Takes the trigger of a superlative or a comparative and columns; gives those that it speaks of, and
whether one runs against the word.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.table import Kind
from sql_engine.offline.carried import in_units_of
from sql_engine.offline.columns import ColumnData
from sql_engine.offline.question import Trigger
from sql_engine.offline.unit_words import tells_how_long
from sql_engine.words import name_words, stem

_PLACES = frozenset(map(stem, ["rank", "ranking", "pos", "position", "place"]))
_TAKEN = frozenset(map(stem, ["time", "duration", "split", "lap"]))
_CLOCKS = frozenset(map(stem, ["depart", "departs", "departure", "arrives", "arrival", "start"]))
"""In the names of columns that tell a time of day, and none that a thing took."""


def spoken_of(trigger: Trigger, columns: Sequence[ColumnData]) -> list[int]:
    """The columns that an adjective speaks of by their names, else by their units; none where it
    speaks of none, or of any.
    """
    hints = trigger.sense.hints
    if not hints:
        return []
    numbered = [(i, column) for i, column in enumerate(columns) if not column.column.as_text]
    named = [
        i
        for i, column in numbered
        if (column.measured and set(hints) & set(name_words(column.name)))
        or runs_against(trigger, column)
    ]
    return named or [i for i, column in numbered if in_units_of(hints, column)]


def runs_against(trigger: Trigger, column: ColumnData) -> bool:
    """Whether the largest of the column is the least of what the word says: the oldest has the
    smallest year, the best the first rank, the fastest the shortest time.
    """
    against, name = set(trigger.sense.against), set(name_words(column.name))
    if against & _PLACES & name:
        return column.measured or column.text_numbers > 0.5
    if against & _TAKEN and _tells_time_taken(column, name):
        return True
    if not trigger.sense.hints:
        return bool(against & name)  # the best wait is the shortest
    return bool(against & name) and (column.temporal or (column.measured and not column.amount))


def _tells_time_taken(column: ColumnData, name: set[str]) -> bool:
    """Whether a column tells how long something took: "Finish time", no "Departure time"; a number
    without a unit does that is called so, unless it is one of several, as "Laps" are.
    """
    called = bool(name & _TAKEN) and column.unit is None and not _is_plural(column.name)
    timed = column.kind is Kind.TIME
    timed |= column.measured and (called or tells_how_long(column.unit))
    return timed and not name & _CLOCKS


def _is_plural(name: str) -> bool:
    return name.casefold().endswith("s")
