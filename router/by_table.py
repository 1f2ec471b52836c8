"""The table route: the whole table, where the question asks for it or most of its rows match."""

from __future__ import annotations

from dataclasses import replace

from router.answer import Answer, Route
from router.by_row import cite_rows
from router.question import Asked, Nothing


def answer(asked: Asked) -> Answer | Nothing:
    """The best table, all its rows up to the cap; totals rows are told, not listed."""
    row, named = asked.evidence.row, asked.evidence.table
    carded = 0.0 if named is None else named.confidence
    if row is not None and row.widened and row.confidence >= max(asked.min_confidence, carded):
        return _whole(asked, row.hit.table_id, row.confidence)
    if named is None:
        return Nothing()
    if named.confidence < asked.min_confidence:
        return Nothing(words=named.open_words)
    if named.repeated_column and not named.short:
        return Nothing(f"the rows of {named.hit.table} are not what is asked for")
    return _whole(asked, named.hit.table_id, named.confidence)


def _whole(asked: Asked, table_id: str, confidence: float) -> Answer:
    table = asked.table(table_id).table
    positions = table.data_rows[: asked.limits.max_rows].tolist()
    total = len(table.data_rows)
    first = cite_rows(table, positions[:1])
    return Answer(
        question=asked.question,
        route=Route.TABLE,
        text=f"{table.title}: {total:,} rows",
        columns=table.headers,
        rows=[table.row(row) for row in positions],
        truncated=len(positions) < total,
        total_rows=total,
        citations=(replace(first, rows=()),),
        warnings=_warnings(table.title, len(table.totals)),
        confidence=confidence,
    )


def _warnings(title: str, totals: int) -> tuple[str, ...]:
    if not totals:
        return ()
    rows = "1 totals row is" if totals == 1 else f"{totals} totals rows are"
    return (f"{rows} left out of {title}",)
