"""Words of magnitude: what "5 million" multiplies by.

Takes folded words; gives scales.
"""

from __future__ import annotations

from collections.abc import Iterable

SCALES = {
    **{"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12},
    **{"bn": 1e9, "mn": 1e6, "mln": 1e6},
}
"""Folded words in the singular."""


def scale_of(folded: str) -> float | None:
    """What a word multiplies by; None where it is no word of magnitude."""
    return SCALES.get(folded.removesuffix("s"))


def scales_in(folded: Iterable[str]) -> set[float]:
    """The scales that some words tell."""
    return {scale for word in folded if (scale := scale_of(word)) is not None}
