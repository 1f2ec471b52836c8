"""The process that holds tables and runs checked queries: limited, locked, and killable.

Reads frames (`wire.py`) from its standard input and answers on its standard output; it imports
nothing of this package but what reads frames and errors. Before DuckDB is imported the process
limits its address space and forbids itself to write files; then the connection is locked. Each
query runs in a read-only transaction, wrapped in a row limit, and is interrupted when its time is
over. When the parent is gone, so is the worker.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

from sql_engine.engine_errors import engine_details
from sql_engine.wire import read_frame, untag, write_frame

if TYPE_CHECKING:
    import duckdb

Frame = tuple[dict[str, Any], list[bytes]]

HEADROOM_BYTES = 1 << 30
"""Address space beyond DuckDB's memory limit: the interpreter, its libraries, rows on their way."""

INTERRUPT_EVERY_S = 0.05
"""One interrupt may be lost when it races the start of a call; it is repeated until it works."""

LOAD_TIMEOUT_S = 300
"""Loading a table has no deadline of the caller's; beyond this something is broken."""

COUNT_BUDGET_S = 0.25
"""How long counting the rows of a truncated result may take."""

BATCH_ROWS = 256

LOCK = (
    "GLOBAL TimeZone='UTC'",
    "enable_external_access=false",
    "disabled_filesystems='LocalFileSystem'",
    "lock_configuration=true",
)


def main() -> None:
    """Serve until the input ends. Arguments: memory limit in bytes, threads."""
    source, sink = _own_streams()
    memory_limit, threads = int(sys.argv[1]), int(sys.argv[2])
    limited = limit_process(memory_limit + HEADROOM_BYTES)
    try:
        connection = connect(memory_limit, threads)
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


def connect(memory_limit: int, threads: int) -> duckdb.DuckDBPyConnection:
    """A locked in-memory database."""
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "threads": str(threads),
            "async_threads": "0",
            "memory_limit": f"{memory_limit}B",
            "temp_directory": "",
            "max_expression_depth": "250",
            "python_enable_replacements": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "allow_extension_repositories": "forbidden",
            "allow_persistent_secrets": "false",
            "errors_as_json": "true",
        },
    )
    for setting in LOCK:
        connection.execute(f"SET {setting}")
    return connection


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
        _alarm(head.get("timeout_s", LOAD_TIMEOUT_S) + 2.0)
        try:
            if head["do"] == "query":
                return self._query(head)
            return self._load(head, buffers)
        finally:
            _alarm(0)

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
            np.array([*next(texts), None], dtype=object) if known else None
            for known in head["dictionaries"]
        ]

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
        outputs = ", ".join(map(_output, labels, types, shapes))
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


