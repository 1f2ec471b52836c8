"""The words of a question beside a table's own: what the table's names say, and what they leave.

Takes the question with a table, or with the names of one; gives the names, and the small words,
periods and groupings of the question that those names do not say.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from retrieval.hits import RowHit
from retrieval.kept import kept
from retrieval.table import Table
from router.coverage import Stems, stems_of, telling_stems, without_date
from router.cues import grouping
from sql_engine.catalog import Catalog
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.present import names_an_end
from sql_engine.offline.value_mentions import veiled_values
from sql_engine.words import folded_words, words

VEILED = 0.4
"""Of the confidence where a small word may be a cell that the evidence does not account for."""


def titles(table: Table) -> tuple[str, ...]:
    """The names that a table goes by: its headers, title, name, headings and document's name."""
    return (*table.headers, table.title, table.name, *table.heading_path, table.document_words)


@kept
def title_stems(table: Table) -> Stems:
    """The stems of a table's names."""
    return stems_of(titles(table))


def veiled_words(question: str, catalog: Catalog, table_id: str) -> tuple[str, ...]:
    """The small words that may be a cell of a table but for their case: "people in it"."""
    entry = catalog.by_id(table_id)
    read = without_date(question)
    return () if entry is None else read.text_of(veiled_values(read, entry))


def untold_periods(question: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a stretch of time that no name says: "in May" is no verb."""
    read, said = without_date(question), stems_of(names)
    told = {i for p in read.periods for i in range(p.first, p.last + 1)}
    return tuple(w.text for i, w in enumerate(read.words) if i in told and w.stem not in said)


def said_of_now(question: str, headers: Sequence[str]) -> tuple[str, ...]:
    """The words for what is so now, where a header tells what is over: not all rows are so."""
    said = tuple(w.text for w in words(question) if w.folded in lexicon().present)
    return said if said and any(map(names_an_end, headers)) else ()


def said_done(question: str, table: Table) -> tuple[str, ...]:
    """What "who has left" says was done, where a date of that name tells it of some rows alone."""
    said = [word.folded for word in words(question)]
    done = {two for one, two in pairwise(said) if one in _HAVING}
    return tuple(
        word
        for word in done
        for column in table.columns
        if folded_words(column.name) == (word,) and (column.codes[table.data_rows] < 0).any()
    )


_HAVING = frozenset(["has", "have", "had"])


def groupings(question: str, table: Table, hit: RowHit | None = None) -> tuple[str, ...]:
    """Words that group by what a header says; beside a totals row, by what its cells say too.

    A header that has more words of the question names what is asked for: "free rides a year".
    """
    labels = tuple(hit.cells.values()) if hit is not None else ()
    asked = stems_of([question])
    headers = [(header, header & asked) for header in map(telling_stems, table.headers)]
    names = frozenset(one for header, said in headers for one in header if said <= {one})
    if hit is not None and hit.row_position in table.totals:
        names |= stems_of(hit.coverage.cell_words)
    return grouping(question, names=names, texts=(*labels, *titles(table)))
