"""Conditions that a question may put on rows, and the sets of them that go together.

Takes the question and its mentions of one table; gives `Part`s of condition tuples: each set
explains words that no other condition of the set explains.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np

from sql_engine.offline.blanks import Blanks
from sql_engine.offline.bounds import Bounds
from sql_engine.offline.columns import TableData
from sql_engine.offline.denied_cells import denied_together
from sql_engine.offline.ends import tells_other_end
from sql_engine.offline.flags import Flag, flag
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.parts import ConditionPart, Features, Part
from sql_engine.offline.present import still_so
from sql_engine.offline.punctual import lateness
from sql_engine.offline.question import (
    BEING,
    ColumnMention,
    Mention,
    Question,
    Trigger,
    ValueMention,
    covering,
)
from sql_engine.offline.references import References
from sql_engine.offline.sides import on_either_side
from sql_engine.offline.some_of import some_of
from sql_engine.offline.tree import AnyOf, Cmp, Col, Cond, In, Not, Within
from sql_engine.words import name_words

_BY = frozenset(["by", "per"])
MAX_SETS = 24

MAX_ALIKE = 8
"""More cells than this that share a word, and most of a column's, are not told by it."""
ConditionSet = Part[tuple[Cond, ...]]


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
        said = Blanks(self._question, self._found, self._data)
        blanks = list(said.parts())
        taken = covering(blanks) & said.words
        placed = (value for value in self._placed_values() if not value.mask & taken)
        found = [(part, value.first) for value in placed if (part := self._value(value))]
        found += [(part, part.mask.bit_length() - 1) for part in self._flags()]
        found += [(part, part.mask.bit_length() - 1) for part in self._opposed()]
        found += [(part, 0) for part in self._supplies()]
        found += [(part, 0) for part in self._some()]
        found += [(part, 0) for part in blanks]
        found += [(part, 0) for part in self._counted()]
        found += [(part, 0) for part in still_so(self._question, self._data)]
        found += lateness(self._question, self._found, self._data)
        found += References(self._question, self._found, self._data).parts()
        found += Bounds(self._question, self._found, self._data).parts()
        return [variant for part, first in found for variant in self._signs(part, first)]

    # ------------------------------------------------------------ cells

    def _placed_values(self) -> list[ValueMention]:
        """The cells named; where a column is named beside the words, theirs alone."""
        placed = {v.mask for v in self._found.values if v.exact and self._beside(v, v.column)}
        return [
            value
            for value in self._found.values
            if (value.mask not in placed or self._beside(value, value.column))
            and not self._says_little(value)
            and not self._groups(value)
            and not self._denies_next(value)
            and not self._is_other_end(value)
        ]

    def _is_other_end(self, value: ValueMention) -> bool:
        """Whether its column tells the other end of a way: "end at Ely", where ways begin."""
        names = [column.name for column in self._data.columns]
        return tells_other_end(self._question.words, value.first, names[value.column], names)

    def _says_little(self, value: ValueMention) -> bool:
        """Whether a part of most cells of a column is named, which tells none of them."""
        cells = len(self._data.columns[value.column].texts)
        return not value.exact and len(value.texts) > MAX_ALIKE and 2 * len(value.texts) > cells

    def _denies_next(self, value: ValueMention) -> bool:
        """Whether a "no" that is a cell denies the word after it: "no manager"."""
        if not any(value.mask == negation.mask for negation in self._negations):
            return False
        words, after = self._question.words, value.last + 1
        goes_on = after < len(words) and not self._question.function >> after & 1
        said = value.first and (
            words[value.first].text[:1].isupper() or words[value.first - 1].folded in BEING
        )
        return goes_on and not said

    def _groups(self, value: ValueMention) -> bool:
        """Whether cells are told by a word of several after "by": their column groups the rows."""
        before = {t.last for t in self._question.of("group") if t.last == value.first - 1}
        return bool(before) and len(value.texts) > 1 and not value.exact

    def _value(self, value: ValueMention) -> ConditionPart | None:
        """The cells; None where another column's part holds them as well."""
        cond: Cond = In(Col(value.column), value.texts)
        found = self._found
        either = on_either_side(self._question, value, found.values, found.columns, self._data)
        if either is not None:
            if either.conds[0] != cond:
                return None
            cond = either
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
        return Part(cond, mask, tuple(features))

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
        place = self._question.place_told_of(mention)
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

    def _opposed(self) -> Iterable[ConditionPart]:
        """A word of which cells say the opposite: "sold" is all that is not "unsold"."""
        features = (("value_exact", 1.0), ("value_exact_words", 1.0))
        for value in self._found.opposed:
            cells = In(Col(value.column), value.texts)
            blank = bool((self._data.columns[value.column].codes < 0).any())
            yield from [] if blank else [Part(Not(cells), value.mask, features)]
            for negation in self._negations:
                if 0 < value.first - negation.last <= 3 and not blank:
                    told = (*features, ("negated", 1.0))
                    yield Part(cells, value.mask | negation.mask, told)

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
        for some in some_of(self._question, self._found.columns, self._data.columns):
            features = (("value_exact", 1.0), ("value_exact_words", 1.0), ("flag", 1.0))
            yield Part(Cmp(Col(some.column), ">", 0.0), some.mask, features)

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
        small = covering(t for t in self._negations if t.first == t.last)
        small |= sum(1 << i for i, word in enumerate(words) if word.folded == "value")
        return len(between) <= reach and all(
            words[i].folded in function or small >> i & 1 for i in between
        )

    def _signs(self, part: ConditionPart, start: int) -> Iterable[ConditionPart]:
        """The condition, and its negation where a word before `start` denies it once."""
        yield part
        if ("negated", 1.0) in part.features or isinstance(part.node, Not):
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

    # ------------------------------------------------------------ together

    def _joined(self, chosen: tuple[ConditionPart, ...]) -> Iterable[ConditionSet]:
        """The conditions of a set as one: cells of one column become alternatives."""
        joining = (t for t in self._question.of("or") if not self._is_of_bounds(t))
        either = [t for t in joining if self._between(t, chosen)]
        if (not either and _contradict(chosen)) or self._whole_beside_parts(chosen):
            return
        if not (either or self._are_joined(chosen)):
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
        mask |= covering(either)
        if several:
            yield Part((*merged, *conds), mask, tuple(features))
        elif len(merged) + len(conds) == 2:
            features.append(("either", 1.0))
            yield Part((AnyOf((*merged, *conds)),), mask, tuple(features))
        elif len(either) == 1 and (sides := self._sides_of(either[0], chosen)):
            features.append(("either", 1.0))
            rest = [cond for cond in (*merged, *conds) if cond not in sides]
            yield Part((*rest, AnyOf(sides)), mask, tuple(features))

    @staticmethod
    def _sides_of(trigger: Trigger, chosen: tuple[ConditionPart, ...]) -> tuple[Cond, ...]:
        """The two bounds of one column right before and after an "or"; none where others stand
        there: "of 25 or 50 by cash".
        """
        before = [p for p in chosen if p.mask.bit_length() == trigger.first]
        after = [p for p in chosen if p.mask & -p.mask == 1 << trigger.last + 1]
        if len(before) != 1 or len(after) != 1:
            return ()
        sides = (before[0].node, after[0].node)
        bounds = [side for side in sides if isinstance(side, Cmp | Within)]
        return sides if len({bound.col for bound in bounds}) == 1 and len(bounds) == 2 else ()

    def _is_of_bounds(self, trigger: Trigger) -> bool:
        """Whether an "or" joins two words that bound: "above or below 10" joins no conditions."""
        told = self._question.of("compare_number", "compare", "compare_less")
        before = any(t.last + 1 == trigger.first for t in told)
        return before and any(t.first == trigger.last + 1 for t in told)

    def _are_joined(self, chosen: tuple[ConditionPart, ...]) -> bool:
        """Whether several cells of one column are joined or held against each other: what is told
        of Hull "in York" is told of no row that has both, and of neither's rows.
        """
        apart = self._question.of("difference", "compare", "compare_less")
        if apart or any(w.folded in _SETTING_APART for w in self._question.words):
            return True
        cells: dict[int, list[int]] = {}
        for part in chosen:
            if isinstance(part.node, In) and not self._data.columns[part.node.col.index].items:
                cells.setdefault(part.node.col.index, []).append(part.mask)
        pairs = (pair for masks in cells.values() for pair in itertools.pairwise(sorted(masks)))
        return all(self._joins(one, two) for one, two in pairs)

    def _joins(self, one: int, two: int) -> bool:
        words, text = self._question.words, self._question.text
        last, first = one.bit_length(), (two & -two).bit_length() - 1
        gap = text[words[last - 1].end : words[first].start]
        said = {word.folded for word in words[last:first]}
        return first < last or bool(said & _JOINING) or bool(set(gap) & set(",;&/+"))

    def _whole_beside_parts(self, chosen: tuple[ConditionPart, ...]) -> bool:
        """Whether a "total" that asks for a sum is taken for a cell beside cells that it adds up:
        "the total of North and South" is none of the row "Total".
        """
        said = covering(self._question.of("sum"))
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


_JOINING = frozenset(
    ["and", "or", "nor", "plus", "to", "versus", "vs", "with", "than", "but", "as"]
)
_SETTING_APART = frozenset(["than", "versus", "vs", "compare", "compared", "exceed", "exceeds"])


def _contradict(chosen: tuple[ConditionPart, ...]) -> bool:
    """Whether a column is said to be one amount, and to compare with another as well."""
    bounds = [p for p in chosen if isinstance(p.node, Cmp | Within)]
    equal = [p for p in bounds if {f for f, _ in p.features} & _EQUAL]
    return any(one.node.col == two.node.col for one in equal for two in bounds if one is not two)  # type: ignore[union-attr]


_EQUAL = frozenset(["bound_time_equal", "bound_number_equal"])


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
