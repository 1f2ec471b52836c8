"""Routing over the public sets: aggregates are not looked up, look-ups end in their cell.

    python -m benchmarks run routing-aggregates --data DIR
    python -m benchmarks run routing-look-ups --data DIR
    python -m benchmarks run routing-time --data DIR

`routing-aggregates`: questions whose gold aggregates or ranks, and the share answered by `row`.
Where a gold puts one row together and no word asks for it ("the attendance when Hull played" as a
sum), that cell is the answer: what is answered by `row` is parted into cells that say the gold
value, others where no word asks for an operation, and others where one does ("how many",
"highest"). Beside them, how many answers tell one cell where the gold puts several rows together.
`routing-look-ups`: questions for one published cell, and the share right when routed, when forced
to `row` and when forced to `sql`. Both ask at any confidence: every question takes a route.
With `--limit N`, so many questions of each set, evenly spread.
`routing-time`: with 1,000 tables loaded, the time of `decide`, which chooses the route from what
was found, apart from that of `gather`, which searches and links; both run for every question asked.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.answering import TODAY, by_values, load
from benchmarks.question_sets import Question, by_tables, spread
from benchmarks.question_sets import load as load_set
from retrieval.errors import RetrievalError
from retrieval.index import Index
from retrieval.reading import read_source
from router import Router
from router.cues import operations
from router.errors import RouterError
from router.evidence import gather
from router.intent import decide
from sql_engine.catalog import Catalog
from sql_engine.errors import SqlEngineError

Record = dict[str, Any]

PARTS = ("routing-aggregates", "routing-look-ups", "routing-time")
_COMPUTING = re.compile(r"\bhow many\b|\btotal\b|\bdifference\b", re.I)
_FEATURES = ("agg", "group", "order", "nested")
TABLES = 1000
TIMED = 300
"""Questions that the time is measured over."""
WAYS = ("routed", "row", "sql")


def aggregates(data: Path, split: str) -> dict[str, list[Question]]:
    """Questions whose gold aggregates or ranks, by set."""
    wikisql, spider, wtq = (load_set(data, name, split) for name in ("wikisql", "spider", "wtq"))
    return {
        "wikisql": [q for q in wikisql if q.record["agg"] != "none"],
        "spider": [q for q in spider if any(q.record["features"][name] for name in _FEATURES)],
        "wtq": [q for q in wtq if _COMPUTING.search(q.question)],
    }


def lookups(data: Path, split: str) -> dict[str, list[Question]]:
    """Questions that ask for one published cell, by set."""
    wikisql = load_set(data, "wikisql", split)
    return {
        "wikisql": [q for q in wikisql if q.record["agg"] == "none" and len(q.gold_rows) == 1],
        "aitqa": load_set(data, "aitqa", split),
    }


def ask_part(
    part: str, data: Path, split: str, limit: int | None, known: Sequence[Record] = ()
) -> Iterator[Record]:
    """A record for each question of a part in each way, as soon as it is known.

    Args:
        part: one of `PARTS` that asks.
        data: folder of the question sets.
        split: which questions.
        limit: so many of each set, evenly spread; None for all.
        known: records of a broken run, which are not asked again.
    """
    sets = aggregates if part == "routing-aggregates" else lookups
    ways = WAYS[:1] if part == "routing-aggregates" else WAYS
    chosen = {name: spread(found, limit) for name, found in sets(data, split).items()}
    done = {record["id"] for record in known if record["way"] == ways[-1]}
    done &= {question.id for questions in chosen.values() for question in questions}
    yield from (record for record in known if record["id"] in done)
    for name, questions in chosen.items():
        left = [question for question in questions if question.id not in done]
        yield from ({"set": name, **record} for record in ask(left, ways))


def figures(part: str, records: Sequence[Record]) -> dict[str, Any]:
    """What a part's records come to, by set."""
    sets = dict.fromkeys(record["set"] for record in records)
    of = {name: [record for record in records if record["set"] == name] for name in sets}
    told = _routes if part == "routing-aggregates" else _right
    return {"by set": {name: told(found) for name, found in of.items()}}


def _routes(records: Sequence[Record]) -> Record:
    routes = ("row", "table", "sql", "text", "declined", "failed")
    by_row = [record for record in records if record["route"] == "row"]
    other = [record for record in by_row if not record["right"]]
    asked = [bool(operations(record["question"])) for record in other]
    count = len(records)
    return {
        "questions": count,
        **{f"by {route}": _share(r["route"] == route for r in records) for route in routes},
        "by row, the gold value": round((len(by_row) - len(other)) / count, 4),
        "by row, another, no operation asked": round((len(other) - sum(asked)) / count, 4),
        "by row, another, with a word of one": round(sum(asked) / count, 4),
        "one cell of several rows": sum(map(_one_of_several, records)),
    }


def _one_of_several(record: Record) -> bool:
    """Whether one cell is told where the gold puts several rows together."""
    return record["route"] == "row" and record["one cell"] and record["gold rows"] > 1


def _right(records: Sequence[Record]) -> Record:
    shares = {way: _share(r["right"] for r in records if r["way"] == way) for way in WAYS}
    return {"questions": sum(r["way"] == "routed" for r in records), **shares}


def ask(questions: Sequence[Question], ways: Sequence[str]) -> Iterator[Record]:
    """Ask each question in each way; answers are given at any confidence."""
    for tables, group in by_tables(questions).items():
        with Router(writer="offline", today=TODAY, min_confidence=0.0) as router:
            if load(router, tables):
                continue
            for question in group:
                yield from (_one(router, question, way) for way in ways)


def _one(router: Router, question: Question, way: str) -> Record:
    record = {"id": question.id, "way": way, "question": question.question, "right": False}
    try:
        answer = router.ask(question.question, route=None if way == "routed" else way)
    except (RouterError, SqlEngineError, RetrievalError) as error:
        return record | {"route": "failed", "given": str(error)[:200]}
    return record | {
        "route": answer.route.value,
        "right": by_values(question, answer),
        "confidence": round(answer.confidence, 4),
        "one cell": answer.value is not None,
        "gold rows": len(question.gold_rows),
        "gold": question.answer[:3],
        "given": str(answer.value if answer.value is not None else answer.rows[:2])[:200],
        "reason": answer.reason,
        "sql": answer.sql,
    }


def decision_time(data: Path, split: str) -> dict[str, Any]:
    """With many tables loaded, the time of the decision and of gathering what it decides on."""
    questions = load_set(data, "wikisql", split)
    tables = sorted({path for question in questions for path in question.tables})[:TABLES]
    chosen = [question for question in questions if question.tables[0] in set(tables)][:TIMED]
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
        "questions": len(chosen),
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
