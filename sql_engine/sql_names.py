"""Names and texts in SQL: quoting, and making a name distinct from those taken."""

from __future__ import annotations

from collections.abc import Set


def quote(name: str) -> str:
    """The name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """The text as a SQL string; the engine reads it as the type that it is compared with."""
    return "'" + text.replace("'", "''") + "'"


def distinct_name(name: str, taken: Set[str]) -> str:
    """`name`, or `name_2`, `name_3`, … where its case-folded form is in `taken`."""
    candidate, count = name, 1
    while candidate.casefold() in taken:
        count += 1
        candidate = f"{name}_{count}"
    return candidate


def fold(name: str) -> str:
    """The form in which DuckDB compares names: it ignores the case of ASCII letters alone."""
    return name.lower() if name.isascii() else name.encode("utf-8", "replace").lower().decode()
