"""A language model says which kind of source answers a question, among those that may.

Takes a model, a question, the routes in doubt with what each does, and what was found; gives one of
the routes, or None where the reply names no such one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from sql_engine.errors import UnusableReply
from sql_engine.evidence_naming import Completes
from sql_engine.openai_writer import Schema
from sql_engine.prompt import Message, sql_literal
from sql_engine.prompts import render
from sql_engine.writer import Usage


def choose_route(
    chat: Completes, question: str, routes: Mapping[str, str], sources: Sequence[str]
) -> tuple[str | None, Usage]:
    """The route named, and what it cost. Raises WriterError where the model cannot be reached.

    Args:
        chat: the model.
        question: as asked.
        routes: each route that may answer, with what it does.
        sources: what was found for the question: names, no rows.
    """
    prompt = render(
        "route",
        sources="\n".join(f"- {sql_literal(source)}" for source in sources),
        question=" ".join(question.split()),
        routes="\n".join(f"- `{name}`: {does}" for name, does in routes.items()),
    )
    try:
        reply = chat.complete([Message("user", prompt)], schema=_schema(routes))
    except UnusableReply as error:
        return None, error.usage or Usage()
    return _named(reply.texts[0], routes), reply.usage


def _schema(routes: Mapping[str, str]) -> Schema:
    return {
        "type": "object",
        "properties": {"route": {"type": "string", "enum": list(routes)}},
        "required": ["route"],
        "additionalProperties": False,
    }


def _named(text: str, routes: Mapping[str, str]) -> str | None:
    start, end = text.find("{"), text.rfind("}")
    try:
        reply = json.loads(text[start : end + 1]) if start >= 0 else text
    except ValueError:
        return None
    named = reply.get("route") if isinstance(reply, dict) else reply
    word = str(named).strip().strip("`.\"'").casefold()
    return word if word in routes else None
