"""Row and table retrieval over one pool of a set's tables: row@k, table@k, MRR, time a look-up."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.question_sets import Question
from retrieval.hits import RowHit
from retrieval.index import Index
from retrieval.reading import read_source

Record = dict[str, Any]

DEPTH = 10


def build(tables: Sequence[Path]) -> Index:
    """One index over all the tables, each a document named by its path's last part."""
    index = Index()
    for path in tables:
        for result in read_source(path, name=path.name):
            index.add(result.document)
    return index


def retrieve_rows(index: Index, questions: Sequence[Question]) -> Iterator[Record]:
    """Where the first gold row comes among the hits."""
    for question in questions:
        if not question.gold_rows:
            continue
        started = time.perf_counter()
        hits = index.search_rows(question.question, k=DEPTH)
        elapsed = (time.perf_counter() - started) * 1000
        gold = {(path.name, row) for path in question.tables for row in question.gold_rows}
        found = [(hit.document, _published_row(hit)) in gold for hit in hits]
        tables = [hit.document in {path.name for path in question.tables} for hit in hits]
        yield _record(question, elapsed, found, tables)


def _published_row(hit: RowHit) -> int:
    """Which row below the file's first line: a reader sets aside lines that repeat the header."""
    return hit.row_position if hit.line is None else hit.line - 2


def retrieve_tables(index: Index, questions: Sequence[Question]) -> Iterator[Record]:
    """Where the gold table comes among the tables found."""
    for question in questions:
        started = time.perf_counter()
        hits = index.search_tables(question.question, k=DEPTH)
        elapsed = (time.perf_counter() - started) * 1000
        gold = {path.name for path in question.tables}
        found = [hit.document in gold for hit in hits]
        yield _record(question, elapsed, found, found)


def _record(
    question: Question, elapsed: float, found: Sequence[bool], tables: Sequence[bool]
) -> Record:
    return {
        "id": question.id,
        "rank": found.index(True) + 1 if True in found else None,
        "table_rank": tables.index(True) + 1 if True in tables else None,
        "ms": round(elapsed, 3),
    }


def figures(records: Sequence[Record]) -> dict[str, Any]:
    """Shares found within 1, 3, 5 and 10, MRR, and times."""
    count = len(records) or 1
    ranks = [r["rank"] for r in records if r["rank"]]
    times = sorted(r["ms"] for r in records) or [0.0]
    within = {f"@{k}": round(sum(rank <= k for rank in ranks) / count, 4) for k in (1, 3, 5, 10)}
    return {
        "questions": len(records),
        **within,
        "mrr": round(sum(1 / rank for rank in ranks) / count, 4),
        "p50_ms": times[len(times) // 2],
        "p95_ms": times[min(len(times) - 1, int(0.95 * len(times)))],
    }
