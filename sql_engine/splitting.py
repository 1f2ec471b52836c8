"""A language model parts a question into questions that one source each can answer.

Takes a model, a question and the names of what is loaded; gives two to four questions, or none
where the question stays whole. What the model writes is held against the question: parts that bring
in a figure or a name of their own, or that together leave a word of it out, are not taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from sql_engine.errors import UnusableReply
from sql_engine.evidence_naming import Completes
from sql_engine.name_stems import OPERATION_STEMS, content_stems, stems
from sql_engine.openai_writer import Schema
from sql_engine.prompt import Message, sql_literal
from sql_engine.prompts import render
from sql_engine.writer import Usage

MAX_PARTS = 4
_MAX_CHARS = 500
_SCHEMA: Schema = {
    "type": "object",
    "properties": {"questions": {"type": "array", "items": {"type": "string"}}},
    "required": ["questions"],
    "additionalProperties": False,
}
_ASKS_TWICE = re.compile(
    r"[?;]\s+\S|\b(?:and|also|plus|but|then)\s+(?:also\s+)?(?:in\s+|by\s+|for\s+|to\s+|at\s+|on\s+)?"
    r"(?:how|what|which|who|whom|whose|when|where|why|is|are|does|do|did|can|may|must|"
    r"list|show|give|tell|name)\b",
    re.IGNORECASE,
)
_FIGURES_AND_NAMES = re.compile(r"\d[\d.,]*|(?<=[a-z,] )[A-Z]\w+|\"[^\"]+\"|'[^']+'")


def asks_twice(question: str) -> bool:
    """Whether a question has more than one clause that asks."""
    return _ASKS_TWICE.search(question) is not None


def split_question(
    chat: Completes, question: str, sources: Sequence[str]
) -> tuple[tuple[str, ...], Usage]:
    """The parts, () where it stays whole, and what it cost. Raises WriterError where the model
    cannot be reached.
    """
    whole = " ".join(question.split())
    shown = "\n".join(f"- {sql_literal(source)}" for source in sources)
    prompt = render("split", sources=shown, question=whole, most=str(MAX_PARTS))
    try:
        reply = chat.complete([Message("user", prompt)], schema=_SCHEMA)
    except UnusableReply as error:
        return (), error.usage or Usage()
    parts = _read(reply.texts[0])
    return (parts if _keeps(whole, parts) else ()), reply.usage


def _read(text: str) -> tuple[str, ...]:
    """The questions of a JSON reply, fenced or with prose around; () where there are none."""
    start, end = text.find("{"), text.rfind("}")
    try:
        reply = json.loads(text[start : end + 1]) if start >= 0 else {}
    except ValueError:
        return ()
    listed = reply.get("questions") if isinstance(reply, dict) else None
    if not isinstance(listed, list) or not all(isinstance(part, str) for part in listed):
        return ()
    return tuple(dict.fromkeys(" ".join(part.split()) for part in listed))


def _keeps(question: str, parts: Sequence[str]) -> bool:
    """Whether the parts say what the question says: no figure or name more, no word less."""
    if not 2 <= len(parts) <= MAX_PARTS or not all(0 < len(p) <= _MAX_CHARS for p in parts):
        return False
    said = stems(question)
    added = (found for part in parts for found in _FIGURES_AND_NAMES.findall(part))
    if not all(stems(found) <= said for found in added):
        return False
    kept = frozenset[str]().union(*map(stems, parts))
    return content_stems(question) - OPERATION_STEMS <= kept
