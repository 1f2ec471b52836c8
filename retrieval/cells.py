"""What a column's text means: the one place that reads numbers, dates and identifiers.

Takes a column's distinct texts with their counts; gives the `ColumnType` with its evidence, and
each text's canonical form (the form a database casts).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from retrieval.table import ColumnType, Kind

_INTEGER = re.compile(r"[+-]?(0|[1-9]\d{0,17})")
_DECIMAL = re.compile(r"[+-]?(0|[1-9]\d*)\.\d+")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def decide(
    texts: Sequence[str], counts: Sequence[int], *, header: str = "", unit: str | None = None
) -> tuple[ColumnType, tuple[str | None, ...] | None]:
    """Decide a column's type on all its distinct texts.

    Args:
        texts: distinct non-empty cells as published.
        counts: how often each occurs; aligned with `texts`.
        header: the column's header path, which may tell a unit.
        unit: the table's unit, where one is told.

    Returns:
        The type, and the canonical forms aligned with `texts` (None where every text is its own).
    """
    if texts and all(_INTEGER.fullmatch(t) for t in texts):
        return ColumnType(Kind.INTEGER, unit=unit, evidence="all integers"), None
    if texts and all(_INTEGER.fullmatch(t) or _DECIMAL.fullmatch(t) for t in texts):
        scale = max(len(t.partition(".")[2]) for t in texts)
        whole = max(len(t.lstrip("+-").partition(".")[0]) for t in texts)
        kind = ColumnType(
            Kind.DECIMAL,
            precision=min(38, max(18, whole + scale)),
            scale=scale,
            unit=unit,
            evidence="all decimals",
        )
        return kind, None
    if texts and all(_DATE.fullmatch(t) for t in texts):
        return ColumnType(Kind.DATE, evidence="all ISO dates"), None
    return ColumnType(Kind.TEXT, evidence="text"), None
