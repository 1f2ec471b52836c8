"""Break gold queries as models do, and see whether what goes back would let a model mend them.

    python -m benchmarks.fault_injection SET [--limit N] [--verbose]

SET is a folder with `questions.jsonl` (`question`, `db`, `gold_sql`, `answer_rows`) and CSV tables
under `tables/<db>/`. Only questions whose gold gives the stored rows in DuckDB are used.
A fault counts where it changes the rows or fails; a scripted writer drafts the broken query first
and the gold one only if the message it is sent holds the name or value that was broken. Printed per
fault: how many were mended (or warned of, where the fault leaves a query that runs), and how many
unbroken queries drew a warning that doubts them. A fact that is as true of a right answer (rows
without a number that a mean leaves out) doubts none, in either figure.
"""

from __future__ import annotations

import argparse
import collections
import datetime as dt
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from benchmarks.query_faults import FAULTS, Broken, duckdb_text
from retrieval.reading import read_source
from sql_engine.catalog import Catalog
from sql_engine.correct import SqlAnswer, answer
from sql_engine.database import Database
from sql_engine.errors import SqlEngineError
from sql_engine.linking import link
from sql_engine.writer import Draft, ScriptedWriter, SqlRequest

TODAY = dt.date(2024, 1, 1)


class Repairing:
    """Drafts the broken query, then the right one if the message holds what is needed."""

    name = "repairing"
    max_attempts = 2
    knows_language = True

    def __init__(self, broken: Broken, gold: str) -> None:
        self.broken, self.gold = broken, gold
        self.message: str | None = None

    def write(self, request: SqlRequest) -> Draft:
        if not request.attempts:
            return Draft(self.broken.sql)
        self.message = request.attempts[-1].error or ""
        told = self.message.casefold()
        known = any(needed.casefold() in told for needed in self.broken.needed)
        return Draft(self.gold if known else self.broken.sql)


def gold_tree(sql: str, catalog: Catalog, dialect: str = "sqlite") -> exp.Query | None:
    """Gold as DuckDB's; in SQLite a double-quoted word that names no column is a string."""
    names = {c.name.casefold() for t in catalog for c in t.columns}
    names |= {t.name.casefold() for t in catalog}
    try:
        tree = parse_one(sql, dialect=dialect)
    except SqlglotError:
        return None
    for table in tree.find_all(exp.Table):
        table.set("db", None)
    for column in list(tree.find_all(exp.Column)) if dialect == "sqlite" else ():
        if column.this.quoted and column.name.casefold() not in names and not column.table:
            column.replace(exp.Literal.string(column.name))
    return tree if isinstance(tree, exp.Query) else None


def plain(value: Any) -> str:
    if value is None:
        return ""
    try:
        return f"{float(value):.4f}"
    except (TypeError, ValueError):
        return str(value)


def rows_of(rows: Any) -> list[tuple[str, ...]]:
    return sorted(tuple(map(plain, row)) for row in rows)


def load(folder: Path, document: str) -> Catalog:
    tables = []
    for path in sorted(folder.glob("*.csv")):
        (result,) = read_source(path, name=f"{document}/{path.name}")
        tables += result.document.tables
    return Catalog().with_tables(tuple(tables))


def cases(folder: Path, limit: int | None) -> Iterator[tuple[dict[str, Any], Catalog]]:
    catalogs: dict[str, Catalog] = {}
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines[:limit]:
        case = json.loads(line)
        if case["db"] not in catalogs:
            catalogs[case["db"]] = load(folder / "tables" / case["db"], case["db"])
        yield case, catalogs[case["db"]]


class Measure:
    """Counts per fault: broken, mended, warned."""

    def __init__(self, verbose: bool) -> None:
        self.verbose = verbose
        self.database = Database(workers=1, spares=0)
        self.counts: dict[str, collections.Counter[str]] = collections.defaultdict(
            collections.Counter
        )
        self.warned_gold: collections.Counter[str] = collections.Counter()

    def ask(self, request: SqlRequest, writer: Any) -> SqlAnswer | None:
        try:
            return answer(request, writer, self.database)
        except SqlEngineError:
            return None

    def case(self, case: dict[str, Any], catalog: Catalog) -> None:
        tree = gold_tree(case["gold_sql"], catalog, case.get("dialect", "sqlite"))
        if tree is None:
            return
        gold = duckdb_text(tree)
        links = link(case["question"], catalog)
        request = SqlRequest(case["question"], catalog, catalog.tables, links, TODAY)
        right = self.ask(request, ScriptedWriter([gold], max_attempts=1))
        if right is None or rows_of(right.result.rows) != rows_of(case["answer_rows"]):
            self.counts["gold"]["other rows or not run"] += 1
            return
        self.counts["gold"]["used"] += 1
        for problem in right.problems:
            self.warned_gold[problem.code] += 1
            if self.verbose:
                print("GOLD", case["id"], case["question"], "|", gold, "|", problem.warning)
        self.counts["gold"]["warned"] += any(
            problem.code not in ("tie", "arbitrary_rows") for problem in right.doubts
        )
        for name, fault in FAULTS.items():
            chance = random.Random(f"{case['id']}{name}")
            broken = fault(tree.copy(), catalog, chance)
            if broken is not None and broken.sql != gold:
                self.broken(name, broken, gold, right, request)

    def broken(
        self, name: str, broken: Broken, gold: str, right: SqlAnswer, request: SqlRequest
    ) -> None:
        alone = self.ask(request, ScriptedWriter([broken.sql], max_attempts=1))
        same = alone is not None and rows_of(alone.result.rows) == rows_of(right.result.rows)
        if same:
            self.counts[name]["without effect"] += 1
            return
        self.counts[name]["broken"] += 1
        writer = Repairing(broken, gold)
        found = self.ask(request, writer)
        mended = found is not None and rows_of(found.result.rows) == rows_of(right.result.rows)
        self.counts[name]["mended"] += mended
        warned = mended or alone is None or bool(alone.doubts)
        self.counts[name]["told"] += warned
        if self.verbose and not mended:
            state = "warned" if warned else "SILENT"
            print(name, state, request.question, "|", broken.sql, "| needs", broken.needed)
            print("    told:", writer.message)


def measure(folder: Path, limit: int | None, *, verbose: bool = False) -> Measure:
    """Break the gold of a folder's questions."""
    found = Measure(verbose)
    for case, catalog in cases(folder, limit):
        found.case(case, catalog)
    found.database.close()
    return found


def figures(found: Measure) -> dict[str, Any]:
    """How many unbroken queries drew a warning, and for each fault what became of it."""
    faults = {name: counts for name, counts in found.counts.items() if name != "gold"}
    total = sum(faults.values(), collections.Counter())
    gold = found.counts["gold"]
    return {
        "unbroken queries": gold["used"],
        "of these warned": round(gold["warned"] / max(1, gold["used"]), 3),
        "by fault": {name: _shares(counts) for name, counts in {**faults, "all": total}.items()},
    }


def _shares(counts: collections.Counter[str]) -> dict[str, Any]:
    broken = max(1, counts["broken"])
    return {
        "broken": counts["broken"],
        "mended": round(counts["mended"] / broken, 3),
        "failed or warned": round(counts["told"] / broken, 3),
        "without effect": counts["without effect"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    found = measure(args.folder, args.limit, verbose=args.verbose)
    print(json.dumps(figures(found), indent=1))
    print("warnings on unbroken queries", dict(found.warned_gold))


if __name__ == "__main__":
    main()
