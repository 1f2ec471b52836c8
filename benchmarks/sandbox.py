"""Runs a corpus of hostile and legitimate SQL through the guard and the database.

    python -m benchmarks.sandbox FOLDER [--without-guard] [--timeout 1.5]

Prints one line for each statement that did not end as the corpus says, then the counts. With
`--without-guard` the hostile text goes to the worker unchecked: the other layers alone must keep
data unchanged and files unwritten and end in time.
"""

from __future__ import annotations

import argparse
import datetime as dt
import math
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

from benchmarks.sandbox_corpus import schema, statements
from sql_engine import guard
from sql_engine.catalog import Catalog
from sql_engine.database import Database
from sql_engine.errors import SqlEngineError
from sql_engine.query import GUARDED, Query
from sql_engine.result import Limits

SUMS = (
    "SELECT (SELECT (count(*), sum(amount), sum(qty)) FROM orders),"
    " (SELECT count(*) FROM customers), (SELECT sum(jan) FROM monthly),"
    " (SELECT sum(salary) FROM employees)"
)


def unchecked(sql: str, catalog: Catalog) -> Query:
    """The text as if the guard had let it through, with every table loaded."""
    return Query(sql, sql, sql, tuple(catalog), (), seal=GUARDED)


class Hostile:
    """Runs hostile statements and looks at the data and the file system after each."""

    def __init__(self, folder: Path, timeout_s: float, *, guarded: bool) -> None:
        self.guarded = guarded
        self.allowed = schema(folder)
        self.catalog = self.allowed if guarded else schema(folder, setup=True)
        self.limits = Limits(timeout_s=timeout_s, memory_limit="512MB")
        self.database = Database(memory_limit="512MB")
        self.sums = self._sums()
        self.outcomes: Counter[str] = Counter()
        self.slowest = 0.0
        self.failures = 0

    def _sums(self) -> object:
        return self.database.execute(guard.check(SUMS, self.allowed), self.limits).rows

    def run(self, row: dict[str, Any]) -> None:
        secret_df = globals_df = df = secret_arrow = {"token": ["abc"]}  # noqa: F841 - bait
        files = _files()
        started = time.monotonic()
        outcome, result = self._outcome(row["sql"])
        elapsed = time.monotonic() - started
        self.slowest = max(self.slowest, elapsed)
        self.outcomes[outcome] += 1
        wrong = []
        if elapsed > self.limits.timeout_s + 1:
            wrong.append(f"took {elapsed:.2f} s")
        if self.guarded and row["must"] == "reject" and outcome != "refused":
            wrong.append("not refused")
        if row["must"] == "no_effect" and outcome != "accepted":
            wrong.append(outcome)
        if "s3cr3t" in result and self.guarded:
            wrong.append("secret read")
        if self._sums() != self.sums:
            wrong.append("data changed")
        if appeared := _files() - files:
            wrong.append(f"files appeared: {sorted(appeared)}")
        if wrong:
            self.failures += 1
            print(f"FAIL {row['class']}: {', '.join(wrong)}: {row['sql'][:120]!r}")

    def _outcome(self, sql: str) -> tuple[str, str]:
        if self.guarded:
            try:
                query = guard.check(sql, self.allowed)
            except SqlEngineError:
                return "refused", ""
        else:
            query = unchecked(sql, self.catalog)
        try:
            result = self.database.execute(query, self.limits)
        except SqlEngineError as error:
            return error.code, ""
        assert len(result.rows) <= self.limits.max_rows
        return "accepted", str(result.rows)


def _files() -> set[str]:
    """What lies in the places that hostile statements write to."""
    places = {Path(tempfile.gettempdir()), Path("/tmp"), Path.cwd(), Path("/")}
    found = set()
    for place in places:
        with suppress(OSError):
            found |= {str(path) for path in place.iterdir()}
    return {path for path in found if "hostile" in path or ".tmp" in path or "secret" in path}


def legitimate(folder: Path) -> int:
    """Run the legitimate statements and compare their rows; the number that differ."""
    catalog, failures, counts = schema(folder), 0, Counter[str]()
    with Database(memory_limit="512MB") as database:
        for row in statements(folder / "legitimate.jsonl"):
            counts[row["expect"]] += 1
            got = _legitimate_outcome(row, catalog, database)
            if got:
                failures += 1
                print(f"FAIL {row['sql'][:150]!r}: {got}")
    print(f"legitimate: {dict(counts)}, {failures} not as expected")
    return failures


def _legitimate_outcome(row: dict[str, Any], catalog: Catalog, database: Database) -> str:
    try:
        query = guard.check(row["sql"], catalog, row.get("params") or ())
    except SqlEngineError as error:
        refused = row["expect"] == "refuse_with_hint" and error.hint
        return "" if refused else f"{type(error).__name__}: {error}"
    if row["expect"] != "accept":
        return "accepted"
    try:
        result = database.execute(query, Limits(memory_limit="512MB"))
    except SqlEngineError as error:
        return f"{type(error).__name__}: {error}"
    got, expected = [plain(list(r)) for r in result.rows], row["rows"]
    if not row["ordered"]:
        got, expected = sorted(got, key=repr), sorted(expected, key=repr)
    if row["columns"] and list(result.columns) != row["columns"]:
        return f"columns {result.columns}, expected {row['columns']}"
    return "" if same(got, expected) else f"{got}, expected {expected}"


def plain(value: Any) -> Any:
    """A value in the corpus's own notation."""
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else float(value)
    if isinstance(value, dt.timedelta):
        return f"interval:{value.total_seconds()}"
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, bytes):
        return f"hex:{value.hex()}"
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def same(a: Any, b: Any) -> bool:
    """Equal, floating-point numbers up to their last digits."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, float) or isinstance(b, float):
        return isinstance(a, int | float) and isinstance(b, int | float) and math.isclose(a, b)
    return bool(a == b)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--without-guard", action="store_true")
    parser.add_argument("--timeout", type=float, default=1.5)
    given = parser.parse_args()
    hostile = Hostile(given.folder, given.timeout, guarded=not given.without_guard)
    counts: Counter[str] = Counter()
    for row in statements(given.folder / "hostile.jsonl"):
        counts[row["must"]] += 1
        hostile.run(row)
    hostile.database.close()
    print(
        f"hostile: {dict(counts)}; outcomes {dict(hostile.outcomes)}; "
        f"slowest {hostile.slowest:.2f} s at a soft limit of {given.timeout:g} s; "
        f"{hostile.failures} not as they must"
    )
    failures = hostile.failures
    if not given.without_guard:
        failures += legitimate(given.folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
