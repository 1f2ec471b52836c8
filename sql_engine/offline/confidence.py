"""How likely a reading is right: a number such that of answers given with 0.8, four in five are.

Takes the readings of a question; gives the confidence in the first. A logistic model over signals
that any question has, fitted on questions whose tables the ranker never saw; the weights stand with
the ranker's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sql_engine.offline.search import Reading
from sql_engine.offline.standing import LIKELY

_COUNTED = {
    "slot_floating": "floating",
    "out_slot_floating": "floating",
    "bound_floating": "floating",
    "value_partial": "partial",
    "value_stem": "stem",
    "slot_in_text": "in text",
    "bound_in_text": "in text",
    "values_merged": "merged",
    "conditions": "conditions",
    "joined_tables": "joined",
    "empty": "empty",
    "number_zero": "zero",
    "answer_in_question": "echo",
    "group_count_untold": "untold",
    "sum_untold": "untold",
    "distinct_untold": "distinct untold",
    "whole_rows": "whole rows",
    "ends": "ends",
    "shift": "shift",
    "top_rows": "top rows",
    "top_groups": "top groups",
    "compare_told": "compare",
    "difference_told": "difference",
}
"""Features of the ranker that tell of risk, as signals."""

_LOOSE = ("floating", "partial", "stem", "in text", "merged")
"""Signals that words are linked loosely: where none is, that no row fits is an answer as any."""

LEFT_OUT = 0.5
"""What is left of the confidence for each word of content that a reading leaves out."""

SIGNALS = (
    *dict.fromkeys(_COUNTED.values()),
    "bias",
    "logit",
    "share",
    "margin",
    "plain",
    "light",
    "words",
    "named",
    "rivals",
)


def signals(told: Mapping[str, float], shares: Sequence[float]) -> dict[str, float]:
    """What tells how far the first reading can be trusted.

    `told` is what the ranker saw of it, `shares` the probabilities of all readings.
    """
    found = dict.fromkeys(SIGNALS, 0.0)
    for name, signal in _COUNTED.items():
        found[signal] += told.get(name, 0.0)
    if not any(found[signal] for signal in _LOOSE):
        found["empty"] = 0.0
    second = max(shares[1] if len(shares) > 1 else 0.0, 1e-4)
    first = min(max(shares[0], 1e-4), 1 - 1e-4)
    found["bias"] = 1.0
    found["logit"] = math.log(first / (1 - first))
    found["share"] = told.get("share", 0.0)
    found["margin"] = min(6.0, math.log(first / second))
    found["plain"] = told.get("unexplained_plain", 0.0)
    found["light"] = told.get("unexplained_light", 0.0)
    found["words"] = told.get("explained", 0.0) / 5
    found["named"] = told.get("slot_named", 0.0) + told.get("out_slot_named", 0.0)
    found["rivals"] = float(sum(share > LIKELY for share in shares[1:]))
    return found


def confidence(readings: Sequence[Reading], weights: Mapping[str, float]) -> float:
    """The confidence in the first reading.

    A reading that leaves out a word that restricts has none; every other word of content left out,
    or read by a name near in meaning, halves it, so that at the default threshold no such answer is
    given.
    """
    coverage = readings[0].coverage
    if coverage.restrictive or coverage.unused or _echoes(readings[0].told):
        return 0.0
    found = signals(readings[0].told, [reading.probability for reading in readings])
    total = sum(weights.get(name, 0.0) * value for name, value in found.items())
    left_out = (coverage.plain | coverage.near).bit_count()
    return LEFT_OUT**left_out / (1 + math.exp(-max(-30.0, min(30.0, total))))


def _echoes(told: Mapping[str, float]) -> bool:
    """Whether cells are quoted that the question itself names: that answers nothing."""
    return bool(told.get("shape_projections") and told.get("answer_in_question"))
