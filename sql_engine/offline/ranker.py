"""Scores trees: a log-linear model over their features.

Besides the plain features there are two families of pairs: a word of the question with an operator
of the tree, and a word of the question with a word in the name of a column that the tree uses. The
weights are a readable file in the package that tells where they come from.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from sql_engine.offline.coverage import Coverage
from sql_engine.offline.features import QuestionFeatures, places, tags
from sql_engine.offline.parts import Features
from sql_engine.offline.tree import Tree


@dataclass(frozen=True)
class Weights:
    """The weights of the model."""

    linear: dict[str, float]
    """By feature."""
    words: dict[str, dict[str, float]] = field(default_factory=dict)
    """By operator, then by word or pair of words of the question."""
    names: dict[str, dict[str, float]] = field(default_factory=dict)
    """By place in the tree, then by "question stem~name stem"."""
    confidence: dict[str, float] = field(default_factory=dict)
    """By signal: see `confidence.py`."""


def load(path: Path | None = None) -> Weights:
    """Weights from a file; those of the package where none is given."""
    source = path or files("sql_engine.offline").joinpath("weights.json")
    data = json.loads(source.read_text(encoding="utf-8"))
    families = (data.get(name, {}) for name in ("linear", "words", "names", "confidence"))
    return Weights(*families)


@cache
def package_weights() -> Weights:
    """The weights that ship with the package."""
    return load()


class Ranker:
    """Scores the trees of one question over one table."""

    def __init__(self, features: QuestionFeatures, weights: Weights) -> None:
        self._features = features
        self._weights = weights
        self._tags: dict[str, float] = {}
        self._pairs: dict[tuple[str, int], float] = {}

    def linear(self, features: Features) -> float:
        """The weighted sum of features; an unknown feature weighs nothing."""
        known = self._weights.linear
        return sum(known.get(name, 0.0) * value for name, value in features)

    def lexical(self, tree: Tree) -> Features:
        """What the question's words say for the operators and columns of a tree."""
        operators = sum(self._tag(tag) for tag in tags(tree))
        columns = sum(self._pair(place, col.index) for place, col in places(tree))
        return (("words_of_operators", operators), ("words_of_columns", columns))

    def _tag(self, tag: str) -> float:
        if tag not in self._tags:
            known = self._weights.words.get(tag, {})
            self._tags[tag] = sum(known.get(gram, 0.0) for gram in self._features.ngrams)
        return self._tags[tag]

    def _pair(self, place: str, column: int) -> float:
        key = (place, column)
        if key not in self._pairs:
            known = self._weights.names.get(place, {})
            self._pairs[key] = sum(
                known.get(f"{stem}~{name}", 0.0)
                for stem in self._features.stems
                for name in self._features.headers[column]
            )
        return self._pairs[key]


def coverage_features(coverage: Coverage) -> Features:
    """How much of the question a reading accounts for."""
    return (
        ("explained", float(coverage.explained.bit_count())),
        ("unexplained_plain", float(coverage.plain.bit_count())),
        ("unexplained_light", float(coverage.light.bit_count())),
        ("unexplained_restrictive", float(coverage.restrictive.bit_count())),
        ("unused_trigger", float(coverage.unused)),
    )
