"""Language models behind any OpenAI-compatible server, through the official client.

`ChatModel` sends messages and gives the texts of the reply, within ceilings, with one typed error
for each way to fail. `OpenAIWriter` is the writer on top of it: it takes an `SqlRequest` and gives
the `Draft` in the reply; only the SQL of a reply is used. The client is imported when the first
message is sent; key and address come from the arguments or the environment (`OPENAI_API_KEY`,
`OPENAI_BASE_URL`, `TABROUTE_MODEL`).
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from sql_engine import question_cost
from sql_engine.completions import Assembled, Completion, as_dict, decoded, texts_of, usage_of
from sql_engine.errors import (
    BudgetExceeded,
    CannotWrite,
    ModelServerError,
    ModelTimeout,
    ModelUnreachable,
    NoSqlInReply,
    RateLimited,
    RequestRejected,
    SqlEngineError,
    WriterError,
)
from sql_engine.extract import extract_sql
from sql_engine.prompt import Message, PromptOptions, Share, estimate_tokens, render_prompt
from sql_engine.pruning import prune
from sql_engine.reply_cache import ReplyCache
from sql_engine.writer import Draft, SqlRequest, Usage

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI, OpenAI

DEFAULT_MODEL = "gpt-5-mini"
NO_KEY = "not-needed"
"""Sent as key where only a base URL is set: local servers ask for none."""

Schema = Mapping[str, Any]
"""A JSON schema."""

_SQL_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "reading": {"type": ["string", "null"]},
        "sql": {"type": ["string", "null"]},
        "cannot_answer": {"type": ["string", "null"]},
    },
    "required": ["reading", "sql", "cannot_answer"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Reply:
    """The whole texts of one completion, and what it cost."""

    texts: tuple[str, ...]
    usage: Usage


@dataclass(frozen=True)
class _Ceiling:
    """What a question or a session may cost."""

    scope: str
    calls: int | None
    tokens: int | None

    def check(self, used: Usage, prompt_tokens: int) -> None:
        """Raises BudgetExceeded where one more call, with this prompt, would cost more."""
        if self.calls is not None and used.calls >= self.calls:
            raise BudgetExceeded(
                f"the ceiling of {self.calls} model calls a {self.scope} is reached",
                hint=f"raise max_{self.scope}_calls, or answer without a model",
            )
        if self.tokens is not None and used.tokens + prompt_tokens > self.tokens:
            raise BudgetExceeded(
                f"the ceiling of {self.tokens} tokens a {self.scope} would be passed",
                hint=f"raise max_{self.scope}_tokens, or ask about fewer tables",
            )


class ChatModel:
    """One model on one server. Safe for use from several threads."""

    def __init__(
        self,
        model: str | None = None,
        client: OpenAI | None = None,
        *,
        base_url: str | None = None,
        timeout_s: float = 60.0,
        max_retries: int = 2,
        max_reply_tokens: int = 2000,
        max_question_calls: int | None = None,
        max_question_tokens: int | None = None,
        max_session_calls: int | None = None,
        max_session_tokens: int | None = None,
        json_schema: bool = True,
        cache: str | Path | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> None:
        """Configure; nothing is sent and `openai` is not imported yet.

        Args:
            model: the model's name; else `TABROUTE_MODEL`, else a small one of OpenAI's.
            client: an `openai.OpenAI` (or Azure) client to use as it is, or anything with
                `chat.completions.create`.
            base_url: the server, where no client is given; else `OPENAI_BASE_URL`.
            timeout_s: how long one reply may take.
            max_retries: how often the client repeats a request that met a rate limit, a server
                error or a lost connection, honouring Retry-After.
            max_reply_tokens: length limit of a reply.
            max_question_calls: calls that one question may cost, for whatever of it.
            max_question_tokens: tokens that one question may cost.
            max_session_calls: calls that this object makes at most.
            max_session_tokens: tokens that this object sends and receives at most.
            json_schema: ask for replies of a JSON schema; a server that rejects this is asked
                without from then on.
            cache: a folder for replies, found again by the whole request.
            on_text: called with each piece of a reply as it arrives.
        """
        self.model = model or os.environ.get("TABROUTE_MODEL") or DEFAULT_MODEL
        self.usage = Usage()
        """Over all calls of this object."""
        self.json_schema = json_schema
        self._client = client
        self._base_url = base_url
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._max_reply_tokens = max_reply_tokens
        self._ceilings = (
            _Ceiling("question", max_question_calls, max_question_tokens),
            _Ceiling("session", max_session_calls, max_session_tokens),
        )
        self._cache = ReplyCache(Path(cache)) if cache is not None else None
        self._on_text = on_text
        self._plain = False
        """The server takes the oldest parameters only."""
        self._lock = threading.Lock()

    def complete(
        self, messages: Sequence[Message], *, schema: Schema | None = None, choices: int = 1
    ) -> Reply:
        """The model's reply to `messages`. Raises the `WriterError` that fits."""
        parameters = self._parameters(messages, schema, choices)
        kept = self._kept(parameters, messages)
        return kept or self._counted(parameters, self._send(parameters))

    async def complete_async(
        self, messages: Sequence[Message], *, schema: Schema | None = None, choices: int = 1
    ) -> Reply:
        """As `complete`, through the asynchronous client: no thread waits, and cancelling ends the
        request. A client that was given, and a reply that is shown as it arrives, take a thread.
        """
        if self._client is not None or self._on_text is not None:
            return await asyncio.to_thread(self.complete, messages, schema=schema, choices=choices)
        parameters = self._parameters(messages, schema, choices)
        kept = self._kept(parameters, messages)
        return kept or self._counted(parameters, await self._send_async(parameters))

    def _kept(self, parameters: dict[str, Any], messages: Sequence[Message]) -> Reply | None:
        """The reply of the cache; None where the server has to be asked, and may be."""
        kept = self._cache.get(parameters) if self._cache else None
        if kept is not None:
            return Reply(tuple(texts_of(kept)), Usage())
        self._check_ceilings(sum(estimate_tokens(message.content) for message in messages))
        return None

    def _counted(self, parameters: dict[str, Any], completion: Completion) -> Reply:
        """The reply in a completion, which is counted and cached."""
        usage = usage_of(completion)
        with self._lock:
            self.usage += usage
        question_cost.count(usage)
        try:
            reply = Reply(tuple(texts_of(completion)), usage)
        except SqlEngineError as error:
            error.usage = usage
            raise
        if self._cache:
            self._cache.put(parameters, completion)
        return reply

    def _parameters(
        self, messages: Sequence[Message], schema: Schema | None, choices: int
    ) -> dict[str, Any]:
        parameters: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "max_completion_tokens": self._max_reply_tokens,
        }
        if schema is not None and self.json_schema:
            told = {"name": "reply", "strict": True, "schema": dict(schema)}
            parameters["response_format"] = {"type": "json_schema", "json_schema": told}
        if choices > 1:
            parameters["n"] = choices
        return parameters

    def _check_ceilings(self, prompt_tokens: int) -> None:
        for ceiling, used in zip(self._ceilings, (question_cost.spent(), self.usage), strict=True):
            ceiling.check(used, prompt_tokens)

    def _send(self, parameters: dict[str, Any]) -> Completion:
        """Send; a server that rejects newer parameters is asked with the oldest ones alone."""
        if not self._plain:
            try:
                return self._create(parameters)
            except (RequestRejected, ModelServerError) as error:
                if not _for_a_parameter(error, parameters):
                    raise
                completion = self._create(_plain_form(parameters))
                self._plain, self.json_schema = True, False
                return completion
        return self._create(_plain_form(parameters))

    async def _send_async(self, parameters: dict[str, Any]) -> Completion:
        """As `_send`."""
        async with self._async_client() as client:
            if not self._plain:
                try:
                    return await self._create_async(client, parameters)
                except (RequestRejected, ModelServerError) as error:
                    if not _for_a_parameter(error, parameters):
                        raise
                completion = await self._create_async(client, _plain_form(parameters))
                self._plain, self.json_schema = True, False
                return completion
            return await self._create_async(client, _plain_form(parameters))

    async def _create_async(self, client: AsyncOpenAI, parameters: dict[str, Any]) -> Completion:
        with _typed_errors(self._timeout_s):
            try:
                async with asyncio.timeout(self._timeout_s):
                    reply: Completion = as_dict(await client.chat.completions.create(**parameters))
            except TimeoutError as error:
                raise _too_slow(self._timeout_s) from error
            return reply

    def _create(self, parameters: dict[str, Any]) -> Completion:
        """The server's reply, read piece by piece: the client's own time limit starts anew with
        every byte that arrives, so that a reply which trickles in would never end.
        """
        completions = self._connect().chat.completions
        with _typed_errors(self._timeout_s):
            if self._on_text is not None and "n" not in parameters:
                return self._streamed(completions, parameters)
            if hasattr(completions, "with_streaming_response"):
                return self._read(completions.with_streaming_response.create(**parameters))
            reply: Completion = as_dict(completions.create(**parameters))
            return reply

    def _read(self, call: AbstractContextManager[Any]) -> Completion:
        with call as response:
            deadline = time.monotonic() + self._timeout_s
            body = bytearray()
            for piece in response.iter_bytes():
                body += piece
                if time.monotonic() > deadline:
                    raise _too_slow(self._timeout_s)
            return decoded(bytes(body))

    def _streamed(self, completions: Any, parameters: dict[str, Any]) -> Completion:
        assert self._on_text is not None
        told = {} if self._plain else {"stream_options": {"include_usage": True}}
        deadline = time.monotonic() + self._timeout_s
        whole = Assembled()
        with completions.create(stream=True, **parameters, **told) as stream:
            for chunk in stream:
                if text := whole.add(chunk.model_dump()):
                    self._on_text(text)
                if time.monotonic() > deadline:
                    raise _too_slow(self._timeout_s)
        return whole.completion()

    def _connect(self) -> OpenAI:
        with self._lock:
            if self._client is None:
                self._client = self._new_client()
            return self._client

    def _new_client(self) -> OpenAI:
        from openai import OpenAI

        with self._configured() as settings:
            return OpenAI(**settings)

    def _async_client(self) -> AsyncOpenAI:
        """A client of its own for each call: it belongs to the event loop that runs it."""
        from openai import AsyncOpenAI

        with self._configured() as settings:
            return AsyncOpenAI(**settings)

    @contextmanager
    def _configured(self) -> Iterator[dict[str, Any]]:
        """What a client is made with. Raises RequestRejected where there is no key."""
        from openai import OpenAIError

        base_url = self._base_url or os.environ.get("OPENAI_BASE_URL")
        key = os.environ.get("OPENAI_API_KEY") or (NO_KEY if base_url else None)
        try:
            yield {
                "api_key": key,
                "base_url": base_url,
                "timeout": self._timeout_s,
                "max_retries": self._max_retries,
            }
        except OpenAIError as error:
            raise RequestRejected(
                "no key for the language model",
                hint="set OPENAI_API_KEY, or OPENAI_BASE_URL for a local server; "
                "or answer without a model: writer='offline'",
            ) from error


