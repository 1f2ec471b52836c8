"""One worker process, seen from the parent: start it, exchange frames, kill it.

Starting does not wait; the first `receive` does. A thread reads the worker's frames, so that
waiting has a deadline on every platform.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import queue
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from sql_engine.confine import HEADROOM_BYTES
from sql_engine.wire import read_frame, write_frame

_START = "import sys; sys.path += sys.argv[3:]; from sql_engine.worker import main; main()"

GONE: dict[str, Any] = {"gone": True}
"""What is received when the worker has ended."""

WAKE: dict[str, Any] = {"wake": True}
"""What is received when the caller should look up from waiting."""

_numbers = itertools.count(1)


class WorkerProcess:
    """A running worker. Not for two threads at once, but for `wake` and `cancel`."""

    def __init__(self, memory_limit: int, threads: int) -> None:
        self.memory_limit = memory_limit
        self.most_bytes = memory_limit + HEADROOM_BYTES
        """What the process may take in all."""
        self.number = next(_numbers)
        self.ready = False
        self.busy = False
        """Whether an answer is under way; a worker left so must not be lent again."""
        self.limited = True
        """Whether the worker's address space is limited by the system."""
        self.tables: dict[str, Any] = {}
        """What is loaded, by folded name, least recently used first; kept by `tables.py`."""
        self._write_lock = threading.Lock()
        self._inbox: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", "-c", _START),
                *(str(memory_limit), str(threads)),
                *_import_paths(),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            cwd=os.sep,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        self._stdin: BinaryIO = self._process.stdin  # type: ignore[assignment]
        self._reader = threading.Thread(
            target=_read, args=(self._process, self._inbox), daemon=True
        )
        self._reader.start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    @property
    def out_of_time(self) -> bool:
        """Whether it ended because its own alarm went off."""
        return os.name == "posix" and self._process.poll() == -signal.SIGALRM

    def send(self, head: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        """Send one frame; a worker that has ended is noticed at the next `receive`."""
        with self._write_lock, suppress(OSError, ValueError):
            write_frame(self._stdin, head, buffers or [])

    def receive(self, timeout_s: float) -> dict[str, Any] | None:
        """The next frame's head, `GONE`, `WAKE`, or None when time is over."""
        try:
            return self._inbox.get(timeout=max(0.0, timeout_s))
        except queue.Empty:
            return None

    def wake(self) -> None:
        """Have `receive` return `WAKE`; from any thread."""
        self._inbox.put(WAKE)

    def kill(self) -> None:
        """End the process, without waiting until the system has freed what it held."""
        with suppress(ProcessLookupError):
            self._process.kill()

    def join(self) -> None:
        """Wait until the process has ended and its pipes are closed."""
        self._reader.join()


def _read(process: subprocess.Popen[bytes], inbox: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Pass on what the worker says; when it says no more, end it and let go of it."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        while True:
            inbox.put(read_frame(process.stdout)[0])  # type: ignore[arg-type]
    except (EOFError, OSError, ValueError, MemoryError, RecursionError):
        process.kill()
        process.wait()
    inbox.put(GONE)
    process.stdout.close()
    with suppress(OSError):
        process.stdin.close()


def _import_paths() -> list[str]:
    """The folders that hold what a worker imports, found without importing it."""
    names = ("duckdb", "numpy", "sql_engine")
    specs = [importlib.util.find_spec(name) for name in names]
    origins = [spec.origin for spec in specs if spec and spec.origin]
    return list(dict.fromkeys(str(Path(origin).parent.parent) for origin in origins))


def _environment() -> dict[str, str]:
    """Nothing of the parent's, but what Windows cannot start without.

    One thread for numpy's libraries: they reserve address space for each core, which is limited.
    """
    kept = {k: v for k, v in os.environ.items() if k.upper() == "SYSTEMROOT"}
    return kept | dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
