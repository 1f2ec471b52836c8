"""Small pieces of sentences that several surfaces print."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from router.json_values import to_text

if TYPE_CHECKING:
    from retrieval.table import Table


def counted(count: int, noun: str = "row") -> str:
    """A number with its noun: "1 row", "1,200 rows"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def quoted(words: Iterable[str]) -> str:
    """Words as they are shown: `"one", "two"`."""
    return ", ".join(f'"{word}"' for word in words)


_LONG = 12
"""A number of more digits than this is the outcome of a division, and no published one."""


def as_read(value: object) -> str | None:
    """A value as a person reads it: a computed number to four decimals, or as many digits."""
    if not isinstance(value, float):
        return to_text(value)
    text = repr(value)
    if not math.isfinite(value) or sum(map(str.isdigit, text)) <= _LONG:
        return text.removesuffix(".0")
    short = f"{value:.4g}" if 0 < abs(value) < 1 else f"{value:.4f}"
    return short if "e" in short else short.rstrip("0").removesuffix(".")


MAX_TITLE = 60


def short_title(title: str) -> str:
    """A table's title where it is told beside something else."""
    return title if len(title) <= MAX_TITLE else f"{title[:MAX_TITLE].rstrip()}…"


def totals_left_out(table: Table) -> tuple[str, ...]:
    """That a table's totals rows are not among its records; () where it has none."""
    count = len(table.totals)
    told = f"{counted(count, 'totals row')} {'is' if count == 1 else 'are'} left out of "
    return (told + short_title(table.title),) if count else ()
