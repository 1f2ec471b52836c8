"""What the shapes build from: one set of conditions, and the columns and operators left over.

A `Scope` answers which columns may fill a place in a tree, with the words that name them, and at
what price where no word does.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from retrieval.table import Kind
from sql_engine.offline.carried import asks_for_money
from sql_engine.offline.columns import ColumnData, TableData, holds_years
from sql_engine.offline.conditions import ConditionSet
from sql_engine.offline.directions import runs_against, spoken_of
from sql_engine.offline.doers import doers
from sql_engine.offline.features import column_kind, question_word
from sql_engine.offline.file_order import stands_in_order, tells_place
from sql_engine.offline.flags import flag
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.money import holds_money
from sql_engine.offline.own_date import own_dates
from sql_engine.offline.parts import Features
from sql_engine.offline.question import (
    ColumnMention,
    Mention,
    Question,
    Trigger,
    ValueMention,
    covering,
)
from sql_engine.offline.references import outcomes
from sql_engine.offline.sense import adds_up_to_nothing
from sql_engine.offline.table_words import WHOLE_NAME
from sql_engine.offline.tree import (
    All,
    Col,
    Cond,
    Facet,
    Filled,
    In,
    Measure,
    Not,
    Rows,
    Tree,
    Where,
)
from sql_engine.words import name_words, stem

LISTED = 0.7
"""How well a column must be named to be one of several that are listed."""
PARTLY = 0.6
"""How well, where columns are listed by a part of their names."""
MAX_FLOATING = 10
"""Columns tried in a place that no word names."""

LABELLED = 0.6
"""How well a word must name a column of texts to be what is largest: "river" of "river name"."""
TRUTH_OPENERS = frozenset(["is", "are", "was", "were", "does", "do", "did", "has", "have", "had"])
"""Words that a question for yes or no opens with."""

BESIDE = 0.8
"""How well a column must be named for the operator beside it to be about no other."""
_LINKS = frozenset(["of", "the", "all", "a", "their", "its"])
"""What may stand between an operator and the name it is about."""

_NEWEST = frozenset(["newest", "latest", "recent"])
_ASKING = frozenset(["what", "how", "by"])
_FIGURES = frozenset(
    map(
        stem,
        [
            "number",
            "total",
            "value",
            "amount",
            "figure",
            "quantity",
            "percentage",
            "percent",
            "count",
            "score",
            "rate",
            "many",
            "much",
            "share",
            "sum",
            "average",
            "corresponding",
            "respective",
        ],
    )
)
"""Stems of what a figure is called in general."""

What = TypeVar("What")
Told = tuple[What, int, list[tuple[str, float]]]
"""Something with the mask of the words that tell it, and features."""
Made = Told[Tree]
Key = Told[Col]

_TURNED = {"max": "min", "min": "max"}
_FUNCTIONS = {"sum": "sum", "mean": "mean", "median": "median", "maximum": "max", "minimum": "min"}


@dataclass(frozen=True, slots=True)
class Slot:
    """A column for a place in the tree, the words that name it, and at what price."""

    col: Col
    mask: int = 0
    features: Features = ()

    @property
    def first(self) -> int:
        """The first word that names it; -1 where none does."""
        return (self.mask & -self.mask).bit_length() - 1

    def out(self) -> Features:
        """The features as those of an output beside another column."""
        return tuple((f"out_{name}", value) for name, value in self.features)


class Scope:
    """The rows that one set of conditions selects, and what the other words may add."""

    def __init__(
        self,
        question: Question,
        found: Mentions,
        data: TableData,
        conditions: ConditionSet,
        n: int | None = None,
        n_mask: int = 0,
        narrowed: Told[Rows] | None = None,
    ) -> None:
        self.question = question
        self.data = data
        self._found = found
        self.n = n
        self.n_mask = n_mask
        self.conditions = conditions
        self.taken = conditions.mask | n_mask
        self.rows: Rows = Where(All(), conditions.node) if conditions.node else All()
        self.narrowed = narrowed is not None
        if narrowed is not None:
            self.rows = narrowed[0]
            self.taken |= narrowed[1]
        self.names = _best_mentions(found.columns, self.taken)
        self.row_words = found.rows & ~self.taken
        self._triggers = [t for t in question.triggers if not t.mask & self.taken]

    @cached_property
    def nth(self) -> bool:
        """Whether the number of things asked for is an ordinal: "the second largest"."""
        return any(m.ordinal and m.mask == self.n_mask for m in self.question.numbers)

    def of(self, *operators: str) -> list[Trigger]:
        """Triggers of these operators that the conditions do not use."""
        return [t for t in self._triggers if t.sense.operator in operators]

    def tells_deed(self, trigger: Trigger) -> bool:
        """Whether a phrase that sorts is what the rows are about: "ordered in March" of orders,
        no "ordered by date".
        """
        by = self.question.words[trigger.last].folded == "by"
        return bool(self._found.deeds >> trigger.first & 1) and not by

    def is_cell(self, mention: Mention) -> bool:
        """Whether words are a whole cell."""
        return any(v.exact and v.mask == mention.mask for v in self._found.values)

    def filled(self, col: Col) -> Rows:
        """The rows that have a value of a column."""
        if not (self.column(col).encoded(col.facet).codes < 0).any():
            return self.rows
        if isinstance(self.rows, All | Where):
            conds = self.rows.conds if isinstance(self.rows, Where) else ()
            return Where(All(), (*conds, Filled(col)))
        return self.rows

    def column(self, col: Col) -> ColumnData:
        """The arrays of a column."""
        return self.data.columns[col.index]

    @staticmethod
    def col(index: int) -> Col:
        """A column by its position."""
        return Col(index)

    @cached_property
    def opener(self) -> str | None:
        """The word that asks for yes or no, where the question opens with one."""
        first = self.question.words[0].folded
        return first if first in TRUTH_OPENERS else None

    def in_file_order(self, trigger: Trigger) -> bool:
        """Whether the rows stand in the order of time, so that the last row is the latest, or no
        column tells when they came about.
        """
        newest = self.question.words[trigger.last].folded in _NEWEST
        return stands_in_order(self.data.columns, of_things=newest)

    @cached_property
    def figure(self) -> int:
        """Mask of the words that ask for the figure beside what has it: "and what were those
        totals", "and how many".
        """
        words = self.question.words
        for i, word in enumerate(words[:-1]):
            after = [w.folded for w in words[i + 1 :]]
            if word.folded != "and" or after[0] not in _ASKING:
                continue
            rest = [w for w in words[i + 2 :] if w.folded not in lexicon().function]
            known = {s for slot in self.named() for s in name_words(self.column(slot.col).name)}
            if all(w.stem in _FIGURES or w.stem in known for w in rest) and i > 1:
                return ((1 << len(words)) - 1) & ~((1 << i) - 1)
        return 0

    @cached_property
    def doers(self) -> int:
        """Mask of those who did it: "by a guest"."""
        return doers(self.question, self._found)

    @property
    def rows_named(self) -> list[tuple[str, float]]:
        """A feature where a word names the rows."""
        return [("rows_named", 1.0)] if self.row_words else []

    @cached_property
    def opens_with_rows(self) -> bool:
        """Whether the first word that says anything names the rows: "orders over 12000"."""
        function = lexicon().function
        words = enumerate(self.question.words)
        first = next((i for i, word in words if word.folded not in function), None)
        return first is not None and bool(self.row_words >> first & 1)

    # ------------------------------------------------------------ columns

    def any_column(self, not_in: int = 0) -> list[Slot]:
        """Every column, named ones first; "who" and "which order" ask for no other than those that
        say who, or tell the orders apart.
        """
        found = self._slots(range(len(self.data.columns)), not_in)
        askable = self._askable
        return [s for s in found if s.mask or askable is None or s.col.index in askable]

    @cached_property
    def _askable(self) -> frozenset[int] | None:
        """The columns that may say who or which; None where any may."""
        columns = list(enumerate(self.data.columns))
        labels = [i for i, c in columns if c.kind is Kind.TEXT and c.encoded().unique]
        if question_word(self.question) in ("who", "whom"):
            named = [i for i, column in columns if column_kind(column) in ("name", "person")]
            label = [i for i in labels[:1] if not (named and self.data.columns[i].coded)]
            return frozenset([*named, *label]) or None
        return frozenset(labels) if self._asks_which_row else None

    @property
    def _asks_which_row(self) -> bool:
        """Whether "which" or "what" stands right before the name of the rows."""
        words = enumerate(self.question.words[:-1])
        asked = (i for i, word in words if word.folded in ("which", "what"))
        first = next(asked, None)
        return first is not None and bool(self._found.rows >> (first + 1) & 1)

    def named(self, not_in: int = 0) -> list[Slot]:
        """The columns that words name."""
        return [
            Slot(Col(m.column), m.mask, (("slot_named", m.score),))
            for m in self.names
            if not m.mask & not_in
        ]

    def named_from(self, place: int, reach: int) -> list[Slot]:
        """The columns that the best name which begins within `reach` words of a place may mean."""
        near = [
            m
            for m in self._found.columns
            if 0 <= m.first - place < reach and m.score >= PARTLY and not m.mask & self.taken
        ]
        best = max((m.score for m in near), default=0.0)
        return [
            Slot(Col(m.column), m.mask, (("slot_named", m.score),)) for m in near if m.score == best
        ]

    def amounts(self) -> list[Slot]:
        """Columns that can be added up."""
        return self._slots(self._amounts)

    def named_amounts(self) -> list[Slot]:
        """Columns that can be added up and that words name, numbers inside texts too."""
        return [s for s in (*self.amounts(), *self.in_text()) if s.mask]

    def compared(self) -> list[Slot]:
        """Amounts of two sides that may be held against each other: of money, where "did A pay
        more than B" names none.
        """
        found = [*self.amounts(), *self.in_text()]
        if self.compares_counts:
            return [slot for slot in found if slot.mask]
        if any(slot.mask for slot in found) or not asks_for_money(self.question):
            return found
        return [slot for slot in found if holds_money(self.column(slot.col))]

    def spoken_of(self, trigger: Trigger, slots: list[Slot]) -> list[Slot]:
        """Of columns that no word names, those that an adjective speaks of; all where it speaks of
        none.
        """
        meant = spoken_of(trigger, self.data.columns)
        if not meant or any(slot.mask for slot in slots):
            return slots
        if not all(self.data.columns[i].measured for i in meant):
            return []  # of a time of day beside a length of time either may be meant
        return [Slot(Col(i), 0, (("slot_hinted", 1.0),)) for i in meant]

    @cached_property
    def compares_counts(self) -> bool:
        """Whether it is how many rows there are that is held against each other: "more visits"."""
        told = self.of("compare", "compare_less", "most", "least", "difference")
        return any(self.row_words >> (trigger.last + 1) & 1 for trigger in told)

    def ordered(self) -> list[Slot]:
        """Columns with an order: numbers, dates, and numbers inside texts."""
        hours = {m.column for m in self.names}
        for trigger in self.of("superlative"):
            hours |= set(spoken_of(trigger, self.data.columns))
        fits = [
            i
            for i, c in enumerate(self.data.columns)
            if c.temporal or c.measured or c.runs or (c.kind is Kind.TIME and i in hours)
        ]
        return self._slots(fits) + self.in_text()

    def placed(self) -> list[Slot]:
        """Columns that say when a row came, or which place it took: dates and years, the first of
        several times of day, places.
        """
        columns = list(enumerate(self.data.columns))
        named = {m.column for m in self.names}
        times = [i for i, column in columns if column.kind is Kind.TIME]
        told = [i for i, c in columns if c.temporal or c.runs or holds_years(c) or tells_place(c)]
        return self._slots([*told, *(i for i in times if i in named or i == times[0])])

    def own_dates(self, dated: Sequence[int]) -> list[int]:
        """Of columns of times, the one that says when the rows came about; all where none does."""
        return own_dates(dated, self.data.columns, self._found, self.question)

    def beside(self, operator: int, slots: list[Slot]) -> list[Slot]:
        """Of these columns, the one whose name stands beside the words of an operator.

        "Lowest price" is about no other column than the price. All columns where none stands there.
        """
        near = [s for s in slots if s.mask and self._well_named(s) and self.follows(operator, s)]
        near = near or [
            s for s in slots if s.mask and self._well_named(s) and self._precedes(operator, s)
        ]
        if near:
            sources = {id(self.column(s.col).column.source) for s in near}
            return [s for s in slots if id(self.column(s.col).column.source) in sources]
        if any(self.follows(operator, m) for m in self._held):
            return [s for s in slots if s.mask]
        return slots

    @cached_property
    def _held(self) -> list[ColumnMention]:
        """Amounts that are well named by words which the conditions use."""
        return [
            m
            for m in self._found.columns
            if m.mask & self.taken and m.score >= BESIDE and self.data.columns[m.column].measured
        ]

    @staticmethod
    def _well_named(slot: Slot) -> bool:
        return dict(slot.features).get("slot_named", 0.0) >= BESIDE

    def follows(self, operator: int, named: Slot | ColumnMention) -> bool:
        """Whether a name comes right after an operator: "sum of the salary"."""
        start = operator.bit_length()
        gap = range(start, named.first)
        words, rows = self.question.words, self._found.rows
        return (
            named.first >= start
            and len(gap) <= 2
            and all(words[i].folded in _LINKS or rows >> i & 1 for i in gap)
        )

    def _precedes(self, operator: int, slot: Slot) -> bool:
        """Whether an operator is said of a name: "the price is lowest"."""
        words = self.question.words
        gap = range(slot.mask.bit_length(), (operator & -operator).bit_length() - 1)
        asked = slot.first > 0 and words[slot.first - 1].folded in ("which", "what")
        told = all(words[i].folded in ("is", "was", "are", "were", "the") for i in gap)
        last = (operator & -operator).bit_length() - 1
        return not asked and slot.first < last and len(gap) <= 2 and told

    def labels(self, not_in: int = 0, *, floating: bool = True) -> list[Slot]:
        """Columns whose values repeat, so that rows can be grouped by them."""
        found = self.any_column(not_in) if floating else self.named(not_in)
        return [slot for slot in found if self._repeats(slot.col)]

    def in_text(self) -> list[Slot]:
        """Columns of texts that hold a number each."""
        columns = enumerate(self.data.columns)
        texts = [
            i for i, c in columns if c.text_numbers > 0.5 and c.spans is None and not c.says_days
        ]
        return [
            Slot(Col(s.col.index, Facet.NUMBER), s.mask, (*s.features, ("slot_in_text", 1.0)))
            for s in self._slots(texts)
        ]

    @cached_property
    def _amounts(self) -> list[int]:
        return [i for i, c in enumerate(self.data.columns) if c.measured and not c.repeats]

    def _slots(self, fits: Iterable[int], not_in: int = 0) -> list[Slot]:
        allowed = set(fits)
        found = [slot for slot in self.named(not_in) if slot.col.index in allowed]
        free = sorted(allowed - {slot.col.index for slot in found})
        price = "slot_only" if len(allowed) == 1 else "slot_floating"
        return found + [Slot(Col(i), 0, ((price, 1.0),)) for i in free[:MAX_FLOATING]]

    def _repeats(self, col: Col) -> bool:
        fixed = any(
            isinstance(c, In) and c.col == col and len(c.texts) == 1 for c in self.conditions.node
        )
        return not fixed and not self.column(col).encoded(col.facet).unique

    def outputs(self, not_in: int, besides: Col) -> Iterator[tuple[tuple[Col, ...], int, Features]]:
        """What may be put out beside a key column: one column, or several named ones."""
        for slot in self.any_column(not_in):
            if slot.col.index != besides.index:
                yield (slot.col,), slot.mask, slot.out()
        for chosen in self.listings(not_in):
            if len(chosen) > 1:
                mask = covering(chosen)
                features = tuple(f for slot in chosen for f in slot.out())
                cols = tuple(slot.col for slot in chosen)
                yield cols, mask, (("columns_named", float(len(chosen))), *features)

    def listings(self, not_in: int = 0) -> list[list[Slot]]:
        """The lists of columns that may be meant: the well named ones, and the partly named too."""
        well, partly = self.listed(not_in), self.listed(not_in, PARTLY)
        return [well, partly] if len(partly) > len(well) else [well]

    def listed(self, not_in: int = 0, least: float = LISTED) -> list[Slot]:
        """The columns that the question lists: well named, by words of their own, in order."""
        best: list[Slot] = []
        for mention in sorted(self._found.columns, key=lambda m: (-m.score, m.first)):
            taken = not_in | self.taken | covering(best)
            if self._adds_up_what_follows(mention):
                continue
            if mention.score >= least and not mention.mask & taken:
                told = (("slot_named", mention.score),)
                best.append(Slot(Col(mention.column), mention.mask, told))
        return coordinated(self.question, sorted(best, key=lambda slot: slot.first))

    def _adds_up_what_follows(self, mention: ColumnMention) -> bool:
        """Whether the name of a column "Total" stands before another amount: "total wood"."""
        columns = self.data.columns
        said = any(t.mask == mention.mask for t in self.question.of("sum"))
        return said and any(
            m.first == mention.last + 1 and m.score >= LISTED and columns[m.column].measured
            for m in self._found.columns
        )

    # ------------------------------------------------------------ operators

    def differing(self, trigger: Trigger) -> str:
        """How two numbers differ: "difference" tells no direction, "how many more" does."""
        return "|-|" if self.question.words[trigger.first].folded == "difference" else "-"

    def functions(self) -> list[Told[str]]:
        """Aggregate functions that the words name."""
        found: list[Told[str]] = []
        for operator, fn in _FUNCTIONS.items():
            found += [(fn, t.mask, [(f"{fn}_told", 1.0)]) for t in self.of(operator)[:2]]
        for trigger in self.of("superlative"):
            asked = not (self.names_thing(trigger.last + 1) or self.opens_with_rows)
            if not trigger.sense.hints and asked and not self._is_numbered(trigger):
                fn = "max" if trigger.sense.argument == "+" else "min"
                found.append((fn, trigger.mask, [(f"{fn}_told", 1.0), ("by_superlative", 1.0)]))
        return found

    def _is_numbered(self, trigger: Trigger) -> bool:
        """Whether an ordinal stands right before it: the second highest is not the highest."""
        return any(n.ordinal and n.last + 1 == trigger.first for n in self.question.numbers)

    def place_of(self, cond: Cond) -> int | None:
        """Where the question names the cells of a condition; None for other conditions."""
        cells = cond.cond if isinstance(cond, Not) else cond
        if not isinstance(cells, In):
            return None
        told = [(v.column, v.first) for v in self._found.values if set(v.texts) <= set(cells.texts)]
        taken = self.conditions.mask
        told += [(m.column, m.first) for m in self._found.columns if m.mask & taken]
        return next((first for column, first in told if column == cells.col.index), None)

    def told_in_part(self) -> Iterator[ValueMention]:
        """Words that most cells of a column share: "pier" of "Upper pier" and "Lower pier"."""
        for value in self._found.values:
            cells = len(self.data.columns[value.column].texts)
            if not value.exact and len(value.texts) > 1 and len(value.texts) * 2 > cells:
                yield value

    def turned(self, fn: str, operator: int, col: Col) -> str:
        """The function that an adjective means of a column: the best time is the least."""
        told = (t for t in self.of("superlative") if t.mask == operator)
        if fn in _TURNED and any(runs_against(trigger, self.column(col)) for trigger in told):
            return _TURNED[fn]
        return fn

    def called(self, operator: int) -> int | None:
        """The amount that is called by the very word of an operator: "Total"."""
        for mention in self._found.columns:
            whole = mention.mask == operator and mention.score >= WHOLE_NAME
            if whole and self.data.columns[mention.column].amount:
                return mention.column
        return None

    def names_thing(self, place: int) -> bool:
        """Whether a word names the rows or what they are labelled by: "the longest river"."""
        firsts = {place, place + (self.row_words >> place & 1)}
        whole = (m for m in self.names if m.first in firsts and m.score >= BESIDE)
        if any(self.data.columns[m.column].measured for m in whole):
            return False  # "the highest order total", whatever "order total" names
        if (self.row_words | self._found.twofold) >> place & 1:
            return True
        named = (m for m in self.names if m.first == place and m.score >= LABELLED)
        return any(self.data.columns[m.column].kind is Kind.TEXT for m in named)

    def measures(self) -> Iterator[Told[Measure]]:
        """What may be computed for each group."""
        for trigger in self.of("count")[:1]:
            yield Measure("count"), trigger.mask, [("count_told", 1.0), *self.rows_named]
        if told := self._rows_by:
            yield Measure("count"), told, [("count_told", 1.0), *self.rows_named]
        yield from self._things_counted()
        yield Measure("count"), 0, [("group_count_untold", 1.0)]
        for fn, mask, features in self.functions():
            slots = self.ordered() if fn in ("max", "min") else self.amounts()
            called = self.called(mask) is not None
            for slot in self.beside(mask, slots):
                if not slot.mask & mask and (slot.mask or not called):
                    meant = self.turned(fn, mask, slot.col)
                    yield Measure(meant, slot.col), mask | slot.mask, [*features, *slot.features]
        for slot in self.named_amounts():
            rated = adds_up_to_nothing(self.column(slot.col)) is not None
            fn = self.summary(slot.col) if rated else "sum"
            yield Measure(fn, slot.col), slot.mask, [("sum_untold", 1.0), *slot.features]

    def _things_counted(self) -> Iterator[Told[Measure]]:
        """How many different things there are for each group, where a noun names their column: "how
        many participants per site", "the site with the most participants".
        """
        counting = self.of("count", "most", "least")
        grouping = {t.first for t in self.of("group")}
        for slot in self.named():
            column = self.column(slot.col)
            last = slot.mask.bit_length()
            whole = dict(slot.features)["slot_named"] >= WHOLE_NAME  # no "books" of "Book ID"
            thing = column.kind is Kind.TEXT and whole and flag(slot.col.index, column) is None
            if not thing or column.encoded().unique or self.names_thing(last):
                continue
            told = [t.mask for t in counting[:2] if self.noun_of(t, slot)]
            before = last in grouping
            if told or before:
                counts = [t for t in self.of("count") if t.mask in told]
                features = [("count_told", 1.0), ("count_of_column", 1.0), *slot.features]
                yield Measure("distinct", slot.col), covering(counts) | slot.mask, features

    def several_measures(self, not_in: int = 0) -> Iterator[Told[tuple[Measure, ...]]]:
        """One function of each of several columns: "the average nights and total"."""
        counting = covering(self.of("count", "count_in_all"))
        for fn, mask, features in self.functions():
            if self._makes_one(mask):
                continue
            listed = self.listed(mask | counting | not_in)
            chosen = [s for s in listed if self.column(s.col).amount and s.mask > mask]
            if len(chosen) < max(2, len(listed)) or not self.follows(mask, chosen[0]):
                continue
            used = mask | covering(chosen)
            told = [("several_columns", 1.0), *(f for slot in chosen for f in slot.features)]
            yield tuple(Measure(fn, slot.col) for slot in chosen), used, [*features, *told]

    def _makes_one(self, operator: int) -> bool:
        """Whether one number is made of several: "the sum of A and B", no "sums" and no "total"."""
        words = enumerate(self.question.words)
        return any(operator >> i & 1 and w.folded in ("sum", "plus") for i, w in words)

    @property
    def _rows_by(self) -> int:
        """Mask of the rows' name where it stands before "by" or "per": "orders per customer"."""
        mask = 0
        for trigger in self.of("group"):
            mask |= self.row_words & 1 << trigger.first >> 1
        return mask

    def by(self, mask: int) -> int:
        """Mask of the "by" that stands right before these words."""
        first = (mask & -mask).bit_length() - 1
        found = [t.mask for t in self.of("group", "order") if 0 < first - t.last <= 2]
        return found[-1] if found else 0

    def summary(self, col: Col) -> str:
        """How several amounts of one side are made one where no word says: scores have a mean,
        costs a sum.
        """
        return "mean" if self.column(col).intensive else "sum"

    def names_at(self, col: Col, place: int) -> bool:
        """Whether a name of the column begins at a word."""
        return any(m.column == col.index and m.first == place for m in self._found.columns)

    def only_qualifies(self, slot: Slot) -> bool:
        """Whether the words name what an amount is of, and not the amount: "patients" beside
        "Patient age".
        """
        named = name_words(self.column(slot.col).name)
        words = enumerate(self.question.words)
        said = {word.stem for i, word in words if slot.mask >> i & 1}
        return bool(named) and self.column(slot.col).amount and named[-1] not in said

    def kinds_of(self, col: Col) -> int:
        """Mask of the "different" right before a name of the column: groups are each different."""
        told = self.of("distinct")
        return covering(t for t in told if self.names_at(col, t.last + 1))

    def noun_of(self, trigger: Trigger, slot: Slot) -> bool:
        """Whether a name is the noun that an operator counts: "how many of the plans", "how many
        senior members" of loans.
        """
        function = self.question.function
        if self.column(slot.col).repeats:
            function |= self.conditions.mask
        gap = range(trigger.last + 1, slot.first)
        grouping = covering(self.of("group"))
        return slot.first > trigger.last and all(
            function >> i & 1 and not grouping >> i & 1 for i in gap
        )

    def every(self, mask: int) -> int:
        """Mask of the "every" or "each" that stands right before these words."""
        first = (mask & -mask).bit_length() - 1
        words = self.question.words
        before = [t for t in self.of("group") if t.last + 1 == first and t.first == t.last]
        return covering(t for t in before if words[t.first].folded in ("every", "each"))

    def pair(self) -> tuple[Where, Where, Col] | None:
        """The rows of two values, or of two outcomes, of one column that the conditions name."""
        for cond in self.conditions.node:
            if not isinstance(cond, In):
                continue
            sides = self._sides(cond)
            if len(sides) == 2:
                rest = tuple(c for c in self.conditions.node if c is not cond)
                left, right = (Where(All(), (In(cond.col, side), *rest)) for side in sides)
                return left, right, cond.col
        return None

    def _sides(self, cond: In) -> list[tuple[str, ...]]:
        """The texts of a condition apart: one each, or all that tell one outcome."""
        told = outcomes(self.column(cond.col))
        signs = dict.fromkeys(told.get(text, text) for text in cond.texts)
        return [tuple(t for t in cond.texts if told.get(t, t) == sign) for sign in signs]


