"""A decided question through its routes: the first that answers, else a declined answer.

A route gives an `Answer` with its confidence or a `Nothing` that says why not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from retrieval.hits import RowHit
from router import agreement, by_evidence, by_row, by_sql, by_table, by_text
from router.answer import Answer, Route
from router.intent import Decision
from router.question import Asked, Nothing
from router.wording import quoted

ROUTES: dict[Route, Callable[[Asked], Answer | Nothing]] = {
    Route.ROW: by_row.answer,
    Route.TABLE: by_table.answer,
    Route.SQL: by_sql.answer,
    Route.TEXT: by_text.answer,
}


def answer(asked: Asked, decision: Decision) -> Answer:
    """The first route that answers, in the order decided; else the question is declined."""
    missed: list[Nothing] = []
    for route in (decision.route, *decision.otherwise):
        found = _find(route, asked, decision)
        if isinstance(found, Answer):
            found = replace(found, reason=found.reason or _reason(decision, missed))
            return _with_cost_of(missed, found)
        missed.append(found)
    found = by_evidence.answer(asked)
    if not isinstance(found, Answer):
        missed.append(found)
        found = declined(asked, decision, missed)
    return _with_cost_of(missed, found)


def _with_cost_of(missed: list[Nothing], found: Answer) -> Answer:
    """The answer with what a language model cost on the routes that found none."""
    return replace(found, usage=sum((nothing.usage for nothing in missed), found.usage))


def _find(route: Route, asked: Asked, decision: Decision) -> Answer | Nothing:
    if decision.checked and route is decision.route:
        return agreement.computed(asked)
    if route is Route.ROW and decision.otherwise:
        return agreement.looked_up(asked)
    if route is Route.SQL and decision.otherwise:
        return agreement.surer(asked, computed=Route.ROW not in decision.otherwise)
    return ROUTES[route](asked)


def declined(asked: Asked, decision: Decision, missed: list[Nothing]) -> Answer:
    """No answer: what of the question nothing accounts for, and the rows that came near."""
    near, why = _near_rows(asked), _why(missed)
    return Answer(
        question=asked.question,
        route=Route.DECLINED,
        text=f"The tables do not answer this: {why}.",
        columns=tuple(near[0].cells) if near else (),
        rows=[tuple(hit.cells.values()) for hit in near],
        sql=next((nothing.sql for nothing in missed if nothing.sql), None),
        confidence=decision.confidence,
        reason=f"Declined: {why}.",
    )


def _why(missed: list[Nothing]) -> str:
    """What speaks against the query that was written, else the words that every route lacks, else
    those that the best lacks; else a reason.
    """
    written = [nothing.why for nothing in missed if nothing.sql and nothing.why]
    if written:
        return written[-1]
    open_words = [nothing.words for nothing in missed if nothing.words]
    common = [w for w in open_words[0] if all(w in o for o in open_words)] if open_words else []
    words = common or min((list(o) for o in open_words), key=len, default=[])
    if words:
        return f"nothing in them accounts for {quoted(words)}"
    told = [nothing.why for nothing in missed if nothing.why]
    return told[-1] if told else "nothing in them has a word of the question"


def _near_rows(asked: Asked) -> list[RowHit]:
    """Rows that the question names by a whole cell, of the best one's table."""
    hits = asked.evidence.rows
    return [hit for hit in hits if hit.table_id == hits[0].table_id and hit.named]


def _reason(decision: Decision, missed: list[Nothing]) -> str:
    if not missed:
        return decision.reason
    return f"{decision.reason} That route found nothing ({_why(missed)})."
