"""What one question has cost a language model so far, whoever asked it: for its route, its parts,
its drafts, the evidence or the words.

`one_question` is entered where a question begins; within it `spent` tells and `count` adds. Each
thread and task has its own, a thread that one starts for its question shares it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from sql_engine.writer import Usage


@dataclass
class _Cost:
    usage: Usage = Usage()


_current: ContextVar[_Cost | None] = ContextVar("cost of the question", default=None)


@contextmanager
def one_question() -> Iterator[None]:
    """All within is one question; one inside another is a part of it."""
    if _current.get() is not None:
        yield
        return
    token = _current.set(_Cost())
    try:
        yield
    finally:
        _current.reset(token)


def spent() -> Usage:
    """The cost of the question so far; nothing outside of one."""
    cost = _current.get()
    return cost.usage if cost else Usage()


def count(usage: Usage) -> None:
    """Add what a call cost."""
    cost = _current.get()
    if cost is not None:
        cost.usage += usage
