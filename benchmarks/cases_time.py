"""How long a user's own cases take: a CSV of fifty, over two files of 10,000 rows, offline.

    python -m benchmarks cases-time

Measured is the whole command `tabroute eval`, from its start to its last line: reading the tables,
checking the gold, asking. Half of the cases look up a row by its key, the others compute, have a
query for gold or ask for what the tables do not hold.
"""

from __future__ import annotations

import csv
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.make_sample_tables import CITIES
from benchmarks.peers.lookups import HEADERS, Row, rows
from benchmarks.results import ROOT

ROWS = 10_000
LOOK_UPS = 25
STAFF = ("badge", "city", "team", "hours", "pay")
TEAMS = ("Binding", "Lending", "Repairs", "Archive")
FIELDS = ("question", "route", "table", "row", "column", "cell", "sql", "declined", "tags")
OUTSIDE = (
    "Which lorry brought LB-100007?",
    "What is the phone number of the Repairs team?",
    "How many complaints were there?",
    "Who is the mayor of Pune?",
    "How tall is the oldest volunteer?",
)


def measure() -> dict[str, Any]:
    """Seconds that the command takes, and what it found."""
    with tempfile.TemporaryDirectory() as folder:
        cases = _write(Path(folder))
        command = [sys.executable, "-m", "router", "eval", "cases.csv", "orders.csv", "staff.csv"]
        started, before = time.perf_counter(), _processor_s()
        done = subprocess.run(
            [*command, "--json", "-q"],
            cwd=folder,
            env={"PYTHONPATH": str(ROOT), "TABROUTE_WRITER": "offline"},
            capture_output=True,
            text=True,
            check=True,
        )
        took, used = time.perf_counter() - started, _processor_s() - before
    figures = json.loads(done.stdout)["figures"]
    told = ("right", "wrong", "declined", "p50_ms", "p95_ms")
    return {
        "rows a table": ROWS,
        "tables": 2,
        "cases": cases,
        "whole command s": round(took, 2),
        "processor s": round(used, 2),
        **{name: figures[name] for name in told},
    }


def _processor_s() -> float:
    """Processor time of all commands run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _write(folder: Path) -> int:
    """Write tables and cases; gives how many cases."""
    orders, staff = rows(ROWS), _staff()
    cases = [*_look_ups(orders), *_computed(), *_outside()]
    for name, head, lines in (
        ("orders", HEADERS, orders),
        ("staff", STAFF, staff),
        ("cases", FIELDS, [[case.get(field, "") for field in FIELDS] for case in cases]),
    ):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([head, *lines])
    return len(cases)


def _staff() -> list[Row]:
    rng = random.Random(11)
    cities = list(CITIES)
    return [
        (
            f"ST-{500000 + number}",
            rng.choice(cities),
            rng.choice(TEAMS),
            str(rng.randint(4, 40)),
            f"{rng.randint(90, 900)}.50",
        )
        for number in range(ROWS)
    ]


def _look_ups(orders: Sequence[Row]) -> Iterator[dict[str, str]]:
    rng = random.Random(12)
    for row in rng.sample(orders, LOOK_UPS):
        place = rng.randrange(2, len(HEADERS))
        yield {
            "question": f"What is the {HEADERS[place]} of order {row[0]}?",
            "route": "row",
            "table": "orders.csv",
            "row": row[0],
            "column": HEADERS[place],
            "cell": row[place],
            "tags": "look-up",
        }


def _computed() -> Iterator[dict[str, str]]:
    for city in list(CITIES)[:5]:
        yield _query(f"How many orders came from {city}?", f"city = '{city}'", "count(*)", "orders")
        yield _query(
            f"What is the total amount of orders from {city}?",
            f"city = '{city}'",
            "sum(amount)",
            "orders",
        )
    for team in TEAMS:
        yield _query(
            f"How many staff are in the {team} team?", f"team = '{team}'", "count(*)", "staff"
        )
        yield _query(
            f"What are the average hours of the {team} team?",
            f"team = '{team}'",
            "avg(hours)",
            "staff",
        )
    yield _query("What is the highest pay of any staff?", "true", "max(pay)", "staff")
    yield _query(
        "How many different products were ordered?", "true", "count(DISTINCT product)", "orders"
    )


def _query(question: str, condition: str, what: str, table: str) -> dict[str, str]:
    sql = f"SELECT {what} FROM {table} WHERE {condition}"
    return {"question": question, "route": "sql", "sql": sql, "tags": f"computed;{table}"}


def _outside() -> Iterator[dict[str, str]]:
    for question in OUTSIDE:
        yield {"question": question, "route": "declined", "declined": "yes", "tags": "outside"}
