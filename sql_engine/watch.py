"""Interrupts a worker's running query at its deadline, or when it is cancelled."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

INTERRUPT_EVERY_S = 0.05
"""One interrupt may be lost when it races the start of a call; it is repeated until it works."""


class Watch:
    """Interrupts the running query from its deadline, or its cancellation, until it returns."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._changed = threading.Condition()
        self._query: int | None = None
        self._deadline = 0.0
        self._cancelled: set[int] = set()
        self.interrupted = ""
        """Why the running query was interrupted: "time", "cancel" or ""."""
        threading.Thread(target=self._run, daemon=True).start()

    def start(self, query: int, timeout_s: float) -> None:
        """A query starts."""
        with self._changed:
            self._query, self._deadline = query, time.monotonic() + timeout_s
            self.interrupted = ""
            self._changed.notify()

    def extend(self, budget_s: float) -> None:
        """Let what follows run for at most `budget_s`, within the deadline."""
        with self._changed:
            self._deadline = min(self._deadline, time.monotonic() + budget_s)
            self._changed.notify()

    def stop(self) -> None:
        """It has returned."""
        with self._changed:
            self._cancelled.discard(self._query or 0)
            self._query = None

    def cancel(self, query: int) -> None:
        """Interrupt this query now, or as soon as it starts."""
        with self._changed:
            self._cancelled.add(query)
            self._changed.notify()

    def _run(self) -> None:
        with self._changed:
            while True:
                if self._query is None:
                    self._changed.wait()
                    continue
                left = self._deadline - time.monotonic()
                cancelled = self._query in self._cancelled
                if left > 0 and not cancelled:
                    self._changed.wait(left)
                    continue
                self.interrupted = "cancel" if cancelled else "time"
                self._connection.interrupt()
                self._changed.wait(INTERRUPT_EVERY_S)
