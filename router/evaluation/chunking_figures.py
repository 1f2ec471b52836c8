"""What comparing chunkings gives; apart from the comparison, which needs the index's tools."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ChunkingFigures:
    """How one chunking did; shares of the cases."""

    name: str
    chunks: int
    strict_at_1: float
    strict_at_3: float
    pair_at_1: float
    pair_at_3: float
    context: float
    """Mean characters of the best three chunks."""
