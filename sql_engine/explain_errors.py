"""Turns what a worker reports into this package's errors.

Takes the worker's plain data and the query; gives the exception to raise, with a message cut to
length, a position in the text as it was written, and near names of the query's own tables. What
the engine proposes is dropped: it may name what the caller's catalog does not hold.
"""

from __future__ import annotations

import re
from typing import Any

from sql_engine.catalog import ROW_COLUMN
from sql_engine.engine_errors import place_in, readable
from sql_engine.errors import Cancelled, ExecutionError, LimitExceeded, SqlEngineError
from sql_engine.names import ENGINE_ROW, column_hint
from sql_engine.query import Query
from sql_engine.result import Limits

CORRECT = "correct the query by what the engine says"
SMALLER = "ask for less: filter first, join on a key, or aggregate"


def failure(answer: dict[str, Any], query: Query, limits: Limits) -> SqlEngineError:
    """The exception for a worker's answer that holds an error."""
    if answer["error"] == "cancel":
        return Cancelled("the query was cancelled")
    if answer["error"] == "time":
        return out_of_time(limits)
    if answer["error"] == "memory":
        return out_of_memory()
    message = readable(answer["message"])
    if ROW_COLUMN in query.sql.casefold():
        message = message.replace(ENGINE_ROW, ROW_COLUMN)
    place = _place(answer.get("position"), query)
    return ExecutionError(message + place, hint=_hint(answer, query))


def out_of_time(limits: Limits) -> LimitExceeded:
    """The query ran longer than it may."""
    return LimitExceeded(
        f"the query took longer than {limits.timeout_s:g} s", limit="time", hint=SMALLER
    )


def out_of_memory() -> LimitExceeded:
    """The query needs more memory than it may have."""
    return LimitExceeded("the query needs too much memory", limit="memory", hint=SMALLER)


def _place(position: Any, query: Query) -> str:
    """Where in the written text the engine's position lies."""
    if not isinstance(position, int) or position < 0:
        return ""
    return place_in(query.written, query.edits.original_position(position))


def _hint(answer: dict[str, Any], query: Query) -> str:
    name = answer.get("name")
    if answer.get("subtype") == "COLUMN_NOT_FOUND" and name:
        return column_hint(str(name), query.tables)
    message = answer["message"]
    return next((hint for words, hint in _HINTS.items() if re.search(words, message)), CORRECT)


_HINTS = {
    r"'date_?diff\(": "write date_diff('day', start, end): the unit comes first",
    r"'(date_?sub|date_?add)\(": "add or take a span: date + INTERVAL 3 DAY",
    r"'decode\(": "use CASE x WHEN a THEN b ELSE c END",
    r"argument types '\w+\([^']*\w\[\]": (
        'square brackets make a list: a name stands in double quotes, like "name"'
    ),
    "Type with name": "types are BIGINT, DOUBLE, DECIMAL(18, 2), VARCHAR, BOOLEAN, DATE, TIMESTAMP",
    r"argument types '[^']*\b(DATE|TIMESTAMP)\b": (
        "a date is no text: use year(x), month(x), strftime(x, '%Y-%m'), or compare with DATE "
        "'2024-01-31'"
    ),
    r"argument types '(sum|avg|\+|-|\*|/)\([^']*VARCHAR": (
        "the column holds text: TRY_CAST(x AS DOUBLE) gives the numbers in it"
    ),
    "Could not convert": "use TRY_CAST, which gives NULL where a text is no such value",
    "No function matches": "cast the arguments to types that it takes, or use another function",
    "Division by zero": "divide by nullif(x, 0)",
    "format is (YYYY|HH|hh)|field (format|value)|timestamp field": (
        "write a date as DATE '2024-01-31', a time as TIMESTAMP '2024-01-31 10:00:00'; "
        "TRY_CAST gives NULL where a text is none"
    ),
    "same number of result columns": "give every SELECT of the UNION as many columns, in one order",
    "not provided for the following parameters": "write the values themselves: none can be bound",
    "out of range|[Oo]verflow": "compute in DOUBLE or HUGEINT: CAST(x AS DOUBLE)",
    "More than one row returned by a subquery": "aggregate it, or add LIMIT 1 with an ORDER BY",
    "must appear in the GROUP BY clause": "GROUP BY ALL takes every output that is no aggregate",
}
"""What usually helps, by what the engine says."""
