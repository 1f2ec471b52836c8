"""Whether a question asks for groups of a table's rows: "total by region".

Takes a question with its links; gives the words that group. No row and no whole table answers it.
"""

from __future__ import annotations

from router.question import Asked
from sql_engine.catalog import CatalogTable
from sql_engine.offline.question import read_question

NAMED = 0.5
"""Score of a link from which a column may be one that rows are grouped by."""


def grouping(asked: Asked, entry: CatalogTable) -> list[str]:
    """The "by" or "per" before a column whose values repeat."""
    read, found = read_question(asked.question, asked.today), []
    for trigger in read.of("group"):
        after = [word.start for word in read.words[trigger.last + 1 : trigger.last + 3]]
        for link in asked.evidence.links.columns:
            column = entry.column(link.column) if link.table == entry.name else None
            if column is None or link.span.start not in after or link.score < NAMED:
                continue
            if column.source.counts.max(initial=0) > 1:
                found.append(" ".join(read.text_of(trigger.mask)))
    return found
