"""A locked in-memory DuckDB: no files, network, extensions or spilling, no settings to change.

The guard's parser is one, and so is the database of every worker.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

MAX_EXPRESSION_DEPTH = 250
"""The parser's own limit on nesting; its default is 1000."""

LOCK = (
    "GLOBAL TimeZone='UTC'",
    "enable_external_access=false",
    "disabled_filesystems='LocalFileSystem'",
    "lock_configuration=true",
)
"""Set after connecting, in this order: the first needs an extension that is built in, the last
makes all of it final."""


def locked_connection(memory_limit: int, threads: int = 1) -> duckdb.DuckDBPyConnection:
    """A connection to a database of its own, of at most `memory_limit` bytes."""
    connection = duckdb.connect(
        ":memory:",
        config={
            "threads": str(threads),
            "async_threads": "0",
            "memory_limit": f"{memory_limit}B",
            "temp_directory": "",
            "max_expression_depth": str(MAX_EXPRESSION_DEPTH),
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


@contextmanager
def keyboard_interrupts() -> Iterator[None]:
    """Raises Ctrl-C as KeyboardInterrupt, which the engine tells as a RuntimeError."""
    try:
        yield
    except RuntimeError as error:
        if str(error) != "Query interrupted":
            raise
        raise KeyboardInterrupt from error
