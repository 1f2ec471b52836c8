"""The thing that an adjective is said of, where a number is called so as well: "the cheapest boxes"
asks for no "Boxes" of the cheapest, and ranks by none.

Takes a question with its mentions and the columns; gives the numbers that are called as such
things, the words that a ranked column accounts for, and whether a tree takes one for the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sql_engine.offline.carried import in_units_of
from sql_engine.offline.columns import ColumnData
from sql_engine.offline.directions import spoken_of
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.money import holds_money
from sql_engine.offline.question import Question, Trigger
from sql_engine.offline.tree import Agg, Top, Tree, Values

SAID = 0.6
"""How well a word must name a number to be what it is called, a part of its header too."""


@dataclass(frozen=True, slots=True)
class _Thing:
    """A noun right after an adjective."""

    mask: int
    numbers: frozenset[int]
    """The columns of numbers that are called by it."""
    ranked: frozenset[int]
    """The columns that the adjective speaks of."""


class ThingsAtEnds:
    """The things that the adjectives of one question are said of, over one relation."""

    def __init__(self, question: Question, found: Mentions, columns: Sequence[ColumnData]) -> None:
        self._question = question
        self._found = found
        self._columns = columns

    @cached_property
    def _things(self) -> tuple[_Thing, ...]:
        return tuple(self._find())

    def _find(self) -> Iterator[_Thing]:
        for trigger in self._question.of("superlative"):
            ranked = frozenset(spoken_of(trigger, self._columns))
            noun = trigger.last + 1
            said = [m for m in self._found.columns if m.first == noun and m.score >= SAID]
            named = {m.column for m in said}
            columns = self._columns
            numbers = frozenset(
                i for i in named if columns[i].measured and not _fits(trigger, columns[i])
            )
            if ranked and numbers and numbers == named and not numbers & ranked:
                yield _Thing(1 << noun, numbers, ranked)

    @cached_property
    def _ranked_untold(self) -> frozenset[int]:
        """The columns by which things are ranked and that no word names: "the cheapest boxes" asks
        for boxes, and for no price.
        """
        ranked = frozenset[int]().union(*(thing.ranked for thing in self._things))
        return ranked - {m.column for m in self._found.columns if m.score >= SAID}

    def placed(self, used: set[int]) -> int:
        """Mask of the nouns for the rows that one of these columns ranks."""
        return sum(thing.mask for thing in self._things if thing.ranked & used)

    def refuses(self, tree: Tree) -> bool:
        """Whether a tree gives a number of what is at an end, or takes that number's end."""
        if self._ranks_most_by_another(tree):
            return True
        numbers = frozenset[int]().union(*(thing.numbers for thing in self._things))
        if not numbers:
            return False
        if isinstance(tree, Agg):
            ended = tree.fn in ("max", "min") and tree.col is not None
            return ended and tree.col.index in numbers | self._ranked_untold  # type: ignore[union-attr]
        if not isinstance(tree, Values) or not isinstance(tree.rows, Top):
            return False
        given = {col.index for col in tree.cols}
        return tree.rows.key.index in numbers or bool(given and given <= numbers)

    def _ranks_most_by_another(self, tree: Tree) -> bool:
        """Whether "the most seats" is told by the seats of what has most of something else."""
        if not isinstance(tree, Values) or not isinstance(tree.rows, Top) or len(tree.cols) != 1:
            return False
        given, key = tree.cols[0].index, tree.rows.key.index
        nouns = {t.last + 1 for t in self._question.of("most", "least")}
        named = {m.column for m in self._found.columns if m.first in nouns and m.score >= SAID}
        return given in named and key not in named and self._columns[given].measured


def _fits(trigger: Trigger, column: ColumnData) -> bool:
    """Whether an adjective may be said of the number itself: the longest break, in minutes, or the
    cheapest deposit.
    """
    hints = trigger.sense.hints
    paid = bool(lexicon().money_named & set(hints))
    return in_units_of(hints, column) or (paid and holds_money(column))
