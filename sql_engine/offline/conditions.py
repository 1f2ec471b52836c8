"""Conditions that a question may put on rows, and the sets of them that go together.

Takes the question and its mentions of one table; gives `Part`s of condition tuples: each set
explains words that no other condition of the set explains.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from retrieval.table import Kind
from sql_engine.offline.carried import holds_money, units_of
from sql_engine.offline.columns import FIRST_YEAR, LAST_YEAR, ColumnData, TableData
from sql_engine.offline.denied_cells import denied_together
from sql_engine.offline.flags import Flag, flag, yes_and_no
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import WHOLE_NAME, Mentions
from sql_engine.offline.parts import Features, Part
from sql_engine.offline.periods import OF_THE_WEEK, Period
from sql_engine.offline.question import (
    CURRENCY,
    ColumnMention,
    Mention,
    NumberMention,
    PeriodMention,
    Question,
    Trigger,
    ValueMention,
)
from sql_engine.offline.references import References
from sql_engine.offline.spans import Span
from sql_engine.offline.tree import AnyOf, Cmp, Col, Cond, Facet, Filled, In, Not, Within
from sql_engine.offline.unit_words import agree, column_scale, column_unit
from sql_engine.words import fold, folded_words, name_words, stem

_ANNOUNCING = frozenset(
    ["number", "no", "nr", "id", "year", "month", "quarter", "day", "date", "code"]
)
_BEING = frozenset(["is", "are", "was", "were", "aged", "who", "that", "be"])
_OF_EACH = frozenset(["unit", "per", "each", "rate"])
"""Stems in the names of what one piece costs or weighs, which is not what a row comes to."""
_DATE_NAMES = frozenset(
    map(
        stem,
        ["date", "day", "time", "timestamp", "datum", "when", "datetime", "month", "period"],
    )
)
_BY = frozenset(["by", "per"])
_ARTICLES = frozenset(["a", "an", "any", "the", "their", "its"])
MAX_SETS = 24
MAX_FLOATING = 6
"""Columns tried for a number that no column name stands beside."""

ConditionPart = Part[Cond]
ConditionSet = Part[tuple[Cond, ...]]


@dataclass(frozen=True)
class Bounded:
    """A comparison that the question states, before its column is known."""

    mask: int
    op: str
    low: NumberMention | PeriodMention
    high: NumberMention | PeriodMention | None = None
    aged: bool = False
    """Whether it says how old something is by when it came about: "older than 2019"."""


class Conditions:
    """All conditions of a question over one table."""

    def __init__(self, question: Question, found: Mentions, data: TableData) -> None:
        self._question = question
        self._found = found
        self._data = data
        self._negations = question.of("negation")

    def sets(self, reserved: int = 0) -> list[ConditionSet]:
        """Sets of conditions, most words explained first; the empty set is always among them.

        `reserved` masks words (a "3" of "top 3") that no condition may use.
        """
        parts = [p for p in self.parts() if not p.mask & reserved]
        parts.sort(key=lambda p: -_weight(p))
        beam: list[tuple[ConditionPart, ...]] = [()]
        for part in parts[:24]:
            grown = [
                (*chosen, part) for chosen in beam if not any(c.mask & part.mask for c in chosen)
            ]
            beam = sorted(beam + grown, key=lambda c: -sum(map(_weight, c)))[: MAX_SETS * 2]
        if () not in beam:
            beam.append(())
        return [joined for chosen in beam[:MAX_SETS] for joined in self._joined(chosen)] + [
            Part(())
        ]

    def parts(self) -> list[ConditionPart]:
        """Single conditions."""
        blanks = list(self._blanks())
        taken = sum({part.mask & self._blank_words for part in blanks})
        placed = (value for value in self._placed_values() if not value.mask & taken)
        found = [(self._value(value), value.first) for value in placed]
        found += [(part, part.mask.bit_length() - 1) for part in self._flags()]
        found += [(part, 0) for part in self._supplies()]
        found += [(part, 0) for part in self._some()]
        found += [(part, 0) for part in blanks]
        found += [(part, 0) for part in self._counted()]
        found += References(self._question, self._found, self._data).parts()
        for bounded in self._bounded():
            found += [(part, bounded.low.first) for part in self._bounds(bounded)]
        return [variant for part, first in found for variant in self._signs(part, first)]

    # ------------------------------------------------------------ cells

    def _placed_values(self) -> list[ValueMention]:
        """The cells named; where a column is named beside the words, theirs alone."""
        placed = {v.mask for v in self._found.values if v.exact and self._beside(v, v.column)}
        return [
            value
            for value in self._found.values
            if (value.mask not in placed or self._beside(value, value.column))
            and not self._groups(value)
            and not self._denies_next(value)
        ]

    def _denies_next(self, value: ValueMention) -> bool:
        """Whether a "no" that is a cell denies the word after it: "no manager"."""
        if not any(value.mask == negation.mask for negation in self._negations):
            return False
        words, after = self._question.words, value.last + 1
        goes_on = after < len(words) and not self._question.function >> after & 1
        said = value.first and (
            words[value.first].text[:1].isupper() or words[value.first - 1].folded in _BEING
        )
        return goes_on and not said

    def _groups(self, value: ValueMention) -> bool:
        """Whether cells are told by a word of several after "by": their column groups the rows."""
        before = {t.last for t in self._question.of("group") if t.last == value.first - 1}
        return bool(before) and len(value.texts) > 1 and not value.exact

    def _value(self, value: ValueMention) -> ConditionPart:
        size = value.mask.bit_count()
        name = "value_exact" if value.exact else "value_partial"
        if 0.9 <= value.score < 1:
            name = "value_stem"
        features = [(name, 1.0), (f"{name}_words", float(size)), ("value_score", value.score)]
        mask = value.mask | self._beside(value, value.column)
        before = (mask & -mask).bit_length() - 2
        if before > 0 and self._question.words[before].folded == "the":
            before -= 1
        if before >= 0 and self._question.words[before].folded == "by":
            mask |= 1 << before
        if mask != value.mask:
            features.append(("value_named", 1.0))
        if value.scattered:
            features.append(("value_scattered", 1.0))
        if any(q.mask & value.mask == value.mask for q in self._question.quoted):
            features.append(("value_quoted", 1.0))
        if not value.exact and len(value.texts) > 1:
            features.append(("value_many", float(np.log(len(value.texts)))))
        return Part(In(Col(value.column), value.texts), mask, tuple(features))

    def _flags(self) -> Iterable[ConditionPart]:
        """A column of yes and no that is named holds, or does not: "that can be returned"."""
        for mention in self._found.columns:
            said = flag(mention.column, self._data.columns[mention.column])
            if mention.score < 0.7 or said is None or self._is_grouped_by(mention):
                continue
            features = (("value_exact", 1.0), ("value_exact_words", 1.0), ("flag", 1.0))
            yield Part(said.yes, mention.mask, features)
            yield from self._said_so(mention, said, features)
            for negation in self._negations:
                if 0 < mention.first - negation.last <= 4 and not negation.mask & mention.mask:
                    told = (*features, ("negated", 1.0))
                    yield Part(said.no, mention.mask | negation.mask, told)

    def _said_so(
        self, mention: ColumnMention, said: Flag, features: Features
    ) -> Iterable[ConditionPart]:
        """A yes or no right after the column: "where paid is no"."""
        place = self._told_of(mention)
        word = self._question.words[place].folded if place < len(self._question.words) else ""
        told = (*features, ("negated", 1.0))
        if word in lexicon().yes:
            yield Part(said.yes, mention.mask | 1 << place, told)
        elif word in lexicon().no and place > mention.last + 1:
            yield Part(said.no, mention.mask | 1 << place, told)

    def _is_grouped_by(self, mention: ColumnMention) -> bool:
        """Whether the rows are counted by a column, after "by" or an "and" that goes on with it."""
        words = self._question.words
        before = words[mention.first - 1].folded if mention.first else ""
        groups = [t.last for t in self._question.of("group") if words[t.last].folded in _BY]
        if before == "and":
            return any(2 <= mention.first - last <= 5 for last in groups)
        return any(mention.first - last == 1 for last in groups)

    def _supplies(self) -> Iterable[ConditionPart]:
        """Whether a quantity is used up: "out of stock", "in stock"."""
        words = [word.folded for word in self._question.words]
        for mention in self._found.columns:
            column = self._data.columns[mention.column]
            if not column.amount or not set(name_words(column.name)) & lexicon().quantities:
                continue
            at = mention.first
            spent = words[max(0, at - 2) : at] == ["out", "of"]
            if spent or words[at - 1 : at] == ["in"]:
                cond = Cmp(Col(mention.column), "<=" if spent else ">", 0.0)
                opening = 3 << (at - 2) if spent else 1 << (at - 1)
                features = (("value_exact", 1.0), ("value_exact_words", 1.0), ("flag", 1.0))
                yield Part(cond, mention.mask | opening, features)

    def _some(self) -> Iterable[ConditionPart]:
        """Rows that have something of an amount that many have none of: "with a discount"."""
        for mention in self._found.columns:
            column, said = self._data.columns[mention.column], opens_some(self._question, mention)
            if said and column.amount and mention.score >= 0.8 and has_zeros(column):
                features = (("value_exact", 1.0), ("value_exact_words", 1.0), ("flag", 1.0))
                yield Part(Cmp(Col(mention.column), ">", 0.0), said | mention.mask, features)

    def _blanks(self) -> Iterable[ConditionPart]:
        """Rows with or without a value in a column that is named beside a word that says so."""
        for mention in self._found.columns:
            column = self._data.columns[mention.column]
            filled = _has_value(mention.column, column)
            if filled is None or not (mention.score >= 0.8 or self._tells_whose(mention)):
                continue
            features = (("value_exact", 1.0), ("negated", 1.0), ("blank", 1.0))
            blank = filled.cond if isinstance(filled, Not) else Not(filled)
            for said in (*self._lacks(mention), *self._said_blank(mention)):
                yield Part(blank, said | mention.mask, features)
            for said in self._said_filled(mention):
                yield Part(filled, said | mention.mask, features)
            if self._is_deed_of_rows(mention):
                yield Part(filled, mention.mask, features)

    def _lacks(self, mention: ColumnMention) -> Iterable[int]:
        """Masks of a "no" or "without" right before the column."""
        for negation in self._negations:
            gap = self._question.words[negation.last + 1 : mention.first]
            beside = mention.first > negation.last and all(w.folded in _ARTICLES for w in gap)
            if beside and self._denies_value(negation, mention):
                yield negation.mask

    def _said_blank(self, mention: ColumnMention) -> Iterable[int]:
        """Masks of a word for "holds nothing" beside the column: "missing weight", "weight is
        missing".
        """
        for place in (mention.first - 1, self._told_of(mention)):
            if place >= 0 and self._blank_words >> place & 1:
                yield 1 << place

    def _said_filled(self, mention: ColumnMention) -> Iterable[int]:
        """Masks of "not missing" after the column."""
        told = self._told_of(mention)
        for negation in self._negations:
            if negation.first <= told <= negation.last and self._blank_words >> told + 1 & 1:
                yield negation.mask | 2 << told

    def _tells_whose(self, mention: ColumnMention) -> bool:
        """Whether a part of a name says what it is of: the noun or the participle of "Assigned
        driver".
        """
        names = name_words(self._data.columns[mention.column].name)
        said = self._question.words[mention.last]
        return bool(names) and (names[-1] == said.stem or said.folded.endswith("ed"))

    def _is_deed_of_rows(self, mention: ColumnMention) -> bool:
        """Whether a participle stands right before the rows, of what a column tells by its noun:
        "insured visits", where a column says by whom.
        """
        word = self._question.words[mention.last].folded
        column = self._data.columns[mention.column]
        deed = mention.first == mention.last and word.endswith("ed") and not column.measured
        before = bool(self._found.rows >> (mention.last + 1) & 1)
        return deed and before and folded_words(column.name) != (word,)

    def _told_of(self, mention: ColumnMention) -> int:
        """The place of the first word after a column and an "is"."""
        words, after = self._question.words, mention.last + 1
        while after < len(words) and words[after].folded in _BEING:
            after += 1
        return after

    @cached_property
    def _blank_words(self) -> int:
        words, known = self._question.words, lexicon().blank
        return sum(1 << i for i, word in enumerate(words) if word.folded in known)

    def _denies_value(self, negation: Trigger, mention: ColumnMention) -> bool:
        """Whether "no" is said of a value, or "not" of a deed that a date or name tells: "not
        closed".
        """
        word = self._question.words[negation.last].folded
        if word in ("no", "without"):
            return True
        column = self._data.columns[mention.column]
        deed = self._question.words[mention.last].folded.endswith("ed") and not column.measured
        return deed and not any(yes_and_no(column)) and (word == "never" or "n" in word)

    def _counted(self) -> Iterable[ConditionPart]:
        """Rows that others point to, or none: "customers with orders", "without orders"."""
        for mention in self._found.columns:
            if not self._data.columns[mention.column].counts:
                continue
            col = Col(mention.column)
            denied = [n for n in self._negations if 0 < mention.first - n.last <= 6]
            for negation in denied[-1:]:
                told = (("none_counted", 1.0), ("slot_named", mention.score))
                yield Part(Cmp(col, "=", 0.0), negation.mask | mention.mask, told)
            if not denied and not self._is_one_of_them(mention) and not self._is_counted(mention):
                told = (("some_counted", 1.0), ("slot_named", mention.score))
                yield Part(Cmp(col, ">", 0.0), mention.mask, told)

    def _is_counted(self, mention: Mention) -> bool:
        """Whether "how many" or "most" stands before a noun: it is what is counted, and restricts
        none of what it is counted for.
        """
        counting = self._question.of("count", "most", "least", "sum", "mean", "difference")
        return any(t.first == mention.first or t.last + 1 == mention.first for t in counting)

    def _is_one_of_them(self, mention: Mention) -> bool:
        """Whether a noun is one certain thing: "the city" that a state has is no "some cities"."""
        words = self._question.words
        before = words[mention.first - 1].folded if mention.first else ""
        return before == "the" and not words[mention.last].folded.endswith("s")

    def _beside(self, mention: Mention, column: int) -> int:
        """Mask of a name of this column that stands right beside the mention."""
        for other in self._found.columns:
            if other.column != column or other.score < 0.6 or other.mask & mention.mask:
                continue
            if self._near(other, mention) and not self._groups_rows(other, mention):
                return other.mask
        return 0

    def _groups_rows(self, name: Mention, value: Mention) -> bool:
        """Whether a name tells the groups and no cell of it: "by customer for Ada and Bo"."""
        told = {trigger.last + 1 for trigger in self._question.of("group")}
        return name.first in told and value.first > name.last + 1

    def _near(self, one: Mention, two: Mention, reach: int = 3) -> bool:
        """Whether only small words stand between two mentions."""
        first, second = (one, two) if one.first < two.first else (two, one)
        between = range(first.last + 1, second.first)
        words, function = self._question.words, lexicon().function
        small = sum(t.mask for t in self._negations if t.first == t.last)
        return len(between) <= reach and all(
            words[i].folded in function or small >> i & 1 for i in between
        )

    def _signs(self, part: ConditionPart, start: int) -> Iterable[ConditionPart]:
        """The condition, and its negation where a word before `start` denies it once."""
        yield part
        if ("negated", 1.0) in part.features:
            return
        for negation in self._negations:
            if (
                negation.last < start
                and start - negation.last <= 4
                and not negation.mask & part.mask
            ):
                features = (
                    *part.features,
                    ("negated", 1.0),
                    ("negation_gap", float(start - negation.last - 1)),
                )
                yield Part(Not(part.node), part.mask | negation.mask, features)

    # ------------------------------------------------------------ numbers and time

    def _bounds(self, bounded: Bounded) -> Iterable[ConditionPart]:
        linked = list(self._linked(bounded))
        yield from linked
        if not any(dict(p.features).get("bound_beside") for p in linked):
            yield from self._floating(bounded, {p.node.col.index for p in linked})  # type: ignore[union-attr]

    def _bounded(self) -> Iterable[Bounded]:
        amounts: list[NumberMention | PeriodMention] = [
            *self._question.numbers,
            *self._question.periods,
        ]
        amounts = [m for m in amounts if not self._is_of_header(m)]
        amounts.sort(key=lambda m: m.first)
        for low in amounts:
            for high in amounts:
                mask = self._range_mask(low, high)
                if mask and type(low) is type(high):
                    yield Bounded(mask, "between", _scaled_as(low, high), high)
        for amount in amounts:
            if isinstance(amount, NumberMention) and amount.ordinal and self._ranks(amount):
                continue
            comparators = list(self._comparators(amount))
            if not any(t.last + 1 == amount.first for t in comparators):
                yield Bounded(amount.mask | self._titled(amount), "=", amount)
            for trigger in comparators:
                op, aged = trigger.sense.argument, self._says_age(trigger) and _is_year(amount)
                if aged:
                    op = _EARLIER.get(op, op)  # what is older than 2019 is of before
                yield Bounded(amount.mask | trigger.mask, op, amount, aged=aged)

    def _says_age(self, trigger: Trigger) -> bool:
        words = self._question.words[trigger.first : trigger.last + 1]
        return any(word.folded in _AGES for word in words)

    def _is_of_header(self, amount: Mention) -> bool:
        """Whether an ordinal is said with the other words of a header: "First used"."""
        ordinal = isinstance(amount, NumberMention) and amount.ordinal
        return ordinal and any(
            m.score >= WHOLE_NAME and m.first <= amount.first < m.last for m in self._found.columns
        )

    def _ranks(self, ordinal: Mention) -> bool:
        """Whether an ordinal stands before a superlative: "third highest" is no 3."""
        after = ordinal.last + 1
        ranking = (*self._question.of("superlative", "most", "least"),)
        return any(trigger.first == after for trigger in ranking)

    def _titled(self, amount: Mention) -> int:
        """Mask of a word that only announces the amount: "number 12", "the year 2024"."""
        before = self._question.words[amount.first - 1].stem if amount.first else ""
        announced = before in _ANNOUNCING
        if isinstance(amount, PeriodMention):
            announced = before == amount.period.unit
        return 1 << (amount.first - 1) if announced else 0

    def _comparators(self, amount: Mention) -> Iterable[Trigger]:
        function = lexicon().function
        words = self._question.words
        for trigger in self._question.of("compare_number"):
            gap = range(trigger.last + 1, amount.first)
            if 0 <= amount.first - trigger.last - 1 <= 2 and all(
                words[i].folded in function for i in gap
            ):
                yield trigger
        for trigger in self._question.of("compare_number_after"):
            if 0 <= trigger.first - amount.last - 1 <= 2:
                yield trigger

    def _range_mask(self, low: Mention, high: Mention) -> int:
        words = self._question.words
        joins = range(low.last + 1, high.first)
        if low.last >= high.first or len(joins) > 2:
            return 0
        said = [words[i].folded for i in joins]
        before = words[low.first - 1].folded if low.first else ""
        framed = before in ("between", "from") and any(
            w in ("and", "to", "till", "until", "through") for w in said
        )
        if framed or said in (["to"], ["through"]):
            opening = 1 << (low.first - 1) if framed else 0
            return low.mask | high.mask | opening | sum(1 << i for i in joins)
        return 0

    def _linked(self, bounded: Bounded) -> Iterable[ConditionPart]:
        """The comparison on each column that the question names."""
        best: dict[int, ColumnMention] = {}
        for mention in self._found.columns:
            if mention.mask & bounded.mask or mention.score < 0.5:
                continue
            if self._counts_rows(bounded) and self._distance(mention, bounded):
                continue
            if self._counts_named(bounded, mention):
                continue
            held = best.get(mention.column)
            if held is None or self._distance(mention, bounded) < self._distance(held, bounded):
                best[mention.column] = mention
        for index, mention in best.items():
            distance = self._distance(mention, bounded)
            features = [("bound_named", mention.score), ("bound_distance", float(min(distance, 8)))]
            mask = bounded.mask
            if distance <= 3:
                features.append(("bound_beside", 1.0))
                mask |= mention.mask
            yield from self._on_column(bounded, index, mask, features)
            if mask != bounded.mask and self._is_one_of_either(bounded):
                yield from self._on_column(bounded, index, bounded.mask, features)

    def _counts_named(self, bounded: Bounded, mention: ColumnMention) -> bool:
        """Whether a number says how many of the things there are that a column of numbers names:
        "more than 9 bills".
        """
        named = self._data.columns[mention.column].identifier
        follows = mention.first == (bounded.high or bounded.low).last + 1
        return named and follows and self._question.words[mention.last].folded.endswith("s")

    def _is_one_of_either(self, bounded: Bounded) -> bool:
        """Whether an "or" stands beside the amount, so that another one shares the column's name:
        "birth year is 1948 or 1949".
        """
        low = (bounded.mask & -bounded.mask).bit_length() - 1
        beside = (low - 1, bounded.mask.bit_length())
        return any(trigger.first in beside for trigger in self._question.of("or"))

    def _distance(self, mention: Mention, bounded: Bounded) -> int:
        low = (bounded.mask & -bounded.mask).bit_length() - 1
        high = bounded.mask.bit_length() - 1
        return max(low - mention.last, mention.first - high, 0) - 1

    def _floating(self, bounded: Bounded, seen: set[int]) -> Iterable[ConditionPart]:
        if self._counts_rows(bounded):
            return
        found: list[ConditionPart] = []
        for index in self._likely(bounded):
            if index not in seen and len(found) < MAX_FLOATING:
                found.extend(self._on_column(bounded, index, bounded.mask, []))
        mark = "bound_only" if len(found) == 1 and not seen else "bound_floating"
        for part in found:
            yield part.with_features(mark)

    def _likely(self, bounded: Bounded) -> list[int]:
        """The columns that a bound may be about which names none."""
        columns = self._data.columns
        every = list(range(len(columns)))
        if bounded.aged:
            born = [i for i in every if lexicon().beginning & set(name_words(columns[i].name))]
            every = born or every
        if isinstance(bounded.low, PeriodMention):
            dated = [i for i in every if columns[i].temporal or columns[i].spans]
            if bounded.aged:
                return every
            own = [i for i in dated if self._is_own_date(columns[i])]
            return own if len(own) == 1 else every
        ages = [i for i in every if "age" in name_words(columns[i].name)]
        if self._is_of_ages(bounded) or (ages and self._said_of_people(bounded)):
            return ages
        told = [i for i in every if column_unit(columns[i].unit) & bounded.low.unit]
        if told:
            return told
        if bounded.low.clock is not None:
            # Where a column says day and hour, another one of times may well be a length of time.
            stamped = any(column.kind is Kind.TIMESTAMP for column in columns)
            return [] if stamped else [i for i in every if columns[i].kind is Kind.TIME]
        money = [i for i in every if columns[i].numeric and holds_money(columns[i])]
        if money and self._question.words[bounded.low.first].folded in CURRENCY:
            every = money
        every = self._measured_in(bounded) or every
        if not FIRST_YEAR <= bounded.low.value <= LAST_YEAR:
            every = [i for i in every if columns[i].amount or not columns[i].measured]
        wholes = [i for i in every if not set(name_words(columns[i].name)) & _OF_EACH]
        return wholes if any(columns[i].measured for i in wholes) else every

    def _is_of_ages(self, bounded: Bounded) -> bool:
        """Whether an age is compared: "older than 5", where 5 is no year."""
        words = enumerate(self._question.words)
        told = any(bounded.mask >> i & 1 and word.folded in _AGES for i, word in words)
        return told and not bounded.aged

    def _measured_in(self, bounded: Bounded) -> list[int]:
        """The columns whose unit is the word after the bound: "9 ha"."""
        after = (bounded.high or bounded.low).last + 1
        if after >= len(self._question.words):
            return []
        unit, columns = self._question.words[after].folded, enumerate(self._data.columns)
        return [i for i, column in columns if column.measured and unit in units_of(column)]

    def _is_own_date(self, column: ColumnData) -> bool:
        """Whether a column says when each row came about: "Date", "Order date" of orders."""
        rows = {w.stem for i, w in enumerate(self._question.words) if self._found.rows >> i & 1}
        return set(name_words(column.name)) <= _DATE_NAMES | rows

    def _said_of_people(self, bounded: Bounded) -> bool:
        """Whether the bound stands right after a noun for people: "patients over 60"."""
        before = (bounded.mask & -bounded.mask).bit_length() - 2
        words, known = self._question.words, lexicon()
        while before > 0 and words[before].folded in _BEING:
            before -= 1
        noun = words[before].stem if before >= 0 else ""
        return bounded.op != "=" and (noun in known.people | known.who or noun == "who")

    def _on_column(
        self, bounded: Bounded, index: int, mask: int, features: list[tuple[str, float]]
    ) -> Iterable[ConditionPart]:
        column = self._data.columns[index]
        if column.identifier and not self._names_rows(bounded, features):
            return
        if isinstance(bounded.low, NumberMention) and not _may_tell(column, bounded.low):
            return
        cond = (
            _time_condition(bounded, index, column)
            if isinstance(bounded.low, PeriodMention)
            else _number_condition(bounded, index, column)
        )
        if cond is None:
            return
        after = (bounded.high or bounded.low).last + 1
        if after < len(self._question.words):
            unit = self._question.words[after].folded in units_of(column)
            mask |= 1 << after if unit else 0
        kind = "bound_time" if isinstance(bounded.low, PeriodMention) else "bound_number"
        rank = {"=": "equal", "between": "range"}.get(bounded.op, "compare")
        names = [*features, (kind, 1.0), (f"{kind}_{rank}", 1.0)]
        if self._before_rows(bounded):
            names.append(("bound_before_rows", 1.0))
        if bounded.op == "=" and column.encoded().unique:
            names.append(("bound_key", 1.0))
            if self._after_rows(bounded.mask):
                names.append(("bound_key_of_rows", 1.0))
        if isinstance(cond, Cmp | Within) and cond.col.facet is Facet.NUMBER:
            names.append(("bound_in_text", 1.0))
        yield Part(cond, mask, tuple(names))

    def _names_rows(self, bounded: Bounded, features: list[tuple[str, float]]) -> bool:
        """Whether a number is said to be an identifier: "order 12", "order id over 12"."""
        if dict(features).get("bound_named", 0.0) >= 0.95:
            return True
        return bounded.op == "=" and self._after_rows(bounded.mask)

    def _counts_rows(self, bounded: Bounded) -> bool:
        """Whether a bound is said of the number of rows: "more than 30 visits"."""
        return bounded.op not in ("=", "between") and self._before_rows(bounded)

    def _before_rows(self, bounded: Bounded) -> bool:
        """Whether the number counts rows: "more than 5 orders"."""
        after = (bounded.high or bounded.low).last + 1
        return isinstance(bounded.low, NumberMention) and bool(self._found.rows >> after & 1)

    def _after_rows(self, mask: int) -> bool:
        first = (mask & -mask).bit_length() - 1
        return first > 0 and bool(self._found.rows >> (first - 1) & 1)

    # ------------------------------------------------------------ together

    def _joined(self, chosen: tuple[ConditionPart, ...]) -> Iterable[ConditionSet]:
        """The conditions of a set as one: cells of one column become alternatives."""
        either = [t for t in self._question.of("or") if self._between(t, chosen)]
        if (not either and _contradict(chosen)) or self._whole_beside_parts(chosen):
            return
        mask = 0
        features: list[tuple[str, float]] = [("conditions", float(len(chosen)))]
        cells: dict[int, list[str]] = {}
        conds: list[Cond] = []
        lists = 0
        for part in denied_together(self._question, chosen):
            mask |= part.mask
            features.extend(part.features)
            if isinstance(part.node, In):
                held = cells.get(part.node.col.index)
                both = [text for text in part.node.texts if held is None or text in held]
                if held and self._data.columns[part.node.col.index].items and not either:
                    cells[part.node.col.index] = both  # cells that hold the one and the other
                    lists += 1
                else:
                    cells[part.node.col.index] = [*(held or ()), *part.node.texts]
            else:
                conds.append(part.node)
        merged: list[Cond] = [In(Col(i), tuple(dict.fromkeys(t))) for i, t in cells.items()]
        several = sum(isinstance(p.node, In) for p in chosen) - len(cells) - lists
        if several:
            features.append(("values_merged", float(several)))
        if not either:
            yield Part((*merged, *conds), mask, tuple(features))
            return
        mask |= sum(t.mask for t in either)
        if several:
            yield Part((*merged, *conds), mask, tuple(features))
        elif len(merged) + len(conds) == 2:
            features.append(("either", 1.0))
            yield Part((AnyOf((*merged, *conds)),), mask, tuple(features))

    def _whole_beside_parts(self, chosen: tuple[ConditionPart, ...]) -> bool:
        """Whether a "total" that asks for a sum is taken for a cell beside cells that it adds up:
        "the total of North and South" is none of the row "Total".
        """
        said = sum({trigger.mask for trigger in self._question.of("sum")})
        cells = [part for part in chosen if isinstance(part.node, In)]
        wholes = {p.node.col.index for p in cells if not p.mask & ~said}  # type: ignore[union-attr]
        parts = {p.node.col.index for p in cells if p.mask & ~said}  # type: ignore[union-attr]
        return bool(wholes & parts)

    @staticmethod
    def _between(trigger: Trigger, chosen: tuple[ConditionPart, ...]) -> bool:
        if any(trigger.mask & p.mask for p in chosen):
            return False
        lows = [(p.mask & -p.mask).bit_length() - 1 for p in chosen]
        return bool(lows) and min(lows) < trigger.first < max(p.mask.bit_length() for p in chosen)


def _contradict(chosen: tuple[ConditionPart, ...]) -> bool:
    """Whether a column is said to be one amount, and to compare with another as well."""
    bounds = [p for p in chosen if isinstance(p.node, Cmp | Within)]
    equal = [p for p in bounds if {f for f, _ in p.features} & _EQUAL]
    return any(one.node.col == two.node.col for one in equal for two in bounds if one is not two)  # type: ignore[union-attr]


_EQUAL = frozenset(["bound_time_equal", "bound_number_equal"])


def _has_value(index: int, column: ColumnData) -> Filled | Not | None:
    """That a cell is filled, and says no "none"; None where every cell is."""
    if (nothing := says_nothing(column)) and not bool((column.codes < 0).any()):
        return Not(In(Col(index), nothing))
    return Filled(Col(index)) if bool((column.encoded().codes < 0).any()) else None


def says_nothing(column: ColumnData) -> tuple[str, ...]:
    """The texts that say that there is none: "none", a remark in brackets such as "(vacant)"."""
    if column.kind is not Kind.TEXT or len(column.texts) > MAX_KINDS:
        return ()
    return tuple(text for text in column.texts if _is_nothing(text.strip()))


def _is_nothing(text: str) -> bool:
    return fold(text) in _NOTHING or (text[:1] == "(" and text.find(")") == len(text) - 1)


_NOTHING = frozenset(["none", "nobody", "nothing", "n/a", "na", "nil", "-", "--", "unassigned"])
MAX_KINDS = 300
"""Distinct texts of a column that are looked through for a "none"."""


def _may_tell(column: ColumnData, number: NumberMention) -> bool:
    """Whether a number of days or the like may be one of a column's: of one that says how long."""
    if not number.unit & _times() or column_unit(column.unit) & number.unit:
        return True
    if (column_unit(column.unit) | column_unit(column.name)) & _times():
        return bool(column_unit(column.name) & number.unit)
    return bool(set(name_words(column.name)) & _spans_called())


