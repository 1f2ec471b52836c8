"""How long a user's own cases take: fifty drafted cases over tables of 10,000 rows, offline.

python -m benchmarks cases-time
"""

from __future__ import annotations

import time
from typing import Any

from benchmarks.peers.lookups import HEADERS, rows
from router import Router
from router.evaluate import drafts, evaluate, parse_cases, summarise

ROWS = 10_000
CASES = 50


def measure() -> dict[str, Any]:
    """Seconds to load, and to evaluate the cases."""
    started = time.perf_counter()
    with Router(writer="offline") as router:
        router.add([list(HEADERS), *map(list, rows(ROWS))], name="orders")
        loaded = time.perf_counter()
        cases = parse_cases(enumerate(drafts(router, per_table=CASES), 1))[:CASES]
        run = evaluate(router, cases)
    ended = time.perf_counter()
    return {
        "rows": ROWS,
        "cases": len(cases),
        "load s": round(loaded - started, 2),
        "evaluate s": round(ended - loaded, 2),
        "right": summarise(run.outcomes).all.right,
    }
