"""Where each reading stands among the readings of its question: agreement, lead, rivals.

Takes the scores of a question's computed trees and which of them give equal results; gives, for
each different result, its best tree and numbers that the confidence judges by.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

LIKELY = 0.05
"""The share from which another reading counts as a rival."""


@dataclass(frozen=True)
class Standing:
    """The different results of a question, likeliest first by the log-linear model."""

    best: tuple[int, ...]
    """For each, its best tree: the one of least demerit, then of the highest score."""
    share: npt.NDArray[np.float64]
    """For each, the probability that its trees have together."""
    features: tuple[Mapping[str, float], ...]
    """For each, what its place among the others tells."""


def standing(
    scores: npt.NDArray[np.float64],
    groups: npt.NDArray[np.int64],
    demerits: npt.NDArray[np.int64],
) -> Standing:
    """The standing of the results that `groups` numbers from 0, a number a tree."""
    count = int(groups.max()) + 1
    mass = np.exp(scores - scores.max())
    share = np.bincount(groups, mass, count) / mass.sum()
    size = np.bincount(groups, minlength=count)
    top = np.full(count, -np.inf)
    np.maximum.at(top, groups, scores)
    best = np.full(count, -1)
    for tree in np.lexsort((-scores, demerits)):
        if best[groups[tree]] < 0:
            best[groups[tree]] = tree
    order = np.argsort(-share, kind="stable")
    entropy = -float((share * np.log(np.maximum(share, 1e-12))).sum())
    rivals = float((share > LIKELY).sum())
    features = []
    for place, group in enumerate(order.tolist()):
        others = np.delete(top, group)
        features.append(
            {
                "share": float(share[group]),
                "score": float(top[group]),
                "lead": float(top[group] - others.max()) if len(others) else 10.0,
                "derivations": float(np.log1p(size[group])),
                "place": float(place),
                "entropy": entropy,
                "rivals": rivals,
                "readings": float(count),
            }
        )
    return Standing(tuple(best[order].tolist()), share[order], tuple(features))
