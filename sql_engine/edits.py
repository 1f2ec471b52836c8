"""Small edits of a text, and where a position of the edited text lies in the original.

So that a repaired statement stays the text that was written, not a regenerated one, and an
engine's error points at what the writer wrote. Offsets are UTF-8 bytes, as DuckDB counts them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """Bytes `start` to `end` (exclusive) become `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Edits:
    """Rounds of edits, each over the text that the round before left."""

    rounds: tuple[tuple[Edit, ...], ...] = ()

    def then(self, edits: Iterable[Edit]) -> Edits:
        """These edits and one more round."""
        edits = tuple(sorted(edits, key=lambda edit: edit.start))
        return Edits((*self.rounds, edits)) if edits else self

    def original_position(self, position: int) -> int:
        """Where a byte of the edited text lies in the original."""
        for edits in reversed(self.rounds):
            position = _before(position, edits)
        return position


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with non-overlapping edits made."""
    data, pieces, done = text.encode(), [], 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        pieces += [data[done : edit.start], edit.text.encode()]
        done = edit.end
    return b"".join([*pieces, data[done:]]).decode()


def _before(position: int, edits: tuple[Edit, ...]) -> int:
    shift = 0
    for edit in edits:
        start = edit.start + shift
        length = len(edit.text.encode())
        if position < start:
            break
        if position < start + length:
            return edit.start
        shift += length - (edit.end - edit.start)
    return position - shift
