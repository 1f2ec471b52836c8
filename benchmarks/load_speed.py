"""How fast and in what memory large files load, beside what their libraries do alone.

Usage: python -m benchmarks.load_speed [--rows N] [--excel-rows N] [--folder DIR] [--repeat N]

Writes a CSV file of N rows by 10 columns (ids, names, cities, numbers, money, dates, codes) and a
workbook into DIR, and reads each in a process of its own, the quickest of N runs: wall and CPU
seconds, peak memory. `csv` and `excel` are `read_source` (every row typed); `queryable` is read,
typed, profiled and counted by a query through the guard, the worker's start (beside the reading, as
the program has it) and its memory with it;
`duckdb` is `read_csv(…, sample_size=-1)` into a table; `calamine` is the fastest well-kept workbook
reader alone, to Python values. Each process has imported its libraries before its clock starts; the
CPU seconds hold the imports as well. The ratios are of wall seconds.
"""

from __future__ import annotations

import argparse
import datetime as dt
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HEADER = (
    *("order id", "customer", "city", "category", "quantity"),
    *("unit price", "amount", "order date", "status", "code"),
)

READ = """
import resource, sys, time
path = sys.argv[1]
import duckdb, python_calamine
from retrieval.reading import read_source
start = time.perf_counter()
table = read_source(path)[0].document.tables[0]
took, cpu = time.perf_counter() - start, time.process_time()
kinds = ",".join(column.type.kind.value for column in table.columns)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{took:.2f} s wall  {cpu:.2f} s CPU in all  {peak:,.0f} MB peak")
print(f"{table.row_count:,} rows: {kinds}")
"""

QUERYABLE = """
import resource, sys, time
path = sys.argv[1]
import duckdb
from retrieval.reading import read_source
from sql_engine.catalog import Catalog
from sql_engine.database import Database
from sql_engine.guard import check
from sql_engine.result import Limits
start = time.perf_counter()
with Database(workers=1, spares=0, threads=2) as database:
    table = read_source(path)[0].document.tables[0]
    catalog = Catalog().with_tables((table,))
    entry = next(iter(catalog))
    profiles = [column.profile for column in entry.columns]
    profiled = time.perf_counter() - start
    query = check(f'SELECT COUNT(*), SUM("amount") FROM "{entry.name}"', catalog)
    rows = database.execute(query, Limits(timeout_s=60)).rows
    took, cpu = time.perf_counter() - start, time.process_time()
child = resource.getrusage(resource.RUSAGE_CHILDREN)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{took:.2f} s wall ({profiled:.2f} s until profiled)", end="  ")
print(f"{cpu + child.ru_utime + child.ru_stime:.2f} s CPU in all", end="  ")
print(f"{peak:,.0f} MB peak and {child.ru_maxrss / 1024:,.0f} MB in the worker: {rows}")
"""

DUCKDB = """
import resource, sys, time
import duckdb
start = time.perf_counter()
connection = duckdb.connect(config={"threads": 2})
connection.execute("SET enable_progress_bar = false")
connection.execute("CREATE TABLE t AS FROM read_csv(?, sample_size=-1)", [sys.argv[1]])
took, cpu = time.perf_counter() - start, time.process_time()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{took:.2f} s wall  {cpu:.2f} s CPU in all  {peak:,.0f} MB peak")
"""

CALAMINE = """
import resource, sys, time
import python_calamine
start = time.perf_counter()
rows = python_calamine.CalamineWorkbook.from_path(sys.argv[1]).get_sheet_by_index(0).to_python()
took, cpu = time.perf_counter() - start, time.process_time()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{took:.2f} s wall  {cpu:.2f} s CPU in all  {peak:,.0f} MB peak")
"""


def rows(count: int) -> Iterator[list[object]]:
    """Invented orders, the same on every run."""
    draw = random.Random(7)
    cities = ("Oslo", "Rome", "Bonn", "Paris", "Lyon", "Turin", "Graz", "Cork")
    for number in range(count):
        quantity, cents = draw.randint(1, 9), draw.randint(100, 99_999)
        day = dt.date(2020, 1, 1) + dt.timedelta(days=draw.randint(0, 1_500))
        yield [
            *(number, f"Customer {draw.randint(1, 200_000)}", draw.choice(cities)),
            *(draw.choice(("Mug", "Pan", "Jug", "Lid")), quantity, cents / 100),
            *(quantity * cents / 100, day, draw.choice(("open", "paid", "sent"))),
            f"SKU-{draw.randint(1, 99_999):05d}",
        ]


def write_csv(path: Path, count: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(HEADER) + "\n")
        for row in rows(count):
            file.write(",".join(f"{v:.2f}" if isinstance(v, float) else str(v) for v in row) + "\n")


def write_workbook(path: Path, count: int) -> None:
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Orders")
    sheet.append(list(HEADER))
    for row in rows(count):
        sheet.append(row)
    book.save(path)


def best(name: str, code: str, path: Path, repeat: int) -> float:
    """The least wall seconds of several runs, each a process of its own; its line is printed."""
    runs = []
    for _ in range(repeat):
        done = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(done.stderr[-500:])
        runs.append((float(done.stdout.split()[0]), done.stdout.strip()))
    took, told = min(runs)
    print(f"{name:9} {told}", flush=True)
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--excel-rows", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=3, help="runs of each; the quickest counts")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    options = parser.parse_args()
    csv_path = options.folder / f"orders_{options.rows}.csv"
    book_path = options.folder / f"orders_{options.excel_rows}.xlsx"
    if not csv_path.exists():
        write_csv(csv_path, options.rows)
    if not book_path.exists():
        write_workbook(book_path, options.excel_rows)
    times = {}
    print(f"CSV {options.rows:,} x 10, {csv_path.stat().st_size / 1e6:.0f} MB")
    for name, code in (("duckdb", DUCKDB), ("csv", READ), ("queryable", QUERYABLE)):
        times[name] = best(name, code, csv_path, options.repeat)
    print(f"queryable / duckdb: {times['queryable'] / times['duckdb']:.2f}")
    print(f"Excel {options.excel_rows:,} x 10")
    for name, code in (("calamine", CALAMINE), ("excel", READ)):
        times[name] = best(name, code, book_path, options.repeat)
    print(f"excel / calamine: {times['excel'] / times['calamine']:.2f}")


if __name__ == "__main__":
    main()
