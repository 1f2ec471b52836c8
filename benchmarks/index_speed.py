"""Speed and size of the row index: build, look-up, save, open, replace.

python -m benchmarks.index_speed --rows 1000000 --tables 1

Rows are made up (10 columns: codes, names, companies, cities, numbers, dates; words drawn with a
Zipf law) from a fixed seed. Times are CPU time of this process, a replacement's is wall time;
memory is resident growth. `peers/scale.py` puts other engines over the same rows beside it.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from retrieval.build import build_table
from retrieval.hits import RowHits
from retrieval.index import Index
from retrieval.table import Document, Table

HEADERS = (
    "order id", "customer", "company", "city", "product",
    "quantity", "unit price", "order date", "status", "invoice code",
)  # fmt: skip
SYLLABLES = [a + b for a in "bcdfghjklmnprstvw" for b in ("a", "e", "i", "o", "ar", "en", "ol")]


def vocabulary(size: int, rng: random.Random) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < size:
        found["".join(rng.choices(SYLLABLES, k=rng.randint(2, 3))).capitalize()] = None
    return list(found)


def columns(rows: int, first: int, words: list[str], rng: np.random.Generator) -> list[list[str]]:
    def draw(limit: int) -> list[int]:
        return (np.minimum(rng.zipf(1.3, rows), limit) - 1).tolist()

    numbers = range(first, first + rows)
    names = [f"{words[a]} {words[-1 - b]}" for a, b in zip(draw(3000), draw(3000), strict=True)]
    companies = [f"{words[5000 + a]} Ltd" for a in draw(2000)]
    cities = [words[8000 + a] for a in draw(1000)]
    products = [
        f"{words[10000 + a]} {words[12000 + b]}" for a, b in zip(draw(800), draw(300), strict=True)
    ]
    days = rng.integers(1, 29, rows).tolist()
    months = rng.integers(1, 13, rows).tolist()
    return [
        [f"ORD-{n:07d}" for n in numbers],
        names,
        companies,
        cities,
        products,
        [str(n) for n in rng.integers(1, 500, rows).tolist()],
        [f"{n / 100:.2f}" for n in rng.integers(100, 100_000, rows).tolist()],
        [f"2024-{m:02d}-{d:02d}" for m, d in zip(months, days, strict=True)],
        [("open", "paid", "shipped", "returned")[n] for n in rng.integers(0, 4, rows).tolist()],
        [f"INV/{n * 7919 % 9999991:07d}/{n % 97:02d}" for n in numbers],
    ]


def make_tables(rows: int, tables: int, seed: int = 7) -> list[Table]:
    words = vocabulary(16_000, random.Random(seed))
    rng = np.random.default_rng(seed)
    size = rows // tables
    made = []
    for number in range(tables):
        cells = columns(size, number * size, words, rng)
        made.append(
            build_table(
                [((header,), column) for header, column in zip(HEADERS, cells, strict=True)],
                document=f"orders_{number}.csv",
                name=f"orders_{number}",
                title=f"{words[number % 5000]} orders",
                key=0,
            )
        )
    return made


def kept_tables(rows: int, tables: int, folder: Path | None) -> list[Table]:
    """The tables, from a file of an earlier run where there is one: each engine may run alone."""
    if folder is None:
        return make_tables(rows, tables)
    path = folder / f"tables-{rows}-{tables}.pickle"
    if not path.exists():
        path.write_bytes(pickle.dumps(make_tables(rows, tables), protocol=5))
    made: list[Table] = pickle.loads(path.read_bytes())
    return made


def questions(tables: list[Table], count: int, seed: int = 3) -> dict[str, list[tuple[str, str]]]:
    """By kind: (question, wanted order id)."""
    rng = random.Random(seed)
    asked: dict[str, list[tuple[str, str]]] = {"key": [], "code": [], "entities": []}
    for _ in range(count):
        table = rng.choice(tables)
        row = table.row(rng.randrange(table.row_count))
        asked["key"].append((f"what is the unit price of {row[0]}?", row[0]))
        asked["code"].append((row[9], row[0]))
        asked["entities"].append(
            (f"which order did {row[1]} of {row[2]} in {row[3]} place for {row[4]}", row[0])
        )
    return asked


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


class Clock:
    """CPU seconds and memory of one step."""

    def __enter__(self) -> Clock:
        self._memory, self._start = resident_mb(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.s = round(time.process_time() - self._start, 4)
        self.mb = round(resident_mb() - self._memory)


Figures = dict[str, float]
Asked = list[tuple[str, str]]


def measure(kind: str, pairs: Asked, find: Callable[[str], list[str]]) -> Figures:
    """How long the questions of a kind take, and how many find their row first."""
    times, firsts = [], 0
    for question, wanted in pairs:
        started = time.process_time()
        found = find(question)
        times.append(1000 * (time.process_time() - started))
        firsts += found[:1] == [wanted]
    p50, p95 = np.percentile(times, (50, 95)).tolist()
    return {
        f"{kind} row@1": round(firsts / len(pairs), 3),
        f"{kind} p50_ms": round(p50, 2),
        f"{kind} p95_ms": round(p95, 2),
    }


def own(tables: list[Table], asked: dict[str, Asked]) -> Figures:
    """Build, ask, save, open, replace."""
    index = Index()
    documents = [Document(table.document, "", (table,)) for table in tables]
    with Clock() as clock:
        index.add(*documents)
    rows = sum(table.row_count for table in tables)
    found: Figures = {
        "build_s": clock.s,
        "rows/s": round(rows / clock.s),
        "memory_mb": clock.mb,
    }
    for kind, pairs in asked.items():
        found |= measure(kind, pairs, lambda q: keys(index.search_rows(q, 10)))
    found |= inside_tables(index, tables, asked["key"])
    return found | saved(index, asked)


def inside_tables(index: Index, tables: list[Table], pairs: Asked) -> Figures:
    """The same questions where it is known which table to look in."""
    size = tables[0].row_count
    home = {question: tables[int(wanted[4:]) // size].table_id for question, wanted in pairs}
    return measure("in table", pairs, lambda q: keys(index.search_rows(q, 10, tables=[home[q]])))


def keys(hits: RowHits) -> list[str]:
    return [hit.cells[HEADERS[0]] for hit in hits]


def saved(index: Index, asked: dict[str, Asked]) -> Figures:
    """Save, open in the same process, replace a small table so that it lasts."""
    with tempfile.TemporaryDirectory() as folder:
        with Clock() as saving:
            index.save(folder)
        size = sum(file.stat().st_size for file in Path(folder).rglob("*")) / 1e6
        with Clock() as opening:
            again = Index.open(folder)
            again.search_rows(asked["key"][0][0])
        small = make_tables(20, 1, seed=11)[0]
        times = []
        for _ in range(10):
            started = time.perf_counter()
            again.add(Document("small", "", (small,)))
            again.save(folder)
            times.append(1000 * (time.perf_counter() - started))
    return {
        "save_s": saving.s,
        "disk_mb": round(size),
        "open_ms": round(1000 * opening.s, 1),
        "replace_ms": round(float(np.median(times)), 1),
    }


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--questions", type=int, default=100, help="of each kind")
    parser.add_argument(
        "--tables-in", type=Path, help="keep the made-up tables here for other runs"
    )
    args = parser.parse_args()
    tables = kept_tables(args.rows, args.tables, args.tables_in)
    print(json.dumps(own(tables, questions(tables, args.questions))))


if __name__ == "__main__":
    main()
