"""What of a question rows are no answer to, although they hold its words.

Takes the question with the rows of a table that are to be shown; gives why they are not given as
the answer, or None. A number stands in the column that the question names beside it, a row that has
it elsewhere is another row; and whether something is so is no list of rows. Doubts about queries
are told in `query_doubts`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from retrieval.table import NUMERIC, Table
from router.coverage import stems_of, telling_stems, without_date
from router.question import Asked, Nothing
from router.question_forms import asked_kind, asks_of_all, asks_whether
from router.tied_numbers import after, measures, tied_numbers
from router.typed import value_at
from sql_engine.offline.blanks import has_some, is_nothing
from sql_engine.offline.ends import tells_other_end
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.whose import pointed_at
from sql_engine.words import folded_words, name_words, words

CHECKED_ROWS = 100
"""Rows that are looked at: as many alike show what the others are."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_ONLY = re.compile(r"(?<=\S)\s+only\b", re.IGNORECASE)
"""What else the others have, which the rows that match do not tell: "who only rent vans"."""
_WHETHER = "rows do not say whether it is so"
_FREQUENCY = "rows do not say how often it is"
_OF_ALL = "whether it holds for all of them is no cell of one row"


def doubt(asked: Asked, table: Table, rows: Sequence[int]) -> Nothing | None:
    """Why rows of a table, by their positions, are no answer; None where nothing speaks against.

    Rows without what the question names are none at any confidence.
    """
    if lost := _lost(asked, table, rows[:CHECKED_ROWS]):
        return Nothing(words=lost)
    return _doubt_of_form(asked.question, table, rows) if asked.min_confidence else None


def _doubt_of_form(question: str, table: Table, rows: Sequence[int]) -> Nothing | None:
    if asks_of_all(question):
        return Nothing(_OF_ALL)
    if _ONLY.search(question):
        return Nothing(words=("only",))
    if len(rows) > 1 and _listed_by(question, table):
        return Nothing(words=("by",))
    texts = {column.name: column.texts for column in table.columns}
    if pointed_at(without_date(question).words, texts, table.row_count):
        return Nothing(words=("whose",))
    if other := _other_end(question, table, rows[:CHECKED_ROWS]):
        return Nothing(words=other)
    if len(rows) > 1 and (lacking := _some_lack(question, table, rows[:CHECKED_ROWS])):
        return Nothing(words=(lacking,))
    if len(rows) > 1 and asks_whether(question):
        return Nothing(_WHETHER)
    if len(rows) > 1 and asked_kind(question) == "how often":
        return Nothing(_FREQUENCY)
    if worth := _worth_of_pieces(question, table):
        return Nothing(words=(worth,))
    over = _column_against_column(question, table)
    return Nothing(words=over) if over else None


def _worth_of_pieces(question: str, table: Table) -> str | None:
    """The "value" of "the value of the stock", where the column that is named tells how many."""
    asked, said = _WORTH.search(question), set(name_words(question))
    named = [names for name in table.headers if (names := set(name_words(name))) & said]
    pieces = any(names & lexicon().quantities for names in named)
    paid = any(names & lexicon().money_named for names in named)
    return asked[1] if asked and pieces and not paid else None


_WORTH = re.compile(r"\b(value|worth) of\b", re.IGNORECASE)


def _some_lack(question: str, table: Table, rows: Sequence[int]) -> str | None:
    """The header of "with a sponsor", where some of the rows have none."""
    said = words(question)
    folded = [word.folded for word in said]
    asked = {word.stem for place, word in enumerate(said) if has_some(folded, place)}
    for name in table.headers if asked else ():
        cells = ((table.column(name).text_at(row) or "").strip() for row in rows)
        if asked & set(name_words(name)) and any(not cell or is_nothing(cell) for cell in cells):
            return name
    return None


def _other_end(question: str, table: Table, rows: Sequence[int]) -> tuple[str, ...]:
    """The cell that tells the end of a way which the question does not say: "lines to Ely" are none
    that leave from there.
    """
    said = without_date(question).words
    folded = [word.folded for word in said]
    for name in table.headers:
        for text in dict.fromkeys(table.column(name).text_at(row) or "" for row in rows):
            cell = list(folded_words(text))
            starts = (i for i in range(len(folded)) if cell and folded[i : i + len(cell)] == cell)
            if any(tells_other_end(said, i, name, table.headers) for i in starts):
                return (text,)
    return ()


def _listed_by(question: str, table: Table) -> bool:
    """Whether rows are to be listed in the order of a column, which no look-up gives."""
    found = _LISTED_BY.match(question.strip())
    if found is None:
        return False
    said = stems_of([found[1]])
    return any(stems and stems <= said for stems in map(telling_stems, table.headers))


_LISTED_BY = re.compile(r"(?:list|show|give|sort|order|rank)\b.*\bby (.+)", re.IGNORECASE)


def _lost(asked: Asked, table: Table, rows: Sequence[int]) -> tuple[str, ...]:
    """What the question names and a row does not hold: a cell, or a number beside its column."""
    strays = _strays(asked, table, rows) if len(rows) > 1 else ()
    return strays or _unheld(asked.question, table, rows)


def _column_against_column(question: str, table: Table) -> tuple[str, ...]:
    """What compares with the figures of a column: "over plan", where no header says so itself."""
    read = without_date(question)
    return tuple(
        word.text
        for i, word in enumerate(read.words)
        if word.folded in _OVER and _names_figures(table, word.stem, after(read, i + 1))
    )


def _names_figures(table: Table, over: str, name: str) -> bool:
    """Whether a word names a column of numbers, and no header has the word before it."""
    named = [(column, name_words(column.name)) for column in table.columns]
    said = any(over in names for _, names in named)
    return not said and any(name in names and measures(column) for column, names in named)


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


def _is(table: Table, row: int, column: int, wanted: float) -> bool:
    """Whether a cell is a number, or in a column of texts has it among others: "3 to 5 days"."""
    cell = table.columns[column]
    if cell.type.kind in NUMERIC:
        return value_at(cell, row) == wanted
    return wanted in map(float, _NUMBER.findall(cell.text_at(row) or ""))
