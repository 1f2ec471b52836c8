"""Quarters that a question names, in a list too: "the first and second quarters", "Q3".

Takes the words of a question; gives the quarters with their words. Their years are told elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sql_engine.words import Word

NUMBERS = {
    name: number
    for number, names in enumerate(
        (
            ("1", "first", "1st", "i", "q1"),
            ("2", "second", "2nd", "ii", "q2"),
            ("3", "third", "3rd", "iii", "q3"),
            ("4", "fourth", "4th", "iv", "q4"),
        ),
        start=1,
    )
    for name in names
}
SHORT = frozenset(["q1", "q2", "q3", "q4"])
NOUN = frozenset(["quarter", "quarters", "qtr"])
_JOINING = frozenset(["and", "or", "to", "the", "than", "with"])


@dataclass(frozen=True, slots=True)
class QuarterSaid:
    """A quarter that a question names."""

    mask: int
    """Of its words; those that a list shares are the last one's."""
    number: int


def quarters_said(words: Sequence[Word]) -> tuple[QuarterSaid, ...]:
    """The quarters that words name, in order."""
    folded = [word.folded for word in words]
    said = {i: QuarterSaid(1 << i, NUMBERS[w]) for i, w in enumerate(folded) if w in SHORT}
    for i, word in enumerate(folded):
        if word not in NOUN:
            continue
        before, after = _listed(folded, i, -1), _listed(folded, i, 1)
        places = before or after
        for place in places:
            said[place] = QuarterSaid(1 << place, NUMBERS[folded[place]])
        if places:
            last = max(places)
            said[last] = QuarterSaid(1 << last | 1 << i, said[last].number)
    return tuple(said[place] for place in sorted(said))


def _listed(folded: Sequence[str], noun: int, step: int) -> list[int]:
    """The places of the numbers that stand right before or after a "quarter", joined by "and"."""
    found: list[int] = []
    place = noun + step
    while 0 <= place < len(folded):
        if folded[place] in NUMBERS and folded[place] not in SHORT:
            found.append(place)
        elif folded[place] not in _JOINING or (folded[place] == "the" and not found):
            break
        place += step
    return found
