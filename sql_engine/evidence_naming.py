"""A language model names the evidence that answers a question; it never words the answer.

Takes a model, a question and pieces of evidence (paragraphs, rows); gives which piece answers, with
the column or the stretch of text. What the model names is looked for in the evidence, and where it
is not there, nothing is named: the value that a person sees is copied from the evidence.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sql_engine.errors import UnusableReply
from sql_engine.openai_writer import Reply, Schema
from sql_engine.prompt import Message, sql_literal
from sql_engine.prompts import render
from sql_engine.writer import Usage

_MAX_CHARS = 1500
"""Of a paragraph."""
_SCHEMA: Schema = {
    "type": "object",
    "properties": {name: {"type": ["string", "null"]} for name in ("evidence", "column", "span")},
    "required": ["evidence", "column", "span"],
    "additionalProperties": False,
}


class Completes(Protocol):
    """A chat model: `sql_engine.openai_writer.ChatModel`."""

    def complete(
        self, messages: Sequence[Message], *, schema: Schema | None = None, choices: int = 1
    ) -> Reply:
        """The reply. Raises WriterError."""
        ...


@dataclass(frozen=True)
class Paragraph:
    """A piece of prose."""

    text: str


@dataclass(frozen=True)
class Row:
    """A row: its table's title, and header to cell as published."""

    title: str
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Naming:
    """What a model named, as far as it is there."""

    piece: int | None = None
    """Position among the pieces; None where none answers."""
    column: str | None = None
    """Of a row: the header of the cell."""
    span: str | None = None
    """Of a paragraph: the stretch, as it stands there."""
    usage: Usage = Usage()


def name_evidence(chat: Completes, question: str, pieces: Sequence[Paragraph | Row]) -> Naming:
    """Ask which piece answers. Raises WriterError where the model cannot be reached."""
    shown = "\n".join(f"E{number}: {_shown(piece)}" for number, piece in enumerate(pieces, 1))
    prompt = render("evidence", pieces=shown, question=" ".join(question.split()))
    try:
        reply = chat.complete([Message("user", prompt)], schema=_SCHEMA)
    except UnusableReply as error:
        return Naming(usage=error.usage or Usage())
    named = _checked(_read(reply.texts[0]), pieces)
    return Naming(named.piece, named.column, named.span, reply.usage)


def _shown(piece: Paragraph | Row) -> str:
    if isinstance(piece, Paragraph):
        return sql_literal(piece.text, _MAX_CHARS)
    cells = ", ".join(f"{sql_literal(header)}: {sql_literal(cell)}" for header, cell in piece.cells)
    return f"row of {sql_literal(piece.title)} {{{cells}}}"


def _read(text: str) -> dict[str, str]:
    """The texts of a JSON reply, fenced or with prose around; {} where there is none."""
    start, end = text.find("{"), text.rfind("}")
    try:
        reply = json.loads(text[start : end + 1]) if start >= 0 else {}
    except ValueError:
        return {}
    return {key: value for key, value in reply.items() if isinstance(value, str)}


def _checked(reply: dict[str, str], pieces: Sequence[Paragraph | Row]) -> Naming:
    number = reply.get("evidence", "").strip().removeprefix("E")
    if not number.isdigit() or not 1 <= int(number) <= len(pieces):
        return Naming()
    place = int(number) - 1
    piece = pieces[place]
    if isinstance(piece, Paragraph):
        span = _stretch(piece.text, reply.get("span", ""))
        return Naming(place, span=span) if span else Naming()
    wanted = reply.get("column", "").strip().casefold()
    column = next((header for header, _ in piece.cells if header.casefold() == wanted), None)
    return Naming(place, column=column) if column or not wanted else Naming()


def _stretch(text: str, span: str) -> str | None:
    """The stretch as it stands in the text, white space aside; None where it is not there."""
    words = span.split()
    if not words:
        return None
    folded, joined = " ".join(text.split()), " ".join(words)
    return joined if joined in folded else None
