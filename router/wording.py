"""Small pieces of sentences that several surfaces print."""

from __future__ import annotations


def counted(count: int, noun: str = "row") -> str:
    """A number with its noun: "1 row", "1,200 rows"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
