"""The tables in a JSON value: records, rows under a list of names, columns, objects by name.

Takes what a JSON file or a Python dict or list holds; gives a sheet for each table in it, however
deep it stands, and says what beside them is not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import zip_longest
from typing import Any

from retrieval.errors import EmptySource, UnreadableSource
from retrieval.grid import grid_of
from retrieval.readers.records import cell_text, columns_sheet
from retrieval.readers.text import decode
from retrieval.understand import Sheet, Source

_MAX_DEPTH = 4
"""Nested objects are flattened to `a.b.c` down to this depth; below, they stay JSON text."""

KEY = "key"
"""Name of the column of the names that objects stand under."""

_MOST_DIGITS = 4_000

_ALIKE = 0.5
"""Share of their fields that objects of one table have in common."""


@dataclass
class _Found:
    """What is taken from a value, as it is walked."""

    sheets: list[Sheet] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def add(self, sheet: Sheet, name: str) -> None:
        self.sheets.append(replace(sheet, name=name))


def read_value(value: object) -> Source:
    """The tables in a value.

    Raises:
        EmptySource: an empty list.
        UnreadableSource: a single number or text.
    """
    if not isinstance(value, (list, dict)):
        raise UnreadableSource("the JSON holds no list of objects", hint="wrap the rows in a list")
    found = _Found()
    _take(value, "", found)
    warnings = list(found.warnings)
    if found.unread:
        warnings.append(f"keys beside the tables are not read: {', '.join(found.unread)}")
    return Source(tuple(found.sheets), warnings=tuple(warnings))


def read_records(records: Sequence[Mapping[str, object]]) -> Source:
    """Dicts as rows; nested dicts become `outer.inner` columns, lists of plain values stay JSON
    text, lists of dicts become a table of their own.

    Raises:
        EmptySource: no record at all.
    """
    found = _Found()
    _take_records(records, "", found)
    return Source(tuple(found.sheets), warnings=tuple(found.warnings))


def _take(value: object, name: str, found: _Found) -> None:
    """Add the tables of a value that is a table, or holds some."""
    if isinstance(value, list):
        if _are_rows(value):
            found.add(Sheet(grid_of([[cell_text(cell) for cell in row] for row in value])), name)
        else:
            _take_records([v if isinstance(v, dict) else {"value": v} for v in value], name, found)
        return
    assert isinstance(value, dict)
    if columns := _named_rows(value) or _equal_columns(value, found):
        found.add(columns_sheet(columns), name)
    elif _are_alike(value):
        found.add(columns_sheet(_by_name(value, found)), name)
    elif any(_holds_tables(inner) for inner in value.values()):
        for key, inner in value.items():
            if _holds_tables(inner) or (len(value) == 1 and isinstance(inner, dict)):
                _take(inner, str(key), found)
            else:
                found.unread.append(str(key))
    elif len(value) == 1 and isinstance(inner := next(iter(value.values())), dict) and inner:
        _take(inner, str(next(iter(value))), found)
    else:
        _take_records([value], name, found)


def _holds_tables(value: object) -> bool:
    """Whether a list of objects or rows stands in a value, at any depth of objects."""
    if isinstance(value, dict):
        named = _named_rows(value) is not None
        return named or any(_holds_tables(inner) for inner in value.values())
    return isinstance(value, list) and (
        _are_objects(value) or (_are_rows(value) and len(value) > 1)
    )


def _are_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def _are_rows(value: Sequence[object]) -> bool:
    return bool(value) and all(isinstance(row, list) for row in value)


def _is_scalar(value: object) -> bool:
    return not isinstance(value, (list, dict))


Columns = list[tuple[str, list[str]]]


def _named_rows(value: Mapping[str, object]) -> Columns | None:
    """Rows beside a list of as many names as they have cells; None where there is no such thing."""
    bodies = [rows for rows in value.values() if isinstance(rows, list) and _are_rows(rows)]
    if len(bodies) != 1 or len(widths := {len(row) for row in bodies[0]}) != 1:
        return None
    rows, width = bodies[0], widths.pop()
    others = [inner for inner in value.values() if inner is not rows]
    names = next(filter(None, (_names(inner, width) for inner in others)), None)
    if names is None:
        return None
    cells = [list(map(cell_text, column)) for column in zip(*rows, strict=True)]
    columns = list(zip(names, cells, strict=True))
    labels = value.get("index")
    if isinstance(labels, list) and len(labels) == len(rows) and labels != list(range(len(rows))):
        columns.insert(0, ("index", list(map(cell_text, labels))))
    return columns


def _names(value: object, width: int) -> list[str] | None:
    """So many names, plain or as objects that carry one, at any depth of objects."""
    if isinstance(value, dict):
        return next(filter(None, (_names(inner, width) for inner in value.values())), None)
    if not isinstance(value, list) or len(value) != width or not width:
        return None
    if all(isinstance(name, str) for name in value):
        return value
    if not _are_objects(value):
        return None
    keys = [key for key in ("name", "label", "title", "id", "key") if key in value[0]]
    told = [[str(one.get(key, "")) for one in value] for key in keys]
    return next((names for names in told if len(set(names)) == width), None)


def _equal_columns(value: Mapping[str, object], found: _Found) -> Columns | None:
    """A list of plain values under each name."""
    lists = [v for v in value.values() if isinstance(v, list) and all(map(_is_scalar, v))]
    if not lists or len(lists) < len(value) or not any(lists):
        return None
    if len({len(cells) for cells in lists}) > 1:
        found.warnings.append("the columns are of different lengths: the short ones end in blanks")
    rows = zip_longest(*lists)
    cells = [list(map(cell_text, column)) for column in zip(*rows, strict=True)]
    return list(zip(map(str, value), cells, strict=True))


def _are_alike(value: Mapping[str, object]) -> bool:
    """Whether the values are objects of plain fields, most of which they have in common."""
    objects = [inner for inner in value.values() if isinstance(inner, dict)]
    if len(objects) < 2 or len(objects) < len(value):
        return False
    shared = set(objects[0]).intersection(*objects[1:])
    every = set().union(*objects)
    plain = all(_is_scalar(cell) for one in objects for cell in one.values())
    return plain and bool(every) and len(shared) >= _ALIKE * len(every)


def _by_name(value: Mapping[str, Any], found: _Found) -> Columns:
    """Objects by name as rows; or as columns, where each holds values of one kind under the
    names or numbers of the rows.
    """
    fields = list(dict.fromkeys(name for one in value.values() for name in one))
    numbered = fields == [str(n) for n in range(len(fields))]
    kinds_in = [{_kind(cell) for cell in one.values()} - {""} for one in value.values()]
    across = [{_kind(one.get(name)) for one in value.values()} - {""} for name in fields]
    uniform_in, uniform_across = (all(len(k) < 2 for k in kinds) for kinds in (kinds_in, across))
    if numbered or (uniform_in and not uniform_across):
        columns = [(str(n), [cell_text(one.get(f)) for f in fields]) for n, one in value.items()]
        return columns if numbered else [(KEY, fields), *columns]
    if uniform_in and len(fields) > 1:
        found.warnings.append("objects under names could be rows or columns: each is read as a row")
    return [
        (KEY, list(map(str, value))),
        *((f, [cell_text(one.get(f)) for one in value.values()]) for f in fields),
    ]


def _kind(cell: object) -> str:
    """What sort of plain value a cell is; "" for none."""
    if isinstance(cell, bool):
        return "boolean"
    if isinstance(cell, (int, float, Decimal)):
        return "number"
    return "" if cell is None else type(cell).__name__


def _take_records(records: Sequence[Mapping[str, object]], name: str, found: _Found) -> None:
    """Add the table of some records, and one for each field of theirs that lists objects."""
    if not records:
        raise EmptySource("there are no records", hint="pass at least one dict")
    flat = [_flat(record) for record in records]
    inner = [field for field in _field_names(flat) if _lists_objects(flat, field)]
    names = [field for field in _field_names(flat) if field not in inner]
    if names:
        columns = ((field, [cell_text(one.get(field)) for one in flat]) for field in names)
        found.add(columns_sheet(columns), name)
    for one in inner:
        key, keys = _naming_field(flat, names)
        if names:
            found.warnings.append(f'"{one}" lists objects: a table of its own, beside "{key}"')
        _take_records(list(_inner_records(flat, one, key, keys)), one, found)


def _lists_objects(flat: Sequence[Mapping[str, object]], name: str) -> bool:
    values = [one[name] for one in flat if one.get(name)]
    return bool(values) and all(_are_objects(value) for value in values)


def _naming_field(
    flat: Sequence[Mapping[str, object]], names: Sequence[str]
) -> tuple[str, list[str]]:
    """The field that tells the records apart, with its cells; else their running numbers."""
    for name in names:
        cells = [cell_text(one.get(name)) for one in flat]
        if all(cells) and len(set(cells)) == len(cells):
            return name, cells
    return "record", [str(number) for number in range(1, len(flat) + 1)]


def _inner_records(
    flat: Sequence[Mapping[str, object]], name: str, key: str, keys: Sequence[str]
) -> Iterator[dict[str, object]]:
    """The objects that a field lists, each with its record's key."""
    listed = [(cell, one[name]) for cell, one in zip(keys, flat, strict=True) if one.get(name)]
    taken = any(key in inner for _, objects in listed for inner in _mappings(objects))
    header = f"parent {key}" if taken else key
    for cell, objects in listed:
        yield from ({header: cell, **inner} for inner in _mappings(objects))


