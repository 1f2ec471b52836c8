"""Data that is already in Python: frames, Arrow tables, lists of rows; a value as a cell."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from retrieval.errors import EmptySource, UnreadableSource
from retrieval.grid import Grid, Strip, StripBuilder, grid_of
from retrieval.understand import Sheet, Source


def columns_sheet(columns: Iterable[tuple[str, Iterable[str]]], name: str = "") -> Sheet:
    """A sheet from named columns of cell texts."""
    strips = []
    count = 0
    for header, cells in columns:
        builder = StripBuilder()
        builder.extend([header])
        builder.extend(list(cells))
        strip = builder.build()
        count = len(strip.codes)
        strips.append(strip)
    return Sheet(_record_grid(tuple(strips), count), name, whole=True, records=True)


def _record_grid(strips: tuple[Strip, ...], count: int) -> Grid:
    return replace(Grid(strips, count, range(count)), header_rows=1)


def read_rows(rows: Sequence[Sequence[object]]) -> Source:
    """Lists as rows of a grid whose header is yet to be found."""
    return Source((Sheet(grid_of([[cell_text(value) for value in row] for row in rows])),))


def read_frame(frame: Any) -> Source:
    """A pandas DataFrame; a named index becomes columns, levels of column names a header path."""
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    columns = []
    for position, label in enumerate(frame.columns):
        levels = label if isinstance(label, tuple) else (label,)
        name = " > ".join(str(level) for level in levels if str(level))
        column = frame.iloc[:, position]
        missing = column.isna().tolist()
        values = column.astype(object).tolist()
        cells = ["" if gone else cell_text(v) for v, gone in zip(values, missing, strict=True)]
        columns.append((name, cells))
    if not columns:
        raise EmptySource("the frame has no columns", hint="pass a frame with columns")
    return Source((columns_sheet(columns),))


def read_arrow(table: Any) -> Source:
    """An Arrow table."""
    columns = [
        (name, [cell_text(value) for value in column.to_pylist()])
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    if not columns:
        raise EmptySource("the Arrow table has no columns", hint="pass a table with columns")
    return Source((columns_sheet(columns),))


def read_arrow_file(data: bytes, suffix: str = ".arrow") -> Source:
    """An Arrow or Feather file.

    Raises:
        UnreadableSource: damaged, or the `arrow` extra is not installed.
    """
    try:
        from pyarrow import ArrowException, BufferReader, feather
    except ImportError as error:
        raise UnreadableSource(
            "Arrow files need pyarrow", hint="pip install -e '.[arrow]'"
        ) from error
    try:
        return read_arrow(feather.read_table(BufferReader(data)))
    except ArrowException as error:
        raise UnreadableSource(
            f"not a readable Arrow file: {error}", hint="write the file again"
        ) from error


def duration_text(value: dt.timedelta) -> str:
    """Hours, minutes and seconds, as under the format [h]:mm:ss; hours may be more than a day's."""
    seconds, micros = divmod(abs(value) // dt.timedelta(microseconds=1), 1_000_000)
    part = f".{micros:06d}".rstrip("0").rstrip(".")
    sign = "-" if value < dt.timedelta() else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{part}"


def cell_text(value: object) -> str:
    """One Python value as a cell's text; "" for a missing one."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if value != value:
            return ""
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    if isinstance(value, dt.datetime):
        whole_day = value.time() == dt.time() and value.tzinfo is None
        return str(value.date() if whole_day else value)
    if isinstance(value, dt.timedelta):
        return duration_text(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(value, ensure_ascii=False, default=str) if value else ""
    return str(value)
