"""Data that is already in Python: frames, Arrow tables, lists of dicts or rows; and JSON files."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from retrieval.errors import EmptySource, UnreadableSource
from retrieval.grid import Grid, Strip, StripBuilder, grid_of
from retrieval.readers.text import decode
from retrieval.understand import Sheet, Source

_MAX_DEPTH = 4
"""Nested objects are flattened to `a.b.c` down to this depth; below, they stay JSON text."""


def read_records(records: Sequence[Mapping[str, object]]) -> Source:
    """Dicts as rows; nested dicts become `outer.inner` columns, lists stay JSON text.

    Raises:
        EmptySource: no record at all.
    """
    if not records:
        raise EmptySource("there are no records", hint="pass at least one dict")
    flat = [_flat(record) for record in records]
    names = _field_names(flat)
    columns = [(name, [record.get(name, "") for record in flat]) for name in names]
    return Source((columns_sheet(columns),))


def _field_names(flat: Sequence[Mapping[str, str]]) -> list[str]:
    """Names in order of first appearance; an object that is null in places is its fields alone."""
    names = dict.fromkeys(name for record in flat for name in record)
    outer = {name[: k + 1] for name in names for k, char in enumerate(name[1:]) if char == "."}
    filled = {name for record in flat for name in outer if record.get(name)}
    return [name for name in names if name not in outer or name in filled]


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


def read_mapping(columns: Mapping[str, object]) -> Source:
    """A dict of equally long columns, or of the tables by name.

    Raises:
        UnreadableSource: values that are no lists.
    """
    return _from_value(dict(columns))


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
        raise UnreadableSource(f"not a readable Arrow file: {error}") from error


def read_json(data: bytes, suffix: str = ".json") -> Source:
    """A list of objects, an object that holds such lists, or JSON lines.

    Raises:
        UnreadableSource: no JSON, or no list of objects in it.
    """
    text, encoding, warnings = decode(data)
    if suffix in (".jsonl", ".ndjson"):
        source = read_records(_objects(_json_lines(text)))
    else:
        try:
            value = _loads(text)
        except json.JSONDecodeError as error:
            lines = _json_lines(text, error)
            value = lines
        source = _from_value(value)
    return replace(source, encoding=encoding, warnings=warnings)


def _from_value(value: object) -> Source:
    if isinstance(value, list):
        if value and all(isinstance(row, list) for row in value):
            return read_rows(value)
        return read_records(_objects(value))
    if isinstance(value, dict):
        lists = {k: v for k, v in value.items() if isinstance(v, list) and _all_dicts(v)}
        if lists:
            sheets = tuple(
                replace(sheet, name=name)
                for name, rows in lists.items()
                for sheet in read_records(_objects(rows)).sheets
            )
            rest = [name for name in value if name not in lists]
            return Source(sheets, warnings=_not_read(rest))
        if value and all(isinstance(v, list) for v in value.values()):
            return Source((columns_sheet((k, map(cell_text, v)) for k, v in value.items()),))
        return read_records([value])
    raise UnreadableSource("the JSON holds no list of objects", hint="wrap the rows in a list")


def _not_read(names: Sequence[str]) -> tuple[str, ...]:
    return (f"keys beside the lists of objects are not read: {', '.join(names)}",) if names else ()


def _all_dicts(rows: Sequence[object]) -> bool:
    return bool(rows) and all(isinstance(row, dict) for row in rows)


def _json_lines(text: str, first_error: Exception | None = None) -> list[object]:
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            rows.append(_loads(line))
        except json.JSONDecodeError as error:
            shown = first_error or error
            raise UnreadableSource(
                f"line {number} is not JSON: {shown}", hint="check the file with a JSON validator"
            ) from error
    return rows


def _loads(text: str) -> Any:
    """Numbers keep their digits: no float stands between a file and its cells."""
    return json.loads(text, parse_float=Decimal)


def _objects(rows: Sequence[object]) -> list[Mapping[str, object]]:
    return [row if isinstance(row, dict) else {"value": row} for row in rows]


def _flat(record: Mapping[str, object], prefix: str = "", depth: int = 1) -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in record.items():
        path = f"{prefix}{name}"
        if isinstance(value, Mapping) and value and depth < _MAX_DEPTH:
            flat |= _flat(value, f"{path}.", depth + 1)
        else:
            flat[path] = cell_text(value)
    return flat


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
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(value, ensure_ascii=False, default=str) if value else ""
    return str(value)
