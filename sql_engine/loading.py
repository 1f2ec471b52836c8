"""From a catalog's table to the frames that load it into a worker.

A column crosses as published texts with what they mean to a database: its distinct texts once and
a code a row where texts repeat or are read as values, else one text a row. The worker casts; so a
value is what the canonical text says; a text that does not cast is an error, never a silent NULL.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from retrieval.table import EMPTY, Kind
from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.sql_names import quote

CHUNK_ROWS = 122_880
"""Rows a frame, as many as DuckDB's row groups have: half the time of other numbers near it. Bounds
what both sides hold beside the table."""

_MANY_ROWS = 20_000
"""From so many on it pays to cast a column's distinct texts before its rows are made of them."""

_DECIMAL = re.compile(r"DECIMAL\(18,\s?(\d)\)")

Frame = tuple[dict[str, Any], list[bytes]]


@dataclass(frozen=True)
class _Form:
    """What an array in the worker holds of a type's values: texts where `of_text` is ""."""

    of_text: str = ""
    """SQL that makes it of a text `v` without loss."""
    back: str = "{}"
    """SQL that makes the value of it."""


@dataclass(frozen=True)
class _Crossing:
    """How a column crosses."""

    sql_type: str
    texts: Sequence[str | None]
    by_code: bool
    """Its distinct texts once and a code a row; else one text a row."""
    form: _Form


def load_frames(table: CatalogTable) -> Iterator[Frame]:
    """The frames that make `table`, in order: create, rows, finish."""
    crossings = [_crossing(column, table.table.row_count) for column in table.columns]
    yield _create(table, crossings)
    casts = ", ".join(
        f"CAST({crossing.form.back.format(f'c{i}')} AS {crossing.sql_type})"
        for i, crossing in enumerate(crossings)
    )
    arrays = [
        None if crossing.by_code else np.array([*crossing.texts, None], dtype=object)
        for crossing in crossings
    ]
    for start in range(0, table.table.row_count, CHUNK_ROWS):
        codes = [c.source.codes[start : start + CHUNK_ROWS] for c in table.columns]
        yield (
            {"do": "insert", "table": quote(table.name), "casts": casts},
            [
                c.astype("<i4").tobytes() if array is None else _texts(array[c].tolist())
                for c, array in zip(codes, arrays, strict=True)
            ],
        )
    totals = sorted(table.table.totals)
    yield {"do": "finish", "table": quote(table.name), "totals": totals}, []


def _create(table: CatalogTable, crossings: Sequence[_Crossing]) -> Frame:
    columns = ", ".join(f"{quote(c.name)} {c.sql_type}" for c in table.columns)
    forms = [crossing.form.of_text if crossing.by_code else None for crossing in crossings]
    return (
        {"do": "create", "table": quote(table.name), "columns": columns, "dictionaries": forms},
        [_texts(crossing.texts) for crossing in crossings if crossing.by_code],
    )


def _crossing(column: CatalogColumn, rows: int) -> _Crossing:
    texts = sql_texts(column)
    form = _form(column.sql_type) if rows >= _MANY_ROWS else _Form()
    repeats = 2 * len(texts) <= rows
    return _Crossing(column.sql_type, texts, repeats or bool(form.of_text), form)


def _form(sql_type: str) -> _Form:
    """A decimal is held as a whole number, for arrays know no decimals."""
    if sql_type in ("BIGINT", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP"):
        return _Form(f"CAST(v AS {sql_type})")
    match = _DECIMAL.fullmatch(sql_type)
    if match is None:
        return _Form()
    scale = int(match[1])
    step = f"0.{'1'.zfill(scale)}" if scale else "1"
    return _Form(f"CAST(CAST(v AS {sql_type}) * {10**scale} AS BIGINT)", f"{{}} * {step}")


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
