"""What a chat completion says: its texts, its cost, or the error that fits.

Takes the decoded body of a reply (or the pieces of a streamed one); knows nothing of connections.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sql_engine.errors import EmptyReply, ModelRefused, ModelServerError, ReplyTruncated
from sql_engine.writer import Usage

Completion = dict[str, Any]
"""A chat completion's body."""


def decoded(body: bytes) -> Completion:
    """The body as an object. Raises ModelServerError."""
    try:
        reply = json.loads(body)
    except ValueError as error:
        raise ModelServerError("the server's reply is no JSON") from error
    if not isinstance(reply, dict):
        raise ModelServerError("the server's reply is no chat completion")
    return reply


def as_dict(reply: Any) -> Any:
    """The reply of a client that is not the official one, objects turned into dictionaries."""
    if isinstance(reply, list | tuple):
        return [as_dict(item) for item in reply]
    fields = reply if isinstance(reply, dict) else getattr(reply, "__dict__", None)
    return reply if fields is None else {name: as_dict(value) for name, value in fields.items()}


def texts_of(completion: Completion) -> list[str]:
    """The text of each choice that is whole; at least one.

    Raises:
        ModelServerError: it is no chat completion.
        ModelRefused, ReplyTruncated, EmptyReply: no choice has a whole text; the first one's error.
    """
    choices = completion.get("choices")
    if not isinstance(choices, list) or not choices:
        raise ModelServerError("the server's reply is no chat completion")
    texts, errors = [], []
    for choice in choices:
        try:
            texts.append(_text(choice))
        except (ModelRefused, ReplyTruncated, EmptyReply) as error:
            errors.append(error)
    if not texts:
        raise errors[0]
    return texts


def _text(choice: Any) -> str:
    try:
        message, finish = choice["message"], choice.get("finish_reason")
        content, refusal = message.get("content"), message.get("refusal")
    except (LookupError, TypeError, AttributeError) as error:
        raise ModelServerError("the server's reply is no chat completion") from error
    if refusal or finish == "content_filter":
        raise ModelRefused(f"the model declines to reply: {refusal or 'content filter'}")
    if finish == "length":
        raise ReplyTruncated("the reply was cut at the length limit", hint="reply more briefly")
    if not isinstance(content, str) or not content.strip():
        raise EmptyReply("the reply was empty")
    return content


def usage_of(completion: Completion) -> Usage:
    """What the server says it cost; a server that tells nothing still counts as a call."""
    told = completion.get("usage")
    counts = told if isinstance(told, dict) else {}
    return Usage(1, _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens")))


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


class Assembled:
    """A completion put together from the chunks of a stream."""

    def __init__(self) -> None:
        self._content: list[str] = []
        self._refusal: list[str] = []
        self._finish: str | None = None
        self._usage: Any = None

    def add(self, chunk: Completion) -> str:
        """Take one chunk; gives the text that it adds."""
        self._usage = chunk.get("usage") or self._usage
        added = ""
        for choice in _listed(chunk.get("choices")):
            delta = choice.get("delta") or {}
            added += delta.get("content") or ""
            self._refusal.append(delta.get("refusal") or "")
            self._finish = choice.get("finish_reason") or self._finish
        self._content.append(added)
        return added

    def completion(self) -> Completion:
        """The whole. Raises ModelServerError where the stream ended without its last chunk."""
        if self._finish is None:
            raise ModelServerError("the stream ended before the reply did")
        message = {"content": "".join(self._content), "refusal": "".join(self._refusal) or None}
        choice = {"message": message, "finish_reason": self._finish}
        return {"choices": [choice], "usage": self._usage}


def _listed(choices: Any) -> Iterable[Completion]:
    return [choice for choice in choices or () if isinstance(choice, dict)]
