"""Look-ups of single rows: rank-bm25, bm25s and tantivy over header-injected rows, and tabroute.

Every engine gets the same texts and questions. Questions name a row by its code, by three of its
cells, or by its code in lower case with words around. Times are processor time of one process.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.make_sample_tables import CITIES, FIRST_NAMES, LAST_NAMES, PRODUCTS
from benchmarks.peers.environments import ask_worker, python_of, version_of
from benchmarks.results import own_version

ENGINES = ("rank-bm25", "bm25s", "tantivy")
WORKER = Path(__file__).parent / "lookup_worker.py"
HEADERS = ("order_id", "order_date", "customer", "city", "product", "quantity", "amount")

Row = tuple[str, ...]


def rows(count: int, seed: int = 7) -> list[Row]:
    """Made orders, each with a code of its own."""
    rng = random.Random(seed)
    names = [f"{a} {b}" for a in FIRST_NAMES.split() for b in LAST_NAMES.split()]
    cities, products = list(CITIES), list(PRODUCTS)
    return [
        (
            f"LB-{100000 + number}",
            f"2024-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
            rng.choice(names),
            rng.choice(cities),
            rng.choice(products),
            str(rng.randint(1, 9)),
            f"{rng.randint(1, 900_000) / 100:.2f}",
        )
        for number in range(count)
    ]


def questions(table: Sequence[Row], count: int, seed: int = 8) -> tuple[list[str], list[int]]:
    """Questions with the place of the one row that each is about."""
    rng = random.Random(seed)
    asked, gold = [], []
    for place in rng.sample(range(len(table)), count):
        code, date, customer, city, _, _, amount = table[place]
        asked.append(
            rng.choice(
                (
                    f"What is the amount of order {code}?",
                    f"which product was in {code.lower()} please",
                    f"order of {customer} from {city} on {date} for {amount}",
                )
            )
        )
        gold.append(place)
    return asked, gold


def measure(size: int, count: int, folder: Path) -> dict[str, Any]:
    """Every engine over the same rows; errors stand where figures would."""
    table = rows(size)
    asked, gold = questions(table, count)
    corpus = [
        " | ".join(f"{head}: {cell}" for head, cell in zip(HEADERS, row, strict=True))
        for row in table
    ]
    pairs = list(zip(asked, gold, strict=True))
    found = {engine: run(engine, corpus, {"": pairs}, folder) for engine in ENGINES}
    found["tabroute"] = own(table, asked, gold)
    return found


def run(
    engine: str,
    corpus: Iterable[str],
    asked: Mapping[str, Sequence[tuple[str, int]]],
    folder: Path,
    *,
    limit_s: float = 7200,
) -> dict[str, Any]:
    """One engine over texts, in its own environment; `asked` is (question, place) by kind."""
    try:
        python, version = python_of(engine, folder), version_of(engine, folder)
    except RuntimeError as error:
        return {"error": str(error)}
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "corpus.txt"
        path.write_text("\n".join(corpus), encoding="utf-8")
        job = {"engine": engine, "corpus": str(path), "asked": dict(asked)}
        return {"version": version} | ask_worker(python, WORKER, job, timeout_s=limit_s)


def own(table: Sequence[Row], asked: Sequence[str], gold: Sequence[int]) -> dict[str, Any]:
    """The same over `retrieval.index`, from the rows as they come from a reader."""
    from retrieval.build import build_table
    from retrieval.index import Index
    from retrieval.table import Document

    started = time.process_time()
    columns = [((head,), [row[i] for row in table]) for i, head in enumerate(HEADERS)]
    made = build_table(columns, document="orders", name="orders", key=0)
    index = Index()
    index.add(Document("orders", "1", (made,)))
    build = time.process_time() - started
    times, first, ten = [], 0, 0
    for question, place in zip(asked, gold, strict=True):
        started = time.process_time()
        hits = [hit.row_position for hit in index.search_rows(question, k=10)]
        times.append((time.process_time() - started) * 1000)
        first += hits[:1] == [place]
        ten += place in hits
    times.sort()
    return {
        "version": own_version(),
        "row@1": round(first / len(asked), 4),
        "row@10": round(ten / len(asked), 4),
        "build_s": round(build, 2),
        "p50_ms": round(times[len(times) // 2], 3),
        "p95_ms": round(times[int(0.95 * len(times))], 3),
    }
