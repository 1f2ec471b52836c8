"""One case judged: what was given beside what is gold, and whether it is right.

Takes a `Case`, the router's `Answer` and its look-up hits; gives an `Outcome`, which is plain data
that a run's JSON lines hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from retrieval.hits import RowHit
from router.answer import Answer, Route
from router.evaluation.case import Case, GoldRows
from router.evaluation.sameness import folded, same_cell, same_rows
from router.json_values import to_json

SHOWN_ROWS = 20
"""Rows of a result that an outcome keeps for the report."""


class Verdict(StrEnum):
    """What became of a case."""

    RIGHT = "right"
    WRONG = "wrong"
    """Answered, and not with the gold."""
    PARTIAL = "partial"
    """The right row is shown, and no cell of it chosen."""
    DECLINED = "declined"
    """Not answered, though the data holds the answer."""
    FAILED = "failed"
    """An error."""
    UNJUDGED = "unjudged"
    """The case does not tell what is right."""


@dataclass(frozen=True)
class Outcome:
    """One judged case."""

    id: str
    question: str
    verdict: Verdict
    why: str = ""
    """What differs, in a few words; "" where right."""
    route: str = ""
    gold_routes: tuple[str, ...] = ()
    unanswerable: bool = False
    """The gold is to decline."""
    computed: bool = False
    """The gold is a result, so execution accuracy counts this case."""
    looked_up: bool = False
    """The gold names a row, so retrieval is measured."""
    rank: int | None = None
    """Place of the gold row among the hits, from 1; None where not found."""
    strict_rank: int | None = None
    """Place of the first hit whose text holds row name, column header and cell value."""
    confidence: float = 0.0
    elapsed_ms: float = 0.0
    calls: int = 0
    tokens: int = 0
    table: str = ""
    tags: tuple[str, ...] = ()
    gold: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    hits: tuple[str, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether an answer was given, right or not."""
        given = (Verdict.RIGHT, Verdict.PARTIAL, Verdict.WRONG)
        return self.verdict in given and self.route != Route.DECLINED

    def routed_right(self) -> bool:
        """Whether the route taken is an admissible one."""
        return self.route in self.gold_routes


def judge(
    case: Case,
    answer: Answer,
    hits: Sequence[RowHit] = (),
    gold_sql: GoldRows | None = None,
    *,
    cells: Sequence[Any] = (),
) -> Outcome:
    """Judge one answer.

    Args:
        case: the question with its gold.
        answer: what the router gave.
        hits: row hits of the same question, best first.
        gold_sql: the result of the case's gold query, where it has one.
        cells: what the gold cell says by its column, beside its text.
    """
    results = case.results + ((gold_sql,) if gold_sql is not None else ())
    verdict, why = _verdict(case, answer, results, (case.cell, *cells))
    rank, strict = _ranks(case, hits)
    return Outcome(
        id=case.id,
        question=case.question,
        verdict=verdict,
        why=why,
        route=answer.route.value,
        gold_routes=case.routes,
        unanswerable=case.declined,
        computed=bool(results),
        looked_up=case.tells_row,
        rank=rank,
        strict_rank=strict,
        confidence=answer.confidence,
        elapsed_ms=answer.elapsed_ms,
        calls=answer.usage.calls,
        tokens=answer.usage.prompt_tokens + answer.usage.completion_tokens,
        table=case.table or "",
        tags=case.tags,
        gold=_gold(case, results),
        given=_given(answer),
        hits=tuple(hit.text for hit in hits[:3]),
    )


def failure(case: Case, error: Exception) -> Outcome:
    """The outcome of a case whose question raised."""
    return Outcome(
        id=case.id,
        question=case.question,
        verdict=Verdict.FAILED,
        why=f"{type(error).__name__}: {error}",
        gold_routes=case.routes,
        unanswerable=case.declined,
        computed=bool(case.results or case.sql),
        looked_up=case.tells_row,
        table=case.table or "",
        tags=case.tags,
        gold=_gold(case, case.results),
    )


