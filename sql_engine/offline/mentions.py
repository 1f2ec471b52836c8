"""What the words of a question may mean in one table: its columns, its cells, its rows.

Takes a `Question` and a table; gives `Mentions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from retrieval.table import TEMPORAL, Kind
from sql_engine.catalog import CatalogTable
from sql_engine.offline.columns import table_data
from sql_engine.offline.foreign import foreign_columns
from sql_engine.offline.happenings import happenings
from sql_engine.offline.header_abbreviations import abbreviation_mentions
from sql_engine.offline.header_mentions import (
    agent_mentions,
    amount_mentions,
    column_mentions,
    flow_mentions,
)
from sql_engine.offline.header_numbers import header_numbers, year_mentions
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.month_ranges import covering_months, without_ends
from sql_engine.offline.opposites import opposites
from sql_engine.offline.present import at_present
from sql_engine.offline.quarter_headers import quarter_mentions
from sql_engine.offline.question import ColumnMention, Question, ValueMention, covering
from sql_engine.offline.row_kinds import row_kinds
from sql_engine.offline.row_mentions import (
    deed_words,
    measures_said,
    numbers_said,
    row_words,
    words_of_name,
)
from sql_engine.offline.substrings import substring_mentions
from sql_engine.offline.table_words import (
    IDENTIFIERS,
    LABEL_SCORE,
    WHOLE_NAME,
    label_column,
    names_each_row,
    unique,
)
from sql_engine.offline.unnamed import rows_told
from sql_engine.offline.value_mentions import value_mentions, veiled_values
from sql_engine.value_index import text_stems
from sql_engine.words import folded_words, name_words

AS_WRITTEN = 1.0
"""The score of words that are a whole cell with the same endings."""


@dataclass(frozen=True)
class Mentions:
    """Everything the question may say about one table."""

    columns: tuple[ColumnMention, ...]
    values: tuple[ValueMention, ...]
    rows: int
    """Mask of the words that name the rows of this table: "orders", "records"."""
    table_words: int = 0
    """Mask of the words of the table's own name."""
    veiled: int = 0
    """Mask of the small words that stand where a cell would, and are one but for their case."""
    deeds: int = 0
    """Mask of the verbs that say no more than the table's own noun: "booked" of bookings."""
    undone: int = 0
    """Mask of such verbs that are denied: "never booked" is of no bookings."""
    twofold: int = 0
    """Mask of the words that name the table, and a column of names that repeat: "patients"."""
    opposed: tuple[ValueMention, ...] = ()
    """Cells that say the opposite of a word, which no cell says: "unsold" of "sold"."""
    kinds: int = 0
    """Of the words for the rows, those that no name in the table says: "runs" of a file "log"."""
    happened: int = 0
    """Mask of the words for what took place in each row, and for the column of its kinds."""
    supposed: int = 0
    """Of the rows, the words that name those of an unnamed table, if it is the only one."""
    header_numbers: int = 0
    """Mask of the numbers that belong to a header: the 1 of "term 1 maths"."""
    present: int = 0
    """Mask of the words for what is so now, where the table also keeps what is over: "current"."""
    near: int = 0
    """Mask of the words that no name says, read by the names nearest in meaning."""


