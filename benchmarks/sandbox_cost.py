"""What the sandbox costs, beside raw DuckDB in the same run.

    python -m benchmarks.sandbox_cost [--queries 10000] [--rows 1000000]

Prints medians in milliseconds: the guard, a small query in all and in process, a truncated result,
the start of a worker, the query after a kill (with the spare), loading a table; and the parent's
resident memory over many queries.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import duckdb
import numpy as np

from retrieval.build import build_table
from retrieval.table import Column, ColumnType, Kind, Table
from sql_engine import guard
from sql_engine.catalog import Catalog
from sql_engine.database import Database
from sql_engine.errors import LimitExceeded
from sql_engine.memory_watch import resident_bytes
from sql_engine.result import Limits

SMALL = (
    "SELECT c.country, count(*) AS n, sum(o.amount) AS total FROM orders o "
    "JOIN customers c ON c.customer_id = o.customer_id "
    "WHERE o.amount > 10 GROUP BY c.country ORDER BY total DESC"
)
GUARDED = (
    "SELECT count(*) FROM orders",
    "SELECT country, count(*) FROM customers GROUP BY country ORDER BY 2 DESC LIMIT 5",
    SMALL,
    "WITH big AS (SELECT * FROM orders WHERE amount > 100) SELECT count(*), min(amount) FROM big",
    "SELECT customer_id, sum(amount) OVER (PARTITION BY customer_id ORDER BY order_id) FROM orders",
    "SELECT country FROM customers WHERE customer_id IN (SELECT customer_id FROM orders) "
    "UNION SELECT 'none' ORDER BY 1",
)


def median_ms(run: Callable[[], Any], times: int) -> tuple[float, float]:
    """The median and the 95th percentile of a call, in milliseconds."""
    run()
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        run()
        taken.append((time.perf_counter() - started) * 1000)
    return statistics.median(taken), sorted(taken)[int(0.95 * times)]


def small_catalog() -> Catalog:
    """Two tables to join."""
    customers = build_table(
        [
            (("customer_id",), [str(i) for i in range(100)]),
            (("country",), [f"country {i % 9}" for i in range(100)]),
        ],
        document="customers",
        name="customers",
    )
    orders = build_table(
        [
            (("order_id",), [str(i) for i in range(1000)]),
            (("customer_id",), [str(i % 100) for i in range(1000)]),
            (("amount",), [f"{i % 333}.5" for i in range(1000)]),
        ],
        document="orders",
        name="orders",
    )
    return Catalog().with_tables((customers, orders))


def wide_table(rows: int) -> Table:
    """Ten columns, from three distinct texts to as many as rows."""
    random = np.random.default_rng(7)
    columns = []
    for index, distinct in enumerate((3, 10, 50, 200, 1000, 5000, 20_000, 100_000, rows, rows)):
        codes = (
            np.arange(rows, dtype=np.int32)
            if distinct == rows
            else random.integers(0, distinct, rows).astype(np.int32)
        )
        numeric = index % 2 == 0
        texts = tuple(str(7 * i) if numeric else f"value {i}" for i in range(distinct))
        kind = ColumnType(Kind.INTEGER if numeric else Kind.TEXT)
        columns.append(Column(f"c{index}", (f"c{index}",), codes, texts, kind))
    return Table("wide#0", "wide", "", "wide", "wide", tuple(columns), rows)


def guard_and_round_trip(database: Database, catalog: Catalog) -> None:
    for sql in GUARDED:
        p50, p95 = median_ms(lambda sql=sql: guard.check(sql, catalog), 300)
        print(f"guard                {p50:8.2f} ms  p95 {p95:6.2f}   {sql[:60]}")
    everything = [median_ms(lambda sql=sql: guard.check(sql, catalog), 100)[0] for sql in GUARDED]
    print(f"guard, all           {statistics.median(everything):8.2f} ms")
    raw = duckdb.connect(config={"threads": "1"})
    raw.execute("CREATE TABLE customers (customer_id BIGINT, country VARCHAR)")
    raw.execute(
        "INSERT INTO customers SELECT i, 'country ' || (i % 9)::VARCHAR FROM range(100) t(i)"
    )
    raw.execute("CREATE TABLE orders (order_id BIGINT, customer_id BIGINT, amount DECIMAL(18,1))")
    raw.execute("INSERT INTO orders SELECT i, i % 100, i % 333 + 0.5 FROM range(1000) t(i)")
    for name, sql in (("small query", SMALL), ("SELECT 1", "SELECT 1")):
        p50, p95 = median_ms(lambda sql=sql: raw.execute(sql).fetchall(), 300)
        print(f"{name + ', raw':20} {p50:8.2f} ms  p95 {p95:6.2f}")
        p50, p95 = median_ms(lambda sql=sql: database.execute(guard.check(sql, catalog)), 300)
        print(f"{name + ', in all':20} {p50:8.2f} ms  p95 {p95:6.2f}")
    raw.close()
    long = guard.check("SELECT *, 'x' || i FROM range(100000) t(i)", catalog)
    p50, p95 = median_ms(lambda: database.execute(long), 50)
    print(f"{'1000 rows of 100000':20} {p50:8.2f} ms  p95 {p95:6.2f}")


def starts(catalog: Catalog) -> None:
    query = guard.check(SMALL, catalog)
    for name in ("first query", "first query again"):
        started = time.perf_counter()
        with Database() as database:
            database.execute(query)
            print(f"{name:20} {(time.perf_counter() - started) * 1000:8.0f} ms, start included")
    doubling = ", ".join(
        f"t{i} AS NOT MATERIALIZED (SELECT a.x FROM t{i - 1} a, t{i - 1} b)" for i in range(1, 20)
    )
    hopeless = guard.check(f"WITH t0 AS (SELECT 1 AS x), {doubling} FROM t19", catalog)
    with Database() as database:
        for _ in range(3):
            database.execute(query)
        time.sleep(1)
        started = time.perf_counter()
        with suppress(LimitExceeded):
            database.execute(hopeless, Limits(timeout_s=0.2))
        print(f"{'hopeless, at 200 ms':20} {(time.perf_counter() - started) * 1000:8.0f} ms")
        started = time.perf_counter()
        database.execute(query)
        print(f"{'next query':20} {(time.perf_counter() - started) * 1000:8.0f} ms, from the spare")


def loading(rows: int) -> None:
    catalog = Catalog().with_tables((wide_table(rows),))
    query = guard.check("SELECT count(*), sum(c0), max(c9) FROM wide", catalog)
    with Database() as database:
        database.execute(guard.check("SELECT 1", catalog))
        started = time.perf_counter()
        database.execute(query, Limits(timeout_s=120))
        print(f"{f'load {rows} x 10':20} {(time.perf_counter() - started) * 1000:8.0f} ms")
        for process in database.processes:
            print(f"worker               {resident_bytes(process) / 1e6:8.0f} MB resident")


def memory(database: Database, catalog: Catalog, queries: int) -> None:
    query_texts = [f"SELECT country, {i} AS n FROM customers" for i in range(50)]
    for number in range(queries + 1):
        if number % max(1, queries // 5) == 0:
            print(f"after {number:6} queries {resident_bytes(os.getpid()) / 1e6:8.1f} MB resident")
        database.execute(guard.check(query_texts[number % 50], catalog))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    given = parser.parse_args()
    catalog = small_catalog()
    with Database() as database:
        guard_and_round_trip(database, catalog)
        if given.queries:
            memory(database, catalog, given.queries)
    starts(catalog)
    if given.rows:
        loading(given.rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
