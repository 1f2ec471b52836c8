"""Composes the trees that a question may be read as, over one table.

Takes the question, its mentions and the table's arrays; gives `Candidate`s, each with the words it
explains and the features that tell why it was made. Columns and operators that no word names may
be used at the price of a feature; the ranker decides what that costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from sql_engine.offline.columns import ColumnData, TableData
from sql_engine.offline.conditions import Conditions, ConditionSet
from sql_engine.offline.mentions import ColumnMention, Mentions, NumberMention, Question, Trigger
from sql_engine.offline.parts import Candidate, Features, Part
from sql_engine.offline.tree import (
    Agg,
    All,
    Arith,
    Col,
    Facet,
    Grouped,
    Holds,
    In,
    Measure,
    Rows,
    Slice,
    Top,
    Tree,
    Values,
    Where,
)
from sql_engine.words import name_words

MAX_FLOATING = 10
"""Columns tried in a slot that no word names."""

UNITS = {
    "month": Facet.MONTH,
    "monthly": Facet.MONTH,
    "quarter": Facet.QUARTER,
    "quarterly": Facet.QUARTER,
    "year": Facet.YEAR,
    "yearly": Facet.YEAR,
    "annual": Facet.YEAR,
    "day": Facet.DAY,
    "daily": Facet.DAY,
}


What = TypeVar("What")
Told = tuple[What, int, list[tuple[str, float]]]
"""Something with the mask of the words that tell it, and features."""
Made = Told[Tree]
Key = Told[Col]


@dataclass(frozen=True, slots=True)
class Slot:
    """A column for a place in the tree, the words that name it, and at what price."""

    col: Col
    mask: int = 0
    features: Features = ()


class Composer:
    """Makes the candidates of one question over one table."""

    def __init__(self, question: Question, found: Mentions, data: TableData) -> None:
        self.question = question
        self.found = found
        self.data = data

    def candidates(self) -> Iterator[Candidate]:
        """All candidates; the masks hold every word that the tree accounts for."""
        for reserved, n in self._counts():
            for conditions in Conditions(self.question, self.found, self.data).sets(reserved):
                for candidate in Shapes(self, conditions, n, reserved).all():
                    yield self._explained(candidate)

    def _counts(self) -> Iterable[tuple[int, int | None]]:
        """The number of things asked for ("top 3", "five largest"), as a mask and a number."""
        yield 0, None
        for number in self.question.numbers:
            if number.value != int(number.value) or not 0 < number.value <= 1000:
                continue
            for trigger in self.question.triggers:
                if trigger.sense.operator in ("superlative", "first", "last") and (
                    trigger.last + 1 == number.first or number.last + 1 == trigger.first
                ):
                    yield number.mask, int(number.value)
                    break
            else:
                if self._counts_nouns(number):
                    yield number.mask, int(number.value)

    def _counts_nouns(self, number: NumberMention) -> bool:
        """Whether the number stands before a noun for rows or a column, with a superlative."""
        after = 1 << (number.last + 1)
        nouns = self.found.rows | sum(1 << m.first for m in self.found.columns)
        ranked = any(
            t.sense.operator in ("superlative", "first", "last", "most", "least")
            for t in self.question.triggers
        )
        return ranked and bool(nouns & after)

    def _explained(self, candidate: Candidate) -> Candidate:
        """Words that name the rows or a column of the tree are accounted for by it."""
        used = columns_of(candidate.node)
        mask = candidate.mask | self.found.rows
        for trigger in self.question.of("group"):
            if self.found.rows >> (trigger.last + 1) & 1:
                mask |= trigger.mask
        for mention in self.found.columns:
            if mention.column in used:
                mask |= mention.mask
        return Part(candidate.node, mask, candidate.features)


def columns_of(node: object) -> set[int]:
    """The columns that a tree names anywhere."""
    if isinstance(node, Col):
        return {node.index}
    if isinstance(node, tuple):
        return set().union(*(columns_of(item) for item in node)) if node else set()
    slots = getattr(node, "__slots__", ())
    return set().union(*(columns_of(getattr(node, s)) for s in slots)) if slots else set()


class Shapes:
    """The trees over one set of conditions."""

    def __init__(
        self, composer: Composer, conditions: ConditionSet, n: int | None, reserved: int
    ) -> None:
        self.question = composer.question
        self.data = composer.data
        self.n = n
        self.n_mask = reserved
        self.conditions = conditions
        self.taken = conditions.mask
        self.rows: Rows = Where(All(), conditions.node) if conditions.node else All()
        self.names = _distinct_mentions(composer.found.columns, self.taken)
        self.row_words = composer.found.rows & ~self.taken
        self.triggers = [t for t in self.question.triggers if not t.mask & self.taken]

    def of(self, *operators: str) -> list[Trigger]:
        """Triggers of these operators that the conditions do not use."""
        return [t for t in self.triggers if t.sense.operator in operators]

    def all(self) -> Iterator[Candidate]:
        """Every shape."""
        makers = (
            self.projections,
            self.counts,
            self.aggregates,
            self.groups,
            self.extremes,
            self.having,
            self.shares,
            self.differences,
            self.existence,
        )
        for make in makers:
            for tree, mask, features in make():
                yield Part(
                    tree,
                    mask | self.taken | self.n_mask,
                    (*self.conditions.features, *features, (f"shape_{make.__name__}", 1.0)),
                )

    # ------------------------------------------------------------ slots

    def slots(self, fits: object = None, *, floating: bool = True, not_in: int = 0) -> list[Slot]:
        """Columns for a slot: those that words name, else (at a price) any that fits."""
        found = [
            Slot(Col(m.column), m.mask, (("slot_named", m.score),))
            for m in self.names
            if not m.mask & not_in and self._fits(m.column, fits)
        ]
        if floating:
            named = {slot.col.index for slot in found}
            free = [
                i for i in range(len(self.data.columns)) if i not in named and self._fits(i, fits)
            ]
            found += [Slot(Col(i), 0, (("slot_floating", 1.0),)) for i in free[:MAX_FLOATING]]
        return found

    def _fits(self, index: int, fits: object) -> bool:
        column = self.data.columns[index]
        if fits == "number":
            return column.numeric and not column.identifier
        if fits == "ordered":
            return column.temporal or (column.numeric and not column.identifier)
        if fits == "label":
            return not column.numeric or column.encoded().unique is False
        return True

    def measures(self) -> list[Slot]:
        """Numeric columns that sums make sense of."""
        return self.slots("number")

    def ordered(self) -> list[Slot]:
        """Columns with an order: numbers, dates, and numbers inside texts."""
        found = self.slots("ordered")
        for slot in self.slots():
            column = self.data.columns[slot.col.index]
            if column.text_numbers > 0.5:
                col = Col(slot.col.index, Facet.NUMBER)
                found.append(Slot(col, slot.mask, (*slot.features, ("slot_in_text", 1.0))))
        return found

    # ------------------------------------------------------------ shapes

    def projections(self) -> Iterator[Made]:
        """Cells of the rows: the columns named, or whole rows."""
        distinct = self.of("distinct")
        for slot in self.slots():
            yield Values(self.rows, (slot.col,)), slot.mask, [*slot.features]
            mask = slot.mask | sum(t.mask for t in distinct[:1])
            mark = "distinct_told" if distinct else "distinct_untold"
            features = [*slot.features, (mark, 1.0)]
            if isinstance(self.rows, All):
                features.append(("distinct_all_rows", 1.0))
            yield Values(self.rows, (slot.col,), distinct=True), mask, features
        yield from self._several_columns()
        details = self.of("details")
        mask = sum(t.mask for t in details[:1])
        features = [("whole_rows", 1.0)]
        if details:
            features.append(("details_told", 1.0))
        if self.row_words:
            features.append(("rows_named", 1.0))
        if isinstance(self.rows, All):
            features.append(("whole_table", 1.0))
        for order in [None, *self._orders()]:
            if order is None:
                yield Values(self.rows, ()), mask, features
            else:
                slot, descending, told = order
                tree = Values(self.rows, (), order=slot.col, descending=descending)
                yield (
                    tree,
                    mask | slot.mask | told,
                    [*features, *slot.features, ("order_told", 1.0)],
                )

    def _several_columns(self) -> Iterator[Made]:
        best: dict[int, ColumnMention] = {}
        for mention in self.names:
            if mention.score >= 0.6 and not any(m.mask & mention.mask for m in best.values()):
                best.setdefault(mention.column, mention)
        chosen = sorted(best.values(), key=lambda m: m.first)
        if len(chosen) < 2:
            return
        mask = sum(m.mask for m in chosen)
        cols = tuple(Col(m.column) for m in chosen)
        features = [
            ("columns_named", float(len(chosen))),
            *(("slot_named", m.score) for m in chosen),
        ]
        yield Values(self.rows, cols), mask, features

    def _orders(self) -> Iterator[tuple[Slot, bool, int]]:
        for trigger in self.of("order"):
            down = self.of("descending")
            up = self.of("ascending")
            told = trigger.mask | sum(t.mask for t in (*down[:1], *up[:1]))
            for slot in self.slots(floating=False):
                if slot.mask > trigger.mask:
                    yield slot, bool(down), told

    def counts(self) -> Iterator[Made]:
        """How many rows, or how many different values."""
        told = self.of("count")
        for trigger in told[:1] or (None,):
            mask = 0
            for each in told:
                mask |= each.mask
            base = [("count_told" if trigger else "count_untold", 1.0)]
            if self.row_words:
                base.append(("rows_named", 1.0))
            yield Agg("count", self.rows), mask, base
            yield from self._distinct_counts(trigger, mask, base)

    def _distinct_counts(
        self, trigger: Trigger | None, mask: int, base: list[tuple[str, float]]
    ) -> Iterator[Made]:
        distinct = self.of("distinct")
        for slot in self.slots(floating=False):
            first = (slot.mask & -slot.mask).bit_length() - 1
            near = trigger is not None and 0 < first - trigger.last <= 2 + bool(distinct)
            features = [
                *base,
                *slot.features,
                ("distinct_told" if distinct else "distinct_untold", 1.0),
            ]
            if near:
                features.append(("count_of_column", 1.0))
            column = self.data.columns[slot.col.index]
            if column.encoded().unique:
                features.append(("count_of_unique", 1.0))
            if column.numeric:
                features.append(("count_of_number", 1.0))
            told = mask | slot.mask | sum(t.mask for t in distinct[:1])
            yield Agg("distinct", self.rows, slot.col), told, features

    def _functions(self) -> list[Told[str]]:
        """Aggregate functions that the words name."""
        found = []
        for operator, fn in _FUNCTIONS.items():
            found += [(fn, t.mask, [(f"{fn}_told", 1.0)]) for t in self.of(operator)[:2]]
        for trigger in self.of("superlative"):
            if not trigger.sense.hints:
                fn = "max" if trigger.sense.argument == "+" else "min"
                found.append((fn, trigger.mask, [(f"{fn}_told", 1.0), ("by_superlative", 1.0)]))
        return found

    def aggregates(self) -> Iterator[Made]:
        """One number over a column."""
        for fn, mask, features in self._functions():
            slots = self.ordered() if fn in ("max", "min") else self.measures()
            for slot in slots:
                if slot.mask & mask:
                    continue
                yield Agg(fn, self.rows, slot.col), mask | slot.mask, [*features, *slot.features]
        for trigger in self.of("first", "last"):
            fn = "min" if trigger.sense.operator == "first" else "max"
            for slot in self.slots("ordered"):
                if self.data.columns[slot.col.index].temporal and slot.mask:
                    features = [(f"{trigger.sense.operator}_told", 1.0), *slot.features]
                    yield Agg(fn, self.rows, slot.col), trigger.mask | slot.mask, features

    def _keys(self) -> Iterator[Key]:
        """Columns to group by, each with the words that say so."""
        for trigger in self.of("group"):
            for slot in self.slots(floating=False):
                start = (slot.mask & -slot.mask).bit_length() - 1
                if 0 < start - trigger.last <= 2:
                    yield slot.col, slot.mask | trigger.mask, [("group_told", 1.0), *slot.features]
            for i, word in enumerate(self.question.words):
                if 0 < i - trigger.last <= 2 and word.stem in UNITS and not self.taken >> i & 1:
                    yield from self._time_keys(word.stem, trigger.mask | 1 << i)
        for i, word in enumerate(self.question.words):
            if word.folded in ("monthly", "yearly", "daily", "quarterly", "annual"):
                yield from self._time_keys(word.folded, 1 << i)

    def _time_keys(self, unit: str, mask: int) -> Iterator[Key]:
        named = {m.column: m for m in self.names}
        dates = [i for i, c in enumerate(self.data.columns) if c.temporal]
        for index in dates:
            col = Col(index, UNITS[unit])
            features = [("group_told", 1.0), ("group_time", 1.0)]
            if index in named:
                features.append(("slot_named", named[index].score))
                yield col, mask | named[index].mask, features
            else:
                features.append(("slot_only" if len(dates) == 1 else "slot_floating", 1.0))
                yield col, mask, features

    def _group_measures(self) -> Iterator[Told[Measure]]:
        rows = [("rows_named", 1.0)] if self.row_words else []
        for trigger in self.of("count")[:1]:
            yield Measure("count"), trigger.mask, [("count_told", 1.0), *rows]
        yield Measure("count"), 0, [("group_count_untold", 1.0)]
        for fn, mask, features in self._functions():
            for slot in self.slots("ordered" if fn in ("max", "min") else "number"):
                if not slot.mask & mask:
                    yield Measure(fn, slot.col), mask | slot.mask, [*features, *slot.features]
        for slot in self.slots("number", floating=False):
            yield Measure("sum", slot.col), slot.mask, [("sum_untold", 1.0), *slot.features]

    def groups(self) -> Iterator[Made]:
        """A measure for each value of a column."""
        keys = list(self._keys())
        if not keys:
            return
        measures = list(self._group_measures())
        for col, key_mask, key_features in keys:
            for measure, mask, features in measures:
                if mask & key_mask or measure.col == col:
                    continue
                tree = Grouped(self.rows, (col,), (measure,))
                told = [*key_features, *features]
                if self.data.columns[col.index].numeric and col.facet is Facet.VALUE:
                    told.append(("group_by_number", 1.0))
                yield tree, mask | key_mask, told
        for one in keys:
            for two in keys:
                if one[1] < two[1] and one[0] != two[0]:
                    yield from self._two_keys(one, two, measures)

    def _two_keys(self, one: Key, two: Key, measures: list[Told[Measure]]) -> Iterator[Made]:
        for measure, mask, features in measures:
            if not mask & (one[1] | two[1]):
                tree = Grouped(self.rows, (one[0], two[0]), (measure,))
                yield tree, mask | one[1] | two[1], [*one[2], *two[2], *features]

    def extremes(self) -> Iterator[Made]:
        """The rows or groups with the largest or smallest value."""
        for trigger, largest in self._directions():
            yield from self._top_rows(trigger, largest)
            if trigger.sense.operator not in ("first", "last"):
                yield from self._top_groups(trigger, largest)
        for trigger in self.of("first", "last"):
            yield from self._ends(trigger)

    def _with_by(self, slot: Slot) -> Slot:
        """The slot with the "by" that stands right before its name."""
        return Slot(slot.col, slot.mask | self._by(slot.mask), slot.features)

    def _by(self, mask: int) -> int:
        first = (mask & -mask).bit_length() - 1
        found = [t.mask for t in self.of("group", "order") if 0 < first - t.last <= 2]
        return found[-1] if found else 0

    def _directions(self) -> Iterator[tuple[Trigger, bool]]:
        for trigger in self.of("superlative"):
            yield trigger, trigger.sense.argument == "+"
        for trigger in self.of("most", "maximum"):
            yield trigger, True
        for trigger in self.of("least", "minimum"):
            yield trigger, False
        dates = [t for t in self.of("first", "last") if t.last - t.first >= 0]
        for trigger in dates:
            yield trigger, trigger.sense.operator == "last"

    def _extreme_keys(self, trigger: Trigger) -> Iterator[Slot]:
        for slot in self.ordered():
            if slot.mask & trigger.mask:
                continue
            slot = self._with_by(slot)
            column = self.data.columns[slot.col.index]
            if trigger.sense.operator in ("first", "last"):
                if column.temporal or "year" in column.name.lower():
                    yield Slot(slot.col, slot.mask, (*slot.features, ("key_time", 1.0)))
                continue
            if column.temporal:
                yield Slot(slot.col, slot.mask, (*slot.features, ("key_time_untold", 1.0)))
            elif set(trigger.sense.hints) & _stems(column):
                hinted = tuple(f for f in slot.features if f[0] != "slot_floating")
                yield Slot(slot.col, slot.mask, (*hinted, ("slot_hinted", 1.0)))
            else:
                yield slot

    def _top_rows(self, trigger: Trigger, largest: bool) -> Iterator[Made]:
        for key in self._extreme_keys(trigger):
            rows = Top(self.rows, key.col, largest, self.n or 1)
            mask = trigger.mask | key.mask
            features = [("top_rows", 1.0), (f"by_{trigger.sense.operator}", 1.0), *key.features]
            for slot in self.slots(not_in=mask):
                if slot.col.index != key.col.index:
                    yield Values(rows, (slot.col,)), mask | slot.mask, [*features, *self._out(slot)]
            whole = [("whole_rows", 1.0)] + ([("rows_named", 1.0)] if self.row_words else [])
            yield Values(rows, ()), mask, [*features, *whole]

    @staticmethod
    def _out(slot: Slot) -> list[tuple[str, float]]:
        return [(f"out_{name}", value) for name, value in slot.features]

    def _top_groups(self, trigger: Trigger, largest: bool) -> Iterator[Made]:
        keys = [s for s in self.slots("label", not_in=trigger.mask) if self._repeats(s.col)]
        for measure, mask, features in self._group_measures():
            if mask & trigger.mask or (measure.fn in ("max", "min") and measure.col is not None):
                continue
            for key in keys:
                if key.mask & mask or (measure.col and measure.col.index == key.col.index):
                    continue
                tree = Grouped(self.rows, (key.col,), (measure,), largest=largest, n=self.n or 1)
                mask |= self._by(mask & ~trigger.mask) if measure.col else 0
                told = [("top_groups", 1.0), (f"by_{trigger.sense.operator}", 1.0), *features]
                if measure.col is None and self.row_words:
                    told.append(("rows_named", 1.0))
                yield tree, trigger.mask | mask | key.mask, [*told, *self._out(key)]

    def _repeats(self, col: Col) -> bool:
        """Whether grouping by a column makes sense: values repeat, and no condition fixes them."""
        fixed = any(
            isinstance(c, In) and c.col == col and len(c.texts) == 1 for c in self.conditions.node
        )
        return not fixed and not self.data.columns[col.index].encoded(col.facet).unique

    def _ends(self, trigger: Trigger) -> Iterator[Made]:
        rows = Slice(self.rows, self.n or 1, from_end=trigger.sense.operator == "last")
        features = [("ends", 1.0), (f"by_{trigger.sense.operator}", 1.0)]
        if any(column.temporal for column in self.data.columns):
            features.append(("ends_despite_dates", 1.0))
        for slot in self.slots(not_in=trigger.mask):
            yield Values(rows, (slot.col,)), trigger.mask | slot.mask, [*features, *self._out(slot)]
        yield Values(rows, ()), trigger.mask, [*features, ("whole_rows", 1.0)]

    def having(self) -> Iterator[Made]:
        """Groups whose count or total compares with a number."""
        for trigger in self.of("compare_number"):
            for number in self.question.numbers:
                if not 0 < number.first - trigger.last <= 2 or number.mask & self.taken:
                    continue
                yield from self._having(trigger, number)

    def _having(self, trigger: Trigger, number: NumberMention) -> Iterator[Made]:
        told = trigger.mask | number.mask
        for key in self.slots("label", floating=False, not_in=told):
            if not self._repeats(key.col):
                continue
            for measure, mask, features in self._group_measures():
                if mask & (told | key.mask) or measure.col == key.col:
                    continue
                tree = Grouped(
                    self.rows,
                    (key.col,),
                    (measure,),
                    having=((trigger.sense.argument, number.value),),
                )
                extra = [("having", 1.0), *features, *self._out(key)]
                if measure.col is None and self.row_words >> number.last:
                    extra.append(("having_rows", 1.0))
                yield tree, told | mask | key.mask, extra

    def shares(self) -> Iterator[Made]:
        """What part of the rows, or of a sum, the conditions select."""
        if isinstance(self.rows, All):
            return
        for trigger in self.of("share"):
            part, whole = Agg("count", self.rows), Agg("count", All())
            yield (
                Arith("%", part, whole),
                trigger.mask,
                [("share_told", 1.0), ("share_of_rows", 1.0)],
            )
            for slot in self.slots("number", floating=False):
                part, whole = Agg("sum", self.rows, slot.col), Agg("sum", All(), slot.col)
                features = [("share_told", 1.0), *slot.features]
                total = self.of("sum")
                mask = trigger.mask | slot.mask | sum(t.mask for t in total[:1])
                yield Arith("%", part, whole), mask, features

    def differences(self) -> Iterator[Made]:
        """One measure of two groups: how they differ, or which is larger."""
        yield from self._ranges()
        pair = self._pair()
        if pair is None:
            return
        left, right, col = pair
        for trigger in self.of("difference"):
            for measure, mask, features in self._pair_measures():
                if mask & trigger.mask:
                    continue
                one, two = Agg(measure.fn, left, measure.col), Agg(measure.fn, right, measure.col)
                told = [("difference_told", 1.0), *features]
                op = "|-|" if self.question.words[trigger.first].folded == "difference" else "-"
                yield Arith(op, one, two), trigger.mask | mask, told
        for trigger in self.of("compare", "compare_less", "superlative", "most", "least"):
            largest = trigger.sense.operator in ("compare", "most") or trigger.sense.argument == "+"
            for measure, mask, features in self._pair_measures():
                if mask & trigger.mask:
                    continue
                tree = Grouped(self.rows, (col,), (measure,), largest=largest, n=1)
                yield tree, trigger.mask | mask, [("compare_told", 1.0), *features]

    def _ranges(self) -> Iterator[Made]:
        """The largest less the smallest value of a column."""
        functions = {fn: (mask, features) for fn, mask, features in self._functions()}
        if "max" not in functions or "min" not in functions:
            return
        high, low = functions["max"], functions["min"]
        for trigger in self.of("difference"):
            for slot in self.slots("number"):
                largest, smallest = Agg("max", self.rows, slot.col), Agg("min", self.rows, slot.col)
                features = [*high[1], *low[1], *slot.features, ("difference_told", 1.0)]
                mask = trigger.mask | high[0] | low[0] | slot.mask
                yield Arith("-", largest, smallest), mask, features

    def _pair(self) -> tuple[Rows, Rows, Col] | None:
        """The rows of two values of one column that the conditions name."""
        for cond in self.conditions.node:
            if isinstance(cond, In) and len(cond.texts) == 2:
                rest = tuple(c for c in self.conditions.node if c is not cond)
                left, right = (Where(All(), (In(cond.col, (t,)), *rest)) for t in cond.texts)
                return left, right, cond.col
        return None

    def _pair_measures(self) -> Iterator[Told[Measure]]:
        for fn, mask, features in self._functions():
            if fn in ("sum", "mean", "median"):
                for slot in self.slots("number"):
                    if not slot.mask & mask:
                        yield Measure(fn, slot.col), mask | slot.mask, [*features, *slot.features]
        for slot in self.slots("number", floating=False):
            yield Measure("sum", slot.col), slot.mask, [("sum_untold", 1.0), *slot.features]
        yield Measure("count"), 0, [("count_untold", 1.0)]

    def existence(self) -> Iterator[Made]:
        """Whether there is such a row."""
        if isinstance(self.rows, All):
            return
        for trigger in self.of("exists"):
            yield Holds(">", Agg("count", self.rows), 0.0), trigger.mask, [("exists_told", 1.0)]


def _stems(column: ColumnData) -> set[str]:
    return set(name_words(column.name))


def _distinct_mentions(found: Iterable[ColumnMention], taken: int) -> list[ColumnMention]:
    """Mentions outside the taken words; of those of one column, the best."""
    best: dict[int, ColumnMention] = {}
    for mention in found:
        if mention.mask & taken or mention.score < 0.45:
            continue
        held = best.get(mention.column)
        if held is None or mention.score > held.score:
            best[mention.column] = mention
    return sorted(best.values(), key=lambda m: (-m.score, m.first))


_FUNCTIONS = {"sum": "sum", "mean": "mean", "median": "median", "maximum": "max", "minimum": "min"}