def mentions(question: Question, table: CatalogTable) -> Mentions:
    """What the question may say about one table."""
    columns = tuple(column_mentions(question, table))
    columns += tuple(flow_mentions(question, table, columns))
    columns += tuple(amount_mentions(question, table, columns))
    columns += tuple(agent_mentions(question, table, columns))
    columns += tuple(abbreviation_mentions(question, table, columns))
    columns += tuple(foreign_columns(question, table, columns))
    columns = quarter_mentions(question, table, columns)
    columns = year_mentions(question, table, columns)
    numbers = header_numbers(question, table, columns)
    values = tuple(value_mentions(question, table, _said_columns(columns)))
    values = tuple(v for v in values if v.mask & ~numbers)
    if covered := tuple(covering_months(question, table)):
        values = (*without_ends(values, table, covered), *covered)
    values += tuple(substring_mentions(question, table, columns))
    rows, named = row_words(question, table)
    rows |= _key_said(question, table, columns)
    twofold = rows & _repeating(table, columns)
    measures = measures_said(question, table)
    rows &= ~(twofold | measures)
    named &= ~numbers_said(question, table, measures)
    values = tuple(v for v in values if not _only_like(v, rows, columns))
    called = words_of_name(question, table)
    values = tuple(v for v in values if v.mask & ~called)
    rows, named = rows | called, named | called
    kinds = row_kinds(question, table, columns, values) & ~rows
    rows |= kinds
    supposed = rows_told(question, table, (*columns, *values)) & ~rows
    rows |= supposed
    columns = tuple(m for m in columns if not _only_ends(question, m))
    columns = tuple(m for m in columns if not _better_named(m, columns))
    columns = tuple(m for m in columns if not _cell_instead(question, table, m, values))
    columns = tuple(m for m in columns if not _told_elsewhere(m, columns, table))
    columns = tuple(m for m in columns if not _is_of_two(m, columns))
    columns = tuple(m for m in columns if not _of_a_part(question, m, columns, table))
    light = question.light
    times = {i for i, column in enumerate(table.columns) if column.kind in TEMPORAL}
    columns = tuple(
        _unless_small(
            _unless_small(m, rows, 0.5),
            light & ~question.date_words if m.column in times else light,
            0.65,
        )
        for m in columns
    )
    serial = {i for i, column in enumerate(table_data(table).columns) if column.identifier}
    columns = tuple(
        replace(m, score=m.score * 0.4) if m.column in serial and not m.mask & ~rows else m
        for m in columns
    )
    columns += tuple(_names_for_keys(table, columns, rows))
    veiled = veiled_values(question, table)
    deeds, undone = deed_words(question, table)
    if any(_spelt_otherwise(question, value) for value in values):
        deeds = 0  # a name that is read as another, beside a verb that is none: too much of a guess
    said = {value.column for value in values if value.exact}
    opposed = tuple(v for v in opposites(question, table) if v.column not in said)
    now = at_present(question, table_data(table))
    masks = (named, veiled, deeds, undone, twofold)
    happened = covering(happenings(question, columns, table_data(table)))
    rows |= happened
    return Mentions(columns, values, rows, *masks, opposed, kinds, happened, supposed, numbers, now)


def _only_like(value: ValueMention, rows: int, columns: Iterable[ColumnMention]) -> bool:
    """Whether words that are no cell as they stand name the rows, or are the word of a header:
    "bookings" is no channel "Bookly", "serviced" no state "In service" beside "Last service".
    """
    if not value.mask & ~rows:
        return value.score < AS_WRITTEN
    return not value.exact and any(not value.mask & ~column.mask for column in columns)


def _names_for_keys(
    table: CatalogTable, columns: Iterable[ColumnMention], rows: int
) -> Iterator[ColumnMention]:
    """The name of a thing, where its noun is but a part of its key's name: "which member" asks for
    no "Member ID".
    """
    label = label_column(table)
    if label is None or not {"name", "titl"} & set(name_words(table.columns[label].name)):
        return
    if not unique(table, label):
        return
    for mention in columns:
        part = mention.score < WHOLE_NAME and not mention.mask & ~rows
        if part and mention.column != label and unique(table, mention.column):
            yield ColumnMention(mention.first, mention.last, label, LABEL_SCORE)


def _spelt_otherwise(question: Question, value: ValueMention) -> bool:
    """Whether a word of a cell is taken for a misspelling."""
    held = {stem for text in value.texts for stem in text_stems(text)}
    said = (w for i, w in enumerate(question.words) if (value.mask & question.content) >> i & 1)
    return any(word.stem not in held for word in said)


def _repeating(table: CatalogTable, columns: Iterable[ColumnMention]) -> int:
    """Mask of the words that are the whole name of a column whose texts or numbers repeat."""
    mask, data = 0, table_data(table).columns
    for mention in columns:
        column = data[mention.column]
        if mention.score >= WHOLE_NAME and (column.kind is Kind.TEXT or column.identifier):
            mask |= 0 if unique(table, mention.column) else mention.mask
    return mask


def _said_columns(columns: Iterable[ColumnMention]) -> int:
    """Mask of the words that are whole column names."""
    return covering(mention for mention in columns if mention.score >= WHOLE_NAME)


def _unless_small(mention: ColumnMention, small: int, factor: float) -> ColumnMention:
    """A part of a column name that also names the rows, or says little, hardly names the column."""
    if mention.score >= WHOLE_NAME or mention.mask & ~small:
        return mention
    return replace(mention, score=mention.score * factor)


