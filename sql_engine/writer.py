"""The protocol between the router and whoever writes SQL, and the scripted writer for tests.

A writer takes an `SqlRequest` and returns a `Draft`, or raises `CannotWrite` (it declines) or
`WriterError` (it failed). It never runs anything.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from sql_engine.catalog import Catalog, CatalogTable
from sql_engine.errors import CannotWrite
from sql_engine.glossary import Glossary
from sql_engine.links import Links


@dataclass(frozen=True)
class Usage:
    """What a language model cost."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Tokens in all."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True)
class Attempt:
    """One draft and what became of it."""

    sql: str
    error: str | None = None
    """The message that went back to the writer; None where the draft ran."""
    code: str | None = None
    """The error's code."""


@dataclass(frozen=True)
class Example:
    """A confirmed pair of question and SQL."""

    question: str
    sql: str


@dataclass(frozen=True)
class Alternative:
    """Another reading of the question."""

    reading: str
    """One plain sentence."""
    sql: str
    confidence: float = 0.0


@dataclass(frozen=True)
class SqlRequest:
    """All a writer may know."""

    question: str
    catalog: Catalog
    tables: tuple[CatalogTable, ...]
    """The candidates, best first."""
    links: Links
    today: dt.date
    examples: tuple[Example, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    """Earlier drafts of this question that failed, oldest first."""
    history: tuple[Example, ...] = ()
    """Earlier turns of the conversation that were answered, oldest first."""
    min_confidence: float = 0.0
    glossary: Glossary = field(default_factory=Glossary)
    """What the tables' owners know of them."""


@dataclass(frozen=True)
class Draft:
    """SQL as written, unchecked."""

    sql: str
    reading: str = ""
    """What is computed, in one plain sentence."""
    confidence: float = 1.0
    alternatives: tuple[Alternative, ...] = ()
    notes: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    """Several statements for the same question, `sql` among them: the result that most of them give
    is taken."""
    declining: tuple[str, ...] = ()
    """What replies beside the candidates say that the tables do not hold."""
    replies: int = 1
    """Replies that were asked for in one call, those without a statement among them."""
    usage: Usage = Usage()


class SqlWriter(Protocol):
    """Writes SQL for a question."""

    name: str
    max_attempts: int
    """How many drafts one question may cost; 1 for a writer that cannot learn from an error."""
    knows_language: bool
    """Whether it may rightly name a column by other words than the question's, as a language model
    does."""

    def write(self, request: SqlRequest) -> Draft:
        """One draft. Raises CannotWrite, WriterError."""
        ...


class ScriptedWriter:
    """Gives prepared replies in turn: SQL text, a `Draft`, or an exception to raise."""

    name = "scripted"
    knows_language = True

    def __init__(
        self, replies: Iterable[str | Draft | Exception], *, max_attempts: int = 3
    ) -> None:
        self._replies = iter(replies)
        self.max_attempts = max_attempts
        self.requests: list[SqlRequest] = []
        """Every request received, oldest first."""

    def write(self, request: SqlRequest) -> Draft:
        """The next reply. Raises CannotWrite when the script has ended."""
        self.requests.append(request)
        reply = next(self._replies, None)
        if reply is None:
            raise CannotWrite("the script has no further reply")
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Draft) else Draft(reply)
