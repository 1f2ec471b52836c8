"""The self-correction loop: draft, check, run, and where that fails, another draft.

Takes an `SqlRequest`, a writer, a database; gives the `SqlAnswer` with every attempt, or raises.
At most `max_attempts` drafts are asked for, the same statement is never run twice, a refused one
ends the loop. Each failure goes back with the message of the engine and the nearest real names. A
query that ran but leaves doubt (see `checks.py`) is drafted once more where that may mend it; what
doubt is left is told in the answer's warnings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

from sql_engine.blank_numbers import blank_numbers
from sql_engine.catalog import Catalog
from sql_engine.checks import Problem, counted_twice, is_empty, listed_twice, result_problems
from sql_engine.clock import on_day
from sql_engine.conditions import dropped_conditions, missing_operation
from sql_engine.counting_checks import count_problems
from sql_engine.end_checks import end_problems
from sql_engine.errors import (
    AttemptsExhausted,
    Cancelled,
    ExecutionError,
    InvalidQuery,
    SqlEngineError,
    UnusableReply,
)
from sql_engine.extract import normalized
from sql_engine.glossary_checks import glossary_problems, without_metrics
from sql_engine.guard import check
from sql_engine.hints import where_names_are
from sql_engine.join_checks import key_problems, unmatched_keys
from sql_engine.left_out import values_left_out
from sql_engine.operation_checks import operation_problems
from sql_engine.query import Query
from sql_engine.query_checks import query_problems
from sql_engine.question_cost import one_question
from sql_engine.result import Limits, Result
from sql_engine.shown_checks import shown_problems
from sql_engine.sql_tree import SqlTree, parse_tree
from sql_engine.time_checks import clock_problems, period_ends, period_problems
from sql_engine.unmatched import unmatched_values
from sql_engine.unread_numbers import unread_numbers
from sql_engine.voting import vote
from sql_engine.writer import Attempt, Draft, SqlRequest, SqlWriter, Usage

_GRAVE = frozenset(
    {
        "added_denial",
        "compared_with_null",
        "dropped_condition",
        "dropped_denial",
        "half_answered",
        "metric",
        "missing_operation",
        "other_operation",
        "other_today",
        "paired_rows",
        "repeated_rows",
        "sampled",
        "tie",
        "unmatched_value",
        "wrong_key",
    }
)
"""Problems that may make the answer wrong, and no answer to a part of the question."""
_DOUBTED = 0.5
"""Of a draft's confidence, where one of these is left."""
_SAME = "this is the same query as before"
_PROBE_LIMITS = Limits(max_rows=1001, timeout_s=2.0)


class Executes(Protocol):
    """What runs a checked query: `sql_engine.database.Database`."""

    def execute(self, query: Query, limits: Limits = ...) -> Result:
        """The result. Raises ExecutionError, LimitExceeded, Cancelled."""
        ...


@dataclass(frozen=True)
class SqlAnswer:
    """A query that ran, with its result and how it came about."""

    query: Query
    result: Result
    draft: Draft
    attempts: tuple[Attempt, ...]
    """Every draft, oldest first; each but the one that is the answer has an error."""
    problems: tuple[Problem, ...] = ()
    """Reasons for doubt that are left, and facts to tell."""
    usage: Usage = Usage()
    """Over all drafts."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """One sentence a problem."""
        return tuple(problem.warning for problem in self.problems)

    @property
    def doubts(self) -> tuple[Problem, ...]:
        """Reasons why the answer may be wrong."""
        return tuple(problem for problem in self.problems if not problem.is_fact)


@dataclass
class _Session:
    """One question's loop: who writes, who runs, and what has happened so far."""

    request: SqlRequest
    writer: SqlWriter
    database: Executes
    limits: Limits
    attempts: list[Attempt] = field(default_factory=list)
    usage: Usage = Usage()
    seen: set[str] = field(default_factory=set)
    ran: dict[str, tuple[Query, Result]] = field(default_factory=dict)

    def run_new(self, sql: str) -> tuple[Query, Result]:
        """Check and run a draft that was not drafted before. Raises InvalidQuery where it was."""
        form = normalized(sql)
        if form in self.seen:
            raise InvalidQuery(_SAME, hint="write a different one")
        self.seen.add(form)
        return self.run(sql)

    def run(self, sql: str) -> tuple[Query, Result]:
        """Check and run a statement, once."""
        form = normalized(sql)
        if form not in self.ran:
            query = check(sql, self.request.catalog)
            self.ran[form] = query, self.database.execute(query, self.limits)
        return self.ran[form]

    def failed(self, sql: str, error: SqlEngineError) -> None:
        """Keep a failure with all that helps to mend it."""
        hints = [error.hint, *where_names_are(sql, self.request.catalog)]
        message = "\n".join([str(error), *filter(None, hints)])
        self.attempts.append(Attempt(sql, message, error.code))

    def doubted(self, answer: SqlAnswer) -> None:
        """Keep a query that ran as an attempt to better."""
        advice = [p.advice for p in answer.problems if p.advice]
        codes = [p.code for p in answer.problems if p.advice]
        self.attempts.append(Attempt(answer.draft.sql, "\n".join(advice), codes[0]))


