"""Several drafts of one question: the result that most of them give is taken.

Takes a draft with candidates and a way to run one; gives the draft of the majority, its share as
confidence, and the other results as alternatives. Drafts that do not run and replies without a
draft have no vote, but count among all: two that agree of five asked for are a share of 0.4. That
the tables do not hold it is a result too: where as many say so as agree on rows, that is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sql_engine.errors import Cancelled, CannotWrite, Refused, SqlEngineError
from sql_engine.query import Query
from sql_engine.result import Result
from sql_engine.writer import Alternative, Draft

Run = Callable[[str], tuple[Query, Result]]
"""Checks and runs one statement. Raises SqlEngineError."""


def vote(draft: Draft, run: Run) -> Draft:
    """The draft whose result most candidates give; the first one's where none runs.

    Raises CannotWrite where as many replies say that the tables do not hold it.
    """
    groups: dict[object, list[str]] = {}
    for sql in draft.candidates:
        try:
            _, result = run(sql)
        except (Refused, Cancelled):
            raise
        except SqlEngineError:
            continue
        groups.setdefault(_shape(result), []).append(sql)
    most = max(map(len, groups.values()), default=len(draft.candidates))
    if len(draft.declining) >= most:
        raise CannotWrite(draft.declining[0])
    if not groups:
        return replace(draft, candidates=())
    asked = max(draft.replies, len(draft.candidates))
    first, *others = sorted(groups.values(), key=len, reverse=True)
    return replace(
        draft,
        sql=first[0],
        reading=draft.reading if len(first) == asked else _told(first, asked),
        candidates=(),
        declining=(),
        confidence=draft.confidence * len(first) / asked,
        alternatives=(
            *draft.alternatives,
            *(Alternative(_told(group, asked), group[0], len(group) / asked) for group in others),
        ),
    )


def _told(group: list[str], asked: int) -> str:
    return f"{' '.join(group[0].split())}, in {len(group)} of {asked} drafts"


def _shape(result: Result) -> object:
    """What makes two results one: their rows in any order, column names aside."""
    return result.truncated, tuple(sorted(map(repr, result.rows)))
