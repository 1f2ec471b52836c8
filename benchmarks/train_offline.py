"""Trains the offline writer's ranker on development sets and writes its weights.

    python -m benchmarks.train_offline FOLDER_OF_SETS --keep FOLDER [--sets wtq:5000,wikisql:2000]

A log-linear model makes the trees that give the gold answer likely (hard where there is one): an
L2 penalty holds it near the starting weights, firmly where these know a feature, loosely where it
is new. A logistic model says how likely the first reading is right, learnt from models that never
saw the question's table; `--keep-confidence` leaves it as it was. Questions over one fold of the
tables are not learnt from at all, and are what is reported.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy import optimize, sparse

from benchmarks.offline_candidates import Seen, collect
from benchmarks.offline_judging import (
    EVERYDAY_WEIGHT,
    Example,
    examples,
    fit_confidence,
    half_of,
    report,
)
from sql_engine.offline.ranker import Weights, load

PACKAGE = Path("sql_engine/offline")
FAMILIES = ("linear", "words", "names", "confidence")
AT_MOST = {"unexplained_restrictive": -3.5, "unused_trigger": -4.0, "count_untold": -5.0}
AT_MOST |= {"unexplained_plain": -3.5, "count_of_time": -3.0}
AT_MOST |= {"repeated_top": -5.0, "empty": -1.0}
"""What no amount of data may unlearn: readings that drop a restriction are no readings."""
AT_LEAST = {"table_accounts": 3.0, "asks_who_gives_person": 1.5}
"""What published sets hardly teach: they ask of the one right table, and name people "name"."""
STEPS = 60
MIN_QUESTIONS = 12
MIN_TABLES = 8
"""A word, or a pair of words, in fewer questions or tables than these is no feature."""
DEFAULT_SETS = "wtq:3000,wikisql:500,spider,geography,hitab:500,tablebench,hctqa:500,"
DEFAULT_SETS += "near_misses:400,everyday:2400"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--sets", default=DEFAULT_SETS)
    parser.add_argument("--start", type=Path, help="starting weights; else the package's")
    parser.add_argument("--out", type=Path, default=PACKAGE, help="folder of the file")
    parser.add_argument("--fold", type=int, default=0, help="the fold that is not learnt from")
    parser.add_argument("--penalty", type=float, default=2.0)
    parser.add_argument("--firmly", type=float, default=1e8, help="penalty of known features")
    parser.add_argument("--only", default="", help="endings of the new features that are learnt")
    parser.add_argument("--keep-confidence", action="store_true", help="fit the ranker alone")
    parser.add_argument("--keep", type=Path, required=True, help="folder of computed trees")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    started = time.time()
    seen = collect(options.root, options.sets, options.keep, options.jobs, options.start)
    print(f"{len(seen)} questions read in {time.time() - started:.0f} s", flush=True)
    start = load(options.start)
    penalties = Penalties(options.penalty, options.firmly, tuple(options.only.split(",")))
    weights, crossed, unseen = fit(seen, start, options.fold, penalties)
    sure = fit_confidence(crossed, unseen)
    if not options.keep_confidence:
        weights = replace(weights, confidence=sure)
    provenance = {
        "command": "python -m benchmarks.train_offline DIR --keep FOLDER"
        + f" --only {options.only}" * bool(options.only)
        + " --keep-confidence" * options.keep_confidence,
        "sets": options.sets,
        "fold kept out": options.fold,
        "begun from": "earlier weights, learnt from spider, geography:130, everyday:900, wtq:4000, "
        "wikisql:450 and hitab:350, some of them set by hand",
        "penalty": options.penalty,
        "penalty of features known before": options.firmly,
        "questions": len(seen),
        "held at least": AT_LEAST,
        "held at most": AT_MOST,
        "why held": "readings that drop a restriction are none; published sets hardly teach which "
        "of several tables is meant, or that a column of customers says who",
    }
    options.out.mkdir(parents=True, exist_ok=True)
    write(weights, provenance, options.out / "weights.json")


@dataclass(frozen=True)
class Penalties:
    """How strongly weights are held where they began."""

    new: float
    """Of features that the starting weights do not have; these begin at 0."""
    known: float
    only: tuple[str, ...] = ("",)
    """Endings of the new features that are learnt; the others stay at 0."""


def fit(
    seen: list[Seen], start: Weights, fold: int, penalties: Penalties
) -> tuple[Weights, list[Example], list[Example]]:
    """The log-linear model of all folds but one; the readings of what is learnt from, by models of
    the other half of the folds; those of the fold that is kept out.
    """
    learnt = [item for item in seen if item.fold != fold]
    crossed: list[Example] = []
    for half in (0, 1):
        model = fit_linear([i for i in learnt if half_of(i.fold) != half], start, penalties)
        crossed += examples([i for i in learnt if half_of(i.fold) == half], model)
    whole = fit_linear(learnt, start, penalties)
    unseen = examples([item for item in seen if item.fold == fold], whole)
    report("fold kept out", unseen)
    return whole.weights(start), crossed, unseen


# ---------------------------------------------------------------- the log-linear model


class Vocabulary:
    """The features worth a weight, numbered."""

    def __init__(self, seen: Sequence[Seen], start: Weights) -> None:
        grams = Counter(gram for item in seen for gram in item.ngrams)
        self.grams = {gram for gram, count in grams.items() if count >= MIN_QUESTIONS}
        stems = Counter(stem for item in seen for stem in item.stems)
        self.stems = {stem for stem, count in stems.items() if count >= MIN_QUESTIONS}
        tables: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for item in seen:
            for key in self._distinct(item):
                if len(tables[key]) < MIN_TABLES:
                    tables[key].add(item.table)
        kept = sorted(key for key, where in tables.items() if len(where) >= MIN_TABLES)
        known = {("linear", name) for name in start.linear}
        for family in ("words", "names"):
            for first, weights in getattr(start, family).items():
                known |= {(family, first, second) for second in weights}
        self.grams |= {key[2] for key in known if key[0] == "words"}
        self.numbers = {key: i for i, key in enumerate(sorted(known | set(kept)))}

    def _distinct(self, item: Seen) -> Iterator[tuple[str, ...]]:
        yield from (("linear", name) for name in item.names if not _is_trait(name))
        for tag in {tag for tags in item.tags for tag in tags}:
            yield from (("words", tag, gram) for gram in item.ngrams if gram in self.grams)
        for place, header in {pair for pairs in item.pairs for pair in pairs}:
            for stem in item.stems:
                if stem in self.stems:
                    yield "names", place, f"{stem}~{header}"

    def rows(self, item: Seen) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """For each tree, the numbers of its features and their values."""
        linear = np.array([self.numbers.get(("linear", name), -1) for name in item.names], np.int32)
        tags = {tag: self._words(item, tag) for tags in item.tags for tag in tags}
        pairs = {pair: self._names(item, pair) for pairs in item.pairs for pair in pairs}
        for tree in range(len(item.right)):
            span = slice(item.bounds[tree], item.bounds[tree + 1])
            plain = linear[item.indices[span]]
            known = plain >= 0
            others = [*(tags[t] for t in item.tags[tree]), *(pairs[p] for p in item.pairs[tree])]
            ones = np.concatenate([plain[:0], *others])
            numbers = np.concatenate([plain[known], ones])
            yield (
                numbers,
                np.concatenate([item.values[span][known], np.ones(len(ones), np.float32)]),
            )

    def _words(self, item: Seen, tag: str) -> np.ndarray:
        keys = (("words", tag, gram) for gram in item.ngrams)
        return np.array([n for key in keys if (n := self.numbers.get(key)) is not None], np.int32)

    def _names(self, item: Seen, pair: tuple[str, str]) -> np.ndarray:
        keys = (("names", pair[0], f"{stem}~{pair[1]}") for stem in item.stems)
        return np.array([n for key in keys if (n := self.numbers.get(key)) is not None], np.int32)


def _is_trait(name: str) -> bool:
    """Whether the ranker does not score it: it tells the confidence alone."""
    return name.startswith(("is ", "question ", "table ", "result "))


@dataclass(frozen=True)
class Linear:
    """A fitted log-linear model."""

    vocabulary: Vocabulary
    values: np.ndarray

    def scores(self, item: Seen) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For each tree, the whole score, and what the families of words and of names give."""
        whole, words, names = [], [], []
        families = self._families
        for numbers, values in self.vocabulary.rows(item):
            each = self.values[numbers] * values
            whole.append(each.sum())
            words.append(each[families[numbers] == 1].sum())
            names.append(each[families[numbers] == 2].sum())
        return np.array(whole), np.array(words), np.array(names)

    @property
    def _families(self) -> np.ndarray:
        order = {"linear": 0, "words": 1, "names": 2}
        return np.array([order[key[0]] for key in self.vocabulary.numbers], np.int8)

    def weights(self, start: Weights) -> Weights:
        """As the package keeps them."""
        linear: dict[str, float] = {}
        words, names = defaultdict(dict), defaultdict(dict)
        for key, number in self.vocabulary.numbers.items():
            value = round(float(self.values[number]), 3)
            if key[0] == "linear" and value:
                linear[key[1]] = value
            elif key[0] != "linear" and abs(value) >= 0.02:
                (words if key[0] == "words" else names)[key[1]][key[2]] = value
        for name, least in AT_LEAST.items():
            linear[name] = max(linear.get(name, least), least)
        return Weights(linear, dict(words), dict(names), start.confidence)