def _mappings(value: object) -> Iterable[Mapping[str, object]]:
    return value if isinstance(value, list) else ()


def _field_names(flat: Sequence[Mapping[str, object]]) -> list[str]:
    """Names in order of first appearance; an object that is null in places is its fields alone."""
    names = dict.fromkeys(name for record in flat for name in record)
    outer = {name[: k + 1] for name in names for k, char in enumerate(name[1:]) if char == "."}
    filled = {name for record in flat for name in outer if record.get(name)}
    return [name for name in names if name not in outer or name in filled]


def _flat(record: Mapping[str, object], prefix: str = "", depth: int = 1) -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, value in record.items():
        path = f"{prefix}{name}"
        if isinstance(value, Mapping) and value and depth < _MAX_DEPTH:
            flat |= _flat(value, f"{path}.", depth + 1)
        else:
            flat[path] = value
    return flat


def read_json(data: bytes, suffix: str = ".json") -> Source:
    """The tables of a JSON file, or of JSON values one after the other, as in JSON lines.

    Raises:
        EmptySource: an empty list.
        UnreadableSource: no JSON, or no list or object in it.
    """
    text, encoding, warnings = decode(data)
    text = text.lstrip("\ufeff")
    try:
        values = _values(text)
    except UnreadableSource:
        values, told = _sound_lines(text)
        warnings += told
        if not told:
            raise
    if all(_are_objects(value) for value in values):
        values = [one for value in values for one in value]
    source = read_value(values[0] if len(values) == 1 and suffix == ".json" else values)
    return replace(source, encoding=encoding, warnings=warnings + source.warnings)


