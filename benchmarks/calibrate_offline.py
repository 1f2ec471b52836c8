"""Fits the offline writer's confidence on logged outcomes and writes it into the weights.

    python -m benchmarks.offline FOLDER --fold 0 --errors LOG
    python -m benchmarks.calibrate_offline LOG [--out sql_engine/offline/weights.json]

The log must come from tables that the ranker was not trained on. Prints what thresholds would give,
measured on halves that were not fitted.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.offline_sets import fold_of
from benchmarks.train_offline import write
from sql_engine.offline.confidence import LEFT_OUT, SIGNALS
from sql_engine.offline.ranker import load

OUT = Path("sql_engine/offline/weights.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.log.open(encoding="utf-8")]
    rows = [row for row in rows if row.get("signals")]
    signals = np.array([[row["signals"].get(name, 0.0) for name in SIGNALS] for row in rows])
    right = np.array([row["right"] for row in rows])
    gated = np.array([row["gated"] for row in rows])
    weight = _balance([row["set"] for row in rows])
    guess = np.zeros(len(rows))
    half = np.array([fold_of(row["question"]) < 2 for row in rows])
    for side in (half, ~half):
        use = side & ~gated
        guess[~side] = _fit(signals[use], right[use], weight[use]).predict_proba(signals[~side])[
            :, 1
        ]
    guess[gated] = 0.0
    guess *= LEFT_OUT ** signals[:, SIGNALS.index("plain")]
    _report(rows, guess, right)
    model = _fit(signals[~gated], right[~gated], weight[~gated])
    fitted = {name: round(float(w), 4) for name, w in zip(SIGNALS, model.coef_[0], strict=True)}
    data = json.loads(options.out.read_text(encoding="utf-8"))
    write(replace(load(options.out), confidence=fitted), data["provenance"], options.out)


def _balance(sets: list[str]) -> np.ndarray:
    """Every set weighs the same, up to a factor of four."""
    counts = {name: sets.count(name) for name in set(sets)}
    return np.array([min(4.0, max(counts.values()) / counts[name]) for name in sets])


def _fit(signals: np.ndarray, right: np.ndarray, weight: np.ndarray) -> LogisticRegression:
    model = LogisticRegression(fit_intercept=False, C=1.0, max_iter=2000)
    return model.fit(signals, right, weight)


def _report(rows: list[dict], guess: np.ndarray, right: np.ndarray) -> None:
    names = np.array([row["set"] for row in rows])
    for name in [*sorted(set(names)), "all"]:
        here = names == name if name != "all" else np.ones(len(names), bool)
        print(f"{name}: {here.sum()} questions")
        for threshold in (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8):
            given = here & (guess >= threshold)
            share = given.sum() / max(1, here.sum())
            precision = right[given].mean() if given.any() else 0.0
            print(f"  {threshold}: precision {precision:.1%} at {share:.1%} answered")


if __name__ == "__main__":
    main()
