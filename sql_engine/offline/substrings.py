"""Cells that are told by what they contain, begin or end with: "names that contain 'ar'", "whose
code starts with the letter B".

Takes a question, a table and the columns that it names; gives a `ValueMention` of all such cells
of the column that is named right before the verb.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from retrieval.table import Kind
from sql_engine.catalog import CatalogTable
from sql_engine.offline.question import ColumnMention, Question, ValueMention
from sql_engine.offline.table_words import label_column
from sql_engine.words import fold, folded_words

MAX_CELLS = 200
"""More cells than this are no list that a person could look through."""
REACH = 4
"""Words between the end of a column's name and the verb: "names of which begin with"."""
NAMED = 0.6
"""How well words must name the column."""
HELD = 0.92
"""The score of cells that are surely meant, though none is said whole."""
_CONTAIN = frozenset(["contain", "contains", "containing", "include", "includes", "including"])
_HAVE = frozenset(["has", "have", "having", "with"])
_START = frozenset(["start", "starts", "starting", "begin", "begins", "beginning"])
_END = frozenset(["end", "ends", "ending"])
_PARTS = frozenset(["substring", "string", "letter", "letters", "word", "phrase", "characters"])
_NAMES = frozenset(["name", "names", "named", "called"])


def substring_mentions(
    question: Question, table: CatalogTable, columns: Sequence[ColumnMention]
) -> Iterator[ValueMention]:
    """The cells that contain, begin or end with what the question says so."""
    for first in range(1, len(question.words)):
        told = _part_at(question, first)
        if told is None:
            continue
        last, holds = told
        column = _column_before(question, table, columns, first)
        if column is None:
            continue
        texts = tuple(text for text in table.columns[column].source.texts if holds(fold(text)))
        if 0 < len(texts) <= MAX_CELLS:
            yield ValueMention(first, last, column, texts, HELD)


def says_part(question: Question) -> bool:
    """Whether the question tells cells by a part of them, so that several may be meant."""
    return any(_part_at(question, first) for first in range(1, len(question.words)))


def _part_at(question: Question, first: int) -> tuple[int, Callable[[str], bool]] | None:
    """What cells hold by the phrase that begins at a word, and where that phrase ends."""
    said = [word.folded for word in question.words]
    verb, at = said[first], first + 1
    at_an_end = verb in _START | _END
    if at_an_end:
        if said[at : at + 1] != ["with"]:
            return None
        at += 1
    elif verb not in _CONTAIN | _HAVE:
        return None
    at += said[at : at + 1] in (["the"], ["a"])
    kind = said[at] if said[at : at + 1] and said[at] in _PARTS else ""
    at += bool(kind)
    quote = next((q for q in question.quoted if q.first == at), None)
    if at >= len(said) or not (kind or (quote and verb not in _HAVE)):
        return None
    last = quote.last if quote else at
    part = fold(question.text[question.words[at].start : question.words[last].end])
    if verb in _START:
        return last, lambda text: text.startswith(part)
    if verb in _END:
        return last, lambda text: text.endswith(part)
    if kind == "word":
        return last, lambda text: part in folded_words(text)
    return last, lambda text: part in text


def _column_before(
    question: Question, table: CatalogTable, columns: Iterable[ColumnMention], verb: int
) -> int | None:
    """The column of texts that is named last before the verb; the one that names the rows, where
    only their "name" is.
    """
    held = [
        mention
        for mention in columns
        if 0 < verb - mention.last <= REACH
        and mention.score >= NAMED
        and table.columns[mention.column].kind is Kind.TEXT
    ]
    if held:
        return max(held, key=lambda m: (m.last, m.score)).column
    before = {word.folded for word in question.words[max(0, verb - REACH) : verb]}
    return label_column(table) if before & _NAMES else None
