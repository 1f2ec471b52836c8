"""Values as strict JSON: what any result cell becomes when it leaves Python.

Decimals, dates and times become text; integers beyond 2**53 and blobs become text; NaN and
infinities become null. Nothing here raises.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

SAFE_INTEGER = 2**53
"""Integers beyond this are rounded by JSON readers that use doubles."""


def to_json(value: object) -> Json:
    """`value` with everything that strict JSON lacks made text or null."""
    if value is None or (isinstance(value, bool | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Enum):
        return to_json(value.value)
    if isinstance(value, int):
        return value if abs(value) <= SAFE_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {_key(key): to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name)) for f in fields(value)}
    return to_text(value)


def to_text(value: object) -> str | None:
    """A scalar as plain text: what a person reads and what JSON carries for types it lacks."""
    if value is None:
        return None
    if isinstance(value, Decimal):
        return format(value, "f") if value.is_finite() else None
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    return str(value)


def _key(key: object) -> str:
    return key if isinstance(key, str) else (to_text(key) or "null")