def coordinated(question: Question, slots: list[Slot]) -> list[Slot]:
    """Of names in order, the first run of several that "and" or commas join; else the first alone.

    "The name and age of the singers" lists two columns, though a third is called "singer".
    """
    run: list[Slot] = slots[:1]
    pairs = list(itertools.pairwise(slots))
    side_by_side = sum(left.mask.bit_length() == right.first for left, right in pairs)
    for left, right in pairs:  # "name age city" lists three, "population density" is one thing
        if _are_joined(question, left, right, plain=side_by_side > 1):
            run.append(right)
        elif len(run) > 1:
            break
        else:
            run = [right]
    once = {slot.col: slot for slot in reversed(run)}
    return sorted(once.values(), key=lambda s: s.first) if len(once) > 1 else slots[:1]


def _are_joined(question: Question, left: Slot, right: Slot, *, plain: bool) -> bool:
    last = left.mask.bit_length() - 1
    gap = [word.folded for word in question.words[last + 1 : right.first]]
    if right.first <= last or not gap:
        parted = question.text[question.words[last].end : question.words[right.first].start]
        return plain or bool(parted.strip(" -"))
    text = question.text[question.words[last].end : question.words[right.first].start]
    own = any(one == "with" and two in _OWN for one, two in itertools.pairwise([*gap, ""]))
    return own or bool(_COORDINATORS & set(gap)) or bool(set(text) & set(",;&/"))


_COORDINATORS = frozenset(["and", "or", "plus", "versus", "vs", "beside", "besides"])
_OWN = frozenset(["its", "their", "his", "her"])


def _best_mentions(found: Iterable[ColumnMention], taken: int) -> list[ColumnMention]:
    """Mentions outside the taken words; of those of one column, the best."""
    best: dict[int, ColumnMention] = {}
    for mention in found:
        if mention.mask & taken or mention.score < 0.45:
            continue
        held = best.get(mention.column)
        if held is None or mention.score > held.score:
            best[mention.column] = mention
    return sorted(best.values(), key=lambda m: (-m.score, m.first))


def is_label(column: ColumnData) -> bool:
    """Whether a column tells kinds of things: its texts repeat."""
    return not column.measured and not column.temporal and not column.encoded().unique
