"""Composes the trees that a question may be read as, over one table.

Takes the question, its mentions and the table's arrays; gives `Candidate`s, each with the words it
explains and the features that tell why it was made. Columns and operators that no word names may
be used at the price of a feature; the ranker decides what that costs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from functools import cached_property

from sql_engine.offline.carried import Carried
from sql_engine.offline.columns import TableData
from sql_engine.offline.conditions import (
    Conditions,
    ConditionSet,
)
from sql_engine.offline.counted import Counted
from sql_engine.offline.doers import doers
from sql_engine.offline.each_time import each_time
from sql_engine.offline.features import (
    columns_of,
)
from sql_engine.offline.listed import listed
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.parts import NAMED, Candidate, Part
from sql_engine.offline.question import NumberMention, Question
from sql_engine.offline.refusals import Refusals
from sql_engine.offline.relation import Relation
from sql_engine.offline.scope import Scope, is_label
from sql_engine.offline.shapes import NARROWED, SHAPES, Shape
from sql_engine.offline.shapes.extremes import narrowings
from sql_engine.offline.things_at_ends import ThingsAtEnds
from sql_engine.offline.tree import (
    Grouped,
    Slice,
    Top,
    Tree,
    Values,
)

MAX_CANDIDATES = 5000
"""Trees made of one question over one relation; the likeliest conditions come first."""
MAX_NARROWED = 8
"""Sets of conditions whose rows at an end are asked about."""
_ENDS = frozenset(["superlative", "most", "least", "maximum", "minimum"])
_RANKING = frozenset(["superlative", "first", "last", "most", "least"])
_OPERATIONS = frozenset([*_ENDS, "count", "sum", "mean", "difference", "next", "previous"])


class Composer:
    """Makes the candidates of one question over one table."""

    def __init__(
        self, question: Question, found: Mentions, relation: Relation, data: TableData
    ) -> None:
        self.question = question
        self.found = found
        self.relation = relation
        self.data = data
        self._carried = Carried(question, found, data)
        self._counted = Counted(question, found, data)
        self._refusals = Refusals(question, found, data)
        self._things = ThingsAtEnds(question, found, data.columns)

    def candidates(self) -> Iterator[Candidate]:
        """All candidates; the masks hold every word that the tree accounts for."""
        return itertools.islice(self._candidates(), MAX_CANDIDATES)

    def _candidates(self) -> Iterator[Candidate]:
        for reserved, n in self._counts():
            found = Conditions(self.question, self.found, self.data).sets(reserved)
            for place, conditions in enumerate(found):
                scope = Scope(self.question, self.found, self.data, conditions, n, reserved)
                yield from self._over(scope, SHAPES)
                if n is None and self._nests and place < MAX_NARROWED:
                    yield from self._narrowed(conditions, scope)

    @cached_property
    def _nests(self) -> bool:
        """Whether the question has an end and another operation beside it, not two ends that an
        "and" joins: "the lowest price and the highest weight".
        """
        if self._joins_ends:
            return False
        told = {t.mask for t in self.question.triggers if t.sense.operator in _ENDS}
        others = {t.mask for t in self.question.triggers if t.sense.operator in _OPERATIONS}
        return bool(told) and len(told | others) > 1

    @property
    def _joins_ends(self) -> bool:
        """Whether an "and" stands right before the words of an end, and another end before it."""
        words, ends = self.question.words, self.question.of(*_ENDS)
        for trigger in ends:
            before = [word.folded for word in words[: trigger.first]]
            joined = before[-1:] == ["and"] or before[-2:] == ["and", "the"]
            if joined and any(other.last < trigger.first for other in ends):
                return True
        return False

    def _narrowed(self, conditions: ConditionSet, scope: Scope) -> Iterator[Candidate]:
        """The trees over the rows at an end."""
        for rows, mask, features in narrowings(scope):
            told = Part(conditions.node, conditions.mask, (*conditions.features, *features))
            narrowed = (rows, mask, features)
            inner = Scope(self.question, self.found, self.data, told, narrowed=narrowed)
            yield from self._over(inner, NARROWED)

    def _over(self, scope: Scope, shapes: tuple[Shape, ...]) -> Iterator[Candidate]:
        """The trees of these shapes over one set of conditions."""
        for shape in shapes:
            name = (f"shape_{shape.__name__}", 1.0)
            for made, mask, features in shape(scope):
                tree = self._counted.meant(made)
                if tree is None:
                    continue
                tree = listed(self.question, self.found, self.data, tree)
                tree = each_time(self.question, self.found, self.data, tree)
                if tree is None:
                    continue
                if scope.n is not None and scope.n not in _numbers_kept(tree):
                    continue
                if self._refusals.refuses(tree) or self._things.refuses(tree):
                    continue
                used = columns_of(tree)
                if self.relation.composed and not self.relation.needs(used):
                    continue
                explained = self._explained(used, mask | scope.taken)
                if isinstance(tree, Values) and self._grouping & ~explained:
                    continue
                told = (("n_told", 1.0),) if scope.n is not None else ()
                yield Part(tree, explained, (*scope.conditions.features, *features, *told, name))

    @cached_property
    def _grouping(self) -> int:
        """Mask of each "by" right before a column whose texts repeat: a list of rows is no answer.

        Not where the words are about an order.
        """
        if self.question.of("order"):
            return 0
        mask = 0
        done = doers(self.question, self.found)
        for trigger in self.question.of("group"):
            if trigger.mask & done:
                continue
            for mention in self.found.columns:
                named = mention.score >= NAMED and mention.first == trigger.last + 1
                if named and is_label(self.data.columns[mention.column]):
                    mask |= trigger.mask
        return mask

    def _counts(self) -> Iterable[tuple[int, int | None]]:
        """The number of things asked for ("top 3", "five largest"), as a mask and a number."""
        if not any(map(self._only_counts, self.question.numbers)):
            yield 0, None
        for number in self.question.numbers:
            whole = number.counts and number.value == int(number.value)
            if not whole or not 0 < number.value <= 1000:
                continue
            if number.mask & self.found.header_numbers:
                continue
            for trigger in self.question.triggers:
                if trigger.sense.operator in _RANKING and (
                    trigger.last + 1 == number.first or number.last + 1 == trigger.first
                ):
                    yield number.mask, int(number.value)
                    break
            else:
                if self._counts_nouns(number):
                    yield number.mask, int(number.value)

    def _only_counts(self, number: NumberMention) -> bool:
        """Whether a number says nothing but how many: "top 3", "which 2 sites are the largest"."""
        words = self.question.words
        before = words[number.first - 1].folded if number.first else ""
        after = words[number.last + 1].folded if number.last + 1 < len(words) else ""
        asked = before == "top" or (before == "which" and after.endswith("s"))
        whole = number.counts and number.value == int(number.value)
        return asked and whole and 0 < number.value <= 1000 and self._counts_nouns(number)

    def _counts_nouns(self, number: NumberMention) -> bool:
        """Whether the number stands before a noun for rows or a column, with a superlative."""
        after = 1 << (number.last + 1)
        nouns = self.found.rows | sum(1 << m.first for m in self.found.columns)
        ranked = any(t.sense.operator in _RANKING for t in self.question.triggers)
        return ranked and bool(nouns & after)

    def _explained(self, used: set[int], mask: int) -> int:
        """The mask with the words that the columns used, and the rows, carry along."""
        carried = self._carried.always | self._carried.by_columns(used)
        return mask | carried | self._things.placed(used)


def _numbers_kept(tree: Tree) -> set[int]:
    """How many rows or groups the tree keeps, wherever it cuts."""
    if isinstance(tree, Grouped):
        return {tree.n} if tree.n else set()
    rows = getattr(tree, "rows", None)
    return {rows.n} if isinstance(rows, Top | Slice) else set()
