"""Conditions that hold rows against a row that the question names: "the same year as Ann", "longer
than the Bee", and those that results stand for: "the games they won".

Takes the question, its mentions and the table's arrays; gives condition `Part`s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData, TableData, holds_years
from sql_engine.offline.directions import runs_against, spoken_of
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.parts import Part
from sql_engine.offline.question import ColumnMention, Question, Trigger, ValueMention
from sql_engine.offline.tree import Agg, All, Beyond, Col, Cond, Facet, In, Shares, Where
from sql_engine.words import fold

MAX_COLUMNS = 6
"""Columns tried for a comparison that names none."""
REACH = 4
"""Words between a comparison and the row it is held against."""
OUTCOMES = 0.7
"""The share of a column's texts that tell an outcome, from which it is one of outcomes."""

_Told = list[tuple[str, float]]


class References:
    """The conditions of one question over one table that speak of other rows."""

    def __init__(self, question: Question, found: Mentions, data: TableData) -> None:
        self._question = question
        self._found = found
        self._data = data

    def parts(self) -> Iterator[tuple[Part[Cond], int]]:
        """Conditions, each with the first word that it may be denied before."""
        for value in self._found.values:
            if value.score >= 0.5 and len(value.texts) == 1:
                yield from ((part, value.first) for part in self._same(value))
                yield from ((part, value.first) for part in self._beyond(value))
        yield from self._outcomes()

    # ------------------------------------------------------------ the same as a row

    def _same(self, value: ValueMention) -> Iterator[Part[Cond]]:
        one = In(Col(value.column), value.texts)
        for trigger in self._question.of("same"):
            if trigger.mask & value.mask:
                continue
            for col, mask, told in self._columns(trigger, value):
                if col.index == value.column:
                    continue
                rows = Where(All(), (one,))
                features = (("same_as", 1.0), *self._exactness(value), *told)
                used = trigger.mask | value.mask | mask | self._joining(trigger, value)
                yield Part(Shares(col, rows), used, features)

    # ------------------------------------------------------------ beyond a row

    def _beyond(self, value: ValueMention) -> Iterator[Part[Cond]]:
        for trigger, side in self._signs(value):
            for col, mask, told in self._columns(trigger, value):
                column = self._data.columns[col.index]
                sign = _TURNED[side] if runs_against(trigger, column) else side
                later = self._question.words[trigger.first].folded in _IN_TIME
                dated = column.temporal or holds_years(column)
                if col.index == value.column or not (later if dated else column.measured):
                    continue  # "more albums than Ann" holds no years against each other
                rows = Where(All(), (In(Col(value.column), value.texts),))
                bound = Agg("max" if sign == ">" else "min", rows, col)
                features = (("beyond_one", 1.0), *self._exactness(value), *told)
                used = trigger.mask | value.mask | mask
                yield Part(Beyond(col, sign, bound), used, features)

    def _holds_dates(self, trigger: Trigger) -> bool:
        return self._question.words[trigger.first].folded in _IN_TIME

    def _signs(self, value: ValueMention) -> Iterator[tuple[Trigger, str]]:
        words, function = self._question.words, lexicon().function
        if self._question.of("difference"):
            return  # "by how much do those of A exceed those of B" asks for a number
        for trigger in self._question.of("compare_number"):
            gap = range(trigger.last + 1, value.first)
            small = all(words[i].folded in function for i in gap)
            after = trigger.last < value.first and len(gap) <= 2
            if after and small and trigger.sense.argument in ("<", ">"):
                yield trigger, trigger.sense.argument
        for operator, sign in (("compare", ">"), ("compare_less", "<")):
            for trigger in self._question.of(operator):
                between = [words[i].folded for i in range(trigger.last + 1, value.first)]
                if "than" in between and len(between) <= REACH + 2:
                    yield trigger, sign

    # ------------------------------------------------------------ columns

    def _columns(self, trigger: Trigger, value: ValueMention) -> Iterator[tuple[Col, int, _Told]]:
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

    def _joining(self, trigger: Trigger, value: ValueMention) -> int:
        """Mask of the counting words in between: "the same number of draws as"."""
        mask = 0
        for other in self._question.of("count"):
            if trigger.last < other.first <= value.first:
                mask |= other.mask
        return mask

    @staticmethod
    def _exactness(value: ValueMention) -> Iterable[tuple[str, float]]:
        return (("value_exact" if value.exact else "value_partial", 1.0),)

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


def outcomes(column: ColumnData) -> dict[str, str]:
    """For each text of a column of outcomes, which it is; empty for other columns."""
    if column.encoded(Facet.VALUE).ordered or len(column.texts) < 2:
        return {}
    told = {}
    for text in column.texts:
        first = _FIRST_WORD.match(fold(text.strip()))
        if first and first.group() in _BY_SIGN:
            told[text] = _BY_SIGN[first.group()]
    several = len(set(told.values())) > 1
    return told if several and len(told) >= OUTCOMES * len(column.texts) else {}
