"""The readings that stand beside an answer: those with another result that a person may have meant.

Takes an answered query with the writer's alternatives; gives `Reading`s, most likely first.
"""

from __future__ import annotations

from collections import defaultdict

from router import readings
from router.answer import Reading
from router.question import Asked
from sql_engine.correct import SqlAnswer
from sql_engine.errors import InvalidQuery, Refused
from sql_engine.guard import check
from sql_engine.links import Span
from sql_engine.name_stems import words
from sql_engine.query import Query

MAX_ALTERNATIVES = 3
AMBIGUOUS_MARGIN = 0.1
"""Two readings this near in confidence with different results are a question back."""


def beside(asked: Asked, answered: SqlAnswer) -> tuple[Reading, ...]:
    """The other readings whose result differs or is not known, most likely first."""
    main, found = answered.result, list[Reading]()
    near = answered.draft.confidence - AMBIGUOUS_MARGIN
    meant = [
        other
        for other in answered.draft.alternatives
        if other.confidence >= near or not _named_less(asked, answered.query, other.sql)
    ]
    for other in sorted(meant, key=lambda a: -a.confidence)[:MAX_ALTERNATIVES]:
        reading = readings.computed(asked, other.sql, other.reading, other.confidence)
        seen = [main.rows, *(one.rows for one in found)]
        if reading is not None and (reading.truncated or reading.rows not in seen):
            found.append(reading)
    return tuple(found)


def _named_less(asked: Asked, main: Query, sql: str) -> bool:
    """Whether a rival has another column in the place of one that the question names in full: who
    says "invoice date" does not mean when it is due.
    """
    try:
        rival = check(sql, asked.catalog)
    except (InvalidQuery, Refused):
        return False
    mine, other = ({(t.name, c.name) for t, c in query.columns} for query in (main, rival))
    said: dict[tuple[str, str], list[Span]] = defaultdict(list)
    for link in asked.evidence.links.columns:
        said[link.table, link.column].append(link.span)
    instead = [span for column in other - mine for span in said[column]]
    full = [
        span
        for column in mine - other
        for span in said[column]
        if words(span.text) == words(column[1]) and all(_within(one, span) for one in instead)
    ]
    return bool(full and other - mine)


def _within(span: Span, whole: Span) -> bool:
    inside = whole.start <= span.start and span.end <= whole.end
    return inside and span != whole