@lru_cache(maxsize=1)
def _times() -> frozenset[str]:
    """The units of time."""
    names = ("second", "minute", "hour", "day", "week", "month", "year")
    return frozenset(unit for name in names for unit in lexicon().units.get(name, ()))


@lru_cache(maxsize=1)
def _spans_called() -> frozenset[str]:
    """Stems in the names of columns that say how long."""
    manner = lexicon().manner
    return manner["long"] | manner["old"] | {stem(word) for word in _LONG}


_LONG = ("experience", "stay", "wait", "delay", "late", "overdue", "nights", "tenure", "notice")


def opens_some(question: Question, mention: Mention) -> int:
    """Mask of a "with a" right before a name; 0 where none stands there."""
    before = [word.folded for word in question.words[max(0, mention.first - 2) : mention.first]]
    opened = len(before) == 2 and before[0] in _OWNING and before[1] in ("a", "an", "any", "some")
    return 3 << (mention.first - 2) if opened else 0


_OWNING = frozenset(["with", "have", "has", "had", "having", "got", "get"])


_AGES = frozenset(["older", "younger", "newer"])
_EARLIER = {">": "<", "<": ">"}


def _is_year(amount: NumberMention | PeriodMention) -> bool:
    """Whether an amount is a date or a year, and no number of years."""
    return isinstance(amount, PeriodMention) or FIRST_YEAR <= amount.value <= LAST_YEAR


