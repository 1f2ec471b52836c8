"""What every reading of a column shares: hints from the rest of the table, the share that fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.table import ColumnType

Reading = tuple[ColumnType, list[str | None]]
"""A column's type, and the canonical form of each distinct text; None for no value."""

MIXED_SHARE = 0.5
"""A column of which more than this share is of one kind, and the rest words, is of that kind."""


@dataclass(frozen=True)
class Hints:
    """What the rest of the table tells about a column that could be read two ways."""

    decimal_mark: str | None = None
    """"." or ",": decided in another column."""
    likely_mark: str | None = None
    """What the file's delimiter makes likely, where no column decides."""
    day_first: bool | None = None

    @property
    def mark(self) -> str | None:
        """The decimal mark to read by, decided or likely."""
        return self.decimal_mark or self.likely_mark


def share_of(
    texts: Sequence[str], counts: Sequence[int], fits: Sequence[bool], missing: frozenset[str]
) -> tuple[int, int]:
    """Cells that fit, and cells that are not missing."""
    held = [n if text not in missing else 0 for text, n in zip(texts, counts, strict=True)]
    return sum(n for n, fit in zip(held, fits, strict=True) if fit), sum(held)
