"""Measures of retrieval: recall at k, mean reciprocal rank, and two checks of a single chunk.

A rank is the 0-based place of the first right result, or None where there is none. A chunk passes
the strict check if it holds the row's name, the column's header and the cell's value; it passes the
pair check if it holds the name and the header and value as one pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from retrieval.tokenize import fold


@dataclass(frozen=True)
class Fact:
    """One cell that a question asks for."""

    row_name: str
    header: str
    value: str


def recall_at(k: int, ranks: Sequence[int | None]) -> float:
    """Share of the questions whose first right result is among the first `k`."""
    return sum(rank is not None and rank < k for rank in ranks) / len(ranks) if ranks else 0.0


def mean_reciprocal_rank(ranks: Sequence[int | None]) -> float:
    """Mean of 1 / (rank + 1), 0 where nothing right was found."""
    return sum(1 / (rank + 1) for rank in ranks if rank is not None) / len(ranks) if ranks else 0.0


def holds_strictly(chunk: str, fact: Fact) -> bool:
    """The strict check: row name, header and value all stand in the chunk."""
    text = fold(chunk)
    return all(fold(part) in text for part in (fact.row_name, fact.header, fact.value))


def holds_pair(chunk: str, fact: Fact) -> bool:
    """The pair check: the row name, and "header: value" in so many words."""
    text = fold(chunk)
    return fold(fact.row_name) in text and fold(f"{fact.header}: {fact.value}") in text


def first_rank(chunks: Iterable[str], fact: Fact, *, pair: bool = False) -> int | None:
    """The place of the first chunk that passes the strict check (or the pair check)."""
    check = holds_pair if pair else holds_strictly
    return next((i for i, chunk in enumerate(chunks) if check(chunk, fact)), None)
