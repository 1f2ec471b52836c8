"""Boosted trees evaluated with numpy alone: what a development library trained, read from a file.

Takes named features; gives one number a row. A row goes left where its value is at most the
threshold. The file is JSON, a line a tree, so that a difference between two trainings can be read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]


class Trees:
    """A sum of decision trees over named features."""

    def __init__(self, features: Sequence[str], trees: Sequence[Mapping[str, Any]]) -> None:
        self.features = tuple(features)
        self._numbers = {name: i for i, name in enumerate(self.features)}
        offsets = np.cumsum([0, *(len(tree["value"]) for tree in trees)])
        self._roots = offsets[:-1].astype(np.int64)
        self._feature = _joined(trees, "feature", np.int64)
        self._threshold = _joined(trees, "threshold", np.float64)
        self._value = _joined(trees, "value", np.float64)
        leaf = self._feature < 0
        own = np.arange(len(leaf))
        start = np.repeat(self._roots, np.diff(offsets))
        self._left = np.where(leaf, own, _joined(trees, "left", np.int64) + start)
        self._right = np.where(leaf, own, _joined(trees, "right", np.int64) + start)
        self._feature[leaf] = 0
        self._depth = max((_depth(tree, 0) for tree in trees), default=0)

    def matrix(self, rows: Sequence[Mapping[str, float]]) -> Matrix:
        """Shape (rows, features): a feature that a row does not name is 0."""
        found = np.zeros((len(rows), len(self.features)))
        for i, row in enumerate(rows):
            for name, value in row.items():
                number = self._numbers.get(name)
                if number is not None:
                    found[i, number] = value
        return found

    def score(self, matrix: Matrix) -> npt.NDArray[np.float64]:
        """Shape (rows,): the sum of what every tree says."""
        at = np.tile(self._roots, (len(matrix), 1))
        rows = np.arange(len(matrix))[:, None]
        for _ in range(self._depth):
            goes_left = matrix[rows, self._feature[at]] <= self._threshold[at]
            at = np.where(goes_left, self._left[at], self._right[at])
        return np.asarray(self._value[at].sum(axis=1), np.float64)


def _joined(trees: Sequence[Mapping[str, Any]], name: str, kind: Any) -> npt.NDArray[Any]:
    return np.concatenate([np.asarray(tree[name], kind) for tree in trees] or [np.zeros(0, kind)])


def _depth(tree: Mapping[str, Any], node: int) -> int:
    if tree["feature"][node] < 0:
        return 0
    return 1 + max(_depth(tree, tree["left"][node]), _depth(tree, tree["right"][node]))


def load_trees(path: Path | None = None) -> Trees:
    """Trees from a file; those of the package where none is given."""
    source = path or files("sql_engine.offline").joinpath("trees.json")
    data = json.loads(source.read_text(encoding="utf-8"))
    return Trees(data["features"], data["trees"])


@cache
def package_trees() -> Trees:
    """The trees that ship with the package."""
    return load_trees()