def has_zeros(column: ColumnData) -> bool:
    """Whether some rows have none of an amount."""
    return bool((column.encoded().row_floats == 0).any())


def _weight(part: ConditionPart) -> float:
    """How much a condition explains: a first ordering, before the ranker sees it."""
    told = dict(part.features)
    weight = float(part.mask.bit_count())
    weight += told.get("value_score", 0.7) + 0.5 * told.get("bound_named", 0)
    weight -= 0.6 * told.get("bound_floating", 0) + 0.1 * told.get("negation_gap", 0)
    weight -= 1.5 * told.get("bound_in_text", 0)
    weight -= 0.4 * told.get("slot_floating", 0)
    if told.get("bound_number_equal") and not told.get("bound_beside"):
        weight -= 0.5
    return weight


def _number_condition(bounded: Bounded, index: int, column: ColumnData) -> Cond | None:
    assert isinstance(bounded.low, NumberMention)
    if bounded.low.clock is not None:
        return _clock_condition(bounded, index, column)
    facet = _number_facet(column)
    value = _in_units_of(column, bounded.low)
    if facet is None or value is None:
        return None
    col = Col(index, facet)
    if bounded.op == "between":
        assert isinstance(bounded.high, NumberMention)
        high = _in_units_of(column, bounded.high)
        return None if high is None else Within(col, value, high, closed=True)
    if bounded.op == "=" and not np.any(column.encoded(facet).floats == value):
        return None
    return Cmp(col, bounded.op, value)


