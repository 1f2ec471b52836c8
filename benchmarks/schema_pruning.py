"""Does the prompt hold the tables and columns that the gold query needs?

    python -m benchmarks.schema_pruning SET [SET ...] [--tables 5] [--columns 30] [--misses]

Each SET is a folder with `questions.jsonl` (`question`, `tables`, `db`, `gold_sql`) and the tables
under `tables/`. All sets are loaded together into one catalog. Where two databases hold the same
table (name and columns alike), either counts, since a question does not say which it means. Where a
set admits several queries (`accepted`), the prompt has to hold all that one of them reads. Terms
that a question's `instructions` define are given as glossary metrics, as a user would.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import re
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import traverse_scope

from retrieval.reading import read_source
from sql_engine.catalog import Catalog, CatalogTable
from sql_engine.glossary import Glossary
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


@dataclass(frozen=True)
class Needed:
    """What one admissible query reads."""

    tables: frozenset[str]
    columns: frozenset[tuple[str, str]]


def admissible(case: dict[str, Any], tables: list[CatalogTable]) -> list[Needed]:
    """What each admissible query of a question reads: the gold one first, then its variants."""
    dialect = "postgres" if case.get("dialect") == "postgres" else "sqlite"
    known = {table.table.name.lower() for table in tables}
    found = []
    for sql in dict.fromkeys([case["gold_sql"], *(a["sql"] for a in case.get("accepted", ()))]):
        try:
            tree = parse_one(sql.lower(), dialect=dialect)
        except SqlglotError:
            continue
        named = frozenset(t.name for t in tree.find_all(exp.Table)) & known
        found.append(Needed(named, frozenset(gold_columns(sql, dialect, tables))))
    return found


_DEFINED = re.compile(r"\b([A-Z][A-Z0-9_]+)\s*=\s*([^;]+?)(?=[;.]\s|[;.]?$|\n|\s[A-Z0-9_]{2,}\s*=)")


def definitions(case: dict[str, Any]) -> Glossary:
    """The terms that a question's instructions define ("ARPU = revenue by active user")."""
    return Glossary(metrics=dict(_DEFINED.findall(case.get("instructions") or "")))


def measure(
    folder: Path, catalog: Catalog, *, most: tuple[int, int] = (5, 30), misses: bool = False
) -> dict[str, float]:
    """Shares over a set, with `most` so many tables and columns; each miss is printed if asked."""
    by_document = {t.table.document: t for t in catalog}
    tables_held, columns_held, values_linked, times = [], [], [], []
    for case in questions(folder):
        place = f"{folder.name}/{case['db']}/"
        own = {t.table.name.lower(): t for d, t in by_document.items() if d.startswith(place)}
        started = time.perf_counter()
        links = link(case["question"], catalog)
        linked = time.perf_counter()
        request = SqlRequest(
            case["question"], catalog, (), links, TODAY, glossary=definitions(case)
        )
        found = {one.value.lower() for one in links.values}
        dialect = "postgres" if case.get("dialect") == "postgres" else "sqlite"
        if values := gold_values(case["gold_sql"], dialect, case["question"]):
            values_linked.append(values <= found)
            if misses and not values <= found:
                print(case["id"], case["question"], "| values", values - found)
        started_pruning = time.perf_counter()
        schema = prune(request, max_tables=most[0], max_columns=most[1])
        times.append((linked - started, time.perf_counter() - started_pruning))
        shapes = {shape(kept.table) for kept in schema.tables}
        kept = {
            (k.table.table.name.lower(), c.name.lower()) for k in schema.tables for c in k.columns
        }
        options = admissible(case, list(own.values()))
        complete = [o for o in options if all(shape(own[name]) in shapes for name in o.tables)]
        tables_held.append(bool(complete))
        columns_held.append(any(option.columns <= kept for option in complete))
        if misses and not columns_held[-1]:
            lost = sorted(n for n in options[0].tables if shape(own[n]) not in shapes)
            missing = sorted(options[0].columns - kept)
            print(case["id"], case["question"], "| tables", lost, "| columns", missing)
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


def together(folders: Sequence[Path]) -> Catalog:
    """All tables of all sets in one catalog."""
    catalog = Catalog()
    for folder in folders:
        catalog = catalog.with_tables(tuple(t.table for t in load(folder / "tables")))
    return catalog


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--tables", type=int, default=5)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--misses", action="store_true", help="print each question that loses one")
    args = parser.parse_args()
    catalog = together(args.sets)
    print(f"{len(catalog)} tables, {sum(len(t.columns) for t in catalog)} columns")
    for folder in args.sets:
        found = measure(folder, catalog, most=(args.tables, args.columns), misses=args.misses)
        print(folder.name, json.dumps({key: round(value, 3) for key, value in found.items()}))


if __name__ == "__main__":
    main()
