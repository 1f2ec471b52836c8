"""Limits that the operating system keeps on a worker: address space, files, descriptors, time.

Imports nothing but the standard library, since the limits must stand before any library has
reserved memory.
"""

from __future__ import annotations

import signal
import sys
from contextlib import suppress

HEADROOM_BYTES = 1 << 30
"""Address space beyond DuckDB's memory limit: the interpreter, its libraries, rows on their way."""


def limit_process(address_space: int) -> bool:
    """Limit this process for good; whether the address space could be limited."""
    try:
        import resource
    except ImportError:
        return False
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    for name, value in (("RLIMIT_FSIZE", 0), ("RLIMIT_CORE", 0), ("RLIMIT_NOFILE", 64)):
        with suppress(ValueError, OSError):
            resource.setrlimit(getattr(resource, name), (value, value))
    try:
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    except (ValueError, OSError):
        return False
    return sys.platform.startswith("linux")


def alarm(seconds: float) -> None:
    """Have the kernel end this process after `seconds`, whatever holds the interpreter.

    Zero takes that back.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
