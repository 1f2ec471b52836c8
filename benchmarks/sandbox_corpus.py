"""Reads a corpus of SQL statements with its schema, and makes the schema's tables a catalog.

A corpus is a folder with `schema.sql`, `hostile_setup.sql`, `hostile.jsonl` and
`legitimate.jsonl`. A trusted connection runs the schema; the tables then go through the product's
own loading: texts with the type each is cast to.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from retrieval.build import build_table
from sql_engine.catalog import Catalog, CatalogColumn, CatalogTable
from sql_engine.sql_names import quote


def schema(folder: Path, *, setup: bool = False) -> Catalog:
    """The tables and views of `schema.sql`; with `setup`, those nobody may reach as well."""
    with duckdb.connect() as connection:
        connection.execute((folder / "schema.sql").read_text(encoding="utf-8"))
        if setup:
            connection.execute((folder / "hostile_setup.sql").read_text(encoding="utf-8"))
        names = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main'"
        ).fetchall()
        return Catalog(tuple(_table(connection, name) for (name,) in names))


def _table(connection: duckdb.DuckDBPyConnection, name: str) -> CatalogTable:
    described = connection.execute(f"DESCRIBE {quote(name)}").fetchall()
    texts = ", ".join(f"{quote(row[0])}::VARCHAR" for row in described)
    rows = connection.execute(f"SELECT {texts} FROM {quote(name)}").fetchall()
    cells = zip(*rows, strict=True)
    columns = [
        ((row[0],), ["" if cell is None else cell for cell in column])
        for row, column in zip(described, cells, strict=True)
    ]
    table = build_table(columns, document=name, name=name)
    return CatalogTable(
        name,
        table,
        tuple(
            # the text as the schema's own type writes it, not what the reader makes of it
            CatalogColumn(row[0], row[1], column, as_text=True)
            for row, column in zip(described, table.columns, strict=True)
        ),
    )


def statements(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a corpus file, each with its `sql` spelt out."""
    for line in filter(None, path.read_text(encoding="utf-8").split("\n")):
        row = json.loads(line)
        if row["sql"] is None:
            row["sql"] = "".join(map(_part, row["sql_parts"]))
        yield row


def _part(part: str | dict[str, Any]) -> str:
    if isinstance(part, str):
        return part
    first = part.get("from", 0)
    return str(part.get("sep", "")).join(
        part["t"].replace("{i}", str(i)).replace("{j}", str(i - 1))
        for i in range(first, first + part["n"])
    )