def _clock_condition(bounded: Bounded, index: int, column: ColumnData) -> Cond | None:
    """A time of day against a column of times."""
    low, high = bounded.low, bounded.high
    if column.kind is not Kind.TIME or not isinstance(low, NumberMention) or low.clock is None:
        return None
    col = Col(index)
    if bounded.op != "between":
        return Cmp(col, bounded.op, low.clock)
    told = isinstance(high, NumberMention) and high.clock is not None
    return Within(col, low.clock, high.clock, closed=True) if told else None  # type: ignore[union-attr, arg-type]


def _scaled_as(
    low: NumberMention | PeriodMention, high: NumberMention | PeriodMention
) -> NumberMention | PeriodMention:
    """The lower bound with the magnitude that is told once, at the end: "5 to 8 million"."""
    if not (isinstance(low, NumberMention) and isinstance(high, NumberMention)):
        return low
    if low.scale > 1 or low.value * high.scale > high.value:
        return low
    return replace(low, value=low.value * high.scale, scale=high.scale)


def _in_units_of(column: ColumnData, number: NumberMention) -> float | None:
    """A number as the column tells its own: "5 million" is 5 in "$ millions".

    None where the units differ, or where "20kg" meets a column without one.
    """
    if not agree(number.unit, column.unit) or (number.attached and not column_unit(column.unit)):
        return None
    scale = column_scale(column.unit)
    return number.value / scale if number.scale > 1 else number.value


