"""The process that holds tables and runs checked queries: confined, locked, and killable.

Reads frames (`wire.py`) from its standard input and answers on its standard output. It confines
itself before DuckDB is imported (`confine.py`); its database is locked (`engine.py`). Each query
runs in a read-only transaction, wrapped in a row limit, and is interrupted when its time is over
(`watch.py`). When the parent is gone, so is the worker. It imports little, to be up soon.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

from sql_engine.confine import HEADROOM_BYTES, alarm, limit_process
from sql_engine.engine_errors import describe
from sql_engine.shapes import has_map, output, portable, shape_of
from sql_engine.watch import Watch
from sql_engine.wire import read_frame, untag, write_frame

if TYPE_CHECKING:
    import duckdb

Frame = tuple[dict[str, Any], list[bytes]]

LOAD_TIMEOUT_S = 300
"""Loading a table has no deadline of the caller's; beyond this something is broken."""

COUNT_BUDGET_S = 0.25
"""How long counting the rows of a truncated result may take."""

BATCH_ROWS = 256


def main() -> None:
    """Serve until the input ends. Arguments: memory limit in bytes, threads."""
    source, sink = _own_streams()
    memory_limit, threads = int(sys.argv[1]), int(sys.argv[2])
    limited = limit_process(memory_limit + HEADROOM_BYTES)
    try:
        from sql_engine.engine import locked_connection

        connection = locked_connection(memory_limit, threads)
    except Exception as error:  # the parent must learn why no worker comes up
        write_frame(sink, {"failed": f"{type(error).__name__}: {error}"})
        return
    frames: queue.Queue[Frame] = queue.Queue(maxsize=4)
    watch = Watch(connection)
    threading.Thread(target=_receive, args=(source, frames, watch), daemon=True).start()
    write_frame(sink, {"ready": True, "limited": limited})
    import numpy  # noqa: F401 - while the parent is not waiting yet

    worker = Worker(connection, watch)
    while True:
        head, buffers = frames.get()
        answer = worker.answer(head, buffers)
        if answer is not None:
            write_frame(sink, answer)


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """Private copies of the standard streams, so that no library can write into the frames."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    return source, sink


def _receive(source: BinaryIO, frames: queue.Queue[Frame], watch: Watch) -> None:
    """Pass frames on; a cancellation takes effect at once. Ends the process with the parent."""
    try:
        while True:
            head, buffers = read_frame(source)
            if head["do"] == "cancel":
                watch.cancel(head["query"])
            else:
                frames.put((head, buffers))
    finally:
        os._exit(0)


class Worker:
    """Answers one request at a time."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, watch: Watch) -> None:
        self._connection = connection
        self._watch = watch
        self._dictionaries: list[Any] = []
        self._load_failed: dict[str, Any] | None = None
        self._before = 0
        """Bytes before the query in the statement that runs; its errors' positions count them."""
        self._steps = {
            "drop": self._drop,
            "create": self._create,
            "insert": self._insert,
            "finish": self._finish,
        }

    def answer(self, head: dict[str, Any], buffers: list[bytes]) -> dict[str, Any] | None:
        """The answer to a request; loading a table is answered once, at its end."""
        alarm(head.get("timeout_s", LOAD_TIMEOUT_S) + 2.0)
        try:
            if head["do"] == "query":
                return self._query(head)
            return self._load(head, buffers)
        finally:
            alarm(0)

    # loading

    def _load(self, head: dict[str, Any], buffers: list[bytes]) -> dict[str, Any] | None:
        if head["do"] == "create":
            self._load_failed = None
        if self._load_failed is None:
            try:
                self._steps[head["do"]](head, buffers)
            except Exception as error:
                self._load_failed = describe(error)
                self._dictionaries = []
        return (self._load_failed or {"loaded": True}) if head["do"] == "finish" else None

    def _drop(self, head: dict[str, Any], buffers: list[bytes]) -> None:
        self._connection.execute(f"DROP TABLE IF EXISTS {head['table']}")

    def _create(self, head: dict[str, Any], buffers: list[bytes]) -> None:
        import numpy as np

        self._connection.execute(f"CREATE OR REPLACE TABLE {head['table']} ({head['columns']})")
        texts = map(json.loads, buffers)
        self._dictionaries = [
            None if form is None else self._values(np.array([*next(texts), None], object), form)
            for form in head["dictionaries"]
        ]

    def _values(self, texts: Any, form: str) -> Any:
        """The distinct texts, or where SQL is given what it makes of them."""
        if not form:
            return texts
        self._connection.register("_texts", {"v": texts})
        try:
            found = self._connection.execute(f"SELECT {form} AS v FROM _texts").fetchnumpy()
        finally:
            self._connection.unregister("_texts")
        return found["v"]

    def _insert(self, head: dict[str, Any], buffers: list[bytes]) -> None:
        """Rows as one buffer a column: codes into the column's dictionary, or texts."""
        import numpy as np

        columns = {}
        for index, (texts, buffer) in enumerate(zip(self._dictionaries, buffers, strict=True)):
            if texts is None:
                columns[f"c{index}"] = np.array(json.loads(buffer), dtype=object)
            else:
                columns[f"c{index}"] = texts[np.frombuffer(buffer, dtype=np.int32)]
        self._connection.register("_rows", columns)
        try:
            self._connection.execute(
                f"INSERT INTO {head['table']} SELECT {head['casts']} FROM _rows"
            )
        finally:
            self._connection.unregister("_rows")

    def _finish(self, head: dict[str, Any], buffers: list[bytes]) -> None:
        """Rows that sum others go last, so that the rest keep their positions."""
        self._dictionaries = []
        if head["totals"]:
            rows = ", ".join(str(int(row)) for row in head["totals"])
            self._connection.execute(f"DELETE FROM {head['table']} WHERE rowid IN ({rows})")

    # queries

    def _query(self, head: dict[str, Any]) -> dict[str, Any]:
        self._watch.start(head["query"], head["timeout_s"])
        try:
            self._connection.execute("BEGIN TRANSACTION READ ONLY")
            answer = self._rows(head)
        except Exception as error:
            answer = describe(error)
            if str(answer.get("position")).isdigit():
                answer["position"] = int(answer["position"]) - self._before
            if answer["error"] == "interrupt":
                answer["error"] = self._watch.interrupted or "time"
        finally:
            self._watch.stop()
        with suppress(Exception):
            self._connection.execute("ROLLBACK")
        return answer

    def _rows(self, head: dict[str, Any]) -> dict[str, Any]:
        sql, parameters = head["sql"], _parameters(head["parameters"])
        cap = head["max_rows"]
        bound = self._bound(self._wrapped("*", sql, " AS _q LIMIT 0"), parameters)
        names, types = list(bound.columns), list(bound.types)
        shapes = [shape_of(kind) for kind in types]
        labels = [f"c{index}" for index in range(len(names))]
        outputs = ", ".join(map(output, labels, types))
        running = self._connection.execute(
            self._wrapped(outputs, sql, f" AS _q({', '.join(labels)}) LIMIT {cap + 1}"), parameters
        )
        columns, truncated = _fetch(running, shapes, cap, head["max_bytes"])
        return {
            "names": names,
            "types": [str(kind) for kind in types],
            "shapes": shapes,
            "columns": columns,
            "truncated": truncated,
            "total": self._total(sql, parameters) if truncated and head["count"] else None,
        }

    def _bound(self, sql: str, parameters: Any) -> Any:
        """The statement's names and types, without running it."""
        import duckdb

        try:
            return self._connection.sql(sql, params=parameters)
        except duckdb.Error:
            self._connection.execute(sql, parameters)  # the same error, with its position
            raise

    def _wrapped(self, outputs: str, sql: str, rest: str) -> str:
        """The query as a subquery; the line ends keep a closing remark from hiding what follows."""
        before = f"SELECT {outputs} FROM (\n"
        self._before = len(before.encode())
        return f"{before}{sql}\n){rest}"

    def _total(self, sql: str, parameters: Any) -> int | None:
        """How many rows there are in all, if counting them is quick."""
        import duckdb

        self._watch.extend(COUNT_BUDGET_S)
        try:
            row = self._connection.execute(
                self._wrapped("count(*)", sql, " AS _q"), parameters
            ).fetchone()
        except duckdb.Error:
            return None
        return int(row[0]) if row else None