def _alarm(seconds: float) -> None:
    """Have the kernel end this process after `seconds`, whatever holds the interpreter.

    Zero takes that back.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


NATIVE = {
    "boolean": "bool",
    "tinyint": "int",
    "smallint": "int",
    "integer": "int",
    "bigint": "int",
    "hugeint": "int",
    "utinyint": "int",
    "usmallint": "int",
    "uinteger": "int",
    "ubigint": "int",
    "uhugeint": "int",
    "float": "float",
    "double": "float",
    "varchar": "text",
    "null": "null",
}
"""Types whose Python values JSON carries exactly, and their shape."""

AS_TEXT = {
    "decimal": "decimal",
    "bignum": "bignum",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_s": "timestamp",
    "timestamp_ms": "timestamp",
    "timestamp_ns": "timestamp",
    "timestamp with time zone": "timestamp",
    "time": "time",
    "time with time zone": "time",
    "interval": "interval",
    "blob": "blob",
}
"""Types that cross as the text DuckDB writes, and how the parent reads it. Any other: as text."""


def shape_of(kind: Any) -> Any:
    """How values of a DuckDB type cross: a word, or `{"list": shape}` and the like."""
    name = kind.id
    if name in NATIVE:
        return NATIVE[name]
    if name in ("list", "array"):
        return {"list": shape_of(kind.children[0][1])}
    if name == "struct":
        return {"struct": [[field, shape_of(inner)] for field, inner in kind.children]}
    if name == "map":
        return {"map": [shape_of(inner) for _, inner in kind.children]}
    if name in ("tuple", "union"):
        fields = kind.children if name == "tuple" else kind.children[1:]
        inner = [shape_of(field) for _, field in fields]
        if all(shape in NATIVE.values() for shape in inner):
            return {"row": inner} if name == "tuple" else "plain"
    return AS_TEXT.get(name, "text")


def wire_type(kind: Any) -> str:
    """The type that a value is cast to before it crosses."""
    name = kind.id
    if name in NATIVE or name in ("tuple", "union"):
        return str(kind) if shape_of(kind) != "text" else "VARCHAR"
    if name == "list":
        return f"{wire_type(kind.children[0][1])}[]"
    if name == "array":
        return f"{wire_type(kind.children[0][1])}[{kind.children[1][1]}]"
    if name == "struct":
        fields = (f'"{field.replace(_Q, _Q * 2)}" {wire_type(t)}' for field, t in kind.children)
        return f"STRUCT({', '.join(fields)})"
    if name == "map":
        key, value = (wire_type(inner) for _, inner in kind.children)
        return f"MAP({key}, {value})"
    return "VARCHAR"


_Q = '"'


def _output(label: str, kind: Any, shape: Any) -> str:
    wire = wire_type(kind)
    return label if wire == str(kind) or kind.id == "null" else f"CAST({label} AS {wire})"


def _fetch(
    running: Any, shapes: list[Any], cap: int, max_bytes: int
) -> tuple[list[list[Any]], bool]:
    """Up to `cap` rows of at most `max_bytes`, by column, and whether there are more."""
    writers = [partial(portable, shape) if _has_map(shape) else None for shape in shapes]
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


def _has_map(shape: Any) -> bool:
    if isinstance(shape, dict):
        return "map" in shape or any(map(_has_map, shape.values()))
    return isinstance(shape, list) and any(map(_has_map, shape))


def portable(shape: Any, value: Any) -> Any:
    """A nested value with each MAP as a list of pairs, which is all that JSON can hold."""
    if value is None or not _has_map(shape):
        return value
    if "list" in shape:
        return [portable(shape["list"], item) for item in value]
    if "struct" in shape:
        return {name: portable(inner, value[name]) for name, inner in shape["struct"]}
    key, content = shape["map"]
    pairs = (
        zip(value["key"], value["value"], strict=True) if isinstance(key, dict) else value.items()
    )
    return [[portable(key, k), portable(content, v)] for k, v in pairs]


def describe(error: BaseException) -> dict[str, Any]:
    """An error as plain data; `recycle` where the process should not be used again."""
    name = type(error).__name__
    if name == "InterruptException":
        return {"error": "interrupt", "message": "interrupted", "recycle": False}
    memory = isinstance(error, MemoryError) or name == "OutOfMemoryException"
    details = engine_details(error)
    message = str(details["exception_message"])
    if memory or "Out of Memory" in message or "bad_alloc" in message:
        return {"error": "memory", "message": message[:300], "recycle": True}
    return {
        "error": "engine",
        "kind": str(details.get("exception_type", name)),
        "message": message[:5000],
        "position": details.get("position"),
        "name": details.get("name"),
        "subtype": details.get("error_subtype"),
        "recycle": name not in ORDINARY_ERRORS,
    }


ORDINARY_ERRORS = frozenset(
    {
        "BinderException",
        "CatalogException",
        "ConversionException",
        "ConstraintException",
        "DataError",
        "InvalidInputException",
        "InvalidTypeException",
        "NotImplementedException",
        "NotSupportedError",
        "OutOfRangeException",
        "ParserException",
        "PermissionException",
        "ProgrammingError",
        "SyntaxException",
        "TransactionException",
        "TypeMismatchException",
    }
)
"""Errors after which the connection is as good as before."""
