"""What a query gives back."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.table import Scalar


@dataclass(frozen=True)
class Result:
    """Rows of a query, up to the row cap; `truncated` tells whether there were more."""

    columns: tuple[str, ...]
    """Distinct names, in order."""
    types: tuple[str, ...]
    """DuckDB type names, one a column."""
    rows: tuple[tuple[Scalar | list[object] | dict[object, object] | bytes, ...], ...]
    truncated: bool = False
    total_rows: int | None = None
    """How many rows there are in all; None where truncated and not cheaply known."""
    elapsed_ms: float = 0.0


@dataclass(frozen=True)
class Limits:
    """Caps on one query."""

    max_rows: int = 1000
    timeout_s: float = 10.0
    memory_limit: str = "1GB"
    """Of the worker that runs it; a query that differs from the last one starts another worker."""
    max_bytes: int = 64_000_000
    """Encoded size of a result."""
