"""What the sandbox costs, beside raw DuckDB in the same run.

    python -m benchmarks sandbox-cost

Medians in milliseconds: the guard, a small query in all and in process, a truncated result, the
start of a worker, the query after a kill (with the spare), loading a table; and the parent's
resident memory over many queries.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator
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
from sql_engine.query import Query
from sql_engine.result import Limits

QUERIES = 10_000
"""So many are run to see the parent's memory."""
ROWS = 1_000_000
"""Of the table that is loaded."""

Times = dict[str, dict[str, float]]
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


def measure() -> dict[str, Any]:
    """Times by step, and the parent's memory before and after many queries."""
    catalog = small_catalog()
    with Database() as database:
        steps = {**_guard(catalog), **_queries(database, catalog)}
        memory = list(_memory(database, catalog))
    return {
        "by step": {**steps, **_starts(catalog), **_loading()},
        "of the parent": {f"{QUERIES:,} queries": dict(zip(_MEMORY, memory, strict=True))},
    }


_MEMORY = ("MB before", "MB after")


def median_ms(run: Callable[[], Any], times: int) -> dict[str, float]:
    """The median and the 95th percentile of a call, in milliseconds."""
    run()
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        run()
        taken.append((time.perf_counter() - started) * 1000)
    return {
        "p50 ms": round(statistics.median(taken), 2),
        "p95 ms": round(sorted(taken)[int(0.95 * times)], 2),
    }


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


def _guard(catalog: Catalog) -> Times:
    """The guard over statements of all lengths."""
    found = [median_ms(lambda sql=sql: guard.check(sql, catalog), 200) for sql in GUARDED]
    return {
        "guard, the quickest statement": min(found, key=lambda times: times["p50 ms"]),
        "guard, the slowest statement": max(found, key=lambda times: times["p50 ms"]),
    }


def _queries(database: Database, catalog: Catalog) -> Times:
    """Small queries in DuckDB alone and through guard and worker, and a result that is cut."""
    raw = _raw()
    found = {}
    for name, sql in (("join of two small tables", SMALL), ("SELECT 1", "SELECT 1")):
        found[f"{name}, DuckDB alone"] = median_ms(lambda sql=sql: raw.execute(sql).fetchall(), 300)
        found[f"{name}, in all"] = median_ms(
            lambda sql=sql: database.execute(guard.check(sql, catalog)), 300
        )
    raw.close()
    long = guard.check("SELECT *, 'x' || i FROM range(100000) t(i)", catalog)
    found["1,000 rows of 100,000"] = median_ms(lambda: database.execute(long), 50)
    return found


def _raw() -> duckdb.DuckDBPyConnection:
    """The tables of `small_catalog` in DuckDB alone."""
    raw = duckdb.connect(config={"threads": "1"})
    raw.execute("CREATE TABLE customers (customer_id BIGINT, country VARCHAR)")
    raw.execute(
        "INSERT INTO customers SELECT i, 'country ' || (i % 9)::VARCHAR FROM range(100) t(i)"
    )
    raw.execute("CREATE TABLE orders (order_id BIGINT, customer_id BIGINT, amount DECIMAL(18,1))")
    raw.execute("INSERT INTO orders SELECT i, i % 100, i % 333 + 0.5 FROM range(1000) t(i)")
    return raw


def _starts(catalog: Catalog) -> Times:
    """A worker's start with its first query, and the query after one that had to be killed."""
    query = guard.check(SMALL, catalog)
    doubling = ", ".join(
        f"t{i} AS NOT MATERIALIZED (SELECT a.x FROM t{i - 1} a, t{i - 1} b)" for i in range(1, 20)
    )
    hopeless = guard.check(f"WITH t0 AS (SELECT 1 AS x), {doubling} FROM t19", catalog)
    found = {"first query, start included": _once(lambda: _first(query))}
    with Database() as database:
        for _ in range(3):
            database.execute(query)
        time.sleep(1)  # the spare comes up
        found["endless query, limit of 200 ms"] = _once(lambda: _stopped(database, hopeless))
        found["query after that kill"] = _once(lambda: database.execute(query))
    return found


def _first(query: Query) -> None:
    with Database() as database:
        database.execute(query)


def _stopped(database: Database, query: Query) -> None:
    with suppress(LimitExceeded):
        database.execute(query, Limits(timeout_s=0.2))


def _once(run: Callable[[], Any]) -> dict[str, float]:
    started = time.perf_counter()
    run()
    return {"p50 ms": round((time.perf_counter() - started) * 1000, 1)}


def _loading() -> Times:
    catalog = Catalog().with_tables((wide_table(ROWS),))
    query = guard.check("SELECT count(*), sum(c0), max(c9) FROM wide", catalog)
    with Database() as database:
        database.execute(guard.check("SELECT 1", catalog))
        limits = Limits(timeout_s=120)
        return {f"load {ROWS:,} rows x 10": _once(lambda: database.execute(query, limits))}


def _memory(database: Database, catalog: Catalog) -> Iterator[float]:
    """The parent's resident megabytes before and after the queries."""
    texts = [f"SELECT country, {i} AS n FROM customers" for i in range(50)]
    for number in range(QUERIES + 1):
        if number in (0, QUERIES):
            yield round(resident_bytes(os.getpid()) / 1e6, 1)
        database.execute(guard.check(texts[number % 50], catalog))
