"""What can go wrong while writing, checking or running SQL.

SqlEngineError
├── Refused             the guard does not let this statement run; final, never retried
├── InvalidQuery        does not parse, or names what is not there; a writer may try again
├── ExecutionError      the engine failed while running a checked query; a writer may try again
├── LimitExceeded       time or memory ran out
├── Cancelled           the caller stopped the query
├── CannotWrite         the writer declines: it says which words it could not place
└── WriterError         a language model could not be reached or gave nothing usable
    ├── ModelUnreachable    no connection, or it was cut
    ├── ModelTimeout        no whole reply in time
    ├── RateLimited         the server asks to wait, longer than was allowed
    ├── ModelServerError    the server failed (5xx), or its reply is not the protocol's
    ├── RequestRejected     the server does not take the request: key, model name, parameters
    ├── BudgetExceeded      a ceiling of calls or tokens is reached; nothing more was sent
    ├── ModelRefused        the model declines to reply at all
    ├── UnusableReply       a reply without one whole SQL statement; a writer may try again
    │   ├── EmptyReply          no text
    │   ├── ReplyTruncated      cut at the model's length limit
    │   └── NoSqlInReply        text, but no statement
    └── AttemptsExhausted   every draft failed; carries all attempts

Every error that leaves `correct.answer` carries the `attempts` made before it and their `usage`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sql_engine.writer import Attempt, Usage


class SqlEngineError(Exception):
    """Base of this package's errors: a message, a stable `code` and a `hint` on what to do next."""

    code = "sql_engine_error"
    retryable = False
    attempts: tuple[Attempt, ...] = ()
    """The drafts of this question up to the error, oldest first."""
    usage: Usage | None = None
    """What the language model cost up to the error; None where none was asked."""

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
        self.crowded = False
        """Whether the tables of other queries were in memory as well."""


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


class ModelUnreachable(WriterError):
    """No connection to the model's server, or it was cut."""

    code = "model_unreachable"


class ModelTimeout(WriterError):
    """The model gave no whole reply in time."""

    code = "model_timeout"


class RateLimited(WriterError):
    """The server asks to wait; `retry_after_s` is how long, where it says so."""

    code = "rate_limited"

    def __init__(self, message: str, *, retry_after_s: float | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class ModelServerError(WriterError):
    """The server failed, or replied with something that is not the protocol's."""

    code = "model_server_error"


class RequestRejected(WriterError):
    """The server does not take the request: the key, the model's name, a parameter."""

    code = "request_rejected"

    def __init__(self, message: str, *, status: int | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status
        """The server's HTTP status; None where nothing was sent."""


class BudgetExceeded(WriterError):
    """A ceiling of calls or tokens is reached; nothing more was sent."""

    code = "budget_exceeded"


class ModelRefused(WriterError):
    """The model declines to reply at all."""

    code = "model_refused"


class UnusableReply(WriterError):
    """A reply without one whole SQL statement."""

    code = "unusable_reply"
    retryable = True


class EmptyReply(UnusableReply):
    """A reply without text."""

    code = "empty_reply"


class ReplyTruncated(UnusableReply):
    """A reply cut at the model's length limit."""

    code = "reply_truncated"


class NoSqlInReply(UnusableReply):
    """Text, but no SQL statement in it."""

    code = "no_sql_in_reply"


class AttemptsExhausted(WriterError):
    """Every draft failed; `attempts` holds each with its error."""

    code = "attempts_exhausted"

    def __init__(self, message: str, *, attempts: tuple[Attempt, ...] = (), hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.attempts = attempts
