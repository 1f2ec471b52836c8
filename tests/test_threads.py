"""One router under many threads: no wrong answer while others load, cancel and run out of time."""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from router import Router
from sql_engine.errors import Cancelled, LimitExceeded
from sql_engine.pool import Cancellation

HEAVY = "SELECT count(*) FROM range(60000) a, range(60000) b WHERE (a.range * b.range) % 7 = 1"
ROWS = [
    {
        "code": f"K-{i:03}",
        "team": f"team {i % 4}",
        "points": i,
        "played": f"2024-{i % 12 + 1:02}-05",
    }
    for i in range(240)
]


def questions():
    """Question and value, of every kind that is computed or looked up."""
    asked = [("How many rows are in scores?", 240), ("What is the total points?", sum(range(240)))]
    asked += [(f"What is the points of K-{i:03}?", i) for i in range(0, 240, 7)]
    asked += [(f"How many scores are there for team {t}?", 60) for t in range(4)]
    asked += [("What is the highest points?", 239), ("What is the weight of K-010?", None)]
    return asked


def test_sixteen_threads_get_no_wrong_answer_while_tables_come_and_queries_stop():
    with Router(writer="offline") as tables:
        tables.add(ROWS, name="scores")
        asked, stop = questions(), threading.Event()

        def ask(seed):
            chosen = random.Random(seed).choices(asked, k=15)
            return [(q, want, tables.ask(q).value) for q, want in chosen]

        def load():
            while not stop.is_set():
                tables.add([{"other": i, "thing": i} for i in range(5)], name="extra")
                tables.remove("extra")
                time.sleep(0.02)

        def cancel():
            for _ in range(3):
                cancellation = Cancellation()
                timer = threading.Timer(0.2, cancellation.cancel)
                timer.start()
                with suppress(Cancelled):
                    tables.sql(HEAVY, cancellation=cancellation)
                timer.join()

        def run_out():
            with suppress(LimitExceeded):
                tables.sql(HEAVY, timeout_s=0.3)

        with ThreadPoolExecutor(19) as pool:
            answered = [pool.submit(ask, seed) for seed in range(16)]
            others = [pool.submit(load), pool.submit(cancel), pool.submit(run_out)]
            results = [triple for future in answered for triple in future.result(timeout=110)]
            stop.set()
            for other in others:
                other.result(timeout=60)
    assert [triple for triple in results if triple[1] != triple[2]] == []
