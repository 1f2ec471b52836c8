"""Words that one cell has to hold: codes, dates, and numbers that could be met by the way.

The parts of "P-12" may stand scattered over a row ("P-010", "2024-12-31"), and those of a date in
another order; such a row is not the one asked for. Takes a `Question`; gives a `CellTest` for each
word of these kinds, which tells by table and cell whether the word is really there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from retrieval.dates import Clock, is_calendar_word, read_moment
from retrieval.hashing import Ints
from retrieval.postings import Postings
from retrieval.question import Question
from retrieval.table import EMPTY, NUMERIC, TEMPORAL, Column, Table
from retrieval.tokenize import Word, tokens, words
from retrieval.word_matches import Flags, Numbers

_NUMBERED = frozenset({"id", "no", "nr", "number", "code"})
"""Words between a thing's name and its number."""
_DAY_DIGITS = 2
"""A number of so few digits may be a day or a month."""
_NAMES_READ = 1000
_FEW_ROWS = 16
"""Up to so many rows of one table are read cell by cell."""
_DIGIT = re.compile(r"\d")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class CellTest:
    """Which cells hold one word of a question."""

    word: Word
    date: Clock | None = None
    """What it means where it is a date."""
    month: str | None = None
    """The token of the month's name that stands beside a day's number."""
    noun: tuple[str, ...] = ()
    """Tokens of the noun that a number follows, in the singular."""

    @property
    def is_number(self) -> bool:
        """Whether it is a plain number."""
        return self.word.text.isdecimal()

    def holds(self, table: Table, number: int, code: int) -> bool:
        """Whether the cell of this code in column `number` holds the word."""
        if not self.may_be_in(table.columns[number])(table.columns[number].texts[code]):
            return False
        if self.noun and number != table.key and self._names_keys(table):
            return False
        column = table.columns[number]
        if self.date is not None and column.type.kind in TEMPORAL:
            canonical = _canonical(column, code)
            if canonical is not None:
                return canonical.startswith(self._meant(column, code))
        return self.in_text(column.texts[code])

    def in_text(self, text: str) -> bool:
        """Whether a text holds the word's parts in order, or the word written together."""
        joined, parts = _parts(text)
        if self.word.whole is not None and self.word.whole in joined:
            return True
        if self.month is not None:
            day = self.word.tokens[0]
            return _within((day, self.month), parts) or _within((self.month, day), parts)
        if self.is_number and len(self.word.text) <= _DAY_DIGITS and _is_date(text):
            return False
        return _within(self.word.tokens, parts)

    def says_no_more_than_its_token(self, table: Table) -> bool:
        """Whether every cell with the token holds the word: a number beside a noun, and no day."""
        plain = self.is_number and self.month is None and len(self.word.text) > _DAY_DIGITS
        return plain and not self._names_keys(table)

    def may_be_in(self, column: Column) -> Callable[[str], bool]:
        """Whether a glance at a text leaves it possible; dates are written in many ways."""
        if self.date is not None and column.type.kind in TEMPORAL:
            return lambda _: True
        return self._glance

    def cannot_be_in(self, column: Column) -> bool:
        """Whether the column's type alone rules it out: no number is a date."""
        return self.date is not None and column.type.kind in NUMERIC and not column.type.mixed

    @cached_property
    def _glance(self) -> Callable[[str], bool]:
        found = _DIGITS.search(self.word.text)
        digits = found.group() if found else ""
        return lambda text: digits in text or "," in text or not text.isascii()

    def _names_keys(self, table: Table) -> bool:
        """Whether the noun before the number is what the table's rows are called."""
        if table.table_id not in self._named:
            self._named[table.table_id] = _what_numbers_call(table).issuperset(self.noun)
        return self._named[table.table_id]

    @cached_property
    def _named(self) -> dict[str, bool]:
        """By table: whether its rows are called by the noun."""
        return {}

    def _meant(self, column: Column, code: int) -> str:
        """The date as canonical text, read in the order of the cell that it is compared with."""
        assert self.date is not None
        cell = read_moment(column.texts[code])
        day_first = column.type.day_first
        if self.date.ambiguous and (cell is None or not cell.swappable):
            day_first = True if "." in self.date.text else None
            if day_first is None:
                return "?"
        if self.date.day_first is not None:
            day_first = self.date.day_first
        form = self.date.timestamp_text if self.date.has_time else self.date.date_text
        return form(bool(day_first)) or "?"


