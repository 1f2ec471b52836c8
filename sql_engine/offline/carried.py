"""Words that a reading carries along: they name its rows or columns, or ask for what they hold.

Takes a question with its mentions of one relation; gives masks of words that need no place of their
own. "Over" before "all readings" restricts nothing; "cost" is answered by a column of money alone,
"warm" by one of temperatures: where no such column is used, the word stays unplaced.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cached_property

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData, TableData
from sql_engine.offline.doers import doers
from sql_engine.offline.flags import flag
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.money import holds_money, is_income
from sql_engine.offline.present import tells_end
from sql_engine.offline.question import ColumnMention, Question, covering
from sql_engine.offline.repeated import things_counted
from sql_engine.offline.unit_words import column_unit, converted, units_said
from sql_engine.words import folded_words, name_words, stem, words

_PARTICIPLES = ("ed", "aid", "ent")
"""How a participle of a verb for money ends: "charged", "paid", "spent"."""
_WON = frozenset(["win", "wins", "won", "winning", "awarded", "collected", "obtained", "got"])
NAMED = 0.5
"""How well a column must be named for "how high …" to ask for it."""


class Carried:
    """What needs no place of its own in the readings of one question over one relation."""

    def __init__(self, question: Question, found: Mentions, data: TableData) -> None:
        self._question = question
        self._found = found
        self._data = data
        self._memo: dict[frozenset[int], int] = {}

    @cached_property
    def always(self) -> int:
        """Mask of the words that any reading over this relation accounts for."""
        mask = self._found.rows | self._found.table_words | self._found.deeds
        for trigger in self._question.of("group"):
            if self._found.rows >> self._after_cell(trigger.last + 1) & 1:
                mask |= trigger.mask
        mask |= covering(self._question.of("courtesy"))
        mask |= doers(self._question, self._found)
        mask |= sum(1 << place for place in things_counted(self._question, self._data))
        return mask | self._spanning | self._singling | self._manner_of_share

    def _after_cell(self, place: int) -> int:
        """The place after a whole cell that begins here: "per night_backup run" is per run."""
        cells = (v.last + 1 for v in self._found.values if v.exact and v.first == place)
        return max(cells, default=place)

    @property
    def _spanning(self) -> int:
        """Mask of the "over" of "over all readings", and of "across all ages", where ages are what
        the rows are of.
        """
        words, known, mask = self._question.words, lexicon().spanning, 0
        for i, word in enumerate(words):
            if word.folded not in known:
                continue
            after = i + 1
            while after < len(words) and words[after].folded in lexicon().totality:
                after += 1
            if self._found.rows >> after & 1:
                mask |= 1 << i
            if spans_all(self._question, i):
                labels = [m for m in self._found.columns if m.first == after]
                told = covering(m for m in labels if not self._data.columns[m.column].measured)
                mask |= told and told | 1 << i
        return mask

    @property
    def _singling(self) -> int:
        words, known = self._question.words, lexicon().singling
        nouns = self._found.rows
        for trigger in self._question.of("superlative"):
            nouns |= trigger.mask
        marked = (i for i, word in enumerate(words) if word.folded in known)
        return sum(1 << i for i in marked if nouns >> (i + 1) & 1)

    @property
    def _manner_of_share(self) -> int:
        """Mask of "large" in "how large a share"."""
        words, mask = self._question.words, 0
        for trigger in self._question.of("share"):
            first = trigger.first - 2
            if first > 0 and words[first - 1].folded == "how" and words[first + 1].folded == "a":
                mask |= (1 << first) * (words[first].folded in lexicon().manner)
        return mask

    def by_columns(self, used: set[int]) -> int:
        """Mask of the words that name these columns, or ask for what they hold."""
        key = frozenset(used)
        if key not in self._memo:
            self._memo[key] = self._by_columns(key)
        return self._memo[key]

    def _by_columns(self, used: frozenset[int]) -> int:
        mask = 0
        for mention in self._found.columns:
            if mention.column in used:
                mask |= mention.mask | self._number_of(mention)
        columns = [self._data.columns[i] for i in used]
        money = [column for column in columns if holds_money(column)]
        if money:
            mask |= self._money if not all(map(is_income, money)) else self._money & ~self._costing
        if any(map(tells_end, columns)):
            mask |= self._found.present
        return mask | self._manner(used) | self._units_of(columns) | self._sorted(columns)

    def _sorted(self, columns: list[ColumnData]) -> int:
        """Mask of the "medals" of "gold medals", where one of the columns counts a sort of them or
        all of them, and of the verb that they are won by.
        """
        names = {stem for column in columns if column.amount for stem in name_words(column.name)}
        mask = 0
        for i, word in enumerate(self._question.words):
            sorts = lexicon().sorts.get(word.stem)
            if sorts and sorts <= self._heads and names & (sorts | {"total"}):
                mask |= 1 << i
        words = enumerate(self._question.words)
        return mask | (sum(1 << i for i, word in words if word.folded in _WON) if mask else 0)

    @cached_property
    def _heads(self) -> frozenset[str]:
        return frozenset(stem for c in self._data.columns for stem in name_words(c.name))

    def _number_of(self, mention: ColumnMention) -> int:
        """Mask of "number of" between an operation and an amount: "the average number of seats"."""
        if not self._data.columns[mention.column].amount:
            return 0
        told = self._question.of("mean", "median", "maximum", "minimum", "superlative")
        ends = {t.last + 1 for t in told}
        counting = self._question.of("count")
        return covering(t for t in counting if t.last + 1 == mention.first and t.first in ends)

    def _units_of(self, columns: list[ColumnData]) -> int:
        """Mask of the words that say the unit of one of the columns: "12 kg", "in euros"."""
        held = [column.unit or _unit_untold(column) for column in columns]
        said = self._units_said.items()
        return sum(
            1 << i
            for i, unit in said
            if any(unit & column_unit(each) or converted(unit, each) for each in held)
        )

    @cached_property
    def _units_said(self) -> dict[int, frozenset[str]]:
        ends = [number.last for number in self._question.numbers]
        return units_said(self._question.words, ends)

    @cached_property
    def _money(self) -> int:
        asked = lexicon().money_asked
        mask = sum(1 << i for i, w in enumerate(self._question.words) if w.stem in asked)
        for value in self._found.values:
            if value.exact:  # "paid orders": a cell of the table is a condition, not a courtesy
                mask &= ~value.mask
        for mention in self._found.columns:
            if flag(mention.column, self._data.columns[mention.column]) is not None:
                mask &= ~mention.mask  # "orders that are paid", where a column says yes or no
        return mask & ~self._told_of_rows

    @cached_property
    def _costing(self) -> int:
        """Mask of the words for a price, which no revenue answers."""
        words, known = enumerate(self._question.words), lexicon().money_costing
        return sum(1 << i for i, word in words if word.stem in known)

    @property
    def _told_of_rows(self) -> int:
        """Mask of the participles right before the rows: "the paid orders" are not all of them."""
        mask = 0
        for i, word in enumerate(self._question.words):
            if word.folded.endswith(_PARTICIPLES) and self._found.rows >> (i + 1) & 1:
                mask |= 1 << i
        return mask

    def _manner(self, used: frozenset[int]) -> int:
        words, known, mask = self._question.words, lexicon().manner, 0
        named = {m.column for m in self._found.columns if m.score >= NAMED} & used
        for i in range(1, len(words)):
            hints = known.get(words[i].folded)
            if words[i - 1].folded != "how" or hints is None:
                continue
            told = any(hints & _says(self._data.columns[c]) for c in used)
            amount = any(_tells_amount(self._data.columns[c]) for c in named)
            if told or (amount and (not hints or "" in hints)):
                mask |= 1 << i
        return mask


def spans_all(question: Question, place: int) -> bool:
    """Whether "across all" stands at a word: nothing is parted by what follows."""
    said = [word.folded for word in question.words[place : place + 2]]
    return len(said) == 2 and said[0] in lexicon().spanning and said[1] == "all"


def _unit_untold(column: ColumnData) -> str | None:
    """The unit that ends the name of an amount without one, the pounds of "amount_gbp", or that a
    clock shows.
    """
    if column.kind is Kind.TIME:
        return "seconds"
    last = words(column.name)[-1:] if column.measured else ()
    return last[0].text if last and last[0].folded in lexicon().currencies else None


def asks_for_money(question: Question) -> bool:
    """Whether a verb of the question says that money was paid, spent or earned."""
    verbs = lexicon().money_asked | lexicon().money_earned
    return any(word.stem in verbs for word in question.words)


def units_of(column: ColumnData) -> frozenset[str]:
    """The folded words of a number's unit, told by its cells or in brackets by its header."""
    if not column.measured:
        return frozenset()
    bracketed = _BRACKETED.findall(column.name)
    return frozenset(folded_words(" ".join((column.column.source.type.unit or "", *bracketed))))


_BRACKETED = re.compile(r"[(\[]([^)\]]*)[)\]]")


def in_units_of(hints: Collection[str], column: ColumnData) -> bool:
    """Whether a column tells its amounts in units that an adjective speaks of: "longest", hours."""
    known = lexicon().units.items()
    said = {unit for word, units in known if stem(word) in hints for unit in units}
    held = column_unit(f"{' '.join(units_of(column))} {column.name}")
    return column.measured and bool(said & held)


def _tells_amount(column: ColumnData) -> bool:
    return column.measured or column.text_numbers > 0.5


def _says(column: ColumnData) -> set[str]:
    """The stems of a column's name and unit."""
    return {*name_words(column.name), *name_words(column.unit or "")}
