"""A question with words that no table holds put right: "Reykjavic" where a cell has "Reykjavik".

Takes the postings of tables, their `vocabulary` and a `Question`; gives the question as it was
likely meant, or None. Only words of letters are mended: a code that is nearly another is another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from retrieval.lookup import Lookup
from retrieval.postings import Postings
from retrieval.question import Question
from retrieval.table import Table
from retrieval.tokenize import words
from retrieval.word_forms import misspelt

MOST_ROWS = 10_000
"""Above this many rows, gathering all words of the cells takes too long for a look-up."""
_MENDED = re.compile(r"[^\W\d_]+")
_SHORTEST = 4
_MOST_TEXTS = 100_000

Vocabulary = Mapping[str, Sequence[str]]
"""Words by their first letter, which people rarely get wrong."""


def vocabulary(postings: Postings[Table]) -> Vocabulary:
    """The words of all cells and headers; none where there are too many rows."""
    if postings.row_count > MOST_ROWS:
        return {}
    held = {word.text for text in islice(_texts(postings), _MOST_TEXTS) for word in words(text)}
    found: dict[str, list[str]] = {}
    for text in sorted(text for text in held if len(text) >= _SHORTEST):
        found.setdefault(text[0], []).append(text)
    return found


def respelt(postings: Postings[Table], question: Question, known: Vocabulary) -> Question | None:
    """The question with misspelt words replaced; None where no word of it is one."""
    found = {text: misspelt(text, known.get(text[0], ())) for text in _unknown(postings, question)}
    meant = {text: other for text, other in found.items() if other is not None}
    if not meant:
        return None
    return Question.of(" ".join(meant.get(word.text, word.text) for word in question.words))


def _unknown(postings: Postings[Table], question: Question) -> list[str]:
    """The content words of letters that neither a cell nor a header holds."""
    return [
        match.word.text
        for match in Lookup.of(postings, question).matches
        if _MENDED.fullmatch(match.word.text)
        and not any(len(term.rows.ids) or len(term.heads.ids) for term in match.terms)
    ]


def _texts(postings: Postings[Table]) -> Iterator[str]:
    for block in np.flatnonzero(postings.alive_blocks).tolist():
        for column in postings.item(block).columns:
            yield column.name
            yield from column.texts