def fit_linear(seen: Sequence[Seen], start: Weights, penalties: Penalties) -> Linear:
    """The weights that make the right trees likely."""
    useful = [item for item in seen if item.right.any() and not item.right.all()]
    vocabulary = Vocabulary(useful, start)
    initial = np.zeros(len(vocabulary.numbers))
    penalty = np.full(len(initial), penalties.new)
    for key, number in vocabulary.numbers.items():
        known = start.linear if key[0] == "linear" else getattr(start, key[0]).get(key[1], {})
        if key[-1] in known:
            initial[number], penalty[number] = known[key[-1]], penalties.known
        elif key[0] != "linear" or not key[1].endswith(penalties.only):
            penalty[number] = penalties.known
    data = _matrix(useful, vocabulary)
    print(f"{len(useful)} questions, {data[0].shape[0]} trees, {len(initial)} features", flush=True)
    bounds = [_bound(key) for key in vocabulary.numbers]
    low = np.array([-np.inf if b[0] is None else b[0] for b in bounds])
    high = np.array([np.inf if b[1] is None else b[1] for b in bounds])
    initial = np.clip(initial, low, high)
    told = np.array([EVERYDAY_WEIGHT if item.everyday else 1.0 for item in useful])
    result = optimize.minimize(
        _loss,
        initial,
        args=(*data, told, initial, penalty),
        jac=True,
        bounds=bounds,
        method="L-BFGS-B",
        options={"maxiter": STEPS},
    )
    print("  first tree right:", _accuracy(initial, *data), "->", _accuracy(result.x, *data))
    return Linear(vocabulary, result.x)


