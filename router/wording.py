"""Small pieces of sentences that several surfaces print."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retrieval.table import Table


def counted(count: int, noun: str = "row") -> str:
    """A number with its noun: "1 row", "1,200 rows"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def quoted(words: Iterable[str]) -> str:
    """Words as they are shown: `"one", "two"`."""
    return ", ".join(f'"{word}"' for word in words)


def totals_left_out(table: Table) -> tuple[str, ...]:
    """That a table's totals rows are not among its records; () where it has none."""
    count = len(table.totals)
    verb = "is" if count == 1 else "are"
    return (f"{counted(count, 'totals row')} {verb} left out of {table.title}",) if count else ()
