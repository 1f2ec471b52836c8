"""Schema and value linking: which tables, columns and cells of a catalog a question names.

Takes a question and a catalog; gives `Links` with character spans. A router decides with them, a
writer's prompt shows them.
"""

from __future__ import annotations

import datetime as dt

from sql_engine.catalog import Catalog, CatalogTable
from sql_engine.links import ColumnLink, Links, Span, TableLink, ValueLink
from sql_engine.offline.mentions import Mentions, mentions
from sql_engine.offline.question import Mention, Question, read_question
from sql_engine.offline.substrings import substring_mentions

MIN_SCORE = 0.4
MAX_VALUES = 5
"""Cells shown for one stretch of words in one column."""


def link(question: str, catalog: Catalog) -> Links:
    """All links of a question into a catalog, best first."""
    read = read_question(question, dt.date.today())
    tables: list[TableLink] = []
    columns: list[ColumnLink] = []
    values: list[ValueLink] = []
    for table in catalog:
        found = mentions(read, table)
        tables.extend(_table_links(read, found, table))
        columns.extend(
            ColumnLink(_span(read, m), table.name, table.columns[m.column].name, m.score)
            for m in found.columns
            if m.score >= MIN_SCORE
        )
        parts = {m.mask for m in substring_mentions(read, table, found.columns)}
        values.extend(
            ValueLink(_span(read, m), table.name, table.columns[m.column].name, text, m.score)
            for m in found.values
            if m.score >= MIN_SCORE and m.mask not in parts  # no cell is said by a part of it
            for text in m.texts[:MAX_VALUES]
        )
    return Links(
        tuple(sorted(tables, key=lambda found: -found.score)),
        tuple(sorted(columns, key=lambda found: -found.score)),
        tuple(sorted(values, key=lambda found: -found.score)),
    )


def _table_links(question: Question, found: Mentions, table: CatalogTable) -> list[TableLink]:
    if not found.table_words:
        return []
    first = (found.table_words & -found.table_words).bit_length() - 1
    last = first
    while found.table_words >> (last + 1) & 1:
        last += 1
    span = _span(question, Mention(first, last))
    return [TableLink(span, table.name, 1.0)]


def _span(question: Question, mention: Mention) -> Span:
    start = question.words[mention.first].start
    end = question.words[mention.last].end
    return Span(start, end, question.text[start:end])
