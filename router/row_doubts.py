"""What of a question rows are no answer to, although they hold its words.

Takes the question with the rows of a table that are to be shown; gives why they are not given as
the answer, or None. A number stands in the column that the question names beside it, a row that has
it elsewhere is another row; and whether something is so is no list of rows. Doubts about queries
are told in `query_doubts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from retrieval.table import NUMERIC, TEMPORAL, Column, Table
from router.coverage import without_date
from router.cues import asked_kind, asks_of_all, asks_whether
from router.question import Asked, Nothing
from router.typed import value_at
from sql_engine.offline.question import NumberMention, Question
from sql_engine.words import name_words

CHECKED_ROWS = 100
"""Rows that are looked at: as many alike show what the others are."""
_BRACKETED = re.compile(r"\s*\([^()]*\)\s*$")
"""The unit at the end of a header."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_CODE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_/#.")
"""What joins a number to the name before it."""
_BETWEEN = frozenset(["and", "or", "to"])
_ONLY = re.compile(r"(?<=\S)\s+only\b", re.IGNORECASE)
"""What else the others have, which the rows that match do not tell: "who only rent vans"."""
_WHETHER = "rows do not say whether it is so"
_FREQUENCY = "rows do not say how often it is"
_OF_ALL = "whether it holds for all of them is no cell of one row"


def doubt(asked: Asked, table: Table, rows: Sequence[int]) -> Nothing | None:
    """Why rows of a table, by their positions, are no answer; None where nothing speaks against."""
    if not asked.min_confidence:
        return None
    if asks_of_all(asked.question):
        return Nothing(_OF_ALL)
    if _ONLY.search(asked.question):
        return Nothing(words=("only",))
    if len(rows) > 1 and asks_whether(asked.question):
        return Nothing(_WHETHER)
    if len(rows) > 1 and asked_kind(asked.question) == "how often":
        return Nothing(_FREQUENCY)
    if len(rows) > 1 and (strays := _strays(asked, table, rows[:CHECKED_ROWS])):
        return Nothing(words=strays)
    if over := _column_against_column(asked.question, table):
        return Nothing(words=over)
    unheld = _unheld(asked.question, table, rows[:CHECKED_ROWS])
    return Nothing(words=unheld) if unheld else None


def _column_against_column(question: str, table: Table) -> tuple[str, ...]:
    """What compares with the figures of a column: "over plan", where no header says so itself."""
    read, heads = without_date(question), {w for c in table.columns for w in name_words(c.name)}
    measures = {w for c in table.columns if _measures(c) for w in name_words(c.name)}
    return tuple(
        word.text
        for i, word in enumerate(read.words)
        if word.folded in _OVER and word.stem not in heads and _after(read, i + 1) in measures
    )


_OVER = frozenset(["over", "under", "above", "below", "beyond", "exceeds", "exceed", "exceeded"])


def _strays(asked: Asked, table: Table, rows: Sequence[int]) -> tuple[str, ...]:
    """The cells that the question names of the best row and that another row lacks, or has in each
    other's columns where "from" and "to" tell them apart.
    """
    found = asked.evidence.row
    named = dict(found.hit.named) if found is not None else {}
    if found is None or found.hit.table_id != table.table_id or len(named) < 2:
        return ()
    directed = _DIRECTION.search(asked.question) is not None
    lost = (
        text
        for row in rows
        for column, text in named.items()
        if text not in (table.column(column).text_at(row), *(() if directed else table.row(row)))
    )
    return tuple(dict.fromkeys(lost))


_DIRECTION = re.compile(r"\bfrom\b.+\bto\b|\bto\b.+\bfrom\b", re.IGNORECASE)


def _unheld(question: str, table: Table, rows: Sequence[int]) -> tuple[str, ...]:
    """Numbers that the question ties to a column in which a row does not have them."""
    return tuple(
        text
        for text, value, columns in tied_numbers(question, table)
        if not all(any(_is(table, row, c, value) for c in columns) for row in rows)
    )


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
    before = read.text[: read.words[number.first].start]
    return bool(before) and not before[-1].isspace() and before[-1].lower() in _CODE


def _tied(read: Question, number: NumberMention, table: Table) -> list[int]:
    """The columns that the word next to a number names: "a fee of 33", "25 points"."""
    beside = {_before(read, number.first - 1), _after(read, number.last + 1)} - {""}
    said, tied = read.words[number.first].stem, list[int]()
    asked = {word.stem for word in read.words}
    for i, column in enumerate(table.columns):
        names = name_words(_BRACKETED.sub("", column.name))
        if names and names[-1] in beside:
            if said in names:
                return []  # a part of the name: "Quiz 1"
            tied += [i] if i != table.key and _measures(column) else []
    said_of = {i: len(asked & set(name_words(table.columns[i].name))) for i in tied}
    return [i for i in tied if said_of[i] == max(said_of.values())]


def _measures(column: Column) -> bool:
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


def _after(read: Question, place: int) -> str:
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


def _is(table: Table, row: int, column: int, wanted: float) -> bool:
    """Whether a cell is a number or has it among others: "2-1", "3 to 5 days"."""
    text, value = table.columns[column].text_at(row) or "", value_at(table.columns[column], row)
    said = {float(part.replace(",", "")) for part in _NUMBER.findall(text) if _plain(part)}
    try:
        return wanted in said or float(value) == wanted  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


def _plain(part: str) -> bool:
    return part.replace(",", "").count(".") <= 1
