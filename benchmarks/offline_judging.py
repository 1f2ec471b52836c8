"""Fits how far the first reading of the log-linear model can be trusted.

Takes questions with their computed trees and a log-linear model that never saw their tables; gives
the weights of the confidence. Needs scikit-learn, which the package does without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.offline_candidates import LEXICAL, Seen
from sql_engine.offline.confidence import LEFT_OUT, SIGNALS, signals
from sql_engine.offline.standing import standing

MIN_FOLD = 60
"""Questions of a fold whose share says something."""
HEAVIEST = 3.0
"""How much more than their number the questions of a small set may count."""
EVERYDAY_WEIGHT = 10.0
"""How much a made question counts: published ones outnumber them, users ask more like them."""


@dataclass(frozen=True)
class Scored:
    """A question with what a log-linear model gives each of its trees."""

    item: Seen
    whole: np.ndarray
    words: np.ndarray
    """What the words say for the operators alone."""
    names: np.ndarray
    """What they say for the columns."""


@dataclass(frozen=True)
class Example:
    """The likeliest reading of one question."""

    set: str
    kind: str
    fold: int
    told: dict[str, float]
    right: bool
    share: np.ndarray
    """Of each reading, the likeliest first."""
    reachable: bool
    """Whether any computed tree is right."""


def examples(found: Sequence[Scored]) -> list[Example]:
    """The likeliest readings of questions."""
    return [_example(scored) for scored in found]


def _example(scored: Scored) -> Example:
    item = scored.item
    place = standing(scored.whole, item.groups, item.blanks)
    best = place.best[0]
    lexical = (float(scored.words[best]), float(scored.names[best]))
    told = {
        **item.features(best),
        **dict(zip(LEXICAL, lexical, strict=True)),
        **place.features[0],
    }
    right, reachable = bool(item.right[best]), bool(item.right.any())
    return Example(item.set, item.kind, item.fold, told, right, place.share, reachable)


def _balance(sets: list[str]) -> np.ndarray:
    """Every set weighs the same, up to a factor of three."""
    counts = {name: sets.count(name) for name in set(sets)}
    weights = {name: min(HEAVIEST, max(counts.values()) / count) for name, count in counts.items()}
    weights["everyday"] = EVERYDAY_WEIGHT
    return np.array([weights[name] for name in sets])


# ---------------------------------------------------------------- confidence


@dataclass(frozen=True)
class Judged:
    """The first reading of each example."""

    signals: np.ndarray
    right: np.ndarray
    gated: np.ndarray
    plain: np.ndarray
    sets: np.ndarray
    folds: np.ndarray


def judge(found: Sequence[Example]) -> Judged:
    """What is known of the first readings."""
    told = [(e.told, signals(e.told, e.share.tolist())) for e in found]
    right = [example.right for example in found]
    rows = np.array([[row[name] for name in SIGNALS] for _, row in told])
    gated = np.array(
        [bool(b.get("unexplained_restrictive") or b.get("unused_trigger")) for b, _ in told]
    )
    plain = np.array([b.get("unexplained_plain", 0.0) for b, _ in told])
    sets, folds = np.array([e.set for e in found]), np.array([e.fold for e in found])
    return Judged(rows, np.array(right), gated, plain, sets, folds)


def fit_confidence(crossed: Sequence[Example], unseen: Sequence[Example]) -> dict[str, float]:
    """The weights of the confidence, by signal."""
    known, new = judge(crossed), judge(unseen)
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


def report_folds(found: Sequence[Example]) -> None:
    """Right by fold of the tables, of the sets that fill all folds."""
    for name in sorted({example.set for example in found}):
        here = [example for example in found if example.set == name]
        folds = [[e.right for e in here if e.fold == fold] for fold in range(5)]
        if min(map(len, folds)) >= MIN_FOLD:
            print(f"  {name} by fold: " + ", ".join(f"{np.mean(fold):.1%}" for fold in folds))


def report(title: str, found: Sequence[Example]) -> None:
    """Right by set when always answering, and how many could be."""
    print(title)
    for name in sorted({example.set for example in found}):
        here = [example for example in found if example.set == name]
        right = np.mean([example.right for example in here])
        oracle = np.mean([example.reachable for example in here])
        print(f"  {name} ({len(here)}): {right:.1%} of {oracle:.1%}")
