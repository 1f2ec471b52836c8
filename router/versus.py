"""A question that sets two things against each other: "average fee of Basic vs Pro", "Q1 vs Q2".

Takes a question with its links; gives the whole question for each of the two, and puts their
answers beside each other. What stands on either side of the "vs" are cells of one column or
stretches of time; a question with anything else there is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from router.answer import Answer, Route
from router.question import Asked
from sql_engine.links import Span
from sql_engine.offline.periods import periods

_AGAINST = re.compile(
    r"\s*,?\s*\b(?:vs\.?|versus|(?:as )?compared (?:to|with))\s+(?:that of |the )?",
    re.IGNORECASE,
)
_COMPARE = re.compile(r"compare\s+(?:the\s+)?(?=.*\b(?P<and>and|with|to)\b)", re.IGNORECASE)
_JOINED = re.compile(r"\s*,?\s*\b(?:and|with|to)\s+(?:that of |the )?", re.IGNORECASE)
Column = tuple[str, str]
"""Table and column."""
_TIME: Column = ("", "")
_REASON = "The two are asked for each and put beside each other."


def sides(asked: Asked) -> tuple[tuple[str, str], ...]:
    """For each of two things compared, its words and the whole question of it; () where none are.

    A model reads such a question itself.
    """
    if asked.writer.knows_language:
        return ()
    opened = _COMPARE.match(asked.question)
    start = opened.end() if opened else 0
    named = _named(asked)
    for match in (_JOINED if opened else _AGAINST).finditer(asked.question, start):
        left = [s for s in named if s.end == match.start() and s.start >= start]
        right = [s for s in named if s.start == match.end()]
        if left and right:
            one, two = max(left, key=_length), max(right, key=_length)
            if not _of_one_column(named[one], named[two]):
                return ()
            before, after = asked.question[start : one.start], asked.question[two.end :]
            return tuple((side.text, f"{before}{side.text}{after}") for side in (one, two))
    return ()


def _named(asked: Asked) -> dict[Span, set[Column]]:
    """Where the question names cells and stretches of time; the columns of the cells."""
    text, found = asked.question, dict[Span, set[Column]]()
    for link in asked.evidence.links.values:
        found.setdefault(link.span, set()).add((link.table, link.column))
    for period in periods(text, asked.today):
        found[Span(period.start, period.end, text[period.start : period.end])] = {_TIME}
    return found


def _of_one_column(one: set[Column], two: set[Column]) -> bool:
    """Whether both stand in one column, and in no other of its table: "Rovers vs United" may be the
    match that the two played.
    """
    tables = [table for table, _ in one | two]
    return bool(one & two) and len(set(tables)) == len(tables)


def _length(span: Span) -> int:
    return span.end - span.start


def beside(question: str, named: Sequence[str], answers: Sequence[Answer]) -> Answer:
    """The two answers as one table; what one of them leaves open leaves the question open."""
    for name, answer in zip(named, answers, strict=True):
        if answer.declined:
            text = f'Of "{name}": {answer.text}'
            return replace(answer, question=question, text=text, alternatives=())
    one, two = answers
    if not one.columns or one.columns != two.columns or one.route is not two.route:
        text = "The two cannot be put beside each other. Ask for each."
        return Answer(question=question, route=Route.DECLINED, text=text, reason=text)
    if any(_lists_amounts(answer) for answer in answers):
        text = "Several rows match: ask for their total, their average or how many they are."
        return Answer(question=question, route=Route.DECLINED, text=text, reason=text)
    whole = one.value is not None and two.value is not None
    column = one.columns if len(one.columns) == 1 else (one.citations[0].columns or one.columns)[:1]
    rows = [
        (name, *row)
        for name, answer in zip(named, answers, strict=True)
        for row in ([(answer.value,)] if whole else answer.rows)
    ]
    texts = (f"{name}: {answer.text}" for name, answer in zip(named, answers, strict=True))
    return Answer(
        question=question,
        route=one.route,
        text="\n".join(texts),
        columns=("compared", *(column if whole else one.columns)),
        rows=rows,
        truncated=one.truncated or two.truncated,
        total_rows=len(rows),
        sql=_united(named, answers),
        citations=tuple(dict.fromkeys(c for answer in answers for c in answer.citations)),
        attempts=(*one.attempts, *two.attempts),
        warnings=tuple(dict.fromkeys(w for answer in answers for w in answer.warnings)),
        confidence=min(one.confidence, two.confidence),
        reason=_REASON,
        parts=tuple(answers),
    )


def _lists_amounts(answer: Answer) -> bool:
    """Whether single amounts, or whole rows, are listed: what sets two sides against each other is
    one figure of each.
    """
    if len(answer.rows) < 2:
        return False
    last = [row[-1] for row in answer.rows if row[-1] is not None]
    amounts = all(isinstance(cell, int | float | Decimal) for cell in last)
    grouped = "GROUP BY" in (answer.sql or "")
    return answer.route is Route.ROW or (amounts and not grouped)


def _united(named: Sequence[str], answers: Sequence[Answer]) -> str | None:
    """One query that gives the table, where both sides have one."""
    if any(answer.sql is None for answer in answers):
        return None
    selects = []
    for name, answer in zip(named, answers, strict=True):
        text = name.replace("'", "''")
        selects.append(f"SELECT '{text}' AS \"compared\", q.* FROM ({answer.sql}) AS q")
    return " UNION ALL ".join(selects)
