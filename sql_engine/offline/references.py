"""Conditions that hold rows against a row that the question names: "the same year as Ann", "longer
than the Bee", and those that results stand for: "the games they won".

Takes the question, its mentions and the table's arrays; gives condition `Part`s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from retrieval.table import PATH_SEPARATOR, Kind
from sql_engine.offline.columns import FEW_TEXTS, ColumnData, TableData, holds_years
from sql_engine.offline.directions import runs_against, spoken_of
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.parts import Part
from sql_engine.offline.question import (
    ColumnMention,
    NumberMention,
    Question,
    Trigger,
    ValueMention,
    covering,
)
from sql_engine.offline.tree import (
    Against,
    Agg,
    All,
    Beyond,
    Cmp,
    Col,
    Cond,
    Facet,
    In,
    Shares,
    Where,
)
from sql_engine.offline.unit_words import said_unit
from sql_engine.words import fold

MAX_COLUMNS = 6
"""Columns tried for a comparison that names none."""
REACH = 4
"""Words between a comparison and the row it is held against."""
OUTCOMES = 0.7
"""The share of a column's texts that tell an outcome, from which it is one of outcomes."""

KEY_NAMED = 0.7
"""How surely a word is a key's name, from which the number after it is one of its own."""

AGAINST_NAMED = 0.6
"""How surely a column is named, from which it may be what another is held against."""

_Told = list[tuple[str, float]]


@dataclass(frozen=True)
class _Named:
    """Words that name rows, which others are held against."""

    cond: Cond
    column: int
    mask: int
    first: int
    features: tuple[tuple[str, float], ...]


