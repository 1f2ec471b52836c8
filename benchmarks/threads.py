"""Ask one router from many threads and count wrong answers and errors, while other threads load and
remove tables, cancel running queries and let queries run out of time.

Usage: python -m benchmarks.threads [--threads 16] [--questions 500]
"""

from __future__ import annotations

import argparse
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from router import Router
from sql_engine.errors import Cancelled, LimitExceeded
from sql_engine.pool import Cancellation

ROWS = [
    {"code": f"K-{i:04}", "team": f"team {i % 8}", "points": i, "year": 2000 + i % 7}
    for i in range(2000)
]


def questions() -> list[tuple[str, object]]:
    """Question and value: counts, sums, extremes, look-ups, and one that has no answer."""
    asked: list[tuple[str, object]] = [("How many rows are in scores?", 2000)]
    asked += [(f"What is the points of K-{i:04}?", i) for i in range(0, 2000, 13)]
    asked += [(f"How many scores are there for team {t}?", 250) for t in range(8)]
    asked += [("What is the highest points?", 1999), ("What is the weight of K-0010?", None)]
    return asked


def load(tables: Router, stop: threading.Event) -> None:
    """Add and remove a table until told to stop."""
    while not stop.wait(0.05):
        tables.add([{"other": i, "thing": i} for i in range(5)], name="extra")
        tables.remove("extra")


def cancel(tables: Router, stop: threading.Event) -> None:
    """Start a query that never ends and cancel it, again and again."""
    while not stop.wait(0.2):
        cancellation = Cancellation()
        timer = threading.Timer(0.2, cancellation.cancel)
        timer.start()
        with suppress(Cancelled):
            tables.sql(HEAVY, cancellation=cancellation)
        timer.join()


def run_out(tables: Router, stop: threading.Event) -> None:
    """Let a query run out of its time, again and again."""
    while not stop.wait(0.2):
        with suppress(LimitExceeded):
            tables.sql(HEAVY, timeout_s=0.3)


DISTURBING = (load, cancel, run_out)
HEAVY = "SELECT count(*) FROM range(60000) a, range(60000) b WHERE (a.range * b.range) % 7 = 1"


def main() -> None:
    """Run, and print the counts and the rate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--questions", type=int, default=500, help="of each thread")
    options = parser.parse_args()
    asked = questions()
    with Router(writer="offline") as tables:
        tables.add(ROWS, name="scores")

        def ask(seed: int) -> Counter[str]:
            outcomes: Counter[str] = Counter()
            for question, want in random.Random(seed).choices(asked, k=options.questions):
                try:
                    given = tables.ask(question).value
                    outcomes["right" if given == want else f"wrong: {question} {given!r}"] += 1
                except Exception as error:  # counted by kind
                    outcomes[type(error).__name__] += 1
            return outcomes

        stop = threading.Event()
        disturbing = [
            threading.Thread(target=disturb, args=(tables, stop)) for disturb in DISTURBING
        ]
        for thread in disturbing:
            thread.start()
        started = time.perf_counter()
        with ThreadPoolExecutor(options.threads) as pool:
            total = sum(pool.map(ask, range(options.threads)), Counter())
        wall = time.perf_counter() - started
        stop.set()
        for thread in disturbing:
            thread.join()
    print(f"{dict(total)} in {wall:.1f} s: {total.total() / wall:.0f} questions a second")


if __name__ == "__main__":
    main()
