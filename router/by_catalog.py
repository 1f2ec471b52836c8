"""Questions about what is loaded rather than about what is in it: "what tables are there?".

Takes the question on its way through the routes; gives the tables that are loaded, those with a
column of some name, or the columns of one. Gives None where a word of the question is anything but
a name of those, so that data about tables and files is asked like any other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from router import describe
from router.answer import Answer, Route, Row
from router.by_row import cite_rows
from router.coverage import Stems, stems_of
from router.question import Asked
from router.question_forms import asks_to_show
from router.table_evidence import NAMED_IN_FULL
from router.wording import counted
from sql_engine.catalog import CatalogTable
from sql_engine.offline.lexicon import lexicon
from sql_engine.words import Word, folded_words, words

_ONE = ("table", "file", "sheet", "spreadsheet", "dataset", "document", "source")
_TABLES = frozenset((*(f"{noun}s" for noun in _ONE), "data"))
_TABLE = _TABLES.union(_ONE)
_PARTS = ("column", "field", "header", "variable")
_COLUMNS = frozenset((*_PARTS, *(f"{noun}s" for noun in _PARTS), "schema", "structure", "describe"))
_HELP = frozenset(["ask", "help", "questions"])
_OTHERS = """
    available loaded contain contains include includes included called named titled type types
    kind kinds know answer csv xlsx xls html json md
"""
_CARRIERS = frozenset(_OTHERS.split())
"""Words that carry such a question and restrict nothing."""
_WHICH = re.compile(r"\s*(?:which|what)\s+(?:table|file|sheet|dataset|document)s?\b", re.I)
"""Asks for tables, so that a column's name says what they must have."""
MAX_CITED = 20
"""Tables cited of those that are listed."""
_REASON = "The question is about what is loaded, not about what is in it."


@dataclass(frozen=True)
class _Read:
    """The words of a question about the catalog."""

    nouns: frozenset[str]
    """Those for tables, for columns and for help."""
    names: tuple[Word, ...]
    """Those that must be names."""


def answer(asked: Asked) -> Answer | None:
    """The tables or columns that the question asks for, None where it asks for anything else."""
    read = _read(asked)
    if read is None:
        return None
    loaded = tuple(asked.catalog)
    named = tuple(t for t in loaded if _stems(read.names) <= _names_of(t)) if read.names else loaded
    if read.names and (not named or (read.nouns & _COLUMNS and _WHICH.match(asked.question))):
        return _having(asked, read)
    if read.nouns & _COLUMNS:
        return _columns(asked, named[0]) if len(named) == 1 else None
    if read.names and not read.nouns & _TABLES:
        return None
    if len(named) == 1 and asks_to_show(asked.question):
        return None
    return _tables(asked, named, "loaded" if not read.names else f"in {named[0].table.document}")


def _read(asked: Asked) -> _Read | None:
    """None where the question has no noun of the catalog, or the data holds that noun itself."""
    known, plain = _TABLE | _COLUMNS | _HELP, lexicon().function | _CARRIERS
    said = words(asked.question)
    nouns = [word for word in said if word.folded in known]
    if not nouns or any(_in_the_data(asked, word) for word in nouns):
        return None
    rest = (word for word in said if word.folded not in known | plain)
    return _Read(frozenset(word.folded for word in nouns), tuple(rest))


def _in_the_data(asked: Asked, word: Word) -> bool:
    """Whether a word is a name in the data: a column of tables, a file in a cell.

    Of several tables loaded, their number is not asked for by a column "Table" of one.
    """
    links = asked.evidence.links
    named = [(link.span, link.column) for link in links.columns]
    named += [(link.span, link.value) for link in links.values]
    named += [(link.span, link.table) for link in links.tables]
    here = [name for span, name in named if span.start <= word.start and word.end <= span.end]
    if len(asked.catalog) > 1 and word.folded in _TABLES:
        return any(word.folded in folded_words(name) for name in here)
    return bool(here)


def _stems(names: Sequence[Word]) -> Stems:
    return frozenset(word.stem for word in names)


def _names_of(entry: CatalogTable) -> Stems:
    table = entry.table
    return stems_of((entry.name, table.title, table.name, table.document, *table.heading_path))


def _having(asked: Asked, read: _Read) -> Answer | None:
    """The tables with a column of the name that all the other words are."""
    if not read.nouns & (_COLUMNS if _WHICH.match(asked.question) is None else _TABLE):
        return None
    first, last = read.names[0].start, read.names[-1].end
    having = {
        link.table: link.column
        for link in asked.evidence.links.columns
        if link.score >= NAMED_IN_FULL and (link.span.start, link.span.end) == (first, last)
    }
    entries = tuple(entry for entry in asked.catalog if entry.name in having)
    if not entries:
        return None
    return _tables(asked, entries, f"with the column {having[entries[0].name]}")


def _tables(asked: Asked, entries: Sequence[CatalogTable], which: str) -> Answer:
    rows: list[Row] = [
        (each.name, each.title, each.rows, ", ".join(each.columns), each.document)
        for each in describe.entries(entries)
    ]
    heads = ("table", "title", "rows", "columns", "document")
    return _told(asked, f"{counted(len(rows), 'table')} {which}", heads, rows, entries)


def _columns(asked: Asked, entry: CatalogTable) -> Answer:
    described = describe.describe(entry)
    rows: list[Row] = [
        (each.name, each.type, each.unit, each.distinct, each.empty, ", ".join(each.samples))
        for each in described.columns
    ]
    heads = ("column", "type", "unit", "distinct", "empty", "frequent values")
    text = f"{described.title}: {counted(described.rows)}, {counted(len(rows), 'column')}"
    return _told(asked, text, heads, rows, [entry])


def _told(
    asked: Asked,
    text: str,
    heads: tuple[str, ...],
    rows: list[Row],
    entries: Sequence[CatalogTable],
) -> Answer:
    shown = rows[: asked.limits.max_rows]
    return Answer(
        question=asked.question,
        route=Route.TABLE,
        text=text,
        columns=heads,
        rows=shown,
        truncated=len(shown) < len(rows),
        total_rows=len(rows),
        citations=tuple(cite_rows(entry.table, []) for entry in entries[:MAX_CITED]),
        confidence=1.0,
        reason=_REASON,
    )
