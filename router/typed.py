"""A published cell as a Python value, by what its column was decided to hold."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from decimal import Decimal

from retrieval.table import Column, Kind, Scalar, Table

_READ: dict[Kind, Callable[[str], Scalar]] = {
    Kind.INTEGER: int,
    Kind.DECIMAL: Decimal,
    Kind.DOUBLE: float,
    Kind.BOOLEAN: lambda text: text == "true",
    Kind.DATE: dt.date.fromisoformat,
    Kind.TIMESTAMP: dt.datetime.fromisoformat,
    Kind.TIME: dt.time.fromisoformat,
}


def value_at(column: Column, row: int) -> Scalar:
    """The cell typed where it has a value of the column's type, else its text; None if empty."""
    text = column.text_at(row)
    if not text:
        return None
    canonical = column.canonical_at(row)
    read = _READ.get(column.type.kind)
    return text if canonical is None or read is None else read(canonical)


def typed_rows(table: Table, rows: Iterable[int]) -> list[tuple[Scalar, ...]]:
    """Rows of a table as Python values."""
    return [tuple(value_at(column, row) for column in table.columns) for row in rows]
