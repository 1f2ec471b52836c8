"""Find the gold row of each question among all rows of all tables of a set: row@k and table@k.

python -m benchmarks.row_search SET_FOLDER [--limit N] [--k 1 3 10]

SET_FOLDER holds `questions.jsonl` (question, tables, gold_rows) and `tables/*.csv`; all tables go
into one index. A question counts at k if any gold row is among the first k rows found.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from pathlib import Path

from retrieval.build import build_table
from retrieval.index import Index
from retrieval.metrics import recall_at
from retrieval.table import Document, Table


def read_table(path: Path, title: str) -> Table:
    """A CSV of one header row, every cell as text."""
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    width = len(head)
    rows = [(row + [""] * width)[:width] for row in rows]
    columns = [((header,), [row[i] for row in rows]) for i, header in enumerate(head)]
    return build_table(columns, document=path.name, name=path.stem, title=title)


def titles(questions: list[dict]) -> dict[str, str]:
    """The title of each table, where the set tells one."""
    found = {}
    for question in questions:
        parts = [question.get("title", ""), question.get("section", "")]
        for name in question["tables"]:
            found[name] = " - ".join(part for part in parts if part)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, default=None, help="questions, evenly spread")
    parser.add_argument("--k", type=int, nargs="+", default=[1, 3, 10])
    parser.add_argument("--no-titles", action="store_true")
    parser.add_argument("--tables-at", type=int, nargs="*", default=[], help="table@k to show")
    parser.add_argument("--misses", type=int, default=0, help="print so many misses at k = 1")
    args = parser.parse_args()
    lines = (args.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    named = {} if args.no_titles else titles(questions)
    paths = sorted((args.folder / "tables").glob("*.csv"))
    tables = [read_table(path, named.get(path.name, "")) for path in paths]
    index = Index()
    started = time.process_time()
    index.add(*(Document(table.document, "", (table,)) for table in tables))
    built = time.process_time() - started
    asked = [q for q in questions if q.get("gold_rows")]
    if args.limit:
        asked = asked[:: max(1, len(asked) // args.limit)]
    ranks, table_ranks, card_ranks, missed = [], [], [], 0
    started = time.process_time()
    for question in asked:
        gold = {(t, r) for t in question["tables"] for r in question["gold_rows"]}
        hits = index.search_rows(question["question"], max(args.k))
        found = [(hit.document, hit.row_position) for hit in hits]
        ranks.append(next((i for i, row in enumerate(found) if row in gold), None))
        table_ranks.append(
            next((i for i, (d, _) in enumerate(found) if d in question["tables"]), None)
        )
        if args.tables_at:
            tables_found = index.search_tables(question["question"], max(args.tables_at))
            places = (i for i, t in enumerate(tables_found) if t.document in question["tables"])
            card_ranks.append(next(places, None))
        if ranks[-1] != 0 and missed < args.misses:
            missed += 1
            print(question["question"], "| rank", ranks[-1], "| table rank", table_ranks[-1])
            table = index.table(f"{question['tables'][0]}#0")
            gold_row = table.row(question["gold_rows"][0])
            print("   gold ", dict(zip(table.headers, gold_row, strict=True)))
            for hit in hits[:1]:
                print("   first", dict(hit.cells), f"{hit.score:.1f}", hit.coverage)
    spent = time.process_time() - started
    rows = sum(table.row_count for table in tables)
    print(f"{len(tables)} tables, {rows} rows, built in {built:.1f} s CPU")
    print(f"{len(asked)} questions, {1000 * spent / len(asked):.1f} ms CPU each")
    for k in args.k:
        in_table = recall_at(k, table_ranks)
        print(f"row@{k} {recall_at(k, ranks):.3f}   table of the row@{k} {in_table:.3f}")
    for k in args.tables_at:
        print(f"table@{k} {recall_at(k, card_ranks):.3f}")


if __name__ == "__main__":
    main()
