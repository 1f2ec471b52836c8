"""Bounds that a question puts on numbers and times: "over 500", "in May", "between 3 and 5".

Takes the question and its mentions of one table; gives `Part`s of conditions, on the column that is
named beside a bound, or on those that it is likely about.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from retrieval.table import Kind
from sql_engine.offline.carried import units_of
from sql_engine.offline.columns import FIRST_YEAR, LAST_YEAR, ColumnData, TableData
from sql_engine.offline.comparisons import (
    Bounded,
    number_condition,
    scaled_as,
    time_condition,
)
from sql_engine.offline.directions import spoken_of
from sql_engine.offline.features import condition_column
from sql_engine.offline.file_order import tells_place
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.money import holds_money
from sql_engine.offline.own_date import is_own_date, own_dates
from sql_engine.offline.parts import ConditionPart, Part
from sql_engine.offline.question import (
    BEING,
    CURRENCY,
    ColumnMention,
    Mention,
    NumberMention,
    PeriodMention,
    Question,
    Trigger,
)
from sql_engine.offline.table_words import WHOLE_NAME
from sql_engine.offline.tree import Cmp, Cond, Facet, Within
from sql_engine.offline.unit_words import column_unit, converted, tells_how_long
from sql_engine.words import name_words, stem

_ANNOUNCING = frozenset(
    ["number", "no", "nr", "id", "year", "month", "quarter", "day", "date", "code"]
)
_OF_EACH = frozenset(["unit", "per", "each", "rate"])
"""Stems in the names of what one piece costs or weighs, which is not what a row comes to."""
NEAR_ADJECTIVE = 2
"""Words between an adjective and the name of a column that it may still speak of, at most."""
MAX_ONLY = 12
"""Higher numbers after "the only" say of which year or size they are, not how many."""
MAX_FLOATING = 6
"""Columns tried for a number that no column name stands beside."""
_AGES = frozenset(["older", "younger", "newer"])
_EARLIER = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
_LONG = ("experience", "stay", "wait", "delay", "late", "overdue", "nights", "tenure", "notice")


_DASHES = ("-", "\u2013", "\u2014")


class Bounds:
    """All bounds of a question over one table."""

    def __init__(self, question: Question, found: Mentions, data: TableData) -> None:
        self._question = question
        self._found = found
        self._data = data

    def parts(self) -> Iterable[tuple[ConditionPart, int]]:
        """Conditions, each with the place of its first amount."""
        for bounded in self._bounded():
            yield from ((part, bounded.low.first) for part in self._bounds(bounded))

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
                    yield Bounded(mask, "between", scaled_as(low, high), high)
        for amount in amounts:
            if isinstance(amount, NumberMention) and amount.ordinal and self._ranks(amount):
                continue
            if onwards := self._onwards(amount):
                yield Bounded(onwards, ">=", amount)
                continue
            comparators = list(self._comparators(amount))
            headed = self._is_number_of_first(amount)
            if not headed and not any(t.last + 1 == amount.first for t in comparators):
                yield Bounded(amount.mask | self._titled(amount), "=", amount)
            for trigger in comparators:
                op, aged = trigger.sense.argument, self._says_age(trigger) and _is_year(amount)
                if aged:
                    op = _EARLIER.get(op, op)  # what is older than 2019 is of before
                yield Bounded(amount.mask | trigger.mask, op, amount, aged=aged)

    def _onwards(self, amount: Mention) -> int:
        """Mask of "from June on": no June alone."""
        said = [word.folded for word in self._question.words]
        after = said[amount.last + 1 : amount.last + 2]
        opened = bool(amount.first) and said[amount.first - 1] in ("from", "starting", "as")
        if not isinstance(amount, PeriodMention) or after != ["on"] or not opened:
            return 0
        return amount.mask | 1 << (amount.first - 1) | 1 << (amount.last + 1)

    def _is_number_of_first(self, amount: Mention) -> bool:
        """Whether a number says how many are meant, and is no amount: "the top 5 riders", "the only
        two riders".
        """
        before = [word.folded for word in self._question.words[: amount.first]][-2:]
        if not isinstance(amount, NumberMention) or amount.ordinal:
            return False
        few = before == ["the", "only"] and amount.value <= MAX_ONLY
        return few or before[-1:] in (["top"], ["bottom"])

    def _says_when(self, bounded: Bounded) -> bool:
        """Whether a year is said with a word for time: "before 2007"."""
        words = enumerate(self._question.words)
        timed = any(bounded.mask >> i & 1 and word.folded in _IN_TIME for i, word in words)
        return timed and _is_year(bounded.low)

    def _says_age(self, trigger: Trigger) -> bool:
        words = self._question.words[trigger.first : trigger.last + 1]
        return any(word.folded in _AGES for word in words)

    def _is_of_header(self, amount: Mention) -> bool:
        """Whether a number or an ordinal is said with the other words of a header: "First used"."""
        if not amount.mask & ~self._found.header_numbers:
            return True
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
        if not said and self._are_dashed(low, high):
            return low.mask | high.mask
        before = words[low.first - 1].folded if low.first else ""
        framed = before in ("between", "from") and any(
            w in ("and", "to", "till", "until", "through") for w in said
        )
        if framed or said in (["to"], ["through"]):
            opening = 1 << (low.first - 1) if framed else 0
            return low.mask | high.mask | opening | sum(1 << i for i in joins)
        return 0

    def _are_dashed(self, low: Mention, high: Mention) -> bool:
        """Whether a dash alone stands between two amounts that rise: "50-100", "Jan-Mar 2024"."""
        words = self._question.words
        between = self._question.text[words[low.last].end : words[high.first].start].strip()
        if between not in _DASHES:
            return False
        if isinstance(low, PeriodMention) and isinstance(high, PeriodMention):
            return low.period.first < high.period.first
        if isinstance(low, NumberMention) and isinstance(high, NumberMention):
            return not (low.ordinal or high.ordinal) and low.value < high.value
        return False

    def _linked(self, bounded: Bounded) -> Iterable[ConditionPart]:
        """The comparison on each column that the question names."""
        best: dict[int, ColumnMention] = {}
        for mention in self._found.columns:
            if mention.mask & bounded.mask or mention.score < 0.5:
                continue
            if self._counts_rows(bounded) and self._distance(mention, bounded):
                continue
            if self._counts_named(bounded, mention) or self._speaks_of_another(bounded, mention):
                continue
            if self._is_place_elsewhere(bounded, mention):
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

    def _speaks_of_another(self, bounded: Bounded, mention: ColumnMention) -> bool:
        """Whether an adjective does not speak of a column, and the column is named by its unit
        alone or far from it: "deeper than 3 m" of a length, "the pay of those taller than 200".
        """
        if self._is_of_ages(bounded) and isinstance(bounded.low, NumberMention):
            return not self._tells_age(mention.column)
        spoken = self._spoken_of(bounded)
        if spoken is None or mention.column in spoken:
            return False
        units = units_of(self._data.columns[mention.column])
        words = self._question.words[mention.first : mention.last + 1]
        far = self._distance(mention, bounded) > NEAR_ADJECTIVE
        return far or all(word.folded in units for word in words)

    def _tells_age(self, index: int) -> bool:
        """Whether a column says how old: by its name, or in years."""
        column = self._data.columns[index]
        return "age" in name_words(column.name) or tells_how_long(column.unit)

    def _is_place_elsewhere(self, bounded: Bounded, mention: ColumnMention) -> bool:
        """Whether an ordinal says a place, and not of a column that holds places or is named right
        beside it: "first on the points list" is of no 1 point, the "4th match" is number 4.
        """
        ordinal = isinstance(bounded.low, NumberMention) and bounded.low.ordinal
        far = ordinal and self._distance(mention, bounded) > 0
        return far and not tells_place(self._data.columns[mention.column])

    def _counts_named(self, bounded: Bounded, mention: ColumnMention) -> bool:
        """Whether a number says how many of the things there are that a column of numbers names:
        "more than 9 bills".
        """
        named = self._data.columns[mention.column].identifier
        follows = mention.first == bounded.mask.bit_length()
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
        ordinal = isinstance(bounded.low, NumberMention) and bounded.low.ordinal
        for index in self._likely(bounded):
            if ordinal and not tells_place(self._data.columns[index]):
                continue  # "the first visit" is no row with a 1 somewhere
            if index not in seen and len(found) < MAX_FLOATING:
                found.extend(self._on_column(bounded, index, bounded.mask, []))
        mark = "bound_only" if len(found) == 1 and not seen else "bound_floating"
        for part in found:
            marks = (mark, "bound_untold") if self._is_other_date(part.node) else (mark,)
            yield part.with_features(*marks)

    def _is_other_date(self, cond: Cond) -> bool:
        """Whether a stretch of time that no word ties to a column is held against a date that the
        rows did not come about on: a "Cancelled" of bookings.
        """
        columns, index = self._data.columns, condition_column(cond)
        dated = [i for i, column in enumerate(columns) if column.temporal]
        own = own_dates(dated, columns, self._found, self._question)
        told = own == [index] and (
            len(dated) > 1 or is_own_date(columns[index], self._found, self._question)
        )
        return columns[index].temporal and not told

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
            own = own_dates(dated, columns, self._found, self._question)
            return own if len(own) == 1 else every
        ages = [i for i in every if "age" in name_words(columns[i].name)]
        if self._is_of_ages(bounded) or (ages and self._said_of_people(bounded)):
            return ages
        every = every if (spoken := self._spoken_of(bounded)) is None else spoken
        told = [i for i in every if _told_in(columns[i], bounded.low.unit)]
        if told:
            return told
        if bounded.low.clock is not None:
            # Where a column says day and hour, another one of times may well be a length of time.
            stamped = any(column.kind is Kind.TIMESTAMP for column in columns)
            return [] if stamped else [i for i in every if columns[i].kind is Kind.TIME]
        money = [i for i in every if columns[i].numeric and holds_money(columns[i])]
        if money and self._question.words[bounded.low.first].folded in CURRENCY:
            every = money
        every = [i for i in self._measured_in(bounded) if i in every] or every
        if not FIRST_YEAR <= bounded.low.value <= LAST_YEAR:
            every = [i for i in every if columns[i].amount or not columns[i].measured]
        wholes = [i for i in every if not set(name_words(columns[i].name)) & _OF_EACH]
        return wholes if any(columns[i].measured for i in wholes) else every

    def _spoken_of(self, bounded: Bounded) -> list[int] | None:
        """The columns that the adjective of a comparison speaks of: "longer than 40", of money
        where it speaks of prices; None where it speaks of any.
        """
        columns, known = self._data.columns, lexicon()
        for trigger in self._question.of("compare_number"):
            if trigger.mask & ~bounded.mask or not trigger.sense.hints or self._says_age(trigger):
                continue
            money = known.money_named & set(trigger.sense.hints)
            priced = [i for i, c in enumerate(columns) if money and c.numeric and holds_money(c)]
            return spoken_of(trigger, columns) or priced
        return None

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

    def _said_of_people(self, bounded: Bounded) -> bool:
        """Whether the bound stands right after a noun for people: "patients over 60"."""
        before = (bounded.mask & -bounded.mask).bit_length() - 2
        words, known = self._question.words, lexicon()
        while before > 0 and words[before].folded in BEING:
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
        if column.amount and self._says_when(bounded) and mask == bounded.mask:
            return  # "since 2010" bounds no amount
        cond = (
            time_condition(bounded, index, column)
            if isinstance(bounded.low, PeriodMention)
            else number_condition(bounded, index, column)
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
        if bounded.op in ("=", "between"):
            return False
        return self._before_rows(bounded) or self._after_number_of_rows(bounded)

    def _after_number_of_rows(self, bounded: Bounded) -> bool:
        """Whether the number of rows is what compares: "whose number of orders is above 30"."""
        start = (bounded.mask & -bounded.mask).bit_length() - 1
        rows, function = self._found.rows, self._question.function
        for trigger in self._question.of("count"):
            gap = range(trigger.last + 1, start)
            if self._question.words[trigger.first].folded == "how":
                continue  # "how many orders are above 30" compares what they come to
            if gap and all((rows | function) >> i & 1 for i in gap):
                return any(rows >> i & 1 for i in gap)
        return False

    def _before_rows(self, bounded: Bounded) -> bool:
        """Whether the number counts rows: "more than 5 orders", "5 or more orders"."""
        after = bounded.mask.bit_length()
        return isinstance(bounded.low, NumberMention) and bool(self._found.rows >> after & 1)

    def _after_rows(self, mask: int) -> bool:
        first = (mask & -mask).bit_length() - 1
        return first > 0 and bool(self._found.rows >> (first - 1) & 1)


def _told_in(column: ColumnData, unit: frozenset[str]) -> bool:
    """Whether a column's numbers are told in a unit, or in another one of time."""
    if column.kind is Kind.TIME:
        return converted(unit, "seconds") is not None
    held = column_unit(column.unit)
    same = bool(held & unit) and (tells_how_long(column.unit) or not unit & _times())
    return same or converted(unit, column.unit) is not None


def _may_tell(column: ColumnData, number: NumberMention) -> bool:
    """Whether a number of days or the like may be one of a column's: of one that says how long."""
    if not number.unit & _times() or _told_in(column, number.unit):
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


def _is_year(amount: NumberMention | PeriodMention) -> bool:
    """Whether an amount is a date or a year, and no number of years."""
    return isinstance(amount, PeriodMention) or FIRST_YEAR <= amount.value <= LAST_YEAR


_IN_TIME = frozenset(["since", "before", "after", "until", "prior", "later", "earlier"])
