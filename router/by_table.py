"""The table route: the whole table, where the question asks for it or most of its rows match."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from retrieval.table import Table
from router import row_doubts
from router.answer import Answer, Reading, Route
from router.by_row import cite_rows
from router.coverage import named_share, stems_of
from router.cues import restrictions
from router.evidence_words import untold_periods
from router.grouping import beyond_one
from router.question import Asked, Nothing
from router.question_forms import asked_kind, asks_for_an_amount, asks_for_whole_rows
from router.table_evidence import NAMED_IN_FULL
from router.twins import level, own_words
from router.typed import typed_rows
from router.wording import counted, totals_left_out
from sql_engine.catalog import CatalogTable
from sql_engine.links import ValueLink
from sql_engine.offline.lexicon import lexicon
from sql_engine.words import folded_words, words

MAX_TWINS = 3
"""Tables of the same shape that are shown beside the first."""


def answer(asked: Asked) -> Answer | Nothing:
    """The best table, all its rows up to the cap; totals rows are told, not listed."""
    row, named = asked.evidence.row, asked.evidence.table
    carded = 0.0 if named is None else named.confidence
    if row is not None and row.widened and row.confidence >= max(asked.min_confidence, carded):
        return _told(asked, row.hit.table_id, row.confidence)
    if named is None:
        return Nothing()
    if named.confidence < asked.min_confidence:
        return Nothing(words=named.open_words)
    if named.repeated_column:
        return Nothing(f"the rows of {named.hit.table} are not what is asked for")
    return _told(asked, named.hit.table_id, named.confidence)


def _told(asked: Asked, table_id: str, confidence: float) -> Answer | Nothing:
    """The table, where all its rows are asked for and no other table fits as well."""
    table = asked.table(table_id).table
    if doubted := row_doubts.doubt(asked, table, table.data_rows.tolist()):
        return doubted
    if asked.min_confidence and _asks_for_a_part(asked.question, table):
        return Nothing(_NO_PART)
    if asked.min_confidence and _HAVING_BOTH.search(asked.question):
        return Nothing(words=("both",))
    if asked.min_confidence and _asks_of_one_time(asked.question, table):
        return Nothing(_MORE_TIMES)
    left = _restricting(asked, table_id)
    if left:
        return Nothing(words=left)
    twins = level(asked, table_id)
    whole = _whole(asked, table_id, confidence)
    if not twins or not asked.min_confidence:
        return whole
    others = (_whole(asked, twin.table.table_id, confidence) for twin in twins[:MAX_TWINS])
    return Answer(
        question=asked.question,
        route=Route.DECLINED,
        text="Tables of the same shape answer this: say which is meant.",
        alternatives=tuple(_reading(each) for each in (whole, *others)),
        confidence=confidence / (1 + len(twins)),
    )


def _asks_for_a_part(question: str, table: Table) -> bool:
    """Whether an amount, a time, a person or a place is asked for, and no column is named but that
    of the rows' names.
    """
    asks, asked = asked_kind(question) or asks_for_an_amount(question), stems_of([question])
    told = (c.name for i, c in enumerate(table.columns) if i != table.key)
    return bool(asks) and not any(named_share(name, asked) == 1.0 for name in told)


def _asks_of_one_time(question: str, table: Table) -> bool:
    """Whether a time is asked about that only some of the headers say: "the output in July"."""
    named = (table.title, table.name, *table.heading_path)
    return not asks_for_whole_rows(question) and bool(untold_periods(question, named))


_HAVING_BOTH = re.compile(r"\b(?:with|have|has|had|having) both\b", re.IGNORECASE)
"""Says of the rows that they have the one and the other, which some have not."""
_MORE_TIMES = "the table tells of more times than the one that is asked about"
_NO_PART = "a whole table does not tell it, and no column of it is named"


def _reading(whole: Answer) -> Reading:
    return Reading(
        reading=whole.text,
        sql=None,
        confidence=whole.confidence,
        columns=whole.columns,
        rows=tuple(whole.rows),
        truncated=whole.truncated,
    )


def _restricting(asked: Asked, table_id: str) -> tuple[str, ...]:
    """Words that ask for some of the rows: a cell's, a number, a negation, a comparison, a "by".

    Not those of the table's own title and headers, nor of a cell that every row has.
    """
    entry = asked.table(table_id)
    heads = own_words(entry.table) | stems_of(entry.table.headers)
    cells = [
        link.span.text
        for link in asked.evidence.links.values
        if link.table == entry.name and link.score >= NAMED_IN_FULL and not _in_all(entry, link)
    ]
    said = [*cells, *restrictions(asked.question), *beyond_one(asked, entry)]
    beyond = (text for text in said if stems_of([text]) - heads)
    return tuple(dict.fromkeys((*beyond, *_said_of_rows(asked.question, entry))))


def _said_of_rows(question: str, entry: CatalogTable) -> Iterator[str]:
    """Words of the headers that say what is so of some rows: "open tickets", "items on order",
    "orders with a discount".
    """
    found = words(question)
    heads = stems_of(entry.table.headers)
    forms = {form for header in entry.table.headers for form in folded_words(header)}
    nouns = own_words(entry.table) | lexicon().rows | lexicon().people
    nouns |= stems_of(entry.table.headers[:1])
    for i in (i for i, word in enumerate(found) if word.stem in nouns):
        before, after = found[i - 1] if i else None, found[i + 1 : i + 4]
        deed = before is not None and before.folded.endswith("ed")
        if before and before.stem in heads - nouns and (deed or before.folded not in forms):
            yield before.text
        if not after or after[0].folded not in _SAYING:
            continue
        told = [word for word in after[1:] if word.folded not in _ARTICLES]
        alone = after[0].folded != "with" or (after[1:2] and after[1].folded in _ONE)
        if alone and told and told[0].stem in heads:
            yield told[0].text


_SAYING = frozenset(["who", "that", "which", "to", "on", "with"])
"""After the rows they say what is so of some."""
_ARTICLES = frozenset(["a", "an", "any", "the"])
_ONE = frozenset(["a", "an", "any"])


def _in_all(entry: CatalogTable, link: ValueLink) -> bool:
    column = entry.column(link.column)
    assert column is not None, f"a link names {link.column}, which {entry.name} lacks"
    rows = entry.table.data_rows.tolist()
    return all(column.source.text_at(row) == link.value for row in rows)


def _whole(asked: Asked, table_id: str, confidence: float) -> Answer:
    table = asked.table(table_id).table
    positions = table.data_rows[: asked.limits.max_rows].tolist()
    total = len(table.data_rows)
    first = cite_rows(table, positions[:1])
    return Answer(
        question=asked.question,
        route=Route.TABLE,
        text=f"{table.title}: {counted(total)}",
        columns=table.headers,
        rows=[table.row(row) for row in positions],
        typed=typed_rows(table, positions),
        truncated=len(positions) < total,
        total_rows=total,
        citations=(replace(first, rows=()),),
        warnings=totals_left_out(table),
        confidence=confidence,
    )
