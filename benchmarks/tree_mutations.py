"""Plants evil nodes at every position of a checked statement's tree; the guard must refuse each.

    python -m benchmarks.tree_mutations FOLDER

reads `FOLDER/legitimate.jsonl` and prints how many mutants were made and which were let through.
"""

from __future__ import annotations

import argparse
import copy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.sandbox_corpus import schema, statements
from sql_engine.catalog import Catalog
from sql_engine.errors import SqlEngineError
from sql_engine.names import resolve_tables
from sql_engine.parse import cut, parse
from sql_engine.tree import contents_of

Path_ = tuple[str | int, ...]


def evil_nodes() -> dict[str, Any]:
    """Nodes that must be refused wherever they stand, by what they do."""

    def node(sql: str) -> Any:
        return parse(sql).tree["statements"][0]["node"]

    def writes(body: str) -> Any:
        return node(f"WITH w AS ({body}) SELECT 1")["cte_map"]["map"][0]["value"]["query_node"]

    return {
        "query of a forbidden table": node("SELECT * FROM forbidden_table"),
        "forbidden table": node("SELECT * FROM forbidden_table")["from_table"],
        "table in a schema": node("SELECT * FROM information_schema.tables")["from_table"],
        "file function": node("SELECT * FROM read_text('/etc/passwd')")["from_table"],
        "SQL in text": node("SELECT * FROM query('SELECT 1')")["from_table"],
        "table list": node("SHOW ALL TABLES")["from_table"],
        "subquery of a forbidden table": node("SELECT (SELECT max(v) FROM forbidden_table)")[
            "select_list"
        ][0],
        "function with effect": node("SELECT nextval('s')")["select_list"][0],
        "setting": node("SELECT current_setting('threads')")["select_list"][0],
        "delete": writes("DELETE FROM books"),
        "insert": writes("INSERT INTO books VALUES (1)"),
        "update": writes("UPDATE books SET a = 1"),
        "copy": writes("COPY books TO '/tmp/hostile_copy.csv'"),
        "unknown node": {"type": "NEW_NODE", "class": "NEW", "payload": "x"},
    }


def mutants(tree: dict[str, Any], evil: Any) -> Iterator[tuple[Path_, dict[str, Any]]]:
    """Every tree with `evil` in place of one part, beside one item of a list, or in a new field."""
    for path, value in list(_walk(tree)):
        if path:
            yield path, _with(tree, path, evil)
        if isinstance(value, list):
            yield (*path, len(value)), _with(tree, path, [*value, evil])
        elif isinstance(value, dict) and value:
            yield (*path, "new_field"), _with(tree, path, {**value, "new_field": evil})


def _walk(value: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk(item, (*path, index))


def _with(tree: dict[str, Any], path: Path_, value: Any) -> dict[str, Any]:
    """The tree with one part replaced; shares the rest."""
    if not path:
        return copy.copy(value)  # type: ignore[no-any-return]
    top: Any = copy.copy(tree)
    current = top
    for key in path[:-1]:
        current[key] = copy.copy(current[key])
        current = current[key]
    current[path[-1]] = value
    return top  # type: ignore[no-any-return]


def refused(tree: dict[str, Any], catalog: Catalog) -> bool:
    """Whether the guard's check of a tree refuses it."""
    try:
        resolve_tables(contents_of(tree).tables, catalog)
    except SqlEngineError:
        return True
    return False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    catalog, evils = schema(given.folder), evil_nodes()
    made, through = 0, 0
    for row in statements(given.folder / "legitimate.jsonl"):
        if row["expect"] != "accept":
            continue
        tree = parse(cut(row["sql"])).tree
        for name, evil in evils.items():
            for path, mutant in mutants(tree, evil):
                made += 1
                if not refused(mutant, catalog):
                    through += 1
                    print(f"THROUGH {name} at {path}: {row['sql'][:100]}")
    print(f"{made} mutants, {through} let through")
    return 1 if through else 0


if __name__ == "__main__":
    sys.exit(main())
