"""Rows by meaning: static word vectors for questions that share no word with the row they mean.

Needs the `dense` extra (wordllama: weights inside the package, nothing is downloaded). Takes rows
as text; gives the nearest ones by cosine. Vectors are computed when first needed and kept beside
their segment; they are not saved.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from retrieval.errors import MissingExtra
from retrieval.postings import Postings
from retrieval.segments import Ints, Segment
from retrieval.serialize import row_text
from retrieval.table import Table

MIN_COSINE = 0.15
"""Below this, rows and questions are alike by chance only."""

COVERAGE_WEIGHT = 0.2
"""What full coverage adds to the cosine (cosine + 0.2 x coverage; rank fusion measured worse)."""

MOST_ROWS = 300_000
"""Above this many rows, comparing with every vector takes too long for a look-up."""

Vectors = npt.NDArray[np.float32]


def available() -> bool:
    """Whether the extra is installed."""
    return find_spec("wordllama") is not None


def embed(texts: Sequence[str]) -> Vectors:
    """One vector of length 1 per text: shape (texts, dimensions). Raises MissingExtra."""
    if not texts:
        return np.zeros((0, 1), np.float32)
    vectors: Vectors = np.asarray(_model().embed(list(texts), norm=True), np.float32)
    return vectors


@cache
def _model() -> Any:
    if not available():
        raise MissingExtra(
            "searching rows by meaning needs wordllama",
            hint="Install it: pip install 'tabroute[dense]'.",
        )
    import wordllama

    # The library looks for weights in this folder first; without it, it would try the network.
    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)


_computed: WeakKeyDictionary[Segment[Table], Vectors] = WeakKeyDictionary()
_computing = threading.Lock()


def nearest(
    postings: Postings[Table], question: str, k: int
) -> tuple[Ints, npt.NDArray[np.float64]]:
    """The `k` rows nearest in meaning, best first, with their cosines; none below `MIN_COSINE`.

    Gives nothing where the index has more than `MOST_ROWS` rows. Raises MissingExtra.
    """
    if not postings.row_count or int(postings.row_starts[-1]) > MOST_ROWS:
        return np.zeros(0, np.int64), np.zeros(0)
    vectors = np.concatenate([_vectors(segment) for segment in postings.segments])
    cosines = (vectors @ embed([question])[0]).astype(np.float64)
    cosines[np.repeat(~postings.alive_blocks, np.diff(postings.row_starts))] = -1
    rows = np.lexsort((np.arange(len(cosines)), -cosines))[:k]
    rows = rows[cosines[rows] >= MIN_COSINE]
    return rows, cosines[rows]


def _vectors(segment: Segment[Table]) -> Vectors:
    with _computing:
        if segment not in _computed:
            texts = [
                row_text(table, row, format="sentence")
                for table in segment.items
                for row in range(table.row_count)
            ]
            _computed[segment] = embed(texts)
        return _computed[segment]
