"""Several columns of one row that a question asks for at once: "when was it due and returned?".

Takes the question with the table and the columns that name the row; gives the columns asked for
beside each other, and the words that open a second question.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise

from retrieval.table import Table
from router.coverage import stems_of, telling_stems
from sql_engine.words import Word, words

_SECOND = re.compile(
    r"\band\s+(?:on |at |in |by |for |to )?(?:who|whom|whose|when|where|which|what|why|how)\b"
    r"(?!\s+\w+\s+(?:is|are|was|were)\s+(?:it|that|this|they)\W*$)",
    re.IGNORECASE,
)
_JOINS = re.compile(
    r"\s*(?:,?\s*(?:and|as well as|plus|&)(?:\s+\w+){0,4}?|,(?:\s*the)?)\s*", re.IGNORECASE
)
"""What stands between two that are asked for at once: "due and when was it returned"."""
Span = tuple[int, int, int]
"""First and last word of the question, and the column whose header they are."""


def second_question(question: str) -> str | None:
    """The words that open a second question within one: "and who"."""
    found = _SECOND.search(question)
    return None if found is None else found[0]


def coordinated(question: str, table: Table, naming: Container[str]) -> tuple[int, ...]:
    """The first columns whose headers stand whole beside each other, an "and" between; none where
    it is but one. The columns called in `naming` tell the row.
    """
    asked = words(question)
    spans = sorted(_spans(asked, table, naming))
    apart = [s for s in spans if not any(_within(s, other) for other in spans if other != s)]
    run = apart[:1]
    for left, right in pairwise(apart):
        if _joined(question, asked, left, right):
            run.append(right)
        elif len(run) > 1:
            break
        else:
            run = [right]
    columns = tuple(column for *_, column in run) if len(run) > 1 else ()
    return columns if len(set(columns)) == len(columns) else ()


def _spans(asked: Sequence[Word], table: Table, naming: Container[str]) -> Iterator[Span]:
    """Where the question has all telling words of a header, one right after the other."""
    for column, header in enumerate(table.headers):
        wanted = telling_stems(header) or stems_of([header])
        if header in naming or not wanted:
            continue
        for first in range(len(asked) - len(wanted) + 1):
            last = first + len(wanted) - 1
            if wanted == {word.stem for word in asked[first : last + 1]}:
                yield first, last, column
                break


def _within(span: Span, other: Span) -> bool:
    return other[0] <= span[0] and span[1] <= other[1] and span[:2] != other[:2]


def _joined(question: str, asked: Sequence[Word], left: Span, right: Span) -> bool:
    between = question[asked[left[1]].end : asked[right[0]].start]
    return left[1] < right[0] and _JOINS.fullmatch(between) is not None