def _values(text: str) -> list[Any]:
    """The JSON values of a text; numbers keep their digits: no float stands in between."""
    decoder = json.JSONDecoder(parse_float=Decimal, parse_int=_whole)
    values = []
    place = _past_space(text, 0)
    while place < len(text):
        try:
            value, place = decoder.raw_decode(text, place)
        except RecursionError as error:
            raise UnreadableSource(
                "the JSON is nested too deeply", hint="write the rows as a list of objects"
            ) from error
        except json.JSONDecodeError as error:
            raise UnreadableSource(
                f"line {error.lineno} is not JSON: {error.msg}",
                hint="check the file with a JSON validator",
            ) from error
        values.append(value)
        place = _past_space(text, place)
    return values


def _whole(digits: str) -> int | Decimal:
    """A whole number; one of more digits than Python reads at once as a decimal."""
    return int(digits) if len(digits) < _MOST_DIGITS else Decimal(digits)


def _sound_lines(text: str) -> tuple[list[Any], tuple[str, ...]]:
    """The objects of a file of one a line, with what is told of the lines that are none; nothing
    where those are not the fewer.
    """
    objects, unsound = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, parse_float=Decimal, parse_int=_whole)
        except (json.JSONDecodeError, RecursionError):
            value = None
        if isinstance(value, dict):
            objects.append(value)
        else:
            unsound.append(number)
    if len(unsound) >= len(objects):
        return [], ()
    shown = ", ".join(map(str, unsound[:5])) + (", …" if len(unsound) > 5 else "")
    count = len(unsound)
    return objects, (f"{count} line(s) are not JSON objects and are left out (lines {shown})",)


def _past_space(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place
