"""Accuracy of choosing the cell of the right row, and the training of its scorer.

python -m benchmarks.cell_choice FOLDER... [--train retrieval/cell_choice.json] [--misses N]

Each FOLDER holds a set with `questions.jsonl` and `tables/`. An example is a question whose answer
is one cell: told by the set (`logical`, `gold_rows`), else every cell whose text is the answer in a
row that holds it. `--train` fits the weights (softmax over the columns of a row, ridge) on four
fifths of the tables, prints the accuracy on the others, and writes the fit on all.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.row_search import read_table
from retrieval.cell_choice import choose_cell, features
from retrieval.errors import RetrievalError
from retrieval.reading import read_source
from retrieval.table import Table
from retrieval.tokenize import fold

SETS = ("wikisql", "aitqa", "hitab")
RIDGE = 0.003
STEPS = 400


@dataclass(frozen=True)
class Example:
    """One question with the row that answers it and the columns that do."""

    source: str
    question: str
    table: Table
    row: int
    columns: frozenset[int]


def examples(folder: Path) -> Iterator[Example]:
    tables: dict[str, list[Table]] = {}
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        question = json.loads(line)
        name = question["tables"][0]
        if "logical" in question:
            if question["logical"]["agg"] == 0 and question["gold_rows"]:
                if name not in tables:
                    tables[name] = [read_table(folder / "tables" / name, "")]
                column = frozenset({question["logical"]["sel"]})
                row = question["gold_rows"][0]
                yield Example(folder.name, question["question"], tables[name][0], row, column)
            continue
        if len(question["answer"]) != 1 or question.get("aggregation", ["none"]) != ["none"]:
            continue
        if name not in tables:
            tables[name] = _read(folder / "tables" / name)
        yield from _located(folder.name, question, tables[name])


def _read(path: Path) -> list[Table]:
    try:
        return [table for result in read_source(path) for table in result.document.tables]
    except RetrievalError:
        return []


def _located(source: str, question: dict, tables: list[Table]) -> Iterator[Example]:
    """The row that holds the answer, where just one does."""
    wanted = fold(question["answer"][0]).strip()
    found: dict[tuple[int, int], set[int]] = {}
    for number, table in enumerate(tables):
        for place, column in enumerate(table.columns):
            codes = [c for c, text in enumerate(column.texts) if fold(text).strip() == wanted]
            for row in np.flatnonzero(np.isin(column.codes, codes)).tolist():
                found.setdefault((number, row), set()).add(place)
    if len(found) == 1:
        ((number, row), columns) = next(iter(found.items()))
        yield Example(source, question["question"], tables[number], row, frozenset(columns))


def fold_of(example: Example) -> int:
    """Which fifth of the tables an example belongs to."""
    return zlib.crc32(example.table.table_id.encode()) % 5


def measure(data: Path) -> dict[str, dict[str, float]]:
    """By set: its examples, the share of right cells, the share left open.

    The scorer's weights were fitted on these sets' development questions.
    """
    return {name: accuracy(list(examples(data / name))) for name in SETS}


def accuracy(cases: list[Example], misses: int = 0) -> dict[str, float]:
    """The figures of one set; so many misses are printed."""
    right = declined = 0
    for case in cases:
        choice = choose_cell(case.question, case.table, case.row)
        declined += choice is None
        good = choice is not None and choice.column in case.columns
        right += good
        if not good and misses > 0:
            misses -= 1
            header = [case.table.headers[c] for c in sorted(case.columns)]
            print(f"  {case.question}\n    want {header} got {choice and choice.header}")
            print(f"    of {dict(zip(case.table.headers, case.table.row(case.row), strict=True))}")
    count = len(cases)
    return {
        "examples": count,
        "right": round(right / count, 4),
        "left open": round(declined / count, 4),
    }


def fit(
    described: list[list[dict[str, float]]], wanted: list[frozenset[int]], sources: list[str]
) -> dict[str, float]:
    """Weights that make the wanted columns likely: softmax regression, Adam, ridge.

    Each set counts alike, however large.
    """
    names = sorted({name for columns in described for column in columns for name in column})
    place = {name: i for i, name in enumerate(names)}
    sizes = [len(columns) for columns in described]
    matrix = np.zeros((sum(sizes), len(names)))
    gold = np.zeros(sum(sizes))
    row = 0
    for columns, good in zip(described, wanted, strict=True):
        for i, column in enumerate(columns):
            for name, value in column.items():
                matrix[row, place[name]] = value
            gold[row] = (i in good) / len(good)
            row += 1
    starts = np.cumsum([0, *sizes[:-1]])
    owner = np.repeat(np.arange(len(sizes)), sizes)
    counts = Counter(sources)
    importance = np.array([1 / counts[source] for source in sources])
    importance = (importance / importance.sum())[owner]
    weights, first, second = (np.zeros(len(names)) for _ in range(3))
    for step in range(1, STEPS + 1):
        scores = matrix @ weights
        scores -= np.maximum.reduceat(scores, starts)[owner]
        shares = np.exp(scores)
        shares /= np.add.reduceat(shares, starts)[owner]
        slope = matrix.T @ ((shares - gold) * importance) + RIDGE * weights / 10
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        weights -= 0.1 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return {name: round(float(w), 3) for name, w in zip(names, weights, strict=True)}


def share_right(
    weights: dict[str, float], described: list[list[dict[str, float]]], cases: list[Example]
) -> float:
    right = 0
    for columns, case in zip(described, cases, strict=True):
        scores = [sum(weights.get(k, 0.0) * v for k, v in column.items()) for column in columns]
        right += int(np.argmax(scores)) in case.columns
    return right / max(1, len(cases))


def train(sets: dict[str, list[Example]], path: Path) -> None:
    cases = [case for group in sets.values() for case in group]
    described = [features(case.question, case.table, case.row) for case in cases]
    held_out = [fold_of(case) == 0 for case in cases]

    def fitted(keep: list[bool]) -> dict[str, float]:
        kept = [(d, c) for d, c, k in zip(described, cases, keep, strict=True) if k]
        return fit([d for d, _ in kept], [c.columns for _, c in kept], [c.source for _, c in kept])

    trial = fitted([not held for held in held_out])
    for name in sets:
        chosen = [
            (d, c)
            for d, c, held in zip(described, cases, held_out, strict=True)
            if held and c.source == name
        ]
        share = share_right(trial, [d for d, _ in chosen], [c for _, c in chosen])
        print(f"{name:10} {share:.3f} right on {len(chosen)} examples of tables not trained on")
    weights = fitted([True] * len(cases))
    counts = ", ".join(f"{name} ({len(group)})" for name, group in sets.items())
    provenance = (
        "Softmax regression over the columns of a row, written by benchmarks/cell_choice.py from "
        f"development questions of public sets whose answer is one cell: {counts}."
    )
    text = json.dumps({"provenance": provenance, "weights": weights}, indent=2)
    path.write_text(text + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--train", type=Path, metavar="FILE")
    parser.add_argument("--misses", type=int, default=0, help="print so many of each set")
    args = parser.parse_args()
    sets = {folder.name: list(examples(folder)) for folder in args.folders}
    if args.train:
        train(sets, args.train)
        return
    for name, cases in sets.items():
        print(name, accuracy(cases, args.misses))


if __name__ == "__main__":
    main()
