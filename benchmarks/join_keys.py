"""Found joins against the keys that SQLite databases declare.

    python -m benchmarks.join_keys FOLDER [--hide-names]

FOLDER holds `*.sqlite` files with declared foreign keys. Each database is one catalog. With
`--hide-names` every table and column is renamed to a number first, so that values alone tell.
An edge counts as right in either direction, since a one-to-one key has none. Told beside it: how
many declared keys the values of one single column could mean, and how many point to a column whose
values are those of another table's key as well, which no values can tell apart (1 to 15, and 1 to
15).
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from retrieval.build import build_table
from sql_engine.catalog import Catalog, CatalogColumn, CatalogTable

Key = frozenset[tuple[str, str]]


def read(path: Path, *, hide: bool) -> tuple[Catalog, dict[Key, str]]:
    """The tables of a database, and its declared keys with how to print each."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    names = [name for (name,) in rows if not name.startswith("sqlite_")]
    hidden: dict[str, str] = {}

    def shown(name: str) -> str:
        return hidden.setdefault(name.lower(), f"n{len(hidden)}") if hide else name.lower()

    tables, keys = [], {}
    for ordinal, name in enumerate(names):
        cursor = connection.execute(f'SELECT * FROM "{name}"')
        cells = cursor.fetchall()
        columns = [
            (
                (shown(f"{name}.{described[0]}") if hide else described[0],),
                ["" if row[place] is None else str(row[place]) for row in cells],
            )
            for place, described in enumerate(cursor.description)
        ]
        tables.append(build_table(columns, document=path.stem, name=shown(name), ordinal=ordinal))
        for key in connection.execute(f'PRAGMA foreign_key_list("{name}")'):
            left, right = (name, key[3]), (key[2], key[4] or key[3])
            sides = frozenset(
                (shown(t), shown(f"{t}.{c}") if hide else c.lower()) for t, c in (left, right)
            )
            keys[sides] = f"{left} -> {right}"
    return Catalog().with_tables(tuple(tables)), keys


Placed = tuple[CatalogTable, CatalogColumn]


def sides(catalog: Catalog, key: Key) -> tuple[Placed, Placed]:
    """The column that points, and the key it points to: the one that leads its table and has no
    repeats.
    """
    placed = [
        ((table.name.lower(), column.name.lower()), (table, column), place)
        for table in catalog
        for place, column in enumerate(table.columns)
    ]
    found = sorted(
        ((side[1].profile.unique and not place, name, side) for name, side, place in placed),
        key=lambda one: one[:2],
    )
    pointing, pointed = (side for _, name, side in found if name in key)
    return pointing, pointed


def _holding(catalog: Catalog, apart: Placed) -> Iterator[tuple[CatalogTable, set[str]]]:
    """The values of each table's leading column, where none repeats, but for one table."""
    for table in catalog:
        column = table.columns[0]
        if table is not apart[0] and column.profile.unique:
            yield table, set(column.source.texts)


def held(catalog: Catalog, key: Key) -> int:
    """How many leading columns without repeats hold all the values that point."""
    pointing, _ = sides(catalog, key)
    values = set(pointing[1].source.texts)
    return sum(values <= known for _, known in _holding(catalog, pointing))


def twins(catalog: Catalog, key: Key) -> int:
    """How many other such columns have just the values of the one that is pointed to."""
    pointing, pointed = sides(catalog, key)
    values = set(pointed[1].source.texts)
    found = _holding(catalog, pointing)
    return sum(known == values for table, known in found if table is not pointed[0])


def measure(folder: Path, *, hide: bool) -> dict[str, Any]:
    """Precision and recall over a folder, with the keys missed and the edges that are more."""
    right = alone = alike = 0
    missed: list[str] = []
    extra: list[str] = []
    started = time.perf_counter()
    for path in sorted(folder.glob("*.sqlite")):
        catalog, declared = read(path, hide=hide)
        found = {
            frozenset(
                {
                    (e.left_table.lower(), e.left_column.lower()),
                    (e.right_table.lower(), e.right_column.lower()),
                }
            ): e.condition()
            for e in catalog.joins.edges
        }
        alone += sum(held(catalog, key) == 1 for key in declared)
        alike += sum(twins(catalog, key) > 0 for key in declared)
        right += len(declared.keys() & found.keys())
        missed += [f"{path.stem} {declared[key]}" for key in declared.keys() - found.keys()]
        extra += [f"{path.stem} {found[key]}" for key in found.keys() - declared.keys()]
    return {
        "declared keys": right + len(missed),
        "precision": round(right / max(1, right + len(extra)), 3),
        "recall": round(right / max(1, right + len(missed)), 3),
        "held by one key alone": alone,
        "no values tell from another": alike,
        "s": round(time.perf_counter() - started, 2),
        "missed": missed,
        "extra": extra,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--hide-names", action="store_true")
    args = parser.parse_args()
    print(json.dumps(measure(args.folder, hide=args.hide_names), indent=1))


if __name__ == "__main__":
    main()
