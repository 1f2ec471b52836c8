"""A server on loopback that speaks the chat-completions protocol and gives scripted replies.

`with LoopbackServer([...]) as server:` then point a client at `server.base_url`. A reply is a
string (the message's content) or one of the values below; the last one repeats when the script
has ended. `server.requests` holds every request's body, oldest first.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Failure:
    """An HTTP error."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    message: str = "scripted failure"


@dataclass(frozen=True)
class Message:
    """A completion with everything spelled out."""

    content: str | None
    finish_reason: str | None = "stop"
    refusal: str | None = None
    delay_s: float = 0.0
    choices: tuple[str, ...] = ()
    """More completions of the same call."""


@dataclass(frozen=True)
class Raw:
    """Bytes in place of a completion, with status 200."""

    body: bytes


@dataclass(frozen=True)
class Trickle:
    """A body that arrives a byte at a time, slower than any time limit."""

    gap_s: float = 0.05


@dataclass(frozen=True)
class Cut:
    """The connection closes in the middle of the reply."""


Reply = str | Failure | Message | Raw | Trickle | Cut


class LoopbackServer:
    """Runs in a thread between `with` and its end."""

    def __init__(
        self, replies: Iterable[Reply], *, json_schema: bool = True, rejects_with: int = 400
    ) -> None:
        self._replies = list(replies)
        self.json_schema = json_schema
        """Without it a request with a response format is an error, as on older servers."""
        self.rejects_with = rejects_with
        """Status of that error; some servers fail inside."""
        self.requests: list[dict[str, Any]] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def prompts(self) -> list[str]:
        """The text of each request's messages."""
        return ["\n".join(str(m["content"]) for m in r["messages"]) for r in self.requests]

    def take(self, request: dict[str, Any]) -> Reply:
        with self._lock:
            self.requests.append(request)
            if "response_format" in request and not self.json_schema:
                return Failure(self.rejects_with, message="response_format is not supported")
            return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]

    def __enter__(self) -> LoopbackServer:
        handler = type("Handler", (_Handler,), {"script": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    script: LoopbackServer

    def log_message(self, *_: object) -> None:
        """Nothing: a test's output stays clean."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = json.loads(body)
        reply = self.script.take(request)
        with suppress(BrokenPipeError, ConnectionResetError):
            self._send(request, Message(reply) if isinstance(reply, str) else reply)

    def _send(self, request: dict[str, Any], reply: Reply) -> None:
        match reply:
            case Failure():
                error = {"error": {"message": reply.message, "type": "scripted", "code": None}}
                self._head(reply.status, json.dumps(error).encode(), reply.headers)
            case Raw():
                self._head(200, reply.body)
            case Cut():
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b'{"id": "cut')
                self.wfile.flush()
                self.close_connection = True
            case Trickle():
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "100000")
                self.end_headers()
                while not self.script.closing.wait(reply.gap_s):
                    self.wfile.write(b" ")
                    self.wfile.flush()
            case Message():
                self.script.closing.wait(reply.delay_s) if reply.delay_s else None
                if request.get("stream"):
                    self._stream(reply, request)
                else:
                    self._head(200, json.dumps(completion(reply, request)).encode())

    def _head(self, status: int, body: bytes, headers: Iterable[tuple[str, str]] = ()) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, reply: Message, request: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for chunk in chunks(reply, request):
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
            self.wfile.flush()
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


def completion(reply: Message, request: dict[str, Any]) -> dict[str, Any]:
    """The body of a chat completion."""
    contents = (reply.content, *reply.choices)
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request["model"],
        "choices": [
            {
                "index": index,
                "finish_reason": reply.finish_reason,
                "message": {"role": "assistant", "content": content, "refusal": reply.refusal},
            }
            for index, content in enumerate(contents)
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def chunks(reply: Message, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of a streamed chat completion, a few characters each."""
    head = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": request["model"],
    }
    text = reply.content or ""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "refusal": reply.refusal}]
    deltas += [{"content": text[i : i + 8]} for i in range(0, len(text), 8)]
    for delta in deltas:
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    end = {"index": 0, "delta": {}, "finish_reason": reply.finish_reason}
    yield {**head, "choices": [end]}
    if (request.get("stream_options") or {}).get("include_usage"):
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        yield {**head, "choices": [], "usage": usage}
