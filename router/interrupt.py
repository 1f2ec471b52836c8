"""Runs a call so that Ctrl-C stops it and its queries, and the caller goes on.

The call works in a thread; the main thread waits, takes the interrupt, cancels, and waits a moment
for the end. A call that does not end in time (a model that does not reply) is left behind.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from sql_engine.pool import Cancellation

GRACE_S = 2.5
"""A cancelled query ends, or its process is killed, within about a second."""

Result = TypeVar("Result")


class _Call(threading.Thread, Generic[Result]):
    """One call in a thread, with what came of it."""

    def __init__(self, call: Callable[[Cancellation], Result], stop: Cancellation) -> None:
        super().__init__(daemon=True)
        self._call = call
        self._cancellation = stop
        self.result: list[Result] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        """Keep the result, or the error for the thread that waits."""
        try:
            self.result.append(self._call(self._cancellation))
        except BaseException as error:  # raised again where it is waited for
            self.error = error


def interruptible(call: Callable[[Cancellation], Result]) -> Result:
    """The call's result. Raises KeyboardInterrupt after stopping its queries, or its own error."""
    stop = Cancellation()
    running = _Call(call, stop)
    running.start()
    try:
        running.join()
    except KeyboardInterrupt:
        stop.cancel()
        running.join(GRACE_S)
        raise
    if running.error is not None:
        raise running.error
    return running.result[0]
