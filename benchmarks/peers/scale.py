"""A million rows, in one table or in many small ones: tabroute beside rank-bm25, bm25s and tantivy.

All engines index the same made-up rows (`index_speed.py`) in one run, the others as header-injected
text, each in its own environment and process. Times are processor time of one process; memory is
what the process grew by while it built the index.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.index_speed import kept_tables, questions
from benchmarks.peers.environments import own_python
from benchmarks.peers.lookups import ENGINES, run
from benchmarks.results import own_version
from retrieval.serialize import row_text
from retrieval.table import Table

_SLOW = "rank-bm25"
"""Reads all rows for each question, seconds long at this scale: it is asked a few."""
_FEW = 5
_QUESTIONS = 100
_LIMIT_S = 300
"""An engine that has not answered all by then is cut off, and its record says so."""


def measure(
    rows: int, tables: int, folder: Path, known: Sequence[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """A record an engine; `known` are those of a broken run, which are not made again.

    The made-up tables stay in `folder` until every engine is done.
    """
    yield from known
    done = {record["engine"] for record in known}
    if done.issuperset(ENGINES) and "tabroute" in done:
        return
    kept = folder / "tables"
    kept.mkdir(parents=True, exist_ok=True)
    made = kept_tables(rows, tables, kept)
    if "tabroute" not in done:
        yield {"engine": "tabroute", "version": own_version(), **own(rows, tables, kept)}
    asked = placed_questions(made)
    for engine in ENGINES:
        if engine not in done:
            count = _FEW if engine == _SLOW else _QUESTIONS
            few = {kind: pairs[:count] for kind, pairs in asked.items()}
            yield {"engine": engine, **run(engine, texts(made), few, folder, limit_s=_LIMIT_S)}
    shutil.rmtree(kept)


def own(rows: int, tables: int, kept: Path) -> dict[str, Any]:
    """tabroute in a process of its own, as memory is measured."""
    words: list[object] = ["-m", "benchmarks.index_speed", "--rows", rows, "--tables", tables]
    command = [
        str(own_python()),
        *map(str, [*words, "--questions", _QUESTIONS, "--tables-in", kept]),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1]}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def texts(tables: Iterable[Table]) -> Iterator[str]:
    """The rows as header-injected text, in order."""
    return (row_text(table, row) for table in tables for row in range(table.row_count))


def placed_questions(tables: list[Table]) -> dict[str, list[tuple[str, int]]]:
    """By kind: questions with the place of their row among all."""
    asked = questions(tables, _QUESTIONS)
    return {
        # The number in a row's code is its place.
        kind: [(question, int(wanted.split("-")[1])) for question, wanted in pairs]
        for kind, pairs in asked.items()
    }


def figures(records: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """By engine."""
    return {
        "by engine": {
            record["engine"]: {name: v for name, v in record.items() if name != "engine"}
            for record in records
        }
    }