def _parameters(tagged: dict[str, Any]) -> dict[str, Any] | list[Any]:
    if "named" in tagged:
        return {name: untag(value) for name, value in tagged["named"].items()}
    return [untag(value) for value in tagged["listed"]]


def _fetch(
    running: Any, shapes: list[Any], cap: int, max_bytes: int
) -> tuple[list[list[Any]], bool]:
    """Up to `cap` rows of at most `max_bytes`, by column, and whether there are more."""
    writers = [partial(portable, shape) if has_map(shape) else None for shape in shapes]
    rows: list[list[Any]] = []
    size = 0
    for row in _stream(running):
        values = [
            value if write is None else write(value)
            for write, value in zip(writers, row, strict=True)
        ]
        size += sum(map(_weight, values))
        if len(rows) == cap or (size > max_bytes and rows):
            return _by_column(rows, len(shapes)), True
        if size > max_bytes:
            raise MemoryError(f"one row is larger than {max_bytes} bytes")
        rows.append(values)
    return _by_column(rows, len(shapes)), False


def _stream(running: Any) -> Iterator[tuple[Any, ...]]:
    while rows := running.fetchmany(BATCH_ROWS):
        yield from rows


def _by_column(rows: list[list[Any]], count: int) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[]] * count


def _weight(value: Any) -> int:
    """About how many bytes a value takes on its way."""
    if isinstance(value, str):
        return len(value) + 2
    return len(str(value)) if isinstance(value, list | dict | tuple) else 8