def _number_facet(column: ColumnData) -> Facet | None:
    if column.numeric:
        return Facet.VALUE
    inside = column.text_numbers > 0.5 and column.spans is None
    return Facet.NUMBER if inside else None


def _month_condition(op: str, low: Period, high: Period, index: int) -> Cond | None:
    col, month = Col(index, Facet.MONTH_OF_YEAR), float(low.first.month)
    last = float(high.last_month)
    if high.unit != low.unit or month > last:
        return None
    match op:
        case ">" | "<=":
            return Cmp(col, op, last)
        case ">=" | "<":
            return Cmp(col, op, month)
        case "=" | "!=" if month == last:
            return Cmp(col, op, month)
    within = Within(col, month, last, closed=True)
    return Not(within) if op == "!=" else within


def _weekday_condition(bounded: Bounded, index: int) -> Cond | None:
    """Days of every week: "on a Monday", "not at weekends"."""
    assert isinstance(bounded.low, PeriodMention)
    days = bounded.low.period
    if bounded.op not in ("=", "!="):
        return None
    col, first = Col(index, Facet.DAY_OF_WEEK), float(days.first.isoweekday())
    last = first + (days.after - days.first).days - 1
    if first == last:
        return Cmp(col, bounded.op, first)
    within = Within(col, first, last, closed=True)
    return Not(within) if bounded.op == "!=" else within


