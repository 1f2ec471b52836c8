"""The sets that measure reading: labels of lines, and tables inside whole web pages.

Takes the folder of the sets; gives figures. The single files' faults are printed by
`python -m benchmarks.structure` and `python -m benchmarks.web_pages`, which hold the rules.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.structure import LABELS, f1, pairs
from benchmarks.web_pages import grid_of, share
from retrieval.errors import SourceError
from retrieval.reading import read_source

Figures = dict[str, Any]

SETS = ("structure", "wtq_pages")
WHOLE = 0.99
"""Share of a gold table's cells from which a page counts."""


def measure(data: Path, name: str, limit: int | None) -> Figures:
    """The figures of one set; with `limit`, over so many of its files, evenly spread."""
    return _labels(data / name) if name == "structure" else _pages(data / name, limit)


def _labels(folder: Path) -> Figures:
    counts = Counter(pairs(folder, "", 0))
    scores = {label: round(f1(counts, label), 4) for label in LABELS}
    lines = {label: sum(n for (w, _), n in counts.items() if w == label) for label in LABELS}
    each = {label: {"lines": lines[label], "F1": score} for label, score in scores.items()}
    macro = round(sum(scores.values()) / len(scores), 4)
    return {"by label": each | {"all, macro": {"lines": sum(lines.values()), "F1": macro}}}


def _pages(folder: Path, limit: int | None) -> Figures:
    lines = (folder / "files.jsonl").read_text(encoding="utf-8").splitlines()
    if limit and limit < len(lines):
        lines = [lines[index * len(lines) // limit] for index in range(limit)]
    best = list(_best_shares(folder, [json.loads(line) for line in lines]))
    return {
        "pages": len(best),
        "with 99 % of the gold cells": round(sum(one >= WHOLE for one in best) / len(best), 4),
        "mean share of the gold cells": round(sum(best) / len(best), 4),
    }


def _best_shares(folder: Path, entries: list[dict[str, str]]) -> Iterator[float]:
    for entry in entries:
        with (folder / entry["gold_csv"]).open(encoding="utf-8", newline="") as file:
            gold = list(csv.reader(file))
        try:
            results = read_source(folder / entry["page"])
        except SourceError:
            yield 0.0
            continue
        tables = (table for result in results for table in result.document.tables)
        yield max((share(gold, grid_of(table)) for table in tables), default=0.0)
