"""Static word vectors: the weights inside the `dense` extra (wordllama; nothing is downloaded).

Takes texts; gives a vector of length 1 for each. Loaded when first needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.errors import MissingExtra

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


def tokenizer() -> Any:
    """What the model cuts texts with. Raises MissingExtra."""
    return _model().tokenizer


@cache
def _model() -> Any:
    if not available():
        raise MissingExtra(
            "searching by meaning needs wordllama",
            hint="Install it: pip install -e '.[dense]'.",
        )
    import wordllama

    # The library looks for weights in this folder first; without it, it would try the network.
    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