def _as_column_tells(period: Period, column: ColumnData) -> Period | None:
    """A day in the year and the order of day and month that the column's dates have.

    None where neither the question nor the column tells which day is meant.
    """
    if period.swapped is not None:
        day_first = column.column.source.type.day_first
        if day_first is None:
            return None
        return period if day_first else period.swapped
    if period.yearless:
        years = {value.year for value in column.encoded().values if isinstance(value, dt.date)}
        if len(years) == 1:
            return period.in_year(years.pop())
        return period if period.first.year in years else None
    return period


def _cells_in_time(
    bounded: Bounded, index: int, column: ColumnData, spans: Sequence[Span]
) -> Cond | None:
    """The cells of months or the like that lie in a period, or on one side of it."""
    low = bounded.low.period  # type: ignore[union-attr]
    high = bounded.high.period if isinstance(bounded.high, PeriodMention) else low
    if OF_THE_WEEK in (low.unit, high.unit):
        return None
    if low.swapped is not None or low.yearless or "month of the year" in (low.unit, high.unit):
        return _cells_of_month(bounded, index, column, spans)
    sides: dict[str, Callable[[dt.date, dt.date], bool]] = {
        "=": lambda first, after: first >= low.first and after <= low.after,
        "between": lambda first, after: first >= low.first and after <= high.after,
        ">": lambda first, _: first >= low.after,
        ">=": lambda first, _: first >= low.first,
        "<": lambda _, after: after <= low.first,
        "<=": lambda _, after: after <= low.after,
    }
    fits = sides.get(bounded.op)
    pairs = zip(column.texts, spans, strict=True)
    texts = tuple(text for text, span in pairs if fits and fits(*span))
    return In(Col(index), texts) if texts else None


