"""Keeps worker processes: how many answer at once, which is taken, one more waiting warm.

The first worker starts with the pool, so that it comes up while the caller reads files; the spare
starts with the second query, so that a program that asks once does not pay for it. A worker that
was killed, or that must not be used again, is replaced by the spare.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from sql_engine.errors import Cancelled, ExecutionError
from sql_engine.process import GONE, WorkerProcess

START_TIMEOUT_S = 60.0
"""A worker is up in half a second; on a machine under load it may take longer."""

START_ATTEMPTS = 3

SLOT_CHECK_S = 0.05


class Cancellation:
    """Stops the queries it was given to, from any thread; once cancelled it stays so."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._workers: list[WorkerProcess] = []
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled

    def cancel(self) -> None:
        """Stop them."""
        with self._lock:
            self._cancelled = True
            for worker in self._workers:
                worker.wake()

    @contextmanager
    def watching(self, worker: WorkerProcess) -> Iterator[None]:
        """While the worker runs a query of this cancellation."""
        with self._lock:
            self._workers.append(worker)
            if self._cancelled:
                worker.wake()
        try:
            yield
        finally:
            with self._lock:
                self._workers.remove(worker)


class WorkerPool:
    """Lends workers."""

    def __init__(self, size: int, spares: int, memory_limit: int, threads: int) -> None:
        self._slots = threading.Semaphore(size)
        self._spares = spares
        self._threads = threads
        self._lock = threading.Lock()
        self._idle: list[WorkerProcess] = []
        self._all: set[WorkerProcess] = set()
        self._lent = 0
        self._closed = False
        self._end = weakref.finalize(self, _kill, self._all, os.getpid())
        self._idle.append(self._start(memory_limit))

    @contextmanager
    def lend(
        self, memory_limit: int, tables: Iterable[str], cancellation: Cancellation
    ) -> Iterator[WorkerProcess]:
        """A ready worker, preferably one that has `tables`; it comes back afterwards.

        Raises:
            Cancelled: before a worker was free.
            ExecutionError: the pool is closed, or no worker comes up.
        """
        while not self._slots.acquire(timeout=SLOT_CHECK_S):
            if cancellation.cancelled:
                raise Cancelled("the query was cancelled while it waited")
        try:
            worker = self._ready(memory_limit, set(tables))
            try:
                yield worker
            finally:
                # whatever ended it, Ctrl-C too, may have left an answer under way
                if worker.busy:
                    self.discard(worker)
                self._give_back(worker)
        finally:
            self._slots.release()

    def discard(self, worker: WorkerProcess) -> None:
        """Kill a worker, and start another in its place where no spare waits."""
        worker.kill()
        with self._lock:
            if worker not in self._all:
                return
            self._all.discard(worker)
            if not self._idle and not self._closed:
                self._idle.append(self._start(worker.memory_limit))

    def close(self) -> None:
        """Kill every worker; safe to call twice."""
        with self._lock:
            self._closed = True
            self._idle.clear()
        self._end()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    @property
    def processes(self) -> tuple[int, ...]:
        """The ids of all worker processes."""
        with self._lock:
            return tuple(worker.pid for worker in self._all)

    def _ready(self, memory_limit: int, tables: set[str]) -> WorkerProcess:
        """A worker that is up; one that has died while it waited is replaced."""
        for _ in range(START_ATTEMPTS):
            worker = self._take(memory_limit, tables)
            try:
                why = _await_ready(worker)
            except BaseException:
                self.discard(worker)
                raise
            if not why:
                return worker
            self.discard(worker)
        raise ExecutionError(f"no worker process comes up: {why}")

    def _take(self, memory_limit: int, tables: set[str]) -> WorkerProcess:
        with self._lock:
            if self._closed:
                raise ExecutionError("the database is closed")
            self._lent += 1
            fitting = [w for w in self._idle if w.memory_limit == memory_limit]
            for unfit in [w for w in self._idle if w.memory_limit != memory_limit]:
                self._idle.remove(unfit)
                self._all.discard(unfit)
                unfit.kill()
            if fitting:
                worker = max(fitting, key=lambda w: (len(tables & w.tables.keys()), w.ready))
                self._idle.remove(worker)
            else:
                worker = self._start(memory_limit)
            if self._lent > 1 and len(self._idle) < self._spares:
                self._idle.append(self._start(memory_limit))
            return worker

    def _give_back(self, worker: WorkerProcess) -> None:
        with self._lock:
            if worker in self._all and not self._closed:
                self._idle.append(worker)

    def _start(self, memory_limit: int) -> WorkerProcess:
        worker = WorkerProcess(memory_limit, self._threads)
        self._all.add(worker)
        return worker


def _await_ready(worker: WorkerProcess) -> str:
    """Wait until the worker is up; why it is not, or ""."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while not worker.ready:
        answer = worker.receive(deadline - time.monotonic())
        if answer is None:
            return "it does not answer"
        if answer is GONE or "failed" in answer:
            return str(answer.get("failed", "it ended"))
        if answer.get("ready"):
            worker.ready, worker.limited = True, bool(answer["limited"])
    return "" if worker.alive else "it ended"


def _kill(workers: set[WorkerProcess], owner: int) -> None:
    """End all workers; a forked copy of their owner leaves them alone."""
    if os.getpid() != owner:
        return
    ended = list(workers)
    workers.clear()
    for worker in ended:
        worker.kill()
    for worker in ended:
        worker.join()
