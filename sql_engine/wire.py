"""Frames between the parent and a worker: a JSON head and raw buffers. Nothing in them can execute.

A frame is `<head length> <number of buffers> <each buffer's length>` as unsigned 64-bit integers,
then the head (JSON, UTF-8), then the buffers. Values that JSON lacks are tagged:
`{"decimal": "1.20"}`.
Used on both sides, so it imports nothing but the standard library.
"""

from __future__ import annotations

import datetime as dt
import json
import struct
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, BinaryIO

MAX_HEAD_BYTES = 1 << 30
"""A longer head is no answer of a worker that does what it should."""


def write_frame(stream: BinaryIO, head: dict[str, Any], buffers: Sequence[bytes] = ()) -> None:
    """Write one frame and flush."""
    data = json.dumps(head, ensure_ascii=False).encode("utf-8", "replace")
    sizes = [len(data), len(buffers), *map(len, buffers)]
    stream.write(b"".join([struct.pack(f"<{len(sizes)}Q", *sizes), data, *buffers]))
    stream.flush()


def read_frame(stream: BinaryIO) -> tuple[dict[str, Any], list[bytes]]:
    """Read one frame. Raises EOFError where the stream ends."""
    head_bytes, count = struct.unpack("<2Q", _exactly(stream, 16))
    if head_bytes > MAX_HEAD_BYTES or count > 1 << 20:
        raise EOFError("not a frame")
    sizes = struct.unpack(f"<{count}Q", _exactly(stream, 8 * count))
    head = json.loads(_exactly(stream, head_bytes))
    return head, [_exactly(stream, size) for size in sizes]


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise EOFError("the stream ended")
    return data


def tag(value: Any) -> Any:
    """A parameter's value as JSON. Raises TypeError for what no SQL value can be made of."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return {"list": [tag(item) for item in value]}
    for kind, name, write, _ in _TAGS:
        if isinstance(value, kind):
            return {name: write(value)}
    raise TypeError(f"a {type(value).__name__} cannot be a parameter")


def untag(value: Any) -> Any:
    """The value that `tag` wrote."""
    if not isinstance(value, dict):
        return value
    ((name, content),) = value.items()
    if name == "list":
        return [untag(item) for item in content]
    return next(read for _, known, _, read in _TAGS if known == name)(content)


_TAGS: tuple[tuple[type, str, Callable[[Any], Any], Callable[[Any], Any]], ...] = (
    (Decimal, "decimal", str, Decimal),
    (dt.datetime, "timestamp", dt.datetime.isoformat, dt.datetime.fromisoformat),
    (dt.date, "date", dt.date.isoformat, dt.date.fromisoformat),
    (dt.time, "time", dt.time.isoformat, dt.time.fromisoformat),
    (
        dt.timedelta,
        "interval",
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda parts: dt.timedelta(*parts),
    ),
    (bytes, "blob", bytes.hex, bytes.fromhex),
)
"""Type, its tag, to JSON, from JSON. datetime stands before date, whose subclass it is."""
