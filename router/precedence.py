"""What answers before the routes are tried in the order decided, and the parts of a question.

Takes a question with its decision; gives the answer of a route that is demanded, of a confirmed
query, of a metric of the glossary, or of what is loaded; else what the routes give, once a language
model was asked where the decision is in doubt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from router import by_catalog, by_model, pipeline, versus
from router.answer import Answer, Route
from router.intent import Decision, decide
from router.question import Asked
from router.review import StopAtDraft
from sql_engine.verified import VerifiedQueries, VerifiedWriter

if TYPE_CHECKING:
    from sql_engine.writer import SqlWriter

Part = Callable[[str], Asked]
"""A part of a question as asked for itself, with its own evidence."""


def answer(
    asked: Asked,
    as_asked: str,
    verified: VerifiedQueries,
    route: Route | str | None = None,
) -> Answer:
    """The answer of a demanded route, else of what comes first of those that have one.

    Args:
        asked: the question, whole.
        as_asked: the person's own words, by which a confirmed query is found again.
        verified: the confirmed queries.
        route: demanded; the question decides where None.
    """
    decision = decided(asked)
    if route is not None:
        return pipeline.answer(asked, decision.forced(route))
    confirmed = verified.same(as_asked, asked.catalog)
    if confirmed is not None:
        return _confirmed(asked, decision, VerifiedWriter(confirmed))
    if (fault := verified.fault(as_asked, asked.catalog)) is not None:
        told = f"the confirmed query of this question is not used: {fault}"
        found = _unconfirmed(asked, decision)
        return replace(found, warnings=(*found.warnings, told))
    return _unconfirmed(asked, decision)


def _unconfirmed(asked: Asked, decision: Decision) -> Answer:
    """The answer of a metric, of what is loaded, or of the routes in the order decided."""
    if metrics := asked.glossary.metrics_in(asked.question):
        reason = f'"{metrics[0][0]}" is a metric of the glossary.'
        return pipeline.answer(asked, replace(decision.forced(Route.SQL), reason=reason))
    return by_catalog.answer(asked) or _routed(asked, decision)


def in_parts(asked: Asked, as_asked: str, verified: VerifiedQueries, part: Part) -> Answer:
    """The answer; of a question that compares two things, or that a model parts, that of each part
    on its own route.
    """
    if verified.same(as_asked, asked.catalog) is not None:
        return answer(asked, as_asked, verified)
    if compared := versus.sides(asked):
        found = [answer(part(one), one, verified) for _, one in compared]
        return versus.beside(asked.question, [name for name, _ in compared], found)
    parts, usage = by_model.parts_of(asked)
    if parts:
        found = [replace(answer(part(one), one, verified), question=one) for one in parts]
        return by_model.composed(asked.question, found, usage)
    whole = answer(asked, as_asked, verified)
    return replace(whole, usage=whole.usage + usage) if usage.calls else whole


def decided(asked: Asked) -> Decision:
    """The route by the question's words and evidence."""
    return decide(asked.question, asked.evidence, model=asked.writer.knows_language)


def _confirmed(asked: Asked, decision: Decision, writer: SqlWriter) -> Answer:
    decision = replace(decision.forced(Route.SQL), reason="A verified query answers this.")
    if isinstance(asked.writer, StopAtDraft):
        writer = StopAtDraft(writer)
    return pipeline.answer(replace(asked, writer=writer), decision)


def _routed(asked: Asked, decision: Decision) -> Answer:
    decision, usage = by_model.reconsidered(asked, decision)
    found = pipeline.answer(asked, decision)
    return replace(found, usage=found.usage + usage) if usage.calls else found
