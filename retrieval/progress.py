"""How far a load has come: what a reader of many files tells whoever shows it."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float, str], None]
"""Called with the share that is done, from 0 to 1, and what is being done now."""


def unseen(share: float, doing: str) -> None:
    """Nobody looks."""


def part(progress: Progress, start: float, end: float) -> Progress:
    """The progress of one part of the work, which stands between two shares of the whole."""
    return lambda share, doing: progress(start + share * (end - start), doing)
