"""Does the prompt hold the tables and columns that the gold query needs?

    python -m benchmarks.schema_pruning SET [SET ...] [--tables 5] [--columns 30] [--misses]

Each SET is a folder with `questions.jsonl` (`question`, `tables`, `db`, `gold_sql`) and the tables
under `tables/`. All sets are loaded together into one catalog. Where two databases hold the same
table (name and columns alike), either counts, since a question does not say which it means.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import re
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import traverse_scope

from retrieval.reading import read_source
from sql_engine.catalog import Catalog, CatalogTable
from sql_engine.linking import link
from sql_engine.pruning import prune
from sql_engine.writer import SqlRequest

TODAY = dt.date(2024, 1, 1)


def load(folder: Path) -> Catalog:
    """All tables of a set; a table's document is its path below `folder`."""
    tables = []
    for path in sorted(folder.rglob("*.csv")):
        (result,) = read_source(path, name=f"{folder.parent.name}/{path.relative_to(folder)}")
        tables += result.document.tables
    return Catalog().with_tables(tuple(tables))


def gold_columns(sql: str, dialect: str, tables: list[CatalogTable]) -> set[tuple[str, str]]:
    """(table name as in the file, column) pairs that a gold query names; lower case."""
    schema = {t.table.name.lower(): {c.name.lower(): c.sql_type for c in t.columns} for t in tables}
    try:
        tree = qualify(
            parse_one(sql.lower(), dialect=dialect),
            schema=schema,
            validate_qualify_columns=False,
            expand_stars=False,
        )
    except SqlglotError:
        return set()
    found = set()
    for scope in traverse_scope(tree):
        for column in scope.columns:
            source = scope.sources.get(column.table)
            if isinstance(source, exp.Table) and column.name in schema.get(source.name, {}):
                found.add((source.name, column.name))
    return found


def gold_values(sql: str, dialect: str, question: str) -> set[str]:
    """Texts that a gold query compares with and the question says as whole words; lower case."""
    try:
        tree = parse_one(sql, dialect=dialect)
    except SqlglotError:
        return set()
    compared = [
        str(one.this).lower()
        for one in tree.find_all(exp.Literal)
        if one.is_string and isinstance(one.parent, (exp.EQ, exp.NEQ, exp.In))
    ]
    quoted = [
        column.name.lower()
        for column in tree.find_all(exp.Column)
        if column.this.quoted and isinstance(column.parent, (exp.EQ, exp.NEQ, exp.In))
    ]  # SQLite reads "text" as a string where no column is so called
    return {
        value
        for value in (*compared, *quoted)
        if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", question.lower())
        and any(char.isalpha() for char in value)
    }


def questions(folder: Path) -> Iterator[dict[str, Any]]:
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def shape(table: CatalogTable) -> tuple[str, frozenset[str]]:
    return table.table.name.lower(), frozenset(c.name.lower() for c in table.columns)


def measure(folder: Path, catalog: Catalog, args: argparse.Namespace) -> dict[str, float]:
    by_document = {t.table.document: t for t in catalog}
    tables_held, columns_held, values_linked, times = [], [], [], []
    for case in questions(folder):
        gold = [by_document[f"{folder.name}/{path}"] for path in case["tables"]]
        dialect = "postgres" if case.get("dialect") == "postgres" else "sqlite"
        wanted = gold_columns(case["gold_sql"], dialect, gold)
        started = time.perf_counter()
        request = SqlRequest(case["question"], catalog, (), link(case["question"], catalog), TODAY)
        linked = time.perf_counter()
        found = {one.value.lower() for one in request.links.values}
        if values := gold_values(case["gold_sql"], dialect, case["question"]):
            values_linked.append(values <= found)
            if args.misses and not values <= found:
                print(case["id"], case["question"], "| values", values - found)
        schema = prune(request, max_tables=args.tables, max_columns=args.columns)
        times.append((linked - started, time.perf_counter() - linked))
        shapes = {shape(kept.table) for kept in schema.tables}
        lost = [t.name for t in gold if shape(t) not in shapes]
        tables_held.append(not lost)
        kept = {
            (k.table.table.name.lower(), c.name.lower()) for k in schema.tables for c in k.columns
        }
        if wanted:
            columns_held.append(wanted <= kept)
        if args.misses and (lost or not wanted <= kept):
            print(case["id"], case["question"], "| tables", lost, "| columns", wanted - kept)
            print("   kept", [k.table.name for k in schema.tables])
    return {
        "questions": len(tables_held),
        "tables": statistics.mean(tables_held),
        "columns": statistics.mean(columns_held),
        "values": statistics.mean(values_linked),
        "naming_values": len(values_linked),
        "link_ms": statistics.median(a for a, _ in times) * 1000,
        "prune_ms": statistics.median(b for _, b in times) * 1000,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--tables", type=int, default=5)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--misses", action="store_true", help="print each question that loses one")
    args = parser.parse_args()
    catalog = Catalog()
    for folder in args.sets:
        catalog = catalog.with_tables(tuple(t.table for t in load(folder / "tables")))
    print(f"{len(catalog)} tables, {sum(len(t.columns) for t in catalog)} columns")
    for folder in args.sets:
        found = measure(folder, catalog, args)
        print(folder.name, json.dumps({key: round(value, 3) for key, value in found.items()}))


if __name__ == "__main__":
    main()
