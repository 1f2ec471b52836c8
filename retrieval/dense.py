"""Rows by meaning: static word vectors for questions that share no word with the row they mean.

Needs the `dense` extra (wordllama: weights inside the package, nothing is downloaded). Takes rows
as text; gives the nearest ones by cosine. Vectors are computed when first needed and kept beside
their segment; they are not saved. Where the weights for `sentences.py` are installed as well, they
decide between the nearest rows.
"""

from __future__ import annotations

import threading
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from retrieval import sentences
from retrieval.hashing import Ints
from retrieval.postings import Postings
from retrieval.question import Question
from retrieval.segments import Segment
from retrieval.serialize import entity
from retrieval.table import Kind, Table
from retrieval.vectors import Vectors, embed

MIN_COSINE = 0.2
"""Below this, rows and questions are alike by chance only."""

MIN_SENTENCE_COSINE = 0.33
"""The same of the vectors of whole sentences."""

_COMPARED = 100
"""Nearest rows that are looked at again as sentences."""

COVERAGE_WEIGHT = 0.2
"""What full coverage adds to the cosine (cosine + 0.2 x coverage; rank fusion measured worse)."""

MOST_ROWS = 300_000
"""Above this many rows, comparing with every vector takes too long for a look-up."""

UNASKED_ROWS = 10_000
"""Up to so many rows (two seconds of embedding, once) are compared where nobody asked for it."""

_FEWEST_WORDS = 2
"""A question of fewer words is a name or a code, which only words can find."""

_computed: WeakKeyDictionary[Segment[Table], Vectors] = WeakKeyDictionary()
_computing = threading.Lock()


def nearest(
    postings: Postings[Table], question: Question, k: int
) -> tuple[Ints, npt.NDArray[np.float64]]:
    """The `k` rows nearest in meaning, best first, with their cosines; none below `MIN_COSINE`.

    Gives nothing where the index has more than `MOST_ROWS` rows. Raises MissingExtra.
    """
    if (
        not postings.row_count
        or not _tells_meaning(question)
        or int(postings.row_starts[-1]) > MOST_ROWS
    ):
        return np.zeros(0, np.int64), np.zeros(0)
    vectors = np.concatenate([_vectors(segment) for segment in postings.segments])
    said = " ".join(word.text for word in question.content_words)
    cosines = (vectors @ embed([said])[0]).astype(np.float64)
    cosines[np.repeat(~postings.alive_blocks, np.diff(postings.row_starts))] = -1
    rows = np.lexsort((np.arange(len(cosines)), -cosines))[:k]
    if sentences.available():
        return _as_sentences(postings, question, rows[cosines[rows] > 0][:_COMPARED])
    rows = rows[cosines[rows] >= MIN_COSINE]
    return rows, cosines[rows]


def _as_sentences(
    postings: Postings[Table], question: Question, rows: Ints
) -> tuple[Ints, npt.NDArray[np.float64]]:
    """Rows by how near their sentences are to the question's, best first."""
    blocks = postings.blocks_of_rows(rows)
    places = zip(blocks.tolist(), (rows - postings.row_starts[blocks]).tolist(), strict=True)
    texts = [_words(postings.item(block), row) for block, row in places]
    vectors = sentences.embed([question.text, *texts])
    cosines = (vectors[1:] @ vectors[0]).astype(np.float64)
    best = np.lexsort((rows, -cosines))
    best = best[cosines[best] >= MIN_SENTENCE_COSINE]
    return rows[best], cosines[best]


def _tells_meaning(question: Question) -> bool:
    said = question.content_words
    return len(said) >= _FEWEST_WORDS and all(word.text.isalpha() for word in said)


def _words(table: Table, row: int) -> str:
    """A row's name and its cells in words: codes, numbers and dates mean nothing to the model."""
    named = entity(table, row)
    cells = (column.text_at(row) for column in table.columns if column.type.kind is Kind.TEXT)
    told = (cell for cell in cells if cell != named and not any(map(str.isdigit, cell)))
    return " ".join((named, *told))


def _vectors(segment: Segment[Table]) -> Vectors:
    with _computing:
        if segment not in _computed:
            texts = [
                _words(table, row) for table in segment.items for row in range(table.row_count)
            ]
            vectors = embed(texts)
            vectors[[not text.strip() for text in texts]] = 0
            _computed[segment] = vectors
        return _computed[segment]
