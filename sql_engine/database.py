"""Runs checked queries in worker processes, and loads the tables that a query names.

Takes a `Query` (nothing else can be run) and `Limits`; gives a `Result` or raises. The tables'
texts stay with the caller; a worker has what its queries named, least recently used goes first,
and is given it again after a kill.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any

from sql_engine.decoding import decoder, holds_undefined
from sql_engine.engine_errors import readable
from sql_engine.errors import Cancelled, ExecutionError, LimitExceeded, SqlEngineError
from sql_engine.explain_errors import SMALLER, failure, out_of_memory, out_of_time
from sql_engine.memory_watch import resident_bytes
from sql_engine.pool import Cancellation, WorkerPool
from sql_engine.process import GONE, WAKE, WorkerProcess
from sql_engine.query import Parameters, Query
from sql_engine.result import Limits, Result
from sql_engine.sql_names import distinct_name, fold
from sql_engine.tables import drop_others, frames, missing
from sql_engine.wire import tag
from sql_engine.worker import LOAD_TIMEOUT_S

GRACE_S = 0.8
"""From the soft limit, when a query is interrupted, to the hard one, when its process is killed:
a query has ended one second after its soft limit, the kill included."""

WATCH_EVERY_S = 0.1
"""How often memory is looked at where the system does not limit it."""


class Database:
    """Worker processes over an in-memory DuckDB each. Safe for use from several threads.

    Args:
        workers: queries that run at once; further ones wait.
        spares: workers kept warm beside them.
        memory_limit: of each worker; `Limits.memory_limit` of a query may differ.
        threads: DuckDB's threads in each worker.
    """

    def __init__(
        self,
        *,
        workers: int = 2,
        spares: int = 1,
        memory_limit: str = Limits.memory_limit,
        threads: int = 1,
    ) -> None:
        self._pool = WorkerPool(workers, spares, bytes_of(memory_limit), threads)
        self._numbers = itertools.count(1)

    def execute(
        self,
        query: Query,
        limits: Limits = Limits(),
        *,
        cancellation: Cancellation | None = None,
    ) -> Result:
        """Run a checked query.

        Raises:
            ExecutionError: the engine failed on it, or the database is closed.
            LimitExceeded: time or memory ran out.
            Cancelled: `cancellation` was cancelled.
        """
        if not isinstance(query, Query):
            raise TypeError("only a Query from guard.check can be run")
        stop = cancellation or Cancellation()
        if stop.cancelled:
            raise Cancelled("the query was cancelled before it started")
        started = time.monotonic()
        try:
            return self._attempt(query, limits, stop)
        except LimitExceeded as error:
            left_s = limits.timeout_s - (time.monotonic() - started)
            if error.limit != "memory" or not error.crowded or left_s < limits.timeout_s / 2:
                raise
        # tables of earlier queries took room: whether a query fits must not depend on them
        return self._attempt(query, replace(limits, timeout_s=left_s), stop, alone=True)

    def close(self) -> None:
        """End all workers; running queries fail."""
        self._pool.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def processes(self) -> tuple[int, ...]:
        """The process ids of the workers."""
        return self._pool.processes

    def _attempt(
        self, query: Query, limits: Limits, stop: Cancellation, *, alone: bool = False
    ) -> Result:
        memory_limit = bytes_of(limits.memory_limit)
        names = {fold(table.name) for table in query.tables}
        with self._pool.lend(memory_limit, names, stop) as worker, stop.watching(worker):
            if alone:
                for frame in drop_others(worker, query.tables):
                    worker.send(*frame)
            try:
                return self._run(worker, query, limits, stop)
            except LimitExceeded as error:
                error.crowded = bool(worker.tables.keys() - names)
                raise

    def _run(
        self, worker: WorkerProcess, query: Query, limits: Limits, stop: Cancellation
    ) -> Result:
        started = time.monotonic()
        worker.busy = True
        self._load(worker, query, limits, stop)
        if stop.cancelled:  # its wake-up may be spent on the loading
            worker.busy = False
            raise Cancelled("the query was cancelled before it started")
        # loading counts, but leaves the query half of its time
        loading_s = time.monotonic() - started
        timeout_s = max(limits.timeout_s - loading_s, limits.timeout_s / 2)
        number = next(self._numbers)
        worker.send(
            {
                "do": "query",
                "query": number,
                "sql": query.running,
                "parameters": _tagged(query.parameters),
                "max_rows": limits.max_rows,
                "max_bytes": limits.max_bytes,
                "timeout_s": timeout_s,
                "count": not query.volatile,
            }
        )
        answer = self._answer(worker, timeout_s + GRACE_S, limits, stop, number)
        worker.busy = False
        if "error" in answer:
            if answer["recycle"]:
                self._pool.discard(worker)
            raise failure(answer, query, limits)
        return _result(answer, query, (time.monotonic() - started) * 1000)

    def _ended(self, worker: WorkerProcess, limits: Limits) -> SqlEngineError:
        """Why a worker is gone while its answer was awaited."""
        if self._pool.closed:
            return ExecutionError("the database was closed")
        if worker.out_of_time:
            return out_of_time(limits)
        return LimitExceeded(
            "the process that ran the query ended; most likely it needed too much memory",
            limit="memory",
            hint=SMALLER,
        )

    def _load(
        self, worker: WorkerProcess, query: Query, limits: Limits, stop: Cancellation
    ) -> None:
        """Have every table of the query in the worker; each at most once."""
        for table in missing(worker, query.tables):
            for frame in frames(worker, table, query.tables):
                worker.send(*frame)
            answer = self._answer(worker, LOAD_TIMEOUT_S, limits, stop, 0)
            if "error" in answer:
                raise _load_failure(answer, table.name)

    def _answer(
        self,
        worker: WorkerProcess,
        timeout_s: float,
        limits: Limits,
        stop: Cancellation,
        number: int,
    ) -> dict[str, Any]:
        """The worker's next answer. A worker that gives none in time is left busy: it is killed."""
        deadline, cancelled = time.monotonic() + timeout_s, False
        while (left := deadline - time.monotonic()) > 0:
            answer = worker.receive(left if worker.limited else min(left, WATCH_EVERY_S))
            if answer is None:
                if not worker.limited and resident_bytes(worker.pid) > worker.most_bytes:
                    raise out_of_memory()
            elif answer is GONE:
                raise self._ended(worker, limits)
            elif answer is not WAKE:
                return answer
            elif stop.cancelled and not cancelled:
                cancelled = True
                deadline = min(deadline, time.monotonic() + GRACE_S)
                worker.send({"do": "cancel", "query": number})
        raise Cancelled("the query was cancelled") if cancelled else out_of_time(limits)