def _bound(key: tuple[str, ...]) -> tuple[float | None, float | None]:
    return (AT_LEAST.get(key[1]), AT_MOST.get(key[1])) if key[0] == "linear" else (None, None)


def _matrix(seen: Sequence[Seen], vocabulary: Vocabulary):
    indices, values, bounds, starts, right = [], [], [0], [0], []
    total = 0
    for item in seen:
        for numbers, each in vocabulary.rows(item):
            indices.append(numbers)
            values.append(each)
            total += len(numbers)
            bounds.append(total)
        right.append(item.right)
        starts.append(starts[-1] + len(item.right))
    shape = (starts[-1], len(vocabulary.numbers))
    data = (np.concatenate(values), np.concatenate(indices), np.array(bounds))
    return sparse.csr_matrix(data, shape), np.array(starts), np.concatenate(right)


def _loss(weights, matrix, starts, right, told, initial, penalty):
    scores = matrix @ weights
    sizes = np.diff(starts)
    top = np.repeat(np.maximum.reduceat(scores, starts[:-1]), sizes)
    mass = np.exp(scores - top)
    whole = np.add.reduceat(mass, starts[:-1])
    good = np.maximum(np.add.reduceat(mass * right, starts[:-1]), 1e-12)
    count = len(sizes)
    expected = mass / np.repeat(whole / told, sizes)
    wanted = mass * right / np.repeat(good / told, sizes)
    away = weights - initial
    loss = -(told * np.log(good / whole)).sum() + penalty @ away**2 / 2
    gradient = matrix.T @ (expected - wanted) + penalty * away
    return loss / count, gradient / count


def _accuracy(weights, matrix, starts, right) -> float:
    scores = matrix @ weights
    hits = [right[a + int(np.argmax(scores[a:b]))] for a, b in itertools.pairwise(starts)]
    return round(float(np.mean(hits)), 4)


# ---------------------------------------------------------------- writing


def write(weights: Weights, provenance: dict[str, object], out: Path) -> None:
    """One line a family, so that a difference can be read."""
    lines = ["{", f' "provenance": {json.dumps(provenance)},']
    for family in FAMILIES:
        table = getattr(weights, family)
        lines.append(f' "{family}": {{')
        rows = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(table.items())]
        lines.append(",\n".join(rows))
        lines.append(" }" + ("," if family != FAMILIES[-1] else ""))
    out.write_text("\n".join([*lines, "}"]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
