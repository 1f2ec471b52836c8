"""Scores candidates: a log-linear model over their features.

Takes a candidate and its coverage; gives a score. The weights are a readable file in the package
that tells where they come from.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from sql_engine.offline.coverage import Coverage
from sql_engine.offline.parts import Features


@cache
def weights() -> dict[str, float]:
    """The weight of each feature."""
    text = files("sql_engine.offline").joinpath("weights.json").read_text(encoding="utf-8")
    loaded: dict[str, float] = json.loads(text)["linear"]
    return loaded


def coverage_features(coverage: Coverage) -> Features:
    """How much of the question a reading accounts for."""
    return (
        ("explained", float(coverage.explained.bit_count())),
        ("unexplained_plain", float(coverage.plain.bit_count())),
        ("unexplained_light", float(coverage.light.bit_count())),
        ("unexplained_restrictive", float(coverage.restrictive.bit_count())),
        ("unused_trigger", float(coverage.unused)),
    )


def score(features: Features) -> float:
    """The weighted sum of features; an unknown feature weighs nothing."""
    known = weights()
    return sum(known.get(name, 0.0) * value for name, value in features)
