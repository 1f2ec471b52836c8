"""What can go wrong while writing, checking or running SQL.

SqlEngineError
├── Refused             the guard does not let this statement run; final, never retried
├── InvalidQuery        does not parse, or names what is not there; a writer may try again
├── ExecutionError      the engine failed while running a checked query; a writer may try again
├── LimitExceeded       time or memory ran out
├── Cancelled           the caller stopped the query
├── CannotWrite         the writer declines: it says which words it could not place
└── WriterError         a language model could not be reached or gave nothing usable
    └── AttemptsExhausted   every draft failed; carries all attempts
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sql_engine.writer import Attempt


class SqlEngineError(Exception):
    """Base of this package's errors: a message, a stable `code` and a `hint` on what to do next."""

    code = "sql_engine_error"
    retryable = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Refused(SqlEngineError):
    """The statement may not run. Names what is refused and what to write instead."""

    code = "refused"


class InvalidQuery(SqlEngineError):
    """The text is no valid query over these tables."""

    code = "invalid_query"
    retryable = True


class ExecutionError(SqlEngineError):
    """The engine failed on a checked query."""

    code = "execution_error"
    retryable = True


class LimitExceeded(SqlEngineError):
    """Time or memory ran out; `limit` is "time" or "memory"."""

    code = "limit_exceeded"

    def __init__(self, message: str, *, limit: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.limit = limit


class Cancelled(SqlEngineError):
    """The caller stopped the query."""

    code = "cancelled"


class CannotWrite(SqlEngineError):
    """The writer declines; `unplaced` holds the words of the question it could not place."""

    code = "cannot_write"

    def __init__(
        self,
        message: str,
        *,
        unplaced: tuple[str, ...] = (),
        sql: str | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.unplaced = unplaced
        self.sql = sql
        """The best reading found, where its confidence was too low to run."""


class WriterError(SqlEngineError):
    """A language model could not be reached, or gave nothing usable."""

    code = "writer_error"


class AttemptsExhausted(WriterError):
    """Every draft failed; `attempts` holds each with its error."""

    code = "attempts_exhausted"

    def __init__(self, message: str, *, attempts: tuple[Attempt, ...], hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.attempts = attempts
