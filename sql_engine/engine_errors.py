"""Reads DuckDB's errors: the message without its JSON, the kind, the position, the name missed.

Works on text alone, so that the worker and the parent read errors alike. Messages are cut to
length, and what the engine proposes instead ("Did you mean …") is dropped: proposals are made from
the catalog that the caller may see.
"""

from __future__ import annotations

import json
import re
from typing import Any

MAX_MESSAGE = 600
"""Characters of an engine message that are passed on."""

MAX_LINES = 5
"""The engine lists every signature of a function that was called wrongly; a few will do."""

_PROPOSALS = re.compile(r"\n?(Did you mean|Candidate bindings:|\tDid you mean).*", re.DOTALL)


_SETTINGS = re.compile(r",? ?(?:or |Use )?\"?SET \w+ ?=[^.]*\.")
"""Advice to change a setting, which a query cannot."""


def engine_details(error: BaseException) -> dict[str, Any]:
    """What the engine tells of an error, with `errors_as_json` set."""
    text = str(error)
    start = text.find("{")
    try:
        details = json.loads(text[start:]) if start >= 0 else None
    except ValueError:
        details = None
    if isinstance(details, dict) and "exception_message" in details:
        return details
    kind, colon, message = text.partition(" Error: ")
    return (
        {"exception_type": kind, "exception_message": message}
        if colon
        else {"exception_type": type(error).__name__, "exception_message": text}
    )


def engine_message(error: BaseException) -> tuple[str, int | None]:
    """The message, cut to length, and the byte offset it points at."""
    details = engine_details(error)
    position = str(details.get("position", ""))
    message = readable(str(details["exception_message"]))
    return message, int(position) if position.isdigit() else None


def readable(message: str) -> str:
    """A message without the engine's proposals and settings, cut to length."""
    lines = _SETTINGS.sub("", _PROPOSALS.sub("", message)).splitlines()
    return "\n".join(lines[:MAX_LINES])[:MAX_MESSAGE].strip()


def place_in(text: str, position: int) -> str:
    """Where a byte offset lies in a text, in words."""
    data = text.encode()
    if not 0 <= position < len(data):
        return ""
    line = data.count(b"\n", 0, position) + 1
    near = data[position : position + 30].decode("utf-8", "ignore").split("\n")[0]
    return f" (line {line}, at {near!r})"


def describe(error: BaseException) -> dict[str, Any]:
    """An error as plain data; `recycle` where the process should not be used again."""
    name = type(error).__name__
    if name == "InterruptException":
        return {"error": "interrupt", "message": "interrupted", "recycle": False}
    memory = isinstance(error, MemoryError) or name == "OutOfMemoryException"
    details = engine_details(error)
    message = str(details["exception_message"])
    if memory or "Out of Memory" in message or "bad_alloc" in message:
        return {"error": "memory", "message": message[:300], "recycle": True}
    return {
        "error": "engine",
        "kind": str(details.get("exception_type", name)),
        "message": message[:5000],
        "position": details.get("position"),
        "name": details.get("name"),
        "subtype": details.get("error_subtype"),
        "recycle": name not in ORDINARY_ERRORS,
    }


ORDINARY_ERRORS = frozenset(
    {
        "BinderException",
        "CatalogException",
        "ConversionException",
        "ConstraintException",
        "DataError",
        "InvalidInputException",
        "InvalidTypeException",
        "NotImplementedException",
        "NotSupportedError",
        "OutOfRangeException",
        "ParserException",
        "PermissionException",
        "ProgrammingError",
        "SyntaxException",
        "TransactionException",
        "TypeMismatchException",
    }
)
"""Errors after which the connection is as good as before."""
