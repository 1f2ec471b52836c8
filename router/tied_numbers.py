"""The numbers of a question that stand beside the name of a column: "a fee of 33", "25 points".

Takes a question and a table; gives each such number with the columns that the name may mean. A
number that dates something, or is a part of a name ("KX-1003", "Quiz 1"), stands beside none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from retrieval.table import NUMERIC, TEMPORAL, Column, Table
from router.coverage import without_date
from sql_engine.offline.question import NumberMention, Question, is_negative
from sql_engine.words import name_words

_BRACKETED = re.compile(r"\s*\([^()]*\)\s*$")
"""The unit at the end of a header."""
_CODE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_/#.")
"""What joins a number to the name before it."""
_BETWEEN = frozenset(["and", "or", "to"])


def tied_numbers(question: str, table: Table) -> Iterator[tuple[str, float, list[int]]]:
    """The numbers of a question that stand beside the name of a column: "a fee of 33".

    Gives the word, the number, and the positions of the columns that the name may mean.
    """
    read = without_date(question)
    for number in read.numbers:
        plain = not (number.ordinal or _dated(read, number) or _in_a_code(read, number))
        columns = _tied(read, number, table) if plain else []
        if columns:
            yield read.words[number.first].text, number.value, columns


def _dated(read: Question, number: NumberMention) -> bool:
    return any(period.mask & number.mask for period in read.periods)


def _in_a_code(read: Question, number: NumberMention) -> bool:
    """Whether a number is a part of a name: "KX-1003"."""
    start = read.words[number.first].start
    if is_negative(read.text, start):
        return False
    before = read.text[:start]
    return bool(before) and not before[-1].isspace() and before[-1].lower() in _CODE


def _tied(read: Question, number: NumberMention, table: Table) -> list[int]:
    """The columns that the word next to a number names: "a fee of 33", "25 points"."""
    beside = {_before(read, number.first - 1), after(read, number.last + 1)} - {""}
    said, tied = read.words[number.first].stem, list[int]()
    asked = {word.stem for word in read.words}
    for i, column in enumerate(table.columns):
        names = name_words(_BRACKETED.sub("", column.name))
        if names and names[-1] in beside:
            if said in names:
                return []  # a part of the name: "Quiz 1"
            tied += [i] if i != table.key and measures(column) else []
    said_of = {i: len(asked & set(name_words(table.columns[i].name))) for i in tied}
    return [i for i in tied if said_of[i] == max(said_of.values())]


def measures(column: Column) -> bool:
    """Whether most cells begin with a number, as "12" and "7 days" do."""
    if column.type.kind in NUMERIC | TEMPORAL:
        return column.type.kind in NUMERIC
    return 2 * sum(text[:1].isdigit() for text in column.texts) > len(column.texts)


def _before(read: Question, place: int) -> str:
    """The stem of the last telling word, words that compare left aside: "a fee of more than 20"."""
    skipped = read.function | _numbers(read)
    for trigger in read.of("compare_number"):
        skipped |= trigger.mask
    while place >= 0 and skipped >> place & 1:
        place -= 1
    return read.words[place].stem if place >= 0 else ""


def after(read: Question, place: int) -> str:
    """The stem of the word right after, or after the other numbers of a list or range."""
    skipped = _numbers(read)
    while place < len(read.words) and (
        skipped >> place & 1 or read.words[place].folded in _BETWEEN
    ):
        place += 1
    return read.words[place].stem if place < len(read.words) else ""


def _numbers(read: Question) -> int:
    mask = 0
    for number in read.numbers:
        mask |= number.mask
    return mask
