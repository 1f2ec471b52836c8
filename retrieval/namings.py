"""Which whole cells a question names.

Takes the spans of a question that are whole cells somewhere, with a table; gives the columns and
codes they name there. The longest naming wins: "desk lamp XL" is not also "desk lamp".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from retrieval.hashing import Ints
from retrieval.postings import Found
from retrieval.question import Question, Span
from retrieval.table import Table
from retrieval.tokenize import words
from retrieval.word_matches import Flags

_FEW_ROWS = 16
"""For so few rows no array operation pays."""


@dataclass(frozen=True)
class Naming:
    """A span of a question that is a whole cell of one column."""

    span: Span
    column: int
    code: int


def namings(
    question: Question,
    places: Iterable[tuple[Span, Found]],
    table: Table,
    first: int,
) -> list[Naming]:
    """The cells of `table` that the question names, those inside longer ones left out.

    Args:
        question: what is asked.
        places: its spans with the columns of the table (numbered through the index) and codes
            they name.
        table: where to look.
        first: the number of the table's first column.
    """
    found: list[Naming] = []
    for span, cells in places:
        pairs = zip(cells.ids.tolist(), cells.weights.tolist(), strict=True)
        here = [Naming(span, column - first, code) for column, code in pairs]
        found.extend(_written_alike(question, table, here))
    if len(found) < 2:
        return found
    return [n for n in found if not any(other.span.holds(n.span) for other in found)]


def rows_named(table: Table, positions: Ints, found: Iterable[Naming]) -> Flags:
    """Which of the rows at `positions` hold one of the named cells."""
    pairs = [(table.columns[naming.column].codes, naming.code) for naming in found]
    if len(positions) <= _FEW_ROWS:
        places = positions.tolist()
        return np.array([any(codes[p] == code for codes, code in pairs) for p in places], bool)
    flags = np.zeros(len(positions), bool)
    for codes, code in pairs:
        flags |= codes[positions] == code
    return flags


def all_named(table: Table, found: Iterable[Naming]) -> Flags:
    """Which rows of `table` hold one of the named cells."""
    flags = np.zeros(table.row_count, bool)
    for naming in found:
        flags |= table.columns[naming.column].codes == naming.code
    return flags


def _written_alike(question: Question, table: Table, found: list[Naming]) -> list[Naming]:
    """Of cells whose letters and digits a span names, those written as asked, if any.

    First those that stand in the question letter by letter ("C++" is not "C"), then those cut into
    the same words ("SKU-4471-B" and "SKU-447-1B" are one string when joined).
    """
    if len(found) < 2:
        return found
    span = found[0].span
    texts = [table.columns[naming.column].texts[naming.code] for naming in found]
    if len({text.casefold() for text in texts}) == 1:
        return found
    literal = [stands_in(text, question.text) for text in texts]
    if not any(literal):
        asked = [token for word in question.words[span.start : span.stop] for token in word.tokens]
        literal = [asked == [t for word in words(text) for t in word.tokens] for text in texts]
    return [n for n, flag in zip(found, literal, strict=True) if flag] or found


def stands_in(cell: str, text: str) -> bool:
    """Whether a cell stands in a text as it is written, capitals aside, and not as part of more."""
    cell = cell.strip()
    pattern = rf"(?<![\w+#%-]){re.escape(cell)}(?![\w+#%]|[.,-]\w)"
    return re.search(pattern, text, re.IGNORECASE) is not None
