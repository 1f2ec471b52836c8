"""From a catalog's table to the frames that load it into a worker.

A column crosses as published texts with what they mean to a database: its distinct texts once and
a code a row where texts repeat, else one text a row. The worker casts; so a value is what the
canonical text says, and a text that does not cast is an error, never a silent NULL.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from retrieval.table import EMPTY, Kind
from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.sql_names import quote

CHUNK_ROWS = 65_536
"""Rows a frame; bounds what both sides hold beside the table."""

Frame = tuple[dict[str, Any], list[bytes]]


def load_frames(table: CatalogTable) -> Iterator[Frame]:
    """The frames that make `table`, in order: create, rows, finish."""
    name = quote(table.name)
    texts = [sql_texts(column) for column in table.columns]
    repeating = [2 * len(distinct) <= table.table.row_count for distinct in texts]
    columns = ", ".join(f"{quote(c.name)} {c.sql_type}" for c in table.columns)
    casts = ", ".join(f"CAST(c{i} AS {c.sql_type})" for i, c in enumerate(table.columns))
    yield (
        {"do": "create", "table": name, "columns": columns, "dictionaries": repeating},
        [_texts(t) for t, known in zip(texts, repeating, strict=True) if known],
    )
    arrays = [
        None if known else np.array([*t, None], dtype=object)
        for t, known in zip(texts, repeating, strict=True)
    ]
    for start in range(0, table.table.row_count, CHUNK_ROWS):
        codes = [c.source.codes[start : start + CHUNK_ROWS] for c in table.columns]
        yield (
            {"do": "insert", "table": name, "casts": casts},
            [
                c.astype("<i4").tobytes() if array is None else _texts(array[c].tolist())
                for c, array in zip(codes, arrays, strict=True)
            ],
        )
    yield {"do": "finish", "table": name, "totals": sorted(table.table.totals)}, []


def sql_texts(column: CatalogColumn) -> tuple[str | None, ...]:
    """The column's distinct texts as SQL sees them, aligned with its codes' numbers."""
    source = column.source
    if not column.as_text and source.canonical is not None:
        return source.canonical
    if source.type.kind is Kind.TEXT or not source.type.missing:
        return source.texts
    return tuple(None if text in source.type.missing else text for text in source.texts)


def loaded_bytes(table: CatalogTable) -> int:
    """About how much memory the table takes in a worker."""
    total = 0
    for column in table.columns:
        used = column.source.codes[column.source.codes != EMPTY]
        mean = sum(map(len, column.source.texts)) / max(1, len(column.source.texts))
        total += 8 * table.table.row_count + (int(mean * len(used)) if mean > 8 else 0)
    return total + 4096


def _texts(texts: Any) -> bytes:
    """A JSON list; half a character, which no encoding has, becomes a question mark."""
    return json.dumps(list(texts), ensure_ascii=False).encode("utf-8", "replace")
