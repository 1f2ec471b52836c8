"""What a query gives back."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from retrieval.table import Scalar


class Interval(dt.timedelta):
    """A span that counts months. Its text is exact; it compares as DuckDB compares spans, where a
    month is 30 days.
    """

    text: str

    def __new__(cls, text: str, span: dt.timedelta) -> Interval:
        """The span, with the text that DuckDB writes for it."""
        self = super().__new__(cls, span.days, span.seconds, span.microseconds)
        self.text = text
        return self

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type[Interval], tuple[str, dt.timedelta]]:
        return Interval, (self.text, dt.timedelta(0, self.total_seconds()))

    def __repr__(self) -> str:
        return f"Interval({self.text!r})"


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
    undefined: tuple[str, ...] = ()
    """Columns in which a value that is no number (0/0, 1/0) stands as None."""
    warnings: tuple[str, ...] = ()
    """What a reader must know of the rows, one sentence each."""


@dataclass(frozen=True)
class Limits:
    """Caps on one query."""

    max_rows: int = 1000
    timeout_s: float = 10.0
    memory_limit: str = "1GB"
    """Of the worker that runs it; a query that differs from the last one starts another worker."""
    max_bytes: int = 64_000_000
    """Encoded size of a result."""