def cell_tests(question: Question) -> dict[str, CellTest]:
    """By the text of a content word: what its cell has to pass; other words are found anywhere."""
    found: dict[str, CellTest] = {}
    for index in question.content:
        word = question.words[index]
        test = _test(question.words, index)
        if test is not None:
            found.setdefault(word.text, test)
    return found


def rows_passing(postings: Postings[Table], test: CellTest) -> Callable[[Numbers], Flags]:
    """A function that tells which of some rows have a cell that holds the tested word."""

    def passing(rows: Numbers) -> Flags:
        flags = np.zeros(len(rows), bool)
        for block, where, positions in postings.by_block(np.asarray(rows, np.int64)):
            flags[where] = _held(test, postings.item(block), positions)
        return flags

    return passing


def _held(test: CellTest, table: Table, positions: Ints) -> Flags:
    if test.says_no_more_than_its_token(table):
        return np.ones(len(positions), bool)
    found = _in_some_rows if len(positions) <= _FEW_ROWS else _in_many_rows
    flags = found(test, table, positions)
    for note in table.notes:
        noted = {row for row, _ in note.cells if row >= 0}
        if noted and test.in_text(note.text):
            flags |= np.isin(positions, list(noted))
    return flags


def _in_some_rows(test: CellTest, table: Table, positions: Ints) -> Flags:
    """Cell by cell: for a handful of rows no array operation pays."""
    flags = np.zeros(len(positions), bool)
    for i, position in enumerate(positions.tolist()):
        codes = ((number, int(c.codes[position])) for number, c in enumerate(table.columns))
        flags[i] = any(code != EMPTY and test.holds(table, number, code) for number, code in codes)
    return flags


def _in_many_rows(test: CellTest, table: Table, positions: Ints) -> Flags:
    """Each distinct text once."""
    flags = np.zeros(len(positions), bool)
    for number, column in enumerate(table.columns):
        if test.cannot_be_in(column):
            continue
        texts, codes = column.texts, column.codes[positions]
        used = np.zeros(len(texts) + 1, bool)
        # An empty cell's code is -1: it marks the place after the last text.
        used[codes[~flags]] = True
        left = np.flatnonzero(used[:-1]).tolist()
        look = test.may_be_in(column)
        possible = [code for code in left if look(texts[code])]
        holding = [code for code in possible if test.holds(table, number, code)]
        if holding:
            held = np.zeros(len(texts) + 1, bool)
            held[holding] = True
            flags |= held[codes]
    return flags


def _test(found: tuple[Word, ...], index: int) -> CellTest | None:
    word = found[index]
    if not word.text.isdecimal():
        moment = read_moment(word.text)
        if moment is not None and moment.year is not None:
            return CellTest(word, date=moment)
        return CellTest(word) if len(word.tokens) > 1 and _DIGIT.search(word.text) else None
    month = next((w.tokens[0] for w in _beside(found, index) if is_calendar_word(w.text)), None)
    if month is not None and len(word.text) <= _DAY_DIGITS:
        return CellTest(word, month=month)
    noun = () if month is not None else _noun_before(found, index)
    return CellTest(word, noun=noun) if noun or len(word.text) <= _DAY_DIGITS else None


def _beside(found: tuple[Word, ...], index: int) -> list[Word]:
    return [found[i] for i in (index - 1, index + 1) if 0 <= i < len(found)]


def _noun_before(found: tuple[Word, ...], index: int) -> tuple[str, ...]:
    """The tokens of the word before a number; none for a plural, which speaks of many."""
    before = index - 1
    while before > 0 and found[before].text in _NUMBERED:
        before -= 1
    if before < 0 or found[before].text.endswith("s"):
        return ()
    return found[before].tokens


def _within(wanted: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    return any(parts[i : i + len(wanted)] == wanted for i in range(len(parts) - len(wanted) + 1))


@lru_cache(maxsize=1 << 14)
def _parts(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The words of a text written together, and the parts of all of them in order."""
    found = words(text)
    return frozenset(w.joined for w in found), tuple(t for word in found for t in word.tokens)


def _is_date(text: str) -> bool:
    moment = read_moment(text.strip())
    return moment is not None and moment.year is not None


def _what_numbers_call(table: Table) -> frozenset[str]:
    """The tokens of the names of a table and its key column, where its rows are numbered."""
    if table.key is None:
        return frozenset()
    key = table.columns[table.key]
    if not any(_DIGIT.search(text) for text in key.texts[:_NAMES_READ]):
        return frozenset()
    return frozenset((*tokens(key.name), *tokens(table.name)))


def _canonical(column: Column, code: int) -> str | None:
    return column.texts[code] if column.canonical is None else column.canonical[code]