class OpenAIWriter:
    """Writes SQL with a language model."""

    name = "openai"
    knows_language = True

    def __init__(
        self,
        model: str | None = None,
        client: OpenAI | None = None,
        *,
        max_attempts: int = 3,
        candidates: int = 1,
        max_prompt_tokens: int = 6000,
        max_question_tokens: int | None = 40_000,
        max_tables: int = 5,
        max_columns: int = 30,
        share: Share = "samples",
        words_answers: bool = False,
        decides_routes: bool = False,
        splits_questions: bool = False,
        writes_summaries: bool = False,
        **connection: Any,
    ) -> None:
        """Configure; nothing is sent yet.

        Args:
            model: see `ChatModel`.
            client: see `ChatModel`.
            max_attempts: drafts that one question may cost.
            candidates: drafts asked for in one call; the result that most of them give is taken.
            max_prompt_tokens: length limit of a prompt; the schema is cut to it.
            max_question_tokens: tokens that one question may cost over all its calls.
            max_tables: tables in a prompt.
            max_columns: columns in a prompt, over all its tables.
            share: what of the data a prompt may hold: "schema", "samples" or "rows".
            words_answers: whether the model words an answer from its rows as well; only with
                `share="rows"`, and only where every figure in its words is in the rows.
            decides_routes: whether the model says which kind of source answers, where the question
                alone leaves that in doubt; one call.
            splits_questions: whether the model parts a question that asks twice, so that each part
                is answered by its own source; one call, and those of at most four parts.
            writes_summaries: whether the model says of each table that is loaded what it holds, in
                words by which the table is found as well; one call a table, within `share`.
            connection: further arguments of `ChatModel`.

        Raises:
            ValueError: a setting that says nothing, or does nothing beside the others.
        """
        if share not in get_args(Share):
            raise ValueError(f"share is one of {', '.join(get_args(Share))}, not {share!r}")
        if words_answers and share != "rows":
            raise ValueError('words_answers needs share="rows": words are held against the rows')
        if candidates < 1 or max_attempts < 1:
            raise ValueError("candidates and max_attempts are 1 or more")
        self.chat = ChatModel(model, client, max_question_tokens=max_question_tokens, **connection)
        self.max_attempts = max_attempts
        self.words_answers = words_answers
        self.decides_routes = decides_routes
        self.splits_questions = splits_questions
        self.writes_summaries = writes_summaries
        self._candidates = candidates
        self._max_tables = max_tables
        self._max_columns = max_columns
        self._options = PromptOptions(share=share, max_tokens=max_prompt_tokens)

    @property
    def model(self) -> str:
        """The model's name."""
        return self.chat.model

    @property
    def share(self) -> Share:
        """What of the data a prompt may hold."""
        return self._options.share

    def write(self, request: SqlRequest) -> Draft:
        """One draft. Raises CannotWrite, or the `WriterError` that fits."""
        messages = self._messages(request)
        return _draft(self.chat.complete(messages, schema=_SQL_SCHEMA, choices=self._candidates))

    async def write_async(self, request: SqlRequest) -> Draft:
        """As `write`, awaiting the server through the asynchronous client."""
        messages = await asyncio.to_thread(self._messages, request)
        return _draft(
            await self.chat.complete_async(messages, schema=_SQL_SCHEMA, choices=self._candidates)
        )

    def _messages(self, request: SqlRequest) -> tuple[Message, ...]:
        """The prompt."""
        schema = prune(request, max_tables=self._max_tables, max_columns=self._max_columns)
        options = replace(self._options, json_reply=self.chat.json_schema)
        return render_prompt(request, schema, options)


