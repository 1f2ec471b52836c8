"""A language model says what a table holds, in words that its headers may lack.

Takes a model and the table's card; gives a sentence or two, "" where the reply holds none. They
help to find the table, and are no evidence for an answer.
"""

from __future__ import annotations

import json

from sql_engine.errors import UnusableReply
from sql_engine.evidence_naming import Completes
from sql_engine.openai_writer import Schema
from sql_engine.prompt import Message, sql_literal
from sql_engine.prompts import render

MOST_CHARS = 400
_SCHEMA: Schema = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}


def summarise(chat: Completes, card: str) -> str:
    """What the table holds. Raises WriterError where the model cannot be reached."""
    shown = "\n".join(f"- {sql_literal(line)}" for line in card.splitlines())
    prompt = render("summary", table=shown, most=str(MOST_CHARS))
    try:
        reply = chat.complete([Message("user", prompt)], schema=_SCHEMA)
    except UnusableReply:
        return ""
    return _read(reply.texts[0])


def _read(text: str) -> str:
    """The summary of a JSON reply, fenced or with prose around; "" where it is none or too long."""
    start, end = text.find("{"), text.rfind("}")
    try:
        reply = json.loads(text[start : end + 1]) if start >= 0 else {}
    except ValueError:
        return ""
    told = reply.get("summary") if isinstance(reply, dict) else None
    summary = " ".join(told.split()) if isinstance(told, str) else ""
    return summary if len(summary) <= MOST_CHARS else ""
