"""What a column's values look like: counts, uniqueness, samples.

Takes a `retrieval.table.Column`; looks at its distinct texts and codes, never at single rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retrieval.table import TEMPORAL, Column

MAX_SAMPLES = 12
_RANKED_UP_TO = 20_000
"""Above this many distinct values the samples are the first ones, not the most frequent."""


@dataclass(frozen=True)
class ColumnProfile:
    """The profile of one SQL column."""

    distinct: int
    """Distinct values, NULL aside."""
    nulls: int
    """Rows without a value."""
    unique: bool
    """No value occurs twice."""
    samples: tuple[str, ...]
    """Up to `MAX_SAMPLES` values in the form that SQL shows, most frequent first."""
    low: str | None = None
    """The earliest value of a temporal column."""
    high: str | None = None
    """The latest value of a temporal column."""

    @classmethod
    def of(cls, column: Column, *, as_text: bool = False) -> ColumnProfile:
        """Profile a column; `as_text` for the published text of a typed one."""
        counts = column.counts
        forms = column.texts if as_text or column.canonical is None else column.canonical
        present = np.flatnonzero(counts)
        if forms is not column.texts:
            has_value = np.fromiter((form is not None for form in forms), bool, len(forms))
            present = present[has_value[present]]
        rows_with_value = int(counts[present].sum())
        values = [forms[code] for code in _most_frequent(counts, present)]
        temporal = not as_text and column.type.kind in TEMPORAL
        ordered = [form for code in present if (form := forms[code])] if temporal else []
        return cls(
            distinct=len(present),
            nulls=len(column.codes) - rows_with_value,
            unique=rows_with_value == len(present) > 0,
            samples=tuple(dict.fromkeys(value for value in values if value is not None)),
            low=min(ordered, default=None),
            high=max(ordered, default=None),
        )


def _most_frequent(counts: npt.NDArray[np.int64], present: npt.NDArray[np.int64]) -> list[int]:
    if len(present) > _RANKED_UP_TO:
        return [int(code) for code in present[:MAX_SAMPLES]]
    order = np.argsort(-counts[present], kind="stable")[:MAX_SAMPLES]
    return [int(code) for code in present[order]]