def _cells_of_month(
    bounded: Bounded, index: int, column: ColumnData, spans: Sequence[Span]
) -> Cond | None:
    """The cells of a month that is told without its year: those of every year."""
    low = bounded.low.period  # type: ignore[union-attr]
    if low.unit != "month of the year" or bounded.op != "=":
        return None
    pairs = zip(column.texts, spans, strict=True)
    texts = tuple(text for text, span in pairs if _is_month(span, low.first.month))
    return In(Col(index), texts) if texts else None


def _is_month(span: Span, month: int) -> bool:
    first, after = span
    return first.month == month and (after - first).days <= 31


def _time_condition(bounded: Bounded, index: int, column: ColumnData) -> Cond | None:
    assert isinstance(bounded.low, PeriodMention)
    if column.spans is not None:
        return _cells_in_time(bounded, index, column, column.spans)
    if not column.temporal:
        return None
    low = _as_column_tells(bounded.low.period, column)
    high = low
    if isinstance(bounded.high, PeriodMention):
        high = _as_column_tells(bounded.high.period, column)
    if low is None or high is None:
        return None
    if OF_THE_WEEK in (low.unit, high.unit):
        return _weekday_condition(bounded, index)
    if low.unit == "month of the year":
        return _month_condition(bounded.op, low, high, index)
    col = Col(index)
    label = f"{low.first.isoformat()}"
    match bounded.op:
        case "=":
            return Within(col, low.first, low.after, label=label)
        case "between":
            return Within(col, low.first, high.after, label=label)
        case ">":
            return Cmp(col, ">=", low.after)
        case ">=":
            return Cmp(col, ">=", low.first)
        case "<":
            return Cmp(col, "<", low.first)
        case "<=":
            return Cmp(col, "<", low.after)
    return Not(Within(col, low.first, low.after, label=label))