def _draft(reply: Reply) -> Draft:
    """The SQL of each text, and what those without any say where another has one."""
    found: list[str] = []
    errors: list[SqlEngineError] = []
    for text in reply.texts:
        try:
            found.append(extract_sql(text))
        except (NoSqlInReply, CannotWrite) as error:
            errors.append(error)
    if not found:
        errors[0].usage = reply.usage
        raise errors[0]
    return Draft(
        found[0],
        candidates=tuple(found) if len(reply.texts) > 1 else (),
        declining=tuple(str(error) for error in errors if isinstance(error, CannotWrite)),
        replies=len(reply.texts),
        usage=reply.usage,
    )


def _for_a_parameter(error: WriterError, parameters: Mapping[str, Any]) -> bool:
    """Whether a request failed for a parameter that older servers do not know. Some of them fail
    inside instead of rejecting it, and name it.
    """
    if isinstance(error, RequestRejected):
        return error.status in (400, 422)
    newer = parameters.keys() - _PLAIN
    return any(len(name) > 1 and name in str(error) for name in newer)


_PLAIN = frozenset({"model", "messages"})


def _plain_form(parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters that every compatible server takes."""
    plain = {key: parameters[key] for key in _PLAIN}
    return {**plain, "max_tokens": parameters["max_completion_tokens"]}


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
    except (openai.OpenAIError, ValueError) as error:
        raise ModelServerError(f"the server's reply cannot be read: {error}") from error


_MESSAGE_CHARS = 300
"""Of a server's message; some send a whole traceback."""


def _status_error(error: APIStatusError) -> WriterError:
    told = " ".join(error.message.split())
    status = f"({error.status_code}): {told[:_MESSAGE_CHARS]}"
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
        status=error.status_code,
        hint="check the key, the model's name and the base URL",
    )


def _seconds(header: str | None) -> float | None:
    try:
        return float(header) if header else None
    except ValueError:
        return None
