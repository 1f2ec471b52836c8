"""Interrupts a worker's running query at its deadline, or when it is cancelled."""

from __future__ import annotations

import math
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
        self._wakes_at = math.inf
        self._cancelled: set[int] = set()
        self.interrupted = ""
        """Why the running query was interrupted: "time", "cancel" or ""."""
        threading.Thread(target=self._run, daemon=True).start()

    def start(self, query: int, timeout_s: float) -> None:
        """A query starts."""
        with self._changed:
            self._query, self._deadline = query, time.monotonic() + timeout_s
            self.interrupted = ""
            self._wake_by(self._deadline)

    def extend(self, budget_s: float) -> None:
        """Let what follows run for at most `budget_s`, within the deadline."""
        with self._changed:
            self._deadline = min(self._deadline, time.monotonic() + budget_s)
            self._wake_by(self._deadline)

    def stop(self) -> None:
        """It has returned."""
        with self._changed:
            self._cancelled.discard(self._query or 0)
            self._query = None

    def cancel(self, query: int) -> None:
        """Interrupt this query now, or as soon as it starts."""
        with self._changed:
            self._cancelled.add(query)
            self._wake_by(0.0)

    def _wake_by(self, moment: float) -> None:
        """Wake the watching thread if it would sleep beyond `moment`; most queries need not."""
        if moment < self._wakes_at:
            self._changed.notify()

    def _run(self) -> None:
        with self._changed:
            while True:
                self._wakes_at = self._look()
                left = self._wakes_at - time.monotonic()
                self._changed.wait(None if left == math.inf else max(0.0, left))

    def _look(self) -> float:
        """Interrupt the query if it is due; when to look again."""
        if self._query is None:
            return math.inf
        cancelled = self._query in self._cancelled
        if not cancelled and self._deadline > time.monotonic():
            return self._deadline
        self.interrupted = "cancel" if cancelled else "time"
        self._connection.interrupt()
        return time.monotonic() + INTERRUPT_EVERY_S