class References:
    """The conditions of one question over one table that speak of other rows."""

    def __init__(self, question: Question, found: Mentions, data: TableData) -> None:
        self._question = question
        self._found = found
        self._data = data

    def parts(self) -> Iterator[tuple[Part[Cond], int]]:
        """Conditions, each with the first word that it may be denied before."""
        for one in self._named_rows():
            yield from ((part, one.first) for part in self._same(one))
            yield from ((part, one.first) for part in self._beyond(one))
        yield from self._against()
        yield from self._outcomes()

    # ------------------------------------------------------------ the rows that are named

    def _named_rows(self) -> Iterator[_Named]:
        """The rows that cells, or the numbers of keys, name. Where the same words name one row by
        one column and several by another, the one is meant: nobody earns more than all whose
        manager is Ann, where Ann is one of the employees.
        """
        told = [v for v in self._found.values if v.score >= 0.5 and len(v.texts) == 1]
        told = [v for v in told if not self._is_amount(v)]
        single = {v.mask for v in told if self._count(v) == 1}
        for value in told:
            if value.mask not in single or self._count(value) == 1:
                exact = (("value_exact" if value.exact else "value_partial", 1.0),)
                cond = In(Col(value.column), value.texts)
                yield _Named(cond, value.column, value.mask, value.first, exact)
        for number in self._question.numbers:
            yield from self._numbered(number)

    def _is_amount(self, value: ValueMention) -> bool:
        """Whether a cell is a number that names no row: "above 59" is of no row with a 59."""
        said = self._question.words[value.first : value.last + 1]
        named = self._data.columns[value.column].encoded().unique
        return not named and all(word.folded.isdigit() for word in said)

    def _numbered(self, number: NumberMention) -> Iterator[_Named]:
        """The row that the number of a key names, after the key's name or the rows': "line 5"."""
        before = number.first - 1
        keys = {
            m.column: m.mask
            for m in self._found.columns
            if m.last == before and m.score >= KEY_NAMED
        }
        if before >= 0 and self._found.rows >> before & 1:
            for index, column in enumerate(self._data.columns):
                if column.identifier or column.numbers_rows:
                    keys.setdefault(index, 1 << before)
        for index, mask in keys.items():
            encoded = self._data.columns[index].encoded()
            held = self._data.columns[index].numeric and encoded.unique
            if held and np.any(encoded.floats == number.value):
                cond = Cmp(Col(index), "=", number.value)
                exact = (("value_exact", 1.0),)
                yield _Named(cond, index, mask | number.mask, before, exact)

    def _count(self, value: ValueMention) -> int:
        column = self._data.columns[value.column]
        return int(np.isin(column.codes, column.codes_of(value.texts)).sum())

    # ------------------------------------------------------------ the same as a row

    def _same(self, value: _Named) -> Iterator[Part[Cond]]:
        for trigger in self._question.of("same"):
            if trigger.mask & value.mask:
                continue
            for col, mask, told in self._columns(trigger, value):
                if col.index == value.column:
                    continue
                rows = Where(All(), (value.cond,))
                features = (("same_as", 1.0), *value.features, *told)
                used = trigger.mask | value.mask | mask | self._joining(trigger, value)
                yield Part(Shares(col, rows), used, features)

    # ------------------------------------------------------------ beyond a row

    def _beyond(self, value: _Named) -> Iterator[Part[Cond]]:
        for trigger, side in self._signs(value):
            for col, mask, told in self._columns(trigger, value):
                column = self._data.columns[col.index]
                sign = _TURNED[side] if runs_against(trigger, column) else side
                word = self._question.words[trigger.first].folded
                later, dated = word in _IN_TIME, self._is_dated(col.index)
                if word in _OF_DATES and not mask and self._dated:
                    if not dated:
                        continue  # "after the fair" is no matter of amounts
                    told = [("slot_only", 1.0)] if len(self._dated) == 1 else told
                if col.index == value.column or not (later if dated else column.measured):
                    continue  # "more albums than Ann" holds no years against each other
                rows = Where(All(), (value.cond,))
                bound = Agg("max" if sign == ">" else "min", rows, col)
                features = (("beyond_one", 1.0), *value.features, *told)
                used = trigger.mask | value.mask | mask
                yield Part(Beyond(col, sign, bound), used, features)

    def _is_dated(self, index: int) -> bool:
        return self._data.columns[index].temporal or holds_years(self._data.columns[index])

    @cached_property
    def _dated(self) -> list[int]:
        return [i for i in range(len(self._data.columns)) if self._is_dated(i)]

    def _signs(self, value: _Named | ColumnMention) -> Iterator[tuple[Trigger, str]]:
        words, function = self._question.words, lexicon().function
        if self._question.of("difference"):
            return  # "by how much do those of A exceed those of B" asks for a number
        for trigger in self._question.of("compare_number"):
            gap = range(trigger.last + 1, value.first)
            small = all(words[i].folded in function for i in gap)
            after = trigger.last < value.first and len(gap) <= 2
            if trigger.first and said_unit(words[trigger.first - 1].folded):
                continue  # "the day after" says how far, too
            if after and small and trigger.sense.argument in ("<", ">"):
                yield trigger, trigger.sense.argument
        for operator, sign in (("compare", ">"), ("compare_less", "<")):
            for trigger in self._question.of(operator):
                between = [words[i].folded for i in range(trigger.last + 1, value.first)]
                if "than" in between and len(between) <= REACH + 2:
                    yield trigger, sign

    # ------------------------------------------------------------ columns

    def _columns(self, trigger: Trigger, value: _Named) -> Iterator[tuple[Col, int, _Told]]:
        """Columns that are compared: the ones named beside the trigger, else any, at a price."""
        named: dict[int, ColumnMention] = {}
        for mention in self._found.columns:
            near = -REACH <= mention.first - trigger.last <= REACH + 1
            if mention.mask & (trigger.mask | value.mask) or mention.score < 0.5 or not near:
                continue
            held = named.get(mention.column)
            if held is None or held.score < mention.score:
                named[mention.column] = mention
        for index, mention in named.items():
            yield Col(index), mention.mask, [("slot_named", mention.score)]
        hints = trigger.sense.hints
        columns = self._data.columns
        tried = spoken_of(trigger, columns) if hints else range(len(columns))
        if hints and any(columns[i].kind is Kind.TIME for i in tried):
            tried = []  # of a time of day beside a length of time either may be meant
        free = [i for i in tried if i not in named]
        for index in free[:MAX_COLUMNS]:
            yield Col(index), 0, [("slot_hinted" if hints else "slot_floating", 1.0)]

    def _joining(self, trigger: Trigger, value: _Named) -> int:
        """Mask of the counting words in between: "the same number of draws as"."""
        counting = self._question.of("count")
        return covering(t for t in counting if trigger.last < t.first <= value.first)

    # ------------------------------------------------------------ another column of the row

    def _against(self) -> Iterator[tuple[Part[Cond], int]]:
        """Columns of one row held against each other: "stock below the reorder level"."""
        for bound in self._found.columns:
            if bound.score < AGAINST_NAMED:
                continue
            for trigger, sign in self._signs(bound):
                told = trigger.mask | bound.mask
                for col, mask, features in self._held_against(bound, told):
                    node = Against(col, sign, Col(bound.column))
                    yield Part(node, told | mask, (("against_column", 1.0), *features)), bound.first

    def _held_against(self, bound: ColumnMention, told: int) -> Iterator[tuple[Col, int, _Told]]:
        """The columns before a bound that hold the like; where none is named, the only one. Of
        bounds that the same words name, "Q1" of power and of gas, it is the one under its header.
        """
        like = [i for i in range(len(self._data.columns)) if self._are_alike(i, bound.column)]
        before = [
            m
            for m in self._found.columns
            if m.column in like and m.first < bound.first and not m.mask & told
        ]
        named = [m for m in before if m.score >= AGAINST_NAMED]
        others = {m.column for m in self._found.columns if m.mask == bound.mask} - {bound.column}
        if named:
            nearest = max(named, key=lambda m: (m.mask.bit_length(), m.mask.bit_count()))
            beside = self._group(nearest.column) == self._group(bound.column)
            if not others or beside:
                yield Col(nearest.column), nearest.mask, [("slot_named", nearest.score)]
        elif len(like) == 1 and not before and not others:
            yield Col(like[0]), 0, [("slot_hinted", 1.0)]

    def _group(self, index: int) -> str:
        """What stands above the last header of a column."""
        return self._data.columns[index].name.rpartition(PATH_SEPARATOR)[0]

    def _are_alike(self, one: int, other: int) -> bool:
        """Whether two columns hold amounts of one unit, or both hold dates."""
        first, second = self._data.columns[one], self._data.columns[other]
        if one == other or first.unit != second.unit:
            return False
        if first.amount and second.amount:
            return first.kind is second.kind
        return first.temporal and second.temporal

    # ------------------------------------------------------------ outcomes

    def _outcomes(self) -> Iterator[tuple[Part[Cond], int]]:
        """Rows whose result says what a word of the question says: "won" of "W 3-1"."""
        words = [
            (i, _OUTCOMES[w.folded])
            for i, w in enumerate(self._question.words)
            if w.folded in _OUTCOMES
        ]
        if not words:
            return
        for index, column in enumerate(self._data.columns):
            signs = outcomes(column)
            for i, sign in words:
                texts = tuple(t for t, told in signs.items() if told == sign)
                if texts:
                    features = (("outcome", 1.0), ("value_exact", 1.0))
                    yield Part(In(Col(index), texts), 1 << i, features), i