def _key_said(question: Question, table: CatalogTable, columns: Iterable[ColumnMention]) -> int:
    """Mask of the words that name the column which names each row: "item types"."""
    label = label_column(table)
    called = label is not None and {"name", "titl"} & set(name_words(table.columns[label].name))
    beside = {i for i, column in enumerate(table.columns) if column.kind is Kind.TEXT}
    beside = beside - {label, table.table.key} if called else set()  # a description is no name
    whole = (m for m in columns if m.score >= WHOLE_NAME and m.column not in beside)
    mask = covering(mention for mention in whole if names_each_row(table, mention.column))
    words = enumerate(question.words)
    return mask & ~sum(1 << i for i, word in words if word.stem in IDENTIFIERS)


def _only_ends(question: Question, mention: ColumnMention) -> bool:
    """Whether nothing but a "last" or "first" is said of a longer header: "the last arrival" is of
    no "Last port".
    """
    ends = covering(question.of("first", "last"))
    return mention.score < WHOLE_NAME and not mention.mask & ~ends


def _better_named(mention: ColumnMention, columns: Iterable[ColumnMention]) -> bool:
    """Whether the same words are the whole name of another column, and of this one a part."""
    return mention.score < 0.7 and any(
        other.score >= 0.99 and other.column != mention.column and not mention.mask & ~other.mask
        for other in columns
    )


def _told_elsewhere(
    mention: ColumnMention, columns: Iterable[ColumnMention], table: CatalogTable
) -> bool:
    """Whether the words are the last part of a path, and another path that ends so is told whole:
    "plan … in March" is of March > Plan and not of May > Plan.
    """
    path = table.columns[mention.column].source.path
    return len(path) > 1 and any(
        other.column != mention.column
        and other.score >= WHOLE_NAME
        and mention.mask & other.mask == mention.mask != other.mask
        and table.columns[other.column].source.path[-1:] == path[-1:]
        for other in columns
    )


def _of_a_part(
    question: Question,
    mention: ColumnMention,
    columns: Iterable[ColumnMention],
    table: CatalogTable,
) -> bool:
    """Whether words name the column of a part that nobody said, where another is of the whole:
    the "wage" of men, beside that of all.
    """
    said = {word.stem for i, word in enumerate(question.words) if mention.mask >> i & 1}
    if not _unsaid(table, mention.column, said):
        return False
    leaf = name_words(table.columns[mention.column].source.path[-1])
    return any(
        other.column != mention.column
        and not mention.mask & ~other.mask
        and other.score >= mention.score
        and name_words(table.columns[other.column].source.path[-1]) in (leaf, ())
        and not _unsaid(table, other.column, said)
        for other in columns
    )


def _unsaid(table: CatalogTable, column: int, said: AbstractSet[str]) -> bool:
    """Whether a header of several levels has a part that is not said and stands for no whole."""
    path = table.columns[column].source.path
    wholes = lexicon().wholes
    above = (part for part in path[:-1] if not wholes.issuperset(folded_words(part)))
    return len(path) > 1 and any(said.isdisjoint(name_words(part)) for part in above)


def _is_of_two(mention: ColumnMention, columns: Sequence[ColumnMention]) -> bool:
    """Whether words that stand apart are each a part of another whole name that stands together:
    "urban men and rural women" names no urban women.
    """
    if not mention.scattered or mention.last - mention.first < mention.mask.bit_count():
        return False
    wholes = (m for m in columns if m.column != mention.column and m.score >= WHOLE_NAME)
    together = [m for m in wholes if m.last - m.first + 1 == m.mask.bit_count()]
    parts = [m for m in together if m.mask & mention.mask and m.mask.bit_count() > 1]
    return len(parts) > 1 and not mention.mask & ~covering(parts)


def _cell_instead(
    question: Question, table: CatalogTable, mention: ColumnMention, values: Sequence[ValueMention]
) -> bool:
    """Whether a word that only a synonym ties to the column is a whole cell of another: "open"
    among states, beside a column of hours.
    """
    if mention.first != mention.last:
        return False
    if question.words[mention.first].stem in name_words(table.columns[mention.column].name):
        return False
    return any(v.exact and v.mask == mention.mask and v.column != mention.column for v in values)
