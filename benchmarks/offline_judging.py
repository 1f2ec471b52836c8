"""Fits what judges the readings of the log-linear model: boosted trees, and the confidence.

Takes questions with their computed trees and a log-linear model that never saw their tables; gives
the trees as data and the weights of the confidence. Needs lightgbm and scikit-learn, which the
package does without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import lightgbm
import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.offline_candidates import LEXICAL, Seen
from sql_engine.offline.confidence import LEFT_OUT, SIGNALS, signals
from sql_engine.offline.search import MAX_JUDGED, judgement, log_odds
from sql_engine.offline.standing import standing
from sql_engine.offline.trees import Trees

MIN_EXAMPLES = 60
"""A feature of fewer questions than these tells the trees nothing."""
SETTINGS = {
    "objective": "binary",
    "num_leaves": 15,
    "learning_rate": 0.06,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "verbose": -1,
    "seed": 7,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
}
ROUNDS = 160
EVERYDAY_WEIGHT = 10.0
"""How much a made question counts: published ones outnumber them, users ask more like them."""


class Model(Protocol):
    """A log-linear model."""

    def scores(self, item: Seen) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...


@dataclass(frozen=True)
class Example:
    """The likeliest readings of one question."""

    set: str
    kind: str
    fold: int
    told: tuple[dict[str, float], ...]
    right: np.ndarray
    share: np.ndarray
    reachable: bool
    """Whether any computed tree is right."""

    @property
    def half(self) -> int:
        """Which half of the folds it is in: each is judged by what the other teaches."""
        return half_of(self.fold)


def half_of(fold: int) -> int:
    """0 or 1."""
    return int(fold > 2)


def examples(seen: Sequence[Seen], model: Model) -> list[Example]:
    """The readings of questions by a model."""
    return [_example(item, model) for item in seen]


def _example(item: Seen, model: Model) -> Example:
    scores, words, names = model.scores(item)
    place = standing(scores, item.groups, item.blanks)
    told = []
    for best, stands in zip(place.best[:MAX_JUDGED], place.features, strict=False):
        lexical = dict(zip(LEXICAL, (float(words[best]), float(names[best])), strict=True))
        told.append({**item.features(best), **lexical, **stands})
    right = item.right[list(place.best[:MAX_JUDGED])]
    share = place.share[:MAX_JUDGED]
    reachable = bool(item.right.any())
    return Example(item.set, item.kind, item.fold, tuple(told), right, share, reachable)


# ---------------------------------------------------------------- boosted trees


def fit_trees(
    crossed: Sequence[Example], unseen: Sequence[Example]
) -> tuple[dict, list[np.ndarray], list[np.ndarray]]:
    """The trees as data; their scores for the examples, out of fold, and for the unseen ones."""
    features = _features(crossed)
    scores: list[np.ndarray | None] = [None] * len(crossed)
    for half in (0, 1):
        model = _boosted([e for e in crossed if e.half != half], features)
        for i, example in enumerate(crossed):
            if example.half == half:
                scores[i] = judgement(model, example.told, example.share)
    data = _data(_booster(crossed, features), features)
    model = Trees(data["features"], data["trees"])
    return data, scores, [judgement(model, e.told, e.share) for e in unseen]


def _features(crossed: Sequence[Example]) -> list[str]:
    seen: dict[str, int] = {}
    for example in crossed:
        for name in {name for told in example.told for name in told}:
            seen[name] = seen.get(name, 0) + 1
    return sorted(name for name, count in seen.items() if count >= MIN_EXAMPLES)


def _booster(crossed: Sequence[Example], features: list[str]) -> lightgbm.Booster:
    table = Trees(features, ())
    matrix = np.concatenate([table.matrix(e.told) for e in crossed]).astype(np.float32)
    right = np.concatenate([e.right for e in crossed]).astype(np.float32)
    balance = _balance([e.set for e in crossed])
    weight = np.concatenate(
        [np.full(len(e.right), b) for e, b in zip(crossed, balance, strict=True)]
    )
    base = np.concatenate([log_odds(e.share) for e in crossed])
    rows = lightgbm.Dataset(
        matrix, right, weight=weight, init_score=base, feature_name=_plain(features)
    )
    return lightgbm.train(SETTINGS, rows, ROUNDS)


def _plain(features: list[str]) -> list[str]:
    """Names that the library takes."""
    return [f"f{i}" for i in range(len(features))]


def _boosted(crossed: Sequence[Example], features: list[str]) -> Trees:
    data = _data(_booster(crossed, features), features)
    return Trees(data["features"], data["trees"])


def _data(booster: lightgbm.Booster, features: list[str]) -> dict:
    dumped = booster.dump_model()
    trees = [_flat(tree["tree_structure"]) for tree in dumped["tree_info"]]
    return {"features": features, "trees": trees}


def _flat(root: dict) -> dict[str, list]:
    flat: dict[str, list] = {n: [] for n in ("feature", "threshold", "left", "right", "value")}

    def add(node: dict) -> int:
        at = len(flat["feature"])
        leaf = "leaf_value" in node
        flat["feature"].append(-1 if leaf else node["split_feature"])
        flat["threshold"].append(0 if leaf else float(f"{node['threshold']:.6g}"))
        flat["value"].append(round(node["leaf_value"], 5) if leaf else 0)
        flat["left"].append(0)
        flat["right"].append(0)
        if not leaf:
            flat["left"][at] = add(node["left_child"])
            flat["right"][at] = add(node["right_child"])
        return at

    add(root)
    return flat


def _balance(sets: list[str]) -> np.ndarray:
    """Every set weighs the same, up to a factor of three."""
    counts = {name: sets.count(name) for name in set(sets)}
    weights = {name: min(3.0, max(counts.values()) / count) for name, count in counts.items()}
    weights["everyday"] = EVERYDAY_WEIGHT
    return np.array([weights[name] for name in sets])


# ---------------------------------------------------------------- confidence


@dataclass(frozen=True)
class Judged:
    """The first reading of each example by the trees."""

    signals: np.ndarray
    right: np.ndarray
    gated: np.ndarray
    plain: np.ndarray
    sets: np.ndarray
    folds: np.ndarray


def judge(found: Sequence[Example], scores: Sequence[np.ndarray]) -> Judged:
    """What is known of the reading that the trees put first."""
    told, right = [], []
    for example, score in zip(found, scores, strict=True):
        order = np.argsort(-score, kind="stable")
        mass = np.exp(score[order] - score[order[0]])
        best = {**example.told[order[0]], "judged": float(score[order[0]])}
        told.append((best, signals(best, mass / mass.sum())))
        right.append(bool(example.right[order[0]]))
    rows = np.array([[row[name] for name in SIGNALS] for _, row in told])
    gated = np.array(
        [bool(b.get("unexplained_restrictive") or b.get("unused_trigger")) for b, _ in told]
    )
    plain = np.array([b.get("unexplained_plain", 0.0) for b, _ in told])
    sets, folds = np.array([e.set for e in found]), np.array([e.fold for e in found])
    return Judged(rows, np.array(right), gated, plain, sets, folds)


def fit_confidence(
    crossed: Sequence[Example],
    scores: Sequence[np.ndarray],
    unseen: Sequence[Example],
    unseen_scores: Sequence[np.ndarray],
) -> dict[str, float]:
    """The weights of the confidence, by signal."""
    known, new = judge(crossed, scores), judge(unseen, unseen_scores)
    guess = np.zeros(len(known.right))
    for fold in sorted(set(known.folds.tolist())):
        here = known.folds == fold
        guess[here] = _sure(_logistic(known, ~here), known, here)
    _tell("confidence, out of fold", known, guess)
    everywhere = np.ones(len(known.right), bool)
    model = _logistic(known, everywhere)
    if len(new.right):
        _tell("confidence, fold kept out", new, _sure(model, new, np.ones(len(new.right), bool)))
    return {name: round(float(w), 4) for name, w in zip(SIGNALS, model.coef_[0], strict=True)}


def _logistic(known: Judged, use: np.ndarray) -> LogisticRegression:
    use = use & ~known.gated
    weight = _balance(known.sets[use].tolist())
    model = LogisticRegression(fit_intercept=False, C=1.0, max_iter=3000)
    return model.fit(known.signals[use], known.right[use], weight)


def _sure(model: LogisticRegression, known: Judged, use: np.ndarray) -> np.ndarray:
    sure = model.predict_proba(known.signals[use])[:, 1]
    return sure * ~known.gated[use] * LEFT_OUT ** known.plain[use]


def _tell(title: str, known: Judged, guess: np.ndarray) -> None:
    print(title)
    for name in [*sorted(set(known.sets.tolist())), "all"]:
        here = known.sets == name if name != "all" else np.ones(len(guess), bool)
        points = []
        for threshold in (0.4, 0.5, 0.6, 0.7, 0.8):
            given = here & (guess >= threshold)
            share = given.sum() / max(1, here.sum())
            precision = known.right[given].mean() if given.any() else 0.0
            points.append(f"{threshold}: {precision:.1%} of {share:.1%}")
        print(f"  {name} ({here.sum()}): " + ", ".join(points))
    print("  calibration: " + ", ".join(_calibration(guess, known.right)), flush=True)


def _calibration(guess: np.ndarray, right: np.ndarray) -> list[str]:
    told = []
    for low in (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9):
        here = (guess >= low) & (guess < low + 0.1)
        if here.any():
            told.append(f"{guess[here].mean():.2f} is {right[here].mean():.2f} ({here.sum()})")
    return told


def report(
    title: str, found: Sequence[Example], scores: Sequence[np.ndarray] | None = None
) -> None:
    """Right by set when always answering, and how many could be."""
    print(title)
    for name in sorted({example.set for example in found}):
        here = [i for i, example in enumerate(found) if example.set == name]
        first = [0 if scores is None else int(np.argmax(scores[i])) for i in here]
        right = np.mean([found[i].right[at] for i, at in zip(here, first, strict=True)])
        oracle = np.mean([found[i].reachable for i in here])
        print(f"  {name} ({len(here)}): {right:.1%} of {oracle:.1%}")
