"""Years that run over two: "2024/25", "24/25", "2024-2025".

Takes a text; gives where it says such years. Any other two numbers are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_YEARS = re.compile(r"(?<![\d/–-])(?:19|20)?(\d\d)\s?[/–-]\s?(?:19|20)?(\d\d)(?![\d/–-])")


@dataclass(frozen=True, slots=True)
class YearOverTwo:
    """A year that begins in one year and ends in the next."""

    start: int
    end: int
    """The stretch of the text."""
    first: int
    """The last two digits of the year it begins in."""
    slashed: bool
    """Whether a slash parts them; a dash may stand between any two numbers: "12-13"."""

    @property
    def second(self) -> int:
        """The last two digits of the year it ends in."""
        return (self.first + 1) % 100


def years_over_two(text: str) -> Iterator[YearOverTwo]:
    """Each year over two that a text says, in order."""
    for match in _YEARS.finditer(text):
        found = YearOverTwo(match.start(), match.end(), int(match[1]), "/" in match[0])
        if int(match[2]) == found.second:
            yield found
