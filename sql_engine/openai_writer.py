"""The writer behind any OpenAI-compatible server: chat completions through the official client.

Takes an `SqlRequest`; gives the `Draft` in the model's reply. Only the SQL of a reply is used.
The client is imported when the first draft is asked for; key and address come from the arguments
or the environment (`OPENAI_API_KEY`, `OPENAI_BASE_URL`, `TABROUTE_MODEL`).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from sql_engine.errors import (
    EmptyReply,
    ModelRefused,
    ModelServerError,
    ModelTimeout,
    ModelUnreachable,
    RateLimited,
    ReplyTruncated,
    RequestRejected,
    SqlEngineError,
    WriterError,
)
from sql_engine.extract import extract_sql
from sql_engine.prompt import Message, PromptOptions, Share, render_prompt
from sql_engine.pruning import prune
from sql_engine.writer import Draft, SqlRequest, Usage

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

DEFAULT_MODEL = "gpt-5-mini"
NO_KEY = "not-needed"
"""Sent as key where only a base URL is set: local servers ask for none."""


class OpenAIWriter:
    """Writes SQL with a language model."""

    name = "openai"

    def __init__(
        self,
        model: str | None = None,
        client: OpenAI | None = None,
        *,
        base_url: str | None = None,
        max_attempts: int = 3,
        timeout_s: float = 60.0,
        max_retries: int = 2,
        max_reply_tokens: int = 2000,
        max_prompt_tokens: int = 6000,
        max_tables: int = 5,
        max_columns: int = 30,
        share: Share = "samples",
    ) -> None:
        """Configure; nothing is sent and `openai` is not imported yet.

        Args:
            model: the model's name; else `TABROUTE_MODEL`, else a small one of OpenAI's.
            client: an `openai.OpenAI` (or Azure) client to use as it is, or anything with
                `chat.completions.create`.
            base_url: the server, where no client is given; else `OPENAI_BASE_URL`.
            max_attempts: drafts that one question may cost.
            timeout_s: how long one reply may take.
            max_retries: how often the client repeats a request that met a rate limit, a server
                error or a lost connection, honouring Retry-After.
            max_reply_tokens: length limit of a reply.
            max_prompt_tokens: length limit of a prompt; the schema is cut to it.
            max_tables: tables in a prompt.
            max_columns: columns in a prompt, over all its tables.
            share: what of the data a prompt may hold.
        """
        self.model = model or os.environ.get("TABROUTE_MODEL") or DEFAULT_MODEL
        self.max_attempts = max_attempts
        self._client = client
        self._base_url = base_url
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._max_reply_tokens = max_reply_tokens
        self._max_tables = max_tables
        self._max_columns = max_columns
        self._options = PromptOptions(share=share, max_tokens=max_prompt_tokens)

    def write(self, request: SqlRequest) -> Draft:
        """One draft. Raises CannotWrite, or the `WriterError` that fits."""
        schema = prune(request, max_tables=self._max_tables, max_columns=self._max_columns)
        messages = render_prompt(request, schema, self._options)
        completion = self._complete(messages)
        usage = _usage(completion)
        try:
            return Draft(extract_sql(_text(completion)), usage=usage)
        except SqlEngineError as error:
            error.usage = usage
            raise

    def _complete(self, messages: tuple[Message, ...]) -> dict[str, Any]:
        """The server's reply. Read piece by piece: the client's own time limit starts anew with
        every byte that arrives, so that a reply which trickles in would never end.
        """
        parameters: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "max_completion_tokens": self._max_reply_tokens,
        }
        completions = self._connect().chat.completions
        with _typed_errors(self._timeout_s):
            if hasattr(completions, "with_streaming_response"):
                return self._read(completions.with_streaming_response.create(**parameters))
            reply: dict[str, Any] = _as_dict(completions.create(**parameters))
            return reply

    def _read(self, call: AbstractContextManager[Any]) -> dict[str, Any]:
        with call as response:
            deadline = time.monotonic() + self._timeout_s
            body = bytearray()
            for piece in response.iter_bytes():
                body += piece
                if time.monotonic() > deadline:
                    raise _too_slow(self._timeout_s)
            return _decoded(bytes(body))

    def _connect(self) -> OpenAI:
        if self._client is None:
            from openai import OpenAI, OpenAIError

            base_url = self._base_url or os.environ.get("OPENAI_BASE_URL")
            key = os.environ.get("OPENAI_API_KEY") or (NO_KEY if base_url else None)
            try:
                self._client = OpenAI(
                    api_key=key,
                    base_url=base_url,
                    timeout=self._timeout_s,
                    max_retries=self._max_retries,
                )
            except OpenAIError as error:
                raise RequestRejected(
                    "no key for the language model",
                    hint="set OPENAI_API_KEY, or OPENAI_BASE_URL for a local server; "
                    "or answer without a model: writer='offline'",
                ) from error
        return self._client


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        reply = json.loads(body)
    except ValueError as error:
        raise ModelServerError("the server's reply is no JSON") from error
    if not isinstance(reply, dict):
        raise ModelServerError("the server's reply is no chat completion")
    return reply


def _as_dict(reply: Any) -> Any:
    """The reply of a client that is not the official one, objects turned into dictionaries."""
    if isinstance(reply, (list, tuple)):
        return [_as_dict(item) for item in reply]
    fields = reply if isinstance(reply, dict) else getattr(reply, "__dict__", None)
    return reply if fields is None else {name: _as_dict(value) for name, value in fields.items()}


def _text(completion: dict[str, Any]) -> str:
    """The reply's text. Raises where the reply is no whole text."""
    try:
        choice = completion["choices"][0]
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


def _usage(completion: dict[str, Any]) -> Usage:
    """What the server says it cost; a server that tells nothing still counts as a call."""
    told = completion.get("usage")
    counts = told if isinstance(told, dict) else {}
    return Usage(1, _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens")))


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _too_slow(timeout_s: float) -> ModelTimeout:
    return ModelTimeout(f"no whole reply within {timeout_s:g} s", hint="raise timeout_s")


@contextmanager
def _typed_errors(timeout_s: float) -> Iterator[None]:
    """Turns the client's errors, and those of its transport, into ours."""
    import httpx2
    import openai

    try:
        yield
    except (openai.APITimeoutError, httpx2.TimeoutException) as error:
        raise _too_slow(timeout_s) from error
    except (openai.APIConnectionError, httpx2.TransportError) as error:
        raise ModelUnreachable(
            f"no connection to the language model: {error.__cause__ or error}",
            hint="check the base URL and that the server runs",
        ) from error
    except openai.APIStatusError as error:
        raise _status_error(error) from error
    except openai.OpenAIError as error:
        raise ModelServerError(f"the server's reply cannot be read: {error}") from error


def _status_error(error: APIStatusError) -> WriterError:
    status = f"({error.status_code}): {error.message}"
    if error.status_code == 429:
        wait = _seconds(error.response.headers.get("retry-after"))
        return RateLimited(
            f"the language model's rate limit is reached {status}",
            retry_after_s=wait,
            hint="wait" + (f" {wait:g} s" if wait else "") + " and ask again",
        )
    if error.status_code >= 500:
        return ModelServerError(
            f"the language model's server failed {status}", hint="ask again later"
        )
    return RequestRejected(
        f"the language model's server rejects the request {status}",
        hint="check the key, the model's name and the base URL",
    )


def _seconds(header: str | None) -> float | None:
    try:
        return float(header) if header else None
    except ValueError:
        return None
