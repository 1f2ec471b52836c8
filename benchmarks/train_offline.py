"""Trains the offline writer's ranker on development sets and writes its weights.

    python -m benchmarks.train_offline FOLDER_OF_SETS --keep FOLDER

A log-linear model makes the trees that give the gold answer likely, from weights of zero, with an
L2 penalty. The confidence in the first reading is then learnt from models that never saw the
question's fold of tables. Questions over one fold are not learnt from at all, and are what is
reported.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import optimize, sparse

from benchmarks.offline_candidates import Seen, collect
from benchmarks.offline_judging import (
    Example,
    Scored,
    examples,
    fit_confidence,
    report,
    report_folds,
)
from sql_engine.offline.ranker import Weights

PACKAGE = Path("sql_engine/offline")
FAMILIES = ("linear", "words", "names", "confidence")
AT_MOST = {"unexplained_restrictive": -3.5, "unused_trigger": -4.0, "count_untold": -5.0}
AT_MOST |= {"unexplained_plain": -3.5, "count_of_time": -3.0}
AT_MOST |= {"repeated_top": -5.0, "empty": -1.0}
"""What no amount of data may unlearn: readings that drop a restriction are no readings."""
AT_LEAST = {"table_accounts": 3.0, "asks_who_gives_person": 1.5}
"""What published sets hardly teach: they ask of the one right table, and name people "name"."""
WHY_HELD = (
    "readings that drop a restriction are none; published sets hardly teach which of several "
)
WHY_HELD += "tables is meant, or that a column of customers says who"
STEPS = 60
LIGHTEST = 0.02
"""A weight of words of less than this is left out of the file."""
PENALTY, LEXICAL_PENALTY = 2.0, 2.0
EVERYDAY_WEIGHT = 4.0
"""How much a made question counts: users ask more like these."""
MIN_QUESTIONS = 12
MIN_TABLES = 8
"""A word, or a pair of words, in fewer questions or tables than these is no feature."""
DEFAULT_SETS = "wtq:5000,wikisql:500,spider,geography,hitab:500,tablebench,hctqa:500,"
DEFAULT_SETS += "near_misses:400,everyday:5000,strangers:2500"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--sets", default=DEFAULT_SETS)
    parser.add_argument("--beam", type=Path, help="weights whose first trees are learnt from")
    parser.add_argument("--out", type=Path, default=PACKAGE, help="folder of the files")
    parser.add_argument("--fold", type=int, default=0, help="the fold that is not learnt from")
    parser.add_argument("--penalty", type=float, default=PENALTY)
    parser.add_argument("--lexical-penalty", type=float, default=LEXICAL_PENALTY)
    parser.add_argument("--keep", type=Path, required=True, help="folder of computed trees")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    started = time.time()
    seen = collect(options.root, options.sets, options.keep, options.jobs, options.beam)
    print(f"{len(seen)} questions read in {time.time() - started:.0f} s", flush=True)
    penalties = {"linear": options.penalty, "words": options.lexical_penalty}
    penalties["names"] = options.lexical_penalty
    weights, crossed, unseen = fit(seen, options.fold, penalties)
    provenance: dict[str, object] = {
        "command": "python -m benchmarks.train_offline DIR --keep FOLDER",
        "sets": options.sets,
        "fold kept out": options.fold,
        "begun from": "zero; the weights before chose which trees of a question are computed",
        "penalty": options.penalty,
        "penalty of words": options.lexical_penalty,
        "questions": len(seen),
        "held at least": AT_LEAST,
        "held at most": AT_MOST,
        "why held": WHY_HELD,
        "confidence": "of first readings by models that never saw the question's fold of tables",
    }
    weights = replace(weights, confidence=fit_confidence(crossed, unseen))
    options.out.mkdir(parents=True, exist_ok=True)
    write_weights(weights, provenance, options.out / "weights.json")


def fit(
    seen: list[Seen], fold: int, penalties: Mapping[str, float]
) -> tuple[Weights, list[Example], list[Example]]:
    """The log-linear model of all folds but one; the readings of what is learnt from, each by a
    model that never saw its fold; those of the fold that is kept out.
    """
    data = Data(seen, Vocabulary([item for item in seen if item.fold != fold and _teaches(item)]))
    print(f"{data.matrix.shape[0]} trees, {data.matrix.shape[1]} features", flush=True)
    folds = np.array([item.fold for item in seen])
    crossed: list[Example] = []
    for other in sorted(set(folds.tolist()) - {fold}):
        model = data.fit((folds != fold) & (folds != other), penalties)
        crossed += examples(data.scored(model, folds == other))
    report("each fold by a model of the others", crossed)
    whole = data.fit(folds != fold, penalties)
    unseen = examples(data.scored(whole, folds == fold))
    report("fold kept out", unseen)
    report_folds([*crossed, *unseen])
    return data.vocabulary.weights(whole), crossed, unseen


def _teaches(item: Seen) -> bool:
    """Whether some of its trees are right, and some are not."""
    return bool(item.right.any() and not item.right.all())


# ---------------------------------------------------------------- the log-linear model


class Vocabulary:
    """The features worth a weight, numbered."""

    def __init__(self, seen: Sequence[Seen]) -> None:
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
        self.numbers = {key: i for i, key in enumerate(kept)}
        self.families = np.array([key[0] for key in kept])

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

    def weights(self, values: np.ndarray) -> Weights:
        """As the package keeps them."""
        linear: dict[str, float] = {}
        words, names = defaultdict(dict), defaultdict(dict)
        for key, number in self.numbers.items():
            value = round(float(values[number]), 3)
            if key[0] == "linear" and value:
                linear[key[1]] = value
            elif key[0] != "linear" and abs(value) >= LIGHTEST:
                (words if key[0] == "words" else names)[key[1]][key[2]] = value
        return Weights(linear, dict(words), dict(names))


def _is_trait(name: str) -> bool:
    """Whether the ranker does not score it: it tells the confidence alone."""
    return name.startswith(("is ", "question ", "table ", "result "))


class Data:
    """The trees of all questions as one sparse matrix."""

    def __init__(self, seen: Sequence[Seen], vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._seen = seen
        rows = [row for item in seen for row in vocabulary.rows(item)]
        bounds = np.cumsum([0, *(len(numbers) for numbers, _ in rows)])
        parts = (np.concatenate([v for _, v in rows]), np.concatenate([n for n, _ in rows]), bounds)
        self.matrix = sparse.csr_matrix(parts, (len(rows), len(vocabulary.numbers)))
        self._starts = np.cumsum([0, *(len(item.right) for item in seen)])

    def fit(self, use: np.ndarray, penalties: Mapping[str, float]) -> np.ndarray:
        """The weights that make the right trees likely, from some of the questions."""
        use = use & np.array([_teaches(item) for item in self._seen])
        items = [item for item, used in zip(self._seen, use, strict=True) if used]
        rows = np.repeat(use, np.diff(self._starts))
        starts = np.cumsum([0, *(len(item.right) for item in items)])
        told = np.array([EVERYDAY_WEIGHT if item.everyday else 1.0 for item in items])
        right = np.concatenate([item.right for item in items])
        penalty = np.array([penalties[family] for family in self.vocabulary.families])
        bounds = [_bound(key) for key in self.vocabulary.numbers]
        begin = np.clip(np.zeros(len(bounds)), *np.array(bounds).T)
        data = (self.matrix[rows], starts, right)
        result = optimize.minimize(
            _loss,
            begin,
            args=(*data, told, begin, penalty),
            jac=True,
            bounds=bounds,
            method="L-BFGS-B",
            options={"maxiter": STEPS},
        )
        first = _accuracy(result.x, *data)
        print(f"  {len(items)} questions, first tree right: {first}", flush=True)
        return np.asarray(result.x)

    def scored(self, model: np.ndarray, use: np.ndarray) -> list[Scored]:
        """Some of the questions with the scores of their trees."""
        families = self.vocabulary.families
        parts = [
            self.matrix @ (model * part) for part in (1.0, families == "words", families == "names")
        ]
        spans = [slice(a, b) for a, b in itertools.pairwise(self._starts)]
        return [
            Scored(item, *(part[span] for part in parts))
            for item, span, used in zip(self._seen, spans, use, strict=True)
            if used
        ]


def _bound(key: tuple[str, ...]) -> tuple[float, float]:
    if key[0] != "linear":
        return -np.inf, np.inf
    return AT_LEAST.get(key[1], -np.inf), AT_MOST.get(key[1], np.inf)


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


def write_weights(weights: Weights, provenance: dict[str, object], out: Path) -> None:
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
