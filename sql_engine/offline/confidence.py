"""How likely a reading is right: a number such that of answers given with 0.8, four in five are.

Takes the readings of a question; gives the confidence in the first. A logistic model over signals
that any question has, fitted on questions whose tables the ranker never saw; the weights stand with
the ranker's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sql_engine.offline.search import Reading

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

LEFT_OUT = 0.5
"""What is left of the confidence for each word of content that a reading leaves out."""

SIGNALS = (
    *dict.fromkeys(_COUNTED.values()),
    "bias",
    "logit",
    "margin",
    "plain",
    "light",
    "words",
    "named",
    "rivals",
)


def signals(readings: Sequence[Reading]) -> dict[str, float]:
    """What tells how far the first reading can be trusted."""
    best = readings[0]
    found = dict.fromkeys(SIGNALS, 0.0)
    for name, value in best.features:
        if name in _COUNTED:
            found[_COUNTED[name]] += value
        elif name in ("slot_named", "out_slot_named"):
            found["named"] += value
    second = readings[1].probability if len(readings) > 1 else 1e-4
    share = min(max(best.probability, 1e-4), 1 - 1e-4)
    found["bias"] = 1.0
    found["logit"] = math.log(share / (1 - share))
    found["margin"] = min(6.0, math.log(share / max(second, 1e-4)))
    found["plain"] = float(best.coverage.plain.bit_count())
    found["light"] = float(best.coverage.light.bit_count())
    found["words"] = best.coverage.explained.bit_count() / 5
    found["rivals"] = float(sum(r.probability > 0.05 for r in readings[1:]))
    return found


def confidence(readings: Sequence[Reading], weights: Mapping[str, float]) -> float:
    """The confidence in the first reading.

    A reading that leaves out a word that restricts has none; every other word of content left out
    halves it, so that at the default threshold no such answer is given.
    """
    coverage = readings[0].coverage
    if coverage.restrictive or coverage.unused:
        return 0.0
    total = sum(weights.get(name, 0.0) * value for name, value in signals(readings).items())
    left_out = coverage.plain.bit_count()
    return LEFT_OUT**left_out / (1 + math.exp(-max(-30.0, min(30.0, total))))
