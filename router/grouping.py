"""What of a question no single row and no whole table answers: groups, sums, comparisons of cells.

Takes a question with the texts of the evidence; gives the words that speak against it. "Total by
region" asks for groups, "Q1 + Q2" for a sum, "below their limit" for a comparison.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from router.question import Asked
from sql_engine.catalog import CatalogTable
from sql_engine.offline.question import Question, read_question
from sql_engine.words import folded_words

NAMED = 0.5
"""Score of a link from which a column may be one that rows are grouped by."""
_SORTING = frozenset(["sort", "rank", "order", "arrange"])
_SIGNS = re.compile(r"(?<=\w)\s+([+×*]|plus|minus|vs\.?|versus)\s+(?=\w)", re.IGNORECASE)


def beyond_one(asked: Asked, entry: CatalogTable, texts: Iterable[str] = ()) -> list[str]:
    """The words that ask for more than cells as published.

    Args:
        asked: the question.
        entry: the table of the evidence.
        texts: cells of the row, which may hold such a word themselves.
    """
    read = read_question(asked.question, asked.today)
    signs = [match[1] for match in _SIGNS.finditer(asked.question)]
    opening = read.words[0]
    sorts = [opening.text] if opening.folded in _SORTING else []
    return [*_grouping(asked, entry, read), *_compared(read, entry, tuple(texts)), *signs, *sorts]


def _grouping(asked: Asked, entry: CatalogTable, read: Question) -> list[str]:
    """The "by" or "per" before a column whose values repeat."""
    found = []
    for trigger in read.of("group"):
        after = [word.start for word in read.words[trigger.last + 1 : trigger.last + 3]]
        for link in asked.evidence.links.columns:
            column = entry.column(link.column) if link.table == entry.name else None
            if column is None or link.span.start not in after or link.score < NAMED:
                continue
            if column.source.counts.max(initial=0) > 1:
                found.append(" ".join(read.text_of(trigger.mask)))
    return found


def _compared(read: Question, entry: CatalogTable, texts: tuple[str, ...]) -> list[str]:
    """What compares, though with no number: "below their limit", "more than the other"."""
    table = entry.table
    names = (*table.headers, table.title, table.name, *table.heading_path, *texts)
    said = {word for name in names for word in folded_words(name)}
    told = [w.text for w in read.words if w.folded in _COMPARING and w.folded not in said]
    supply = _SUPPLY.search(read.text)
    return [*told, supply[0]] if supply else told


_COMPARING = frozenset(["than", "below", "above", "beyond", "exceed", "exceeds", "exceeding"])
_SUPPLY = re.compile(r"\b(?:out of|in) stock\b", re.IGNORECASE)
