"""Gives memory that was freed back to the system.

What building an index has freed stays with the C library otherwise, below what is in use: at a
million rows as much again as the index itself.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any


def give_back() -> None:
    """Return freed memory; nothing happens where the C library has no call for it."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """The call of glibc, where that is the C library."""
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