def bytes_of(size: str) -> int:
    """A size such as "512MB", "1GB" or "2 GiB" in bytes. Raises ValueError."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", size, re.IGNORECASE)
    if not match:
        raise ValueError(f"{size!r} is no size; write one like 512MB or 1GB")
    base = 1024 if match[3] else 1000
    return int(float(match[1]) * base ** " kmgt".index(match[2].lower() or " "))


def _tagged(parameters: Parameters) -> Any:
    if isinstance(parameters, Mapping):
        return {"named": {name: tag(value) for name, value in parameters.items()}}
    return {"listed": [tag(value) for value in parameters]}


def _load_failure(answer: dict[str, Any], table: str) -> ExecutionError | LimitExceeded:
    if answer["error"] == "memory":
        return LimitExceeded(
            f"the table {table!r} does not fit into the memory limit",
            limit="memory",
            hint="raise memory_limit",
        )
    return ExecutionError(f"the table {table!r} cannot be loaded: {readable(answer['message'])}")


def _result(answer: dict[str, Any], query: Query, elapsed_ms: float) -> Result:
    columns = []
    for shape, values in zip(answer["shapes"], answer["columns"], strict=True):
        read = decoder(shape)
        columns.append(values if read is None else [None if v is None else read(v) for v in values])
    rows = tuple(zip(*columns, strict=True))
    labels = _labels(answer["names"], query)
    crossed = zip(labels, answer["shapes"], answer["columns"], strict=True)
    return Result(
        columns=labels,
        types=tuple(answer["types"]),
        rows=rows,
        truncated=answer["truncated"],
        total_rows=answer["total"] if answer["truncated"] else len(rows),
        elapsed_ms=elapsed_ms,
        undefined=tuple(
            label
            for label, shape, values in crossed
            if shape == "float" or not isinstance(shape, str)
            if any(map(holds_undefined, values))
        ),
    )


def _labels(names: list[str], query: Query) -> tuple[str, ...]:
    """The engine's column names, as the query was written, each distinct."""
    labels: list[str] = []
    taken: set[str] = set()
    for name in names:
        for running, written in query.renamed:
            name = name.replace(running, written)
        label = distinct_name(name, taken)
        taken.add(label.casefold())
        labels.append(label)
    return tuple(labels)
