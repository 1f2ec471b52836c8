"""How values of each DuckDB type cross from a worker; `decoding.py` reads them in the parent.

A shape is what the parent needs to read a column: a word, or `{"list": shape}` and the like for
nested types. What JSON cannot carry exactly crosses as the text that DuckDB writes.
"""

from __future__ import annotations

from typing import Any

NATIVE = {
    "boolean": "bool",
    "tinyint": "int",
    "smallint": "int",
    "integer": "int",
    "bigint": "int",
    "hugeint": "int",
    "utinyint": "int",
    "usmallint": "int",
    "uinteger": "int",
    "ubigint": "int",
    "uhugeint": "int",
    "float": "float",
    "double": "float",
    "varchar": "text",
    "null": "null",
}
"""Types whose Python values JSON carries exactly, and their shape."""

AS_TEXT = {
    "decimal": "decimal",
    "bignum": "bignum",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_s": "timestamp",
    "timestamp_ms": "timestamp",
    "timestamp_ns": "timestamp",
    "timestamp with time zone": "timestamp",
    "time": "time",
    "time with time zone": "time",
    "interval": "interval",
    "blob": "blob",
}
"""Types that cross as the text DuckDB writes, and how the parent reads it. Any other: as text."""


def shape_of(kind: Any) -> Any:
    """How values of a DuckDB type cross: a word, or `{"list": shape}` and the like."""
    name = kind.id
    if name in NATIVE:
        return NATIVE[name]
    if name in ("list", "array"):
        return {"list": shape_of(kind.children[0][1])}
    if name == "struct":
        return {"struct": [[field, shape_of(inner)] for field, inner in kind.children]}
    if name == "map":
        return {"map": [shape_of(inner) for _, inner in kind.children]}
    if name in ("tuple", "union"):
        fields = kind.children if name == "tuple" else kind.children[1:]
        inner = [shape_of(field) for _, field in fields]
        if all(shape in NATIVE.values() for shape in inner):
            return {"row": inner} if name == "tuple" else "plain"
    return AS_TEXT.get(name, "text")


def wire_type(kind: Any) -> str:
    """The type that a value is cast to before it crosses."""
    name = kind.id
    if name in NATIVE or name in ("tuple", "union"):
        return str(kind) if shape_of(kind) != "text" else "VARCHAR"
    if name == "list":
        return f"{wire_type(kind.children[0][1])}[]"
    if name == "array":
        return f"{wire_type(kind.children[0][1])}[{kind.children[1][1]}]"
    if name == "struct":
        fields = (f'"{field.replace(_Q, _Q * 2)}" {wire_type(t)}' for field, t in kind.children)
        return f"STRUCT({', '.join(fields)})"
    if name == "map":
        key, value = (wire_type(inner) for _, inner in kind.children)
        return f"MAP({key}, {value})"
    return "VARCHAR"


_Q = '"'


def output(label: str, kind: Any) -> str:
    """The SQL that gives a column in the type it crosses as."""
    wire = wire_type(kind)
    return label if wire == str(kind) or kind.id == "null" else f"CAST({label} AS {wire})"


def has_map(shape: Any) -> bool:
    """Whether a MAP is anywhere in it."""
    if isinstance(shape, dict):
        return "map" in shape or any(map(has_map, shape.values()))
    return isinstance(shape, list) and any(map(has_map, shape))


def portable(shape: Any, value: Any) -> Any:
    """A nested value with each MAP as a list of pairs, which is all that JSON can hold."""
    if value is None or not has_map(shape):
        return value
    if "list" in shape:
        return [portable(shape["list"], item) for item in value]
    if "struct" in shape:
        return {name: portable(inner, value[name]) for name, inner in shape["struct"]}
    key, content = shape["map"]
    pairs = (
        zip(value["key"], value["value"], strict=True) if isinstance(key, dict) else value.items()
    )
    return [[portable(key, k), portable(content, v)] for k, v in pairs]