_TURNED = {">": "<", "<": ">"}
_IN_TIME = frozenset(
    ["after", "before", "later", "earlier", "older", "younger", "newer", "past", "prior", "since"]
)
"""Words that hold dates against each other; "more" does not."""
_OF_DATES = frozenset(["after", "before", "later", "earlier", "past", "prior", "since"])
"""Those that hold nothing else against each other, where there are dates."""
_SIGNS = {
    "win": ("w", "win", "won", "victory"),
    "loss": ("l", "loss", "lost", "lose", "defeat"),
    "draw": ("d", "t", "draw", "drew", "drawn", "tie", "tied"),
}
_BY_SIGN = {word: sign for sign, words in _SIGNS.items() for word in words}
_OUTCOMES = {
    "win": "win",
    "wins": "win",
    "won": "win",
    "winning": "win",
    "victory": "win",
    "victories": "win",
    "defeated": "win",
    "lose": "loss",
    "loses": "loss",
    "lost": "loss",
    "losing": "loss",
    "loss": "loss",
    "losses": "loss",
    "defeat": "loss",
    "defeats": "loss",
    "draw": "draw",
    "draws": "draw",
    "drew": "draw",
    "drawn": "draw",
    "tie": "draw",
    "ties": "draw",
    "tied": "draw",
}
_FIRST_WORD = re.compile(r"[^\W\d_]+")


def _outcome(text: str) -> str | None:
    """What a result's first word says; None for other texts."""
    first = _FIRST_WORD.match(fold(text.strip()))
    return _BY_SIGN.get(first.group()) if first else None


def outcomes(column: ColumnData) -> dict[str, str]:
    """For each text of a column of outcomes, which it is; empty for other columns."""
    if column.encoded(Facet.VALUE).ordered or len(column.texts) < 2:
        return {}
    some = column.texts[:: 1 + len(column.texts) // FEW_TEXTS]
    if sum(_outcome(text) is not None for text in some) < OUTCOMES * len(some):
        return {}
    told = {text: sign for text in column.texts if (sign := _outcome(text)) is not None}
    several = len(set(told.values())) > 1
    return told if several and len(told) >= OUTCOMES * len(column.texts) else {}
