"""What "how many" and "most" count: rows, unless an amount or goods are meant.

"How many points has she" asks for the points that a column holds; "how many chairs were sold" and
"which product sold most" for the quantity, where a column tells one. Takes a question, its mentions
and arrays; gives each tree as it is meant, or None for one that counts rows where no row is meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from sql_engine.offline.columns import TableData
from sql_engine.offline.cross_tables import is_cross_table
from sql_engine.offline.features import condition_column, conditions_of
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.money import holds_money
from sql_engine.offline.parts import NAMED
from sql_engine.offline.question import Question, Trigger, covering
from sql_engine.offline.sense import adds_up_to_nothing, numbers_things
from sql_engine.offline.some_of import some_of
from sql_engine.offline.tree import (
    Agg,
    All,
    Arith,
    Col,
    Grouped,
    Holds,
    Measure,
    Scalar,
    Tally,
    Tree,
    Values,
    Where,
)
from sql_engine.words import Word, fold, folded_words, name_words

LABELLED = 0.6
"""How well a word must name what tells the rows apart to be what is counted."""
MAX_NOUN = 4
"""Words after "how many" among which the noun stands."""


class Counted:
    """What is counted in one question over one relation."""

    def __init__(self, question: Question, found: Mentions, data: TableData) -> None:
        self._question = question
        self._found = found
        self._data = data

    def meant(self, tree: Tree) -> Tree | None:
        """The tree with its count of rows as the sum that is meant; None where it means nothing."""
        meant = self._meant(tree)
        if meant is not None and self._counts_no_rows and _counts_rows(meant):
            return None
        if meant is not None and self._counts_names(meant):
            return None
        return meant

    def _counts_names(self, tree: Tree) -> bool:
        """Whether different names are counted where a number beside them says how many there are:
        the "Guest" of each room, beside its "Guests".
        """
        if not self._heads or self._question.of("distinct"):
            return False
        counted = tree.measures if isinstance(tree, Grouped) else (tree,)
        named = {m.column for m in self._found.columns if m.first in self._heads}
        named = {i for i in named if not self._data.columns[i].column.as_text}  # the number's own
        return any(
            isinstance(one, Agg | Measure)
            and one.fn == "distinct"
            and one.col is not None
            and one.col.index in named
            for one in counted
        )

    @cached_property
    def _heads(self) -> frozenset[int]:
        """Places of the nouns after "how many" of which a number is told in the plural."""
        columns, words = self._data.columns, self._question.words
        told = {
            word
            for i, column in enumerate(columns)
            if column.numeric and self._adds_up(i)
            for word in folded_words(column.name)
        }
        return frozenset(i for i in self._nouns if words[i].folded in told and _several(words[i]))

    def _meant(self, tree: Tree) -> Tree | None:
        if isinstance(tree, Agg):
            return self._number(tree, self._amount)
        if isinstance(tree, Arith):
            left, right = self._side(tree.left), self._side(tree.right)
            return None if left is None or right is None else replace(tree, left=left, right=right)
        if isinstance(tree, Holds):
            side = self._side(tree.left)
            return None if side is None else replace(tree, left=side)
        if isinstance(tree, Values):
            return self._cells(tree)
        if isinstance(tree, Grouped) and any(m.fn == "count" for m in tree.measures):
            return self._groups(tree)
        return tree

    def _cells(self, tree: Values) -> Tree | None:
        """None for a list of single amounts, where "how many" or "the total" asks for their sum."""
        if not isinstance(tree.rows, All | Where) or tree.order is not None or len(tree.cols) != 1:
            return tree
        col = tree.cols[0]
        if col.index == self._amount:
            return None
        return Agg("sum", tree.rows, col) if col.index in self._totals else tree

    @cached_property
    def _totals(self) -> frozenset[int]:
        """The amounts that are called "Total", where "total" is said, and those that "turnover"
        or "sales" asks for: all of it, and no list.
        """
        told = {t.mask for t in self._question.of("sum")}
        told |= {
            1 << i for i, w in enumerate(self._question.words) if w.folded in lexicon().money_flows
        }
        return frozenset(
            m.column
            for m in self._found.columns
            if m.mask in told and m.score >= NAMED and self._data.columns[m.column].amount
        )

    def _number(self, node: Agg, amount: int | None) -> Agg | None:
        if node.fn != "count" or amount is None:
            return node
        if any(condition_column(cond) == amount for cond in conditions_of(node.rows)):
            return node  # "how many prices are below 5" counts prices
        return Agg("sum", node.rows, Col(amount)) if amount >= 0 else None

    def _side(self, node: Scalar) -> Scalar | None:
        return self._number(node, self._amount) if isinstance(node, Agg) else node

    def _groups(self, tree: Grouped) -> Grouped | None:
        ranked = tree.n is not None
        amount = self._ranked_amount if ranked and self._amount is None else self._amount
        if amount is None or amount in {key.index for key in tree.keys}:
            return tree
        if amount < 0:
            return None
        measures = tuple(
            Measure("sum", Col(amount)) if m.fn == "count" else m for m in tree.measures
        )
        return replace(tree, measures=tuple(dict.fromkeys(measures)))

    # ------------------------------------------------------------ what the words say

    @cached_property
    def _amount(self) -> int | None:
        """The column that "how many" asks to add up; -1 where it cannot be told; None for rows."""
        for noun in self._nouns:
            if self._found.rows >> noun & 1 and not self._named_amount(noun, whole=True):
                return None
            if (named := self._named_amount(noun)) is not None:
                return named
            if self._is_goods(noun):
                kinds = self._quantity is not None and not self._moved and self._bounded
                return -1 if kinds else self._quantity
        return None

    @property
    def _bounded(self) -> bool:
        """Whether a comparison is said: "sheets that cost less than 25" may be kinds or pieces."""
        return bool(self._question.of("compare_number", "compare_number_after"))

    @cached_property
    def _counts_no_rows(self) -> bool:
        """Whether the table is one of figures, and the question counts neither its rows nor what
        tells them apart.
        """
        if not is_cross_table(self._data):
            return False
        columns = self._data.columns
        labels = (m for m in self._found.columns if m.score >= LABELLED)
        things = covering(m for m in labels if not columns[m.column].measured) | self._found.rows
        nouns = {*self._nouns}
        nouns |= {t.last + 1 for t in self._question.of("count", "share", "most", "least")}
        nouns |= {t.first - 1 for t in self._question.of("group") if t.first}
        bounds = (*self._question.numbers, *self._question.of("compare_number_after"))
        nouns |= {bound.last + 1 for bound in bounds}  # "two or more players"
        return not any(things >> noun & 1 for noun in nouns)

    @cached_property
    def _ranked_amount(self) -> int | None:
        """The column that "sold most" or "gave the most" ranks by; -1 where "claimed the most"
        names nothing: how many, or how much, is not told.
        """
        if self._question.of("count"):
            return None
        moved = self._moved and not self._found.rows
        if moved and self._quantity is not None:
            return self._quantity
        bare = not self._is_done_to and any(
            not self._told_after(trigger) for trigger in self._question.apart("most", "least")
        )
        if bare and (given := self._given) is not None:
            return given
        amounts = any(column.amount for column in self._data.columns)
        return -1 if amounts and (moved or bare) else None

    def _told_after(self, trigger: Trigger) -> bool:
        """Whether a word tells what there is most of, or "most often" that it is how often: no
        period does, and no cell.
        """
        said = range(trigger.first, trigger.last + 1)
        if any(self._question.words[i].stem in lexicon().frequent for i in said):
            return True
        nouns = (self._question.content & ~self._question.light) | self._found.rows
        nouns &= ~covering(self._question.of("group"))
        first = 1 << trigger.last + 1
        for placed in (*self._question.numbers, *self._question.periods, *self._found.values):
            nouns &= ~placed.mask | (0 if placed in self._question.periods else first)
        return bool(nouns >> trigger.last + 1)

    @property
    def _given(self) -> int | None:
        """The one amount, where it is of money and a verb says that money was given or got; the one
        of money beside others, where a verb says so of nothing but money: "spent the most".
        """
        known, columns = lexicon(), self._data.columns
        amounts = [i for i, c in enumerate(columns) if c.amount and not c.repeats]
        paying = known.money_asked | known.money_earned
        if any(word.stem in paying for word in self._question.words):
            amounts = [i for i in amounts if holds_money(columns[i])]
        elif not any(word.stem in known.money_given for word in self._question.words):
            return None
        sole = len(amounts) == 1 and holds_money(columns[amounts[0]])
        return amounts[0] if sole and self._adds_up(amounts[0]) else None

    @property
    def _is_done_to(self) -> bool:
        """Whether something happens to what is ranked, of which only the times can be counted:
        "which room is booked most", no "which firm is paid most".
        """
        known, words = lexicon(), self._question.words
        money = known.money_asked | known.money_earned
        return any(
            first.folded in _BEING and then.folded.endswith("ed") and then.stem not in money
            for first, then in pairwise(words)
        )

    @property
    def _nouns(self) -> Iterator[int]:
        """Places of the words right after "how many"."""
        function = self._question.function
        for trigger in self._question.of("count"):
            last = min(trigger.last + 1 + MAX_NOUN, len(self._question.words))
            for i in range(trigger.last + 1, last):
                if any(number.last == i - 1 for number in self._question.numbers):
                    break  # "how many 3 bedroom flats" counts flats
                if self._said_of_rows >> i & 1:
                    continue  # "how many fined members" counts members
                if not function >> i & 1:
                    yield i
                elif self._question.words[i].folded not in _INSIDE:
                    break

    @cached_property
    def _said_of_rows(self) -> int:
        """Mask of the words that say that the rows have some of an amount."""
        some = some_of(self._question, self._found.columns, self._data.columns)
        return covering(some)

    def _named_amount(self, noun: int, *, whole: bool = False) -> int | None:
        """The amount that is named by this word and those right after it."""
        wanted = 1.0 if whole else NAMED
        named = [
            m
            for m in self._found.columns
            if m.first == noun and m.score >= wanted and self._adds_up(m.column)
        ]
        best = max(named, key=lambda m: m.score, default=None)
        return None if best is None else best.column

    def _adds_up(self, index: int) -> bool:
        """Whether a column holds amounts that have a sum: no numbers of lots, no ratings."""
        column = self._data.columns[index]
        sound = not numbers_things(column) and adds_up_to_nothing(column) is None
        return column.amount and sound

    def _is_goods(self, noun: int) -> bool:
        """Whether a word is a cell that says what was moved, in the plural: "chairs"."""
        word = self._question.words[noun]
        for value in self._found.values:
            if value.exact and value.mask >> noun & 1:
                plural = word.folded.endswith("s") and value.last == noun
                as_cell = any(fold(text).endswith(word.folded) for text in value.texts)
                if self._moved or (plural and not as_cell):
                    return True
        return False

    @cached_property
    def _moved(self) -> bool:
        """Whether goods are said to be sold, bought or in stock, and no row is."""
        known = lexicon().moving
        return any(word.folded in known for word in self._question.words)

    @cached_property
    def _quantity(self) -> int | None:
        """The column of quantities; None where there is none, -1 where there are several."""
        known = lexicon().quantities
        found = [
            index
            for index, column in enumerate(self._data.columns)
            if column.amount and not column.repeats and _says_quantity(column.name, known)
        ]
        if len(found) > 1:
            return -1
        return found[0] if found else None


def _counts_rows(tree: Tree) -> bool:
    """Whether rows are counted, and not only found there or not."""
    if isinstance(tree, Arith):
        return any(isinstance(s, Agg) and s.fn == "count" for s in (tree.left, tree.right))
    if isinstance(tree, Grouped):
        return any(m.fn == "count" or (m.fn == "share" and m.col is None) for m in tree.measures)
    return isinstance(tree, Tally) or (isinstance(tree, Agg) and tree.fn == "count")


def _several(word: Word) -> bool:
    """Whether a word is in the plural, as far as its ending tells."""
    return word.stem != word.folded and word.folded.endswith("s")


_BEING = frozenset(["is", "are", "was", "were", "gets", "get", "got", "been"])
_INSIDE = frozenset(["of", "the", "all", "our", "these", "those", "different"])


def _says_quantity(name: str, known: frozenset[str]) -> bool:
    stems = set(name_words(name))
    function = lexicon().function
    moving = {word for word in stems if word in known or word in _OF_QUANTITIES or word in function}
    return bool(stems & known) and moving == stems


_OF_QUANTITIES = frozenset(["order", "total", "hand", "no", "number", "count", "avail", "sale"])
"""Stems that may stand beside "quantity" in the name of its column."""
