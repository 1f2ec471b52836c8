"""Readings of a question beside each other: what a query, or an answer, says as one of several.

Takes queries that may rival an answer, and answers; gives `Reading`s. A rival that could not be
computed within the limits is kept and told, never left out: nobody knows that it would agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from router.answer import Answer, Reading
from router.question import Asked
from sql_engine.errors import ExecutionError, InvalidQuery, LimitExceeded, Refused
from sql_engine.guard import check
from sql_engine.result import Result


def computed(asked: Asked, sql: str, said: str, confidence: float) -> Reading | None:
    """What a query gives, as a reading; None where it is no query over these tables.

    Raises Cancelled.
    """
    try:
        result = asked.database.execute(check(sql, asked.catalog), asked.limits)
    except LimitExceeded as error:
        return Reading(f"{said} (not computed: {error})", sql, confidence, truncated=True)
    except (ExecutionError, InvalidQuery, Refused):
        return None
    return of_result(said, sql, confidence, result)


def of_result(said: str, sql: str, confidence: float, result: Result) -> Reading:
    """A query with its result, as a reading."""
    return Reading(
        reading=said,
        sql=sql,
        confidence=confidence,
        columns=result.columns,
        rows=result.rows,
        value=single(result),
        truncated=result.truncated,
    )


def of_answer(answer: Answer) -> Reading:
    """An answer, as the reading it was answered by."""
    return Reading(
        reading=answer.text,
        sql=answer.sql,
        confidence=answer.confidence,
        columns=answer.columns,
        rows=tuple(answer.rows),
        value=answer.value,
        truncated=answer.truncated,
    )


def single(result: Result) -> object:
    """The one cell, where there is just one."""
    one = len(result.rows) == 1 and len(result.columns) == 1 and not result.truncated
    return result.rows[0][0] if one else None


def same_rows(other: Reading, main: Result) -> bool:
    """Whether one of two results only shows more columns of the same rows."""
    if other.truncated or main.truncated or len(other.rows) != len(main.rows):
        return False
    shared = [name for name in main.columns if name in other.columns]
    if len(shared) < min(len(main.columns), len(other.columns)):
        return False
    return _picked(main.columns, main.rows, shared) == _picked(other.columns, other.rows, shared)


def _picked(
    columns: tuple[str, ...], rows: Iterable[tuple[object, ...]], shared: list[str]
) -> Counter[str]:
    places = [columns.index(name) for name in shared]
    return Counter(repr([row[i] for i in places]) for row in rows)
