"""A doubt about a reading: what is unclear, and how to say it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a reading may not be what is meant."""

    why: str
    hint: str
    """What to say instead."""
