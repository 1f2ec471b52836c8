"""Routing over the development splits: aggregates are not looked up, look-ups end in their cell.

    python -m benchmarks run routing --data DIR

Three parts: questions whose gold aggregates or ranks, and the share of them answered by `row`;
look-ups, and the share right when routed, when forced to `row` and when forced to `sql`; and the
time of the decision alone with 1,000 tables loaded.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.answering import TODAY, by_values, load
from benchmarks.question_sets import Question, by_tables
from benchmarks.question_sets import load as load_set
from retrieval.errors import RetrievalError
from retrieval.index import Index
from retrieval.reading import read_source
from router import Router
from router.errors import RouterError
from router.evidence import gather
from router.intent import decide
from sql_engine.catalog import Catalog
from sql_engine.errors import SqlEngineError

Record = dict[str, Any]

_COMPUTING = re.compile(r"\bhow many\b|\btotal\b|\bdifference\b", re.I)
_FEATURES = ("agg", "group", "order", "nested")
TABLES = 1000


def aggregates(data: Path, split: str, limit: int | None) -> dict[str, list[Question]]:
    """Questions whose gold aggregates or ranks, by set."""
    spider = load_set(data, "spider", split, limit=limit)
    wtq = load_set(data, "wtq", split, limit=limit)
    return {
        "wikisql": [
            q for q in load_set(data, "wikisql", split, limit=limit) if q.record["agg"] != "none"
        ],
        "spider": [q for q in spider if any(q.record["features"][name] for name in _FEATURES)],
        "wtq": [q for q in wtq if _COMPUTING.search(q.question)],
    }


def lookups(data: Path, split: str, limit: int | None) -> dict[str, list[Question]]:
    """Questions that ask for one published cell, by set."""
    wikisql = load_set(data, "wikisql", split, limit=limit)
    return {
        "wikisql": [q for q in wikisql if q.record["agg"] == "none" and len(q.gold_rows) == 1],
        "aitqa": load_set(data, "aitqa", split, limit=limit),
    }


def measure(data: Path, split: str, limit: int | None, records: Path | None) -> dict[str, Any]:
    """All three parts."""
    kept: list[Record] = []
    figures: dict[str, Any] = {"aggregating questions": {}, "look-ups": {}}
    for name, questions in aggregates(data, split, limit).items():
        found = list(ask(questions, ("routed",)))
        kept += found
        figures["aggregating questions"][f"{name}, aggregating"] = {
            "questions": len(found),
            "by row route": _share(r["route"] == "row" for r in found),
            "declined": _share(r["route"] == "declined" for r in found),
            "p95_ms": _quantile([r["decision_ms"] for r in found], 0.95),
        }
    for name, questions in lookups(data, split, limit).items():
        found = list(ask(questions, ("routed", "row", "sql")))
        kept += found
        figures["look-ups"][f"{name}, look-ups"] = {
            "questions": len(questions),
            **{
                way: _share(r["right"] for r in found if r["way"] == way)
                for way in ("routed", "row", "sql")
            },
        }
    figures |= decisions(data, split)
    if records:
        lines = (json.dumps(r, ensure_ascii=False) for r in kept)
        records.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return figures


def ask(questions: Sequence[Question], ways: Sequence[str]) -> Iterable[Record]:
    """Ask each question in each way; answers are given at any confidence."""
    for tables, group in by_tables(questions).items():
        with Router(writer="offline", today=TODAY, min_confidence=0.0) as router:
            if load(router, tables):
                continue
            for question in group:
                yield from (_one(router, question, way) for way in ways)


def _one(router: Router, question: Question, way: str) -> Record:
    started = time.perf_counter()
    router.route(question.question)
    decision_ms = (time.perf_counter() - started) * 1000
    record = {"id": question.id, "way": way, "question": question.question, "right": False}
    try:
        answer = router.ask(question.question, route=None if way == "routed" else way)
    except (RouterError, SqlEngineError, RetrievalError) as error:
        return record | {"route": "failed", "given": str(error)[:200], "decision_ms": decision_ms}
    return record | {
        "route": answer.route.value,
        "right": by_values(question, answer),
        "gold": question.answer[:3],
        "given": str(answer.value if answer.value is not None else answer.rows[:2])[:200],
        "decision_ms": round(decision_ms, 3),
    }


def decisions(data: Path, split: str) -> dict[str, Any]:
    """With many tables loaded, the time of the decision and of gathering what it decides on."""
    questions = load_set(data, "wikisql", split)
    tables = sorted({path for question in questions for path in question.tables})[:TABLES]
    chosen = [question for question in questions if question.tables[0] in set(tables)][:300]
    index, catalog = Index(), Catalog()
    for path in tables:
        for result in read_source(path):
            index.add(result.document)
            catalog = catalog.with_tables(result.document.tables)
    gathering, deciding = [], []
    for question in chosen:
        started = time.perf_counter()
        evidence = gather(question.question, index, catalog, rows=3)
        gathered = time.perf_counter()
        decide(question.question, evidence)
        deciding.append((time.perf_counter() - gathered) * 1000)
        gathering.append((gathered - started) * 1000)
    return {
        "tables loaded": len(tables),
        "decision p50 ms": _quantile(deciding, 0.5),
        "decision p95 ms": _quantile(deciding, 0.95),
        "gathering p50 ms": _quantile(gathering, 0.5),
        "gathering p95 ms": _quantile(gathering, 0.95),
    }


def _share(values: Iterable[bool]) -> float | None:
    told = list(values)
    return round(sum(told) / len(told), 4) if told else None


def _quantile(values: Sequence[float], share: float) -> float | None:
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 3) if ordered else None
