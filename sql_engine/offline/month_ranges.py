"""Cells that are stretches of months of any year: "Feb-Apr", "Oct to March".

Takes a question and a table; gives the cells that cover a month which the question says. A month is
no part of the text of such a cell: "in March" is in "Feb-Apr" and not in "Aug-Mar" alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from retrieval.kept import kept
from retrieval.table import Column, Kind
from sql_engine.catalog import CatalogTable
from sql_engine.offline.periods import MONTHS
from sql_engine.offline.question import Question, ValueMention

MOSTLY = 0.6
"""The share of a column's texts that are months or stretches of them."""
MAX_TEXTS = 500
"""Columns of more distinct texts are not read."""
SCORE = 0.95
_STRETCH = re.compile(r"\s*([a-z]{3,9})\.?\s*(?:[-–—/]|\bto\b|\bthrough\b)\s*([a-z]{3,9})\.?\s*")


def covering_months(question: Question, table: CatalogTable) -> Iterator[ValueMention]:
    """The cells that cover each month said without a year, of every column of such cells."""
    said = [
        (period.first, period.last, MONTHS[word])
        for period in question.periods
        if (word := question.words[period.last].folded) in MONTHS and period.first == period.last
    ]
    for index, column in enumerate(table.columns) if said else ():
        if column.kind is not Kind.TEXT or not holds_stretches(column.source):
            continue
        for first, last, month in said:
            texts = tuple(text for text in column.source.texts if _covers(text, month))
            if texts:
                yield ValueMention(first, last, index, texts, SCORE)


def without_ends(
    found: Iterable[ValueMention], table: CatalogTable, covered: Sequence[ValueMention]
) -> Iterator[ValueMention]:
    """The mentions but for those of a month at the end of a stretch, which say less."""
    months = {mention.mask for mention in covered}
    for mention in found:
        stretch = holds_stretches(table.columns[mention.column].source)
        if not (stretch and mention.mask in months):
            yield mention


@kept
def holds_stretches(column: Column) -> bool:
    """Whether most texts of a column are stretches of months."""
    if not 0 < len(column.texts) <= MAX_TEXTS:
        return False
    read = [stretch(text) for text in column.texts]
    several = sum(found is not None and found[0] != found[1] for found in read)
    return several > 0 and sum(found is not None for found in read) >= MOSTLY * len(read)


def stretch(text: str) -> tuple[int, int] | None:
    """The first and last month of a stretch, 1 to 12; of one month the same twice."""
    folded = text.strip().lower()
    if folded.rstrip(".") in MONTHS:
        return (MONTHS[folded.rstrip(".")],) * 2
    match = _STRETCH.fullmatch(folded)
    if match is None or match[1] not in MONTHS or match[2] not in MONTHS:
        return None
    return MONTHS[match[1]], MONTHS[match[2]]


def _covers(text: str, month: int) -> bool:
    found = stretch(text)
    if found is None:
        return False
    first, last = found
    return first <= month <= last if first <= last else month >= first or month <= last
