"""Speed and size of the row index: build, look-up, save, open, replace.

python -m benchmarks.index_speed --rows 1000000 --tables 1 [--engines own rank-bm25 bm25s tantivy]

Rows are made up (10 columns: codes, names, companies, cities, numbers, dates; words drawn with a
Zipf law) from a fixed seed. Times are CPU time of this process; memory is resident growth. The
other engines index the same header-injected text, tokenised on word characters.
"""

from __future__ import annotations

import argparse
import pickle
import random
import re
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from retrieval.build import build_table
from retrieval.index import Index
from retrieval.serialize import row_text
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
        self.s = time.process_time() - self._start
        self.mb = resident_mb() - self._memory


def measure(
    label: str, asked: dict[str, list[tuple[str, str]]], find: Callable[[str], list[str]]
) -> None:
    for kind, pairs in asked.items():
        times, firsts, tens = [], 0, 0
        for question, wanted in pairs:
            started = time.process_time()
            found = find(question)
            times.append(1000 * (time.process_time() - started))
            firsts += found[:1] == [wanted]
            tens += wanted in found[:10]
        if times:
            p50, p95 = np.percentile(times, (50, 95))
            share = f"@1 {firsts / len(pairs):.2f} @10 {tens / len(pairs):.2f}"
            print(f"{label:10} {kind:9} p50 {p50:8.2f} ms  p95 {p95:8.2f} ms  {share}", flush=True)


def own(tables: list[Table], asked: dict[str, list[tuple[str, str]]]) -> None:
    index = Index()
    with Clock() as clock:
        index.add(*(Document(table.document, "", (table,)) for table in tables))
    rows = sum(table.row_count for table in tables)
    print(f"own        build {clock.s:.1f} s ({rows / clock.s:,.0f} rows/s), +{clock.mb:.0f} MB")
    key = HEADERS[0]
    measure("own", asked, lambda q: [hit.cells[key] for hit in index.search_rows(q, 10)])
    rng = random.Random(5)
    inside = [(q, w, rng.choice(tables).table_id) for q, w in asked["entities"]]
    lookup = {q: t for q, _, t in inside}
    measure(
        "own",
        {"in table": [(q, w) for q, w, _ in inside]},
        lambda q: [hit.cells[key] for hit in index.search_rows(q, 10, tables=[lookup[q]])],
    )
    saved(index, asked)


def saved(index: Index, asked: dict[str, list[tuple[str, str]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with Clock() as clock:
            index.save(folder)
        size = sum(file.stat().st_size for file in Path(folder).rglob("*")) / 1e6
        print(f"own        save {clock.s:.2f} s, {size:.0f} MB on disk")
        with Clock() as clock:
            again = Index.open(folder)
            again.search_rows(asked["key"][0][0])
        print(f"own        open and first answer {1000 * clock.s:.1f} ms, +{clock.mb:.0f} MB")
        measure("own opened", asked, lambda q: [h.cells[HEADERS[0]] for h in again.search_rows(q)])
        small = make_tables(20, 1, seed=11)[0]
        times = []
        for _ in range(10):
            started = time.perf_counter()
            again.add(Document("small", "", (small,)))
            again.save(folder)
            times.append(1000 * (time.perf_counter() - started))
        print(f"own        replace a 20-row table, durable: median {np.median(times):.1f} ms wall")


def injected(tables: list[Table]) -> Iterator[tuple[str, str]]:
    for table in tables:
        for row in range(table.row_count):
            yield table.columns[0].text_at(row), row_text(table, row)


def split(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def rank_bm25(tables: list[Table], asked: dict[str, list[tuple[str, str]]]) -> None:
    from rank_bm25 import BM25Okapi

    keys, texts = zip(*injected(tables), strict=True)
    with Clock() as clock:
        engine = BM25Okapi([split(text) for text in texts], k1=1.2, b=0.75)
    print(f"rank-bm25  build {clock.s:.1f} s, +{clock.mb:.0f} MB")

    def find(question: str) -> list[str]:
        scores = engine.get_scores(split(question))
        return [keys[i] for i in np.argsort(-scores, kind="stable")[:10]]

    few = 5 if len(keys) > 300_000 else 50
    measure("rank-bm25", {kind: pairs[:few] for kind, pairs in asked.items()}, find)


def bm25s(tables: list[Table], asked: dict[str, list[tuple[str, str]]]) -> None:
    import bm25s as library

    keys, texts = zip(*injected(tables), strict=True)
    with Clock() as clock:
        engine = library.BM25(k1=1.2, b=0.75, method="lucene")
        engine.index([split(text) for text in texts], show_progress=False)
    print(f"bm25s      build {clock.s:.1f} s, +{clock.mb:.0f} MB")

    def find(question: str) -> list[str]:
        found, _ = engine.retrieve([split(question)], k=10, show_progress=False)
        return [keys[i] for i in found[0]]

    measure("bm25s", asked, find)


def tantivy(tables: list[Table], asked: dict[str, list[tuple[str, str]]]) -> None:
    import tantivy as library

    schema = library.SchemaBuilder()
    schema.add_text_field("key", stored=True, index_option="basic")
    schema.add_text_field("text", stored=False)
    with Clock() as clock:
        index = library.Index(schema.build())
        writer = index.writer(heap_size=300_000_000, num_threads=1)
        for key, text in injected(tables):
            writer.add_document(library.Document(key=[key], text=[text]))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
    print(f"tantivy    build {clock.s:.1f} s, +{clock.mb:.0f} MB (serialising the rows included)")
    searcher = index.searcher()

    def find(question: str) -> list[str]:
        query = index.parse_query(" ".join(split(question)), ["text"])
        hits = searcher.search(query, 10).hits
        return [searcher.doc(address)["key"][0] for _, address in hits]

    measure("tantivy", asked, find)


ENGINES = {"own": own, "rank-bm25": rank_bm25, "bm25s": bm25s, "tantivy": tantivy}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--questions", type=int, default=100, help="of each kind")
    parser.add_argument("--engines", nargs="+", choices=sorted(ENGINES), default=["own"])
    parser.add_argument(
        "--tables-in", type=Path, help="keep the made-up tables here for other runs"
    )
    args = parser.parse_args()
    tables = kept_tables(args.rows, args.tables, args.tables_in)
    asked = questions(tables, args.questions)
    print(f"{args.rows:,} rows in {args.tables:,} tables, {args.questions} questions of each kind")
    for name in args.engines:
        ENGINES[name](tables, asked)


if __name__ == "__main__":
    main()
