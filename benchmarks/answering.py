"""Questions answered end to end by `Router.ask`, each over its own tables, by each set's own rule.

Gives a record a question: verdict, route, confidence, time. Tables are loaded once for all the
questions that share them.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.denotation import as_text, denotation, same_result
from benchmarks.question_sets import Question, by_tables
from retrieval.errors import RetrievalError
from router import Answer, Router
from router.errors import RouterError
from router.evaluation.sameness import same_cell
from sql_engine.errors import SqlEngineError

Record = dict[str, Any]
Rule = Callable[[Question, Answer], bool]

TODAY = dt.date(2025, 6, 30)
"""The day that the sets' relative dates count from."""


@dataclass(frozen=True)
class AskedSet:
    """How one set is asked and scored."""

    rule: Rule
    rule_name: str
    segment: Callable[[Question], str] = lambda question: ""
    wanted: Callable[[Question], bool] = lambda question: True
    """Which questions have a gold that can be compared exactly."""


def ask_all(
    asked: AskedSet, questions: Sequence[Question], *, min_confidence: float | None
) -> Iterator[Record]:
    """Ask every question; one record each."""
    options = {} if min_confidence is None else {"min_confidence": min_confidence}
    wanted = [question for question in questions if asked.wanted(question)]
    for tables, group in by_tables(wanted).items():
        with Router(writer="offline", today=TODAY, **options) as router:
            error = load(router, tables)
            for question in group:
                yield error_record(question, error) if error else _ask(asked, router, question)


def load(router: Router, tables: Sequence[Path]) -> Exception | None:
    """Load the files; the error where one cannot be read."""
    try:
        for path in tables:
            router.add(path)
    except (RetrievalError, RouterError) as error:
        return error
    return None


def error_record(question: Question, error: Exception) -> Record:
    """The record of a question that could not be asked."""
    told = f"{type(error).__name__}: {error}"
    return {"id": question.id, "verdict": "failed", "given": told[:300], "segment": ""}


def _ask(asked: AskedSet, router: Router, question: Question) -> Record:
    started = time.perf_counter()
    try:
        answer = router.ask(question.question)
    except (RouterError, SqlEngineError, RetrievalError) as error:
        return error_record(question, error) | {"segment": asked.segment(question)}
    elapsed = (time.perf_counter() - started) * 1000
    declined = answer.route == "declined"
    right = asked.rule(question, answer)
    return {
        "id": question.id,
        "question": question.question,
        "verdict": "right" if right else "declined" if declined else "wrong",
        "answered": not declined,
        "route": answer.route.value,
        "confidence": round(answer.confidence, 4),
        "ms": round(elapsed, 2),
        "segment": asked.segment(question),
        "sql": answer.sql,
        "gold": question.answer[:10],
        "given": items(answer)[:10] if not declined else (answer.reason or answer.text)[:300],
    }


def items(answer: Answer) -> list[str]:
    """An answer as the list of items that the sets publish."""
    if answer.value is not None:
        return [as_text(answer.value)]
    if answer.route == "text":
        return [answer.text]
    return ["\t".join(map(as_text, row)) for row in answer.rows]


def by_denotation(question: Question, answer: Answer) -> bool:
    """WikiTableQuestions' rule; rows whose gold has no canonical form are read leniently."""
    lenient = question.record.get("origin", "training") == "training"
    return _answered(answer) and denotation(question.answer, items(answer), lenient=lenient)


def by_values(question: Question, answer: Answer) -> bool:
    """The values of the result as a set, numbers to four decimals."""
    if not _answered(answer):
        return False
    given = items(answer)
    if denotation(question.answer, given, lenient=True):
        return True
    return len(given) == len(question.answer) and all(
        any(same_cell(gold, have) for have in given) for gold in question.answer
    )


def by_scaled_values(question: Question, answer: Answer) -> bool:
    """As `by_values`; the number may be told in units or in the scale that the set names."""
    scale = _SCALES.get(question.record.get("scale", ""), 1.0)
    if by_values(question, answer):
        return True
    value = answer.value
    if scale == 1.0 or isinstance(value, (bool, str)) or value is None or not _answered(answer):
        return False
    golds = [text.translate(_BARE) for text in question.answer]
    return len(golds) == 1 and same_cell(golds[0], float(value) / scale)


_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "percent": 0.01}
_BARE = str.maketrans("", "", "$€£, ")


def by_joined_values(question: Question, answer: Answer) -> bool:
    """As `by_values`, where the set joins several values with commas."""
    if by_values(question, answer):
        return True
    parts = [part.strip() for part in ", ".join(question.answer).split(", ")]
    return _answered(answer) and denotation(parts, items(answer), lenient=True)


def by_piped_values(question: Question, answer: Answer) -> bool:
    """As `by_values`, where the set joins the cells of a row with ` | `."""
    if not _answered(answer):
        return False
    gold = [text.replace(" | ", "\t") for text in question.answer]
    return by_values(question, answer) or denotation(gold, items(answer), lenient=True)


def by_execution(question: Question, answer: Answer) -> bool:
    """Execution accuracy against any admissible result."""
    return (
        _answered(answer)
        and not answer.truncated
        and any(
            same_result(rows, answer.rows, ordered=question.ordered) for rows in question.results
        )
    )


def by_declining(question: Question, answer: Answer) -> bool:
    """Right when declined."""
    return not _answered(answer)


def _answered(answer: Answer) -> bool:
    return answer.route != "declined"


def _features(question: Question) -> str:
    return "one table" if len(question.record["tables"]) == 1 else "several tables"


ASKED = {
    "wtq": AskedSet(by_denotation, "denotation match", lambda q: q.record["origin"]),
    "wikisql": AskedSet(
        by_values,
        "values of the result",
        lambda q: "look-up" if q.record["agg"] == "none" else "aggregate",
    ),
    "spider": AskedSet(by_execution, "execution accuracy", _features),
    "spider_syn": AskedSet(by_execution, "execution accuracy", _features),
    "spider_dk": AskedSet(by_execution, "execution accuracy", _features),
    "geography": AskedSet(by_execution, "execution accuracy", _features),
    "defog": AskedSet(by_execution, "execution accuracy, any accepted result", _features),
    "defog_idk": AskedSet(by_declining, "declined"),
    "hitab": AskedSet(
        by_values, "answer value", lambda q: "/".join(q.record.get("aggregation", []))
    ),
    "aitqa": AskedSet(by_values, "answer value", lambda q: q.record.get("type", "")),
    "hctqa": AskedSet(by_piped_values, "answer value", lambda q: q.record.get("kind", "")),
    "tatqa": AskedSet(
        by_scaled_values, "answer value, scaled", lambda q: q.record.get("answer_type", "")
    ),
    "tablebench": AskedSet(
        by_joined_values,
        "answer value",
        lambda q: q.record.get("qtype", ""),
        lambda q: q.record.get("qtype") in ("FactChecking", "NumericalReasoning"),
    ),
}