@one_question()
def answer(
    request: SqlRequest,
    writer: SqlWriter,
    database: Executes,
    *,
    limits: Limits = Limits(),
    max_attempts: int | None = None,
) -> SqlAnswer:
    """Answer a question with SQL.

    Args:
        request: the question and what the writer may know.
        writer: who drafts.
        database: who runs a checked query.
        limits: caps on one query.
        max_attempts: drafts asked for at most; the writer's own number where None.

    Raises:
        CannotWrite: the writer declines.
        Refused: a draft was no read-only query over the tables.
        AttemptsExhausted: every draft failed.
        WriterError: the language model could not be reached or failed.
        LimitExceeded, Cancelled: the query was stopped.

    Every error carries the `attempts` before it and their `usage`.
    """
    session = _Session(request, writer, database, limits, list(request.attempts))
    allowed = writer.max_attempts if max_attempts is None else max_attempts
    try:
        return _loop(session, allowed)
    except SqlEngineError as error:
        error.attempts = tuple(session.attempts)
        error.usage = session.usage + (error.usage or Usage())
        raise


def _loop(session: _Session, allowed: int) -> SqlAnswer:
    for number in range(allowed):
        found = _attempt(session)
        if found is None:
            continue
        if number + 1 < allowed and any(problem.advice for problem in found.problems):
            found = _bettered(session, found)
        return replace(found, attempts=_told(session, found), usage=session.usage)
    raise AttemptsExhausted(
        f"no draft of {len(session.attempts)} could be run; {_last_fault(session)}",
        hint="rephrase the question with the names of the tables and columns",
    )


def _last_fault(session: _Session) -> str:
    """What was wrong with the last draft that was not the one before once more."""
    told = [attempt.error.splitlines()[0] for attempt in session.attempts if attempt.error]
    faults = [fault for fault in told if fault != _SAME]
    if not faults:
        return "none was asked for"
    repeated = ", and then drafted again" if told[-1] == _SAME else ""
    return f"the last one: {faults[-1]}{repeated}"


def _bettered(session: _Session, doubtful: SqlAnswer) -> SqlAnswer:
    """The answer of one more draft where that leaves no more doubt, else the doubtful one."""
    session.doubted(doubtful)
    try:
        second = _attempt(session)
    except Cancelled:
        raise
    except SqlEngineError:
        return doubtful
    if second is None or len(second.doubts) > len(doubtful.doubts):
        return doubtful
    return second


def _told(session: _Session, found: SqlAnswer) -> tuple[Attempt, ...]:
    """All attempts; the one that became the answer without an error."""
    form = normalized(found.draft.sql)
    others = [attempt for attempt in session.attempts if normalized(attempt.sql) != form]
    return (*others, Attempt(found.draft.sql))


def _attempt(session: _Session) -> SqlAnswer | None:
    """One draft and what becomes of it; None where it failed and another may be asked for."""
    try:
        draft = session.writer.write(replace(session.request, attempts=tuple(session.attempts)))
    except UnusableReply as error:
        session.usage += error.usage or Usage()
        session.failed("", error)
        return None
    session.usage += draft.usage
    try:
        if draft.candidates:
            draft = vote(draft, session.run)
        draft = replace(draft, sql=on_day(draft.sql, session.request.today))
        query, result = session.run_new(draft.sql)
    except (InvalidQuery, ExecutionError) as error:
        session.failed(draft.sql, error)
        return None
    except SqlEngineError as error:
        session.failed(draft.sql, error)
        raise
    problems = tuple(_problems(session, query, result))
    if any(problem.code in _GRAVE for problem in problems):
        draft = replace(draft, confidence=draft.confidence * _DOUBTED)
    return SqlAnswer(query, result, draft, (), problems)


def doubts(query: Query, result: Result, catalog: Catalog, database: Executes) -> list[Problem]:
    """What may be wrong with a result although its query ran, whatever was asked."""
    return list(_doubts(parse_tree(query.sql, query.tables), result, catalog, database))


def _doubts(
    tree: SqlTree | None, result: Result, catalog: Catalog, database: Executes
) -> Iterator[Problem]:
    def probe(sql: str) -> Result | None:
        return _probed(sql, catalog, database)

    yield from result_problems(tree, result, probe)
    if tree is not None:
        yield from query_problems(tree)
        yield from key_problems(tree, catalog.joins)
        yield from unmatched_keys(tree, result, probe)
        yield from unmatched_values(tree, empty=is_empty(result))
        yield from unread_numbers(tree, probe)
        yield from blank_numbers(tree, probe)


def _problems(session: _Session, query: Query, result: Result) -> Iterator[Problem]:
    tree, request = parse_tree(query.sql, query.tables), session.request
    yield from _doubts(tree, result, request.catalog, session.database)
    if tree is None:
        return
    yield from glossary_problems(request.glossary, request.question, tree)
    question, links = without_metrics(request.glossary, request.question, request.links)
    yield from dropped_conditions(question, links, tree)
    yield from missing_operation(question, tree, result)
    if session.writer.knows_language:  # another writer accounts for each word itself
        yield from _other_readings(session, question, tree, result)


def _other_readings(
    session: _Session, question: str, tree: SqlTree, result: Result
) -> Iterator[Problem]:
    """Where the query does something else than the question's words say."""

    def probe(sql: str) -> Result | None:
        return _probed(sql, session.request.catalog, session.database)

    yield from operation_problems(question, tree, result, probe)
    yield from shown_problems(question, tree, result)
    yield from end_problems(question, tree)
    yield from values_left_out(question, tree)
    yield from clock_problems(session.request.today, tree)
    yield from period_problems(question, session.request.today, tree)
    yield from period_ends(question, session.request.today, tree, probe)
    yield from counted_twice(question, tree, probe)
    yield from listed_twice(question, tree, result, probe)
    yield from count_problems(question, tree, result, probe)


def _probed(sql: str, catalog: Catalog, database: Executes) -> Result | None:
    try:
        return database.execute(check(sql, catalog), _PROBE_LIMITS)
    except Cancelled:
        raise
    except SqlEngineError:
        return None
