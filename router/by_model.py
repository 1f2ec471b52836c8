"""What a language model may decide before a route is taken: which one, where that is in doubt, and
whether the question is several.

Takes the question with what was found for it, and the writer's leave (`decides_routes`,
`splits_questions`); gives another decision, or the questions to answer in turn. A sure decision
stands, and each costs one call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from router.answer import Answer, Route
from router.intent import Decision
from router.question import Asked
from sql_engine.openai_writer import OpenAIWriter
from sql_engine.route_choice import choose_route
from sql_engine.splitting import asks_twice, split_question
from sql_engine.writer import Usage

SURE = 0.75
"""Confidence from which a decision is not put to a model."""
_SOURCES = 20
_DOES = {
    Route.ROW: "one cell or one or two rows hold the answer as it is written",
    Route.TABLE: "the whole table is the answer",
    Route.SQL: "the answer is counted, added, ranked, filtered or compared over rows",
    Route.TEXT: "a paragraph of prose tells it",
}


def reconsidered(asked: Asked, decision: Decision) -> tuple[Decision, Usage]:
    """The decision, or the model's where it is in doubt, and what that cost."""
    writer, routes = asked.writer, (decision.route, *decision.otherwise)
    leave = isinstance(writer, OpenAIWriter) and writer.decides_routes
    if not leave or decision.confidence >= SURE or len(routes) < 2:
        return decision, Usage()
    assert isinstance(writer, OpenAIWriter)
    told = {route.value: _DOES[route] for route in routes}
    named, usage = choose_route(writer.chat, asked.question, told, sources(asked))
    if named is None or named == decision.route:
        return decision, usage
    chosen = Route(named)
    return (
        replace(
            decision,
            route=chosen,
            otherwise=tuple(route for route in routes if route is not chosen),
            checked=False,
            reason=f'A model chose the route "{named}", the question alone left it open.',
        ),
        usage,
    )


def parts_of(asked: Asked) -> tuple[tuple[str, ...], Usage]:
    """The questions that this one is made of, () where it is one; and what that cost."""
    writer = asked.writer
    if not isinstance(writer, OpenAIWriter) or not writer.splits_questions:
        return (), Usage()
    if not asks_twice(asked.question):
        return (), Usage()
    return split_question(writer.chat, asked.question, sources(asked))


def composed(question: str, parts: Sequence[Answer], usage: Usage) -> Answer:
    """The parts' answers as one; what a part leaves open is told, never filled in."""
    answered = [part for part in parts if not part.declined]
    lines = [f"{number}. {part.question} {part.text}" for number, part in enumerate(parts, 1)]
    for part in parts:
        usage += part.usage
    return Answer(
        question=question,
        route=answered[0].route if answered else Route.DECLINED,
        text="\n".join(lines),
        citations=tuple(dict.fromkeys(c for part in answered for c in part.citations)),
        attempts=tuple(attempt for part in parts for attempt in part.attempts),
        warnings=(
            *(f'not answered: "{part.question}"' for part in parts if part.declined),
            *dict.fromkeys(warning for part in answered for warning in part.warnings),
        ),
        confidence=min((part.confidence for part in answered), default=0.0),
        reason=f"The question was answered in {len(parts)} parts.",
        usage=usage,
        parts=tuple(parts),
    )


def sources(asked: Asked) -> list[str]:
    """Names of what was found for the question: tables with their headers, and the paragraph's
    document; no cells.
    """
    found = [asked.table(hit.table_id).table for hit in asked.evidence.tables[:_SOURCES]]
    named = [f"table {table.title}: {', '.join(table.headers)}" for table in found]
    text = asked.evidence.text
    return [*named, f"text of {text.hit.document}"] if text is not None else named
