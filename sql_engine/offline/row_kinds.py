"""What the rows of a table may be called, though no name in it calls them so.

Rows that tell a breed are animals, those with a home and an away side are matches; the rows of a
file "export_2024" with a date and an amount of money each may be receipts. Takes a question with
what its words may mean in one table; gives a mask of the words for the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from retrieval.table import TEMPORAL, Kind
from sql_engine.catalog import CatalogTable
from sql_engine.offline.columns import table_data
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.money import holds_money
from sql_engine.offline.question import ColumnMention, Question, ValueMention
from sql_engine.offline.table_words import singular, table_words, unique
from sql_engine.words import name_words, stem

DATED, PAID = "@date", "@money"
"""In the lexicon: a date in every row, amounts of money."""


def row_kinds(
    question: Question,
    table: CatalogTable,
    columns: Iterable[ColumnMention],
    values: Iterable[ValueMention],
) -> int:
    """Mask of the nouns for the rows that no header, no cell and no operation says."""
    placed = 0
    for mention in (*columns, *values, *question.triggers):
        placed |= mention.mask
    nouns = None
    mask = 0
    for i, word in enumerate(question.words):
        if word.stem not in lexicon().kind_nouns or placed >> i & 1 or _is_verb(question, i):
            continue
        nouns = frozenset(_nouns(table)) if nouns is None else nouns
        mask |= (word.stem in nouns) << i
    return mask


def _nouns(table: CatalogTable) -> Iterator[str]:
    """Stems of the nouns that the headers together tell of the rows."""
    heads = {word for column in table.columns for word in name_words(column.name)}
    data = table_data(table).columns
    dated = (c for c in data if c.kind in TEMPORAL and c.kind is not Kind.TIME)
    if any(not (column.encoded().codes < 0).any() for column in dated):
        heads.add(DATED)
    if any(column.amount and holds_money(column) for column in data):
        heads.add(PAID)
    nameless = _has_no_noun(table)
    for kind in lexicon().row_kinds:
        if kind.heads <= heads and (nameless or not kind.nameless):
            yield from kind.nouns


def _has_no_noun(table: CatalogTable) -> bool:
    """Whether the table's name is no noun for its rows: none in the plural, but one that names a
    column whose cells repeat ("jobs" that were run many times).
    """
    for word in table_words(table):
        named = [i for i, c in enumerate(table.columns) if name_words(c.name) == (stem(word),)]
        if singular(word) != word and all(unique(table, i) for i in named):
            return False
    return True


def _is_verb(question: Question, place: int) -> bool:
    """Whether a word says what is done: "who runs", "was booked"."""
    words = question.words
    before = words[place - 1].folded if place else ""
    return before in ("who", "to") or words[place].folded.endswith(("ed", "ing"))
