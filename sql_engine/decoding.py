"""From the columns a worker sent to Python values; the other half of `worker.shape_of`.

What Python's types can hold exactly becomes such a value; what they cannot (an infinite date,
nanoseconds, a year before 1) stays the text that DuckDB writes.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from sql_engine.result import Interval

Decode = Callable[[Any], Any]


def decoder(shape: Any) -> Decode | None:
    """What reads values of this shape; None where they are already as they should be."""
    if isinstance(shape, str):
        return _DECODERS.get(shape)
    ((name, inner),) = shape.items()
    if name == "list":
        return _list(decoder(inner))
    if name == "struct":
        return _struct({field: decoder(kind) for field, kind in inner})
    if name == "map":
        return _map(*map(decoder, inner))
    return tuple


def _list(item: Decode | None) -> Decode | None:
    if item is None:
        return None
    return lambda values: [None if value is None else item(value) for value in values]


def _struct(fields: dict[str, Decode | None]) -> Decode | None:
    changed = {name: read for name, read in fields.items() if read is not None}
    if not changed:
        return None

    def read_struct(value: dict[str, Any]) -> dict[str, Any]:
        return value | {
            name: None if value[name] is None else read(value[name])
            for name, read in changed.items()
        }

    return read_struct


def _map(key: Decode | None, content: Decode | None) -> Decode:
    def read_map(pairs: list[list[Any]]) -> dict[Any, Any]:
        return {
            _hashable(key(k) if key and k is not None else k): (
                content(v) if content and v is not None else v
            )
            for k, v in pairs
        }

    return read_map


def finite(value: float) -> float | None:
    """The number; None for what a division by zero gives, which no reader may take for one."""
    return value if math.isfinite(value) else None


def holds_undefined(value: Any) -> bool:
    """Whether a value as it crossed is or holds a float that is no number."""
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, dict):
        return any(map(holds_undefined, value.values()))
    return isinstance(value, list | tuple) and any(map(holds_undefined, value))


def _hashable(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    if isinstance(value, dict):
        return tuple((name, _hashable(item)) for name, item in value.items())
    return value


_FRACTION = re.compile(r"\.\d{6}(\d+)")
_INTERVAL = re.compile(
    r"(?:(-?\d+) years? ?)?(?:(-?\d+) months? ?)?(?:(-?\d+) days? ?)?"
    r"(?:(-?)(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?)?"
)
_ESCAPED = re.compile(rb"\\x([0-9A-Fa-f]{2})")


def _exact(read: Callable[[str], Any]) -> Decode:
    """`read`, or the text itself where that cannot hold it."""

    def read_exactly(text: str) -> Any:
        fraction = _FRACTION.search(text)
        if fraction and fraction[1].strip("0"):
            return text
        try:
            return read(text)
        except ValueError:
            return text

    return read_exactly


def _interval(text: str) -> dt.timedelta | str:
    match = _INTERVAL.fullmatch(text)
    if not match or not text:
        return text
    years, months, days, minus, hours, minutes, seconds, fraction = match.groups()
    clock = dt.timedelta(
        hours=int(hours or 0),
        minutes=int(minutes or 0),
        seconds=int(seconds or 0),
        microseconds=int((fraction or "0").ljust(6, "0")),
    )
    whole_months = 12 * int(years or 0) + int(months or 0)
    try:
        span = dt.timedelta(days=30 * whole_months + int(days or 0)) + (-clock if minus else clock)
    except OverflowError:
        return text
    return Interval(text, span) if whole_months else span


def _blob(text: str) -> bytes:
    return _ESCAPED.sub(lambda match: bytes.fromhex(match[1].decode()), text.encode())


_DECODERS: dict[str, Decode] = {
    "float": finite,
    "decimal": Decimal,
    "bignum": _exact(int),
    "date": _exact(dt.date.fromisoformat),
    "timestamp": _exact(dt.datetime.fromisoformat),
    "time": _exact(dt.time.fromisoformat),
    "interval": _interval,
    "blob": _blob,
}