def _verdict(
    case: Case, answer: Answer, results: tuple[GoldRows, ...], cells: Sequence[Any]
) -> tuple[Verdict, str]:
    if not case.tells_answer:
        return Verdict.UNJUDGED, ""
    if case.declined:
        right = answer.route is Route.DECLINED
        return (Verdict.RIGHT, "") if right else (Verdict.WRONG, "answered; the data does not tell")
    if answer.route is Route.DECLINED:
        return Verdict.DECLINED, answer.reason or answer.text
    if answer.truncated and not results:
        return Verdict.WRONG, "more rows match than the answer holds"
    checks = _checks(case, answer, results, cells)
    if any(right for right, _ in checks):
        return Verdict.RIGHT, ""
    if case.cell is not None and answer.value is None and _is_row(case, answer):
        return Verdict.PARTIAL, "the right row, no cell chosen"
    return Verdict.WRONG, checks[0][1]


def _checks(
    case: Case, answer: Answer, results: tuple[GoldRows, ...], cells: Sequence[Any]
) -> Sequence[tuple[bool, str]]:
    """Each kind of gold that the case tells: whether it is met, and what to say where not."""
    checks: list[tuple[bool, str]] = []
    if case.cell is not None:
        checks.append((_is_cell(cells, answer), "another cell"))
    if results:
        same = any(same_rows(rows, answer.rows, ordered=case.ordered) for rows in results)
        checks.append((same or _is_value(results, answer), "another result"))
    if case.contains:
        told = (answer.text, *(str(cell) for row in answer.rows for cell in row))
        found = any(folded(case.contains) in folded(text) for text in told)
        checks.append((found, "another text"))
    if not checks:
        checks.append((_is_row(case, answer), "another row"))
    return checks


def _is_cell(cells: Sequence[Any], answer: Answer) -> bool:
    if answer.value is None and not len(answer.rows) == 1 == len(answer.columns):
        return False
    given = answer.rows[0][0] if answer.value is None else answer.value
    return any(same_cell(cell, given) for cell in cells)


def _is_value(results: tuple[GoldRows, ...], answer: Answer) -> bool:
    """Whether the one cell asked for is the answer's value, whatever stands beside it."""
    single = (rows[0][0] for rows in results if len(rows) == 1 == len(rows[0]))
    return answer.value is not None and any(same_cell(cell, answer.value) for cell in single)


def _is_row(case: Case, answer: Answer) -> bool:
    if case.keys:
        return len(answer.rows) == 1 and _holds_keys(case, [str(cell) for cell in answer.rows[0]])
    cited = {row for citation in answer.citations for row in citation.rows}
    return bool(cited) and cited <= set(case.positions)


def _holds_keys(case: Case, cells: Sequence[str]) -> bool:
    return all(any(same_cell(key, cell) for cell in cells) for key in case.keys)


def _ranks(case: Case, hits: Sequence[RowHit]) -> tuple[int | None, int | None]:
    if not case.tells_row:
        return None, None
    places = [place for place, hit in enumerate(hits, 1) if _is_gold_hit(case, hit)]
    strict = [place for place in places if _holds_meaning(case, hits[place - 1])]
    return next(iter(places), None), next(iter(strict), None)


def _is_gold_hit(case: Case, hit: RowHit) -> bool:
    if case.table and case.table not in (hit.document, hit.table_id, hit.table):
        return False
    if case.positions:
        return hit.row_position in case.positions
    return _holds_keys(case, list(hit.cells.values()))


def _holds_meaning(case: Case, hit: RowHit) -> bool:
    """The strict check: row name, column header and cell value, all in the one chunk."""
    wanted = (*case.keys, *filter(None, (case.column, case.cell)))
    chunk = folded(hit.text)
    return all(folded(text) in chunk for text in wanted)


def _gold(case: Case, results: tuple[GoldRows, ...]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "row": list(case.keys or case.positions),
        "column": case.column,
        "cell": case.cell,
        "rows": [to_json(list(row)) for row in results[0][:SHOWN_ROWS]] if results else None,
        "sql": case.sql,
        "contains": case.contains,
        "declined": case.declined or None,
    }
    return {name: value for name, value in told.items() if value not in (None, [])}


def _given(answer: Answer) -> dict[str, Any]:
    told = {
        "text": answer.text,
        "value": to_json(answer.value),
        "columns": list(answer.columns),
        "rows": [to_json(list(row)) for row in answer.rows[:SHOWN_ROWS]],
        "sql": answer.sql,
        "reason": answer.reason,
        "warnings": list(answer.warnings),
    }
    return {name: value for name, value in told.items() if value not in (None, [])}
