"""Fuzzes the guard and the database with made and mutated SQL.

    python -m benchmarks.sandbox_fuzz FOLDER [--minutes 10] [--seed 1]

Statements come from a small grammar and from mutations of the corpus in FOLDER (hostile and
legitimate). Three things must never happen: an exception other than the package's own, an accepted
statement that an independent look finds to reach beyond the tables, and a result that holds what
the forbidden table says, which lies loaded in every worker. Prints the counts.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
import traceback
from collections import Counter
from dataclasses import replace
from pathlib import Path

import duckdb

from benchmarks.sandbox_corpus import schema, statements
from sql_engine import guard, policy
from sql_engine.catalog import Catalog
from sql_engine.database import Database
from sql_engine.errors import SqlEngineError
from sql_engine.query import GUARDED, Query
from sql_engine.result import Limits

CANARIES = ("s3cr3t-value", "api_key")

PIECES = (
    *("SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT 3", "UNION ALL", "JOIN", "WITH"),
    *("AS", "(", ")", ",", ";", "*", "1", "'x'", "NULL", "vault", "main.vault", '"vault"'),
    *("DELETE FROM orders", "COPY vault TO '/tmp/hostile_fuzz.csv'", "read_text('/etc/passwd')"),
    *("query('FROM vault')", "nextval('sq')", "current_setting('threads')", "duckdb_tables()"),
    *("LATERAL", "EXISTS", "IN", "PIVOT", "UNPIVOT", "DESCRIBE", "SUMMARIZE", "SHOW", "VALUES"),
    *("\u200b", "\u00a0", "\ufeff", "--", "/*", "*/", "$$", "E'\\''", "\r", "\x00", "`", "[", "]"),
    *(
        "AT (VERSION => 1)",
        "TABLESAMPLE 10%",
        "COLUMNS('.*')",
        "lambda x: x",
        "->",
        "::",
        "OVER ()",
    ),
)


class Maker:
    """Makes statements."""

    def __init__(self, seeds: list[str], catalog: Catalog, seed: int) -> None:
        self.random = random.Random(seed)
        self.seeds = [sql for sql in seeds if len(sql) < 3000]
        self.tables = [table.name for table in catalog] + ["vault", "hidden.salaries"]
        self.columns = [column.name for table in catalog for column in table.columns] + ["k", "v"]
        self.functions = [*policy.FUNCTIONS, *policy.REFUSED_FUNCTIONS]

    def statement(self) -> str:
        return self.random.choice((self.mutated, self.mutated, self.spliced, self.grown))()

    def mutated(self) -> str:
        sql = self.random.choice(self.seeds)
        for _ in range(self.random.randint(1, 4)):
            sql = self._mutate(sql)
        return sql

    def _mutate(self, sql: str) -> str:
        pieces = re.findall(r"\w+|\s+|'[^']*'|.", sql, re.DOTALL) or [""]
        at = self.random.randrange(len(pieces))
        kind = self.random.randrange(7)
        if kind == 0:
            del pieces[at]
        elif kind == 1:
            pieces.insert(at, " " + self.random.choice(PIECES) + " ")
        elif kind == 2:
            pieces[at] = self.random.choice((*self.tables, *self.columns, *PIECES))
        elif kind == 3:
            pieces.insert(at, pieces[self.random.randrange(len(pieces))])
        elif kind == 4:
            pieces[at] = pieces[at].swapcase()
        elif kind == 5:
            pieces[at] = f"({self.random.choice(self.seeds)})"
        else:
            pieces[at] = f"{self.random.choice(self.functions)}({pieces[at]})"
        return "".join(pieces)

    def spliced(self) -> str:
        one, other = self.random.choice(self.seeds), self.random.choice(self.seeds)
        return (
            one[: self.random.randrange(len(one) + 1)]
            + other[self.random.randrange(len(other) + 1) :]
        )

    def grown(self) -> str:
        return self.query(3)

    def query(self, depth: int) -> str:
        pick = self.random.random
        outputs = ", ".join(self.expression(depth) for _ in range(self.random.randint(1, 3)))
        sql = f"SELECT {outputs}"
        if pick() < 0.8:
            sql += f" FROM {self.table(depth)}"
        if pick() < 0.3:
            sql += f" WHERE {self.expression(depth)} IS NOT NULL"
        if pick() < 0.2:
            sql += " GROUP BY ALL"
        if pick() < 0.3:
            sql += f" ORDER BY {self.expression(depth)}"
        if pick() < 0.2 and depth:
            sql = f"WITH c AS ({self.query(depth - 1)}) {sql}"
        if pick() < 0.1 and depth:
            sql += f" UNION ALL {self.query(depth - 1)}"
        return sql

    def table(self, depth: int) -> str:
        pick = self.random.random()
        if pick < 0.15 and depth:
            return f"({self.query(depth - 1)}) AS s"
        if pick < 0.25:
            return f"{self.random.choice(self.functions)}({self.expression(0)})"
        name = self.random.choice((*self.tables, "c"))
        named = name if name.replace("_", "").replace(".", "").isalnum() else f'"{name}"'
        return named if pick < 0.8 else f"{named} NATURAL JOIN {self.table(0)}"

    def expression(self, depth: int) -> str:
        pick = self.random.random()
        if pick < 0.35 or not depth:
            return '"' + self.random.choice(self.columns).replace('"', '""') + '"'
        if pick < 0.5:
            return self.random.choice(("1", "'x'", "NULL", "DATE '2024-01-01'", "[1, 2]", "*"))
        if pick < 0.6:
            return f"({self.query(depth - 1)})"
        if pick < 0.75:
            return f"{self.expression(depth - 1)} = {self.expression(depth - 1)}"
        arguments = ", ".join(self.expression(depth - 1) for _ in range(self.random.randint(1, 3)))
        return f"{self.random.choice(self.functions)}({arguments})"


class Fuzz:
    """Runs statements and counts what became of them."""

    def __init__(self, folder: Path) -> None:
        self.catalog = schema(folder)
        everything = schema(folder, setup=True)
        self.vault = everything.get("vault")
        self.allowed = {table.name.lower() for table in self.catalog}
        self.database = Database(memory_limit="512MB")
        self.oracle = duckdb.connect(config={"threads": "1"})
        for script in ("schema.sql", "hostile_setup.sql"):
            self.oracle.execute((folder / script).read_text(encoding="utf-8"))
        self.oracle.execute("SET enable_external_access=false")
        self.counts: Counter[str] = Counter()
        self.findings: list[str] = []

    def run(self, sql: str) -> None:
        try:
            query = guard.check(sql, self.catalog)
        except SqlEngineError as error:
            self.counts[error.code] += 1
            return
        except BaseException:
            self.find("the guard raised", sql, traceback.format_exc())
            return
        self.counts["accepted"] += 1
        self.look(query)
        self.execute(query)

    def look(self, query: Query) -> None:
        """Whether DuckDB's binder, asked apart from the guard, sees a table beyond the allowed."""
        try:
            names = self.oracle.get_table_names(query.running)
        except duckdb.Error:
            self.counts["accepted, does not bind"] += 1
            return
        beyond = {name.lower().split(".")[-1].strip('"') for name in names} - self.allowed
        if beyond & {"vault", "vault_view", "salaries"}:
            self.find(f"reaches {beyond}", query.running, "")

    def execute(self, query: Query) -> None:
        """Run it with the forbidden table in the worker."""
        assert self.vault is not None
        loaded = replace(query, tables=(*query.tables, self.vault), seal=GUARDED)
        try:
            result = self.database.execute(loaded, Limits(timeout_s=0.5, memory_limit="512MB"))
        except SqlEngineError as error:
            self.counts[f"accepted, {error.code}"] += 1
            return
        except BaseException:
            self.find("the database raised", query.running, traceback.format_exc())
            return
        self.counts["accepted, ran"] += 1
        text = str(result.rows)
        if any(canary in text and canary not in query.written for canary in CANARIES):
            self.find("read the forbidden table", query.running, text[:300])

    def find(self, what: str, sql: str, more: str) -> None:
        self.findings.append(what)
        print(f"FOUND {what}: {sql!r}\n{more}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    seeds = [
        row["sql"]
        for name in ("legitimate.jsonl", "hostile.jsonl")
        for row in statements(given.folder / name)
        if row["sql"]
    ]
    fuzz = Fuzz(given.folder)
    maker = Maker(seeds, fuzz.catalog, given.seed)
    end, made = time.monotonic() + given.minutes * 60, 0
    while time.monotonic() < end:
        fuzz.run(maker.statement())
        made += 1
    fuzz.database.close()
    print(f"{made} statements: {dict(fuzz.counts.most_common())}; {len(fuzz.findings)} findings")
    return 1 if fuzz.findings else 0


if __name__ == "__main__":
    sys.exit(main())
