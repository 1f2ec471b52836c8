"""Trains the offline writer's ranker on development sets and writes its weights.

    python -m benchmarks.train_offline FOLDER_OF_SETS [--sets wtq:5000,wikisql:2000] [--out FILE]

Learns from answers alone: of the trees that were computed for a question, those that give the gold
answer are right. Maximises the log of their total probability (hard where there is one), held near
the starting weights by an L2 penalty. Questions over a fifth of the tables (fold 0) are never seen
unless `--all-folds`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import pickle
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import optimize, sparse

from benchmarks.offline import TODAY
from benchmarks.offline_everyday import WORDINGS
from benchmarks.offline_sets import Case, cases
from sql_engine.offline.features import places, tags
from sql_engine.offline.question import read_question
from sql_engine.offline.ranker import Weights, load
from sql_engine.offline.search import Search

FAMILIES = ("linear", "words", "names", "confidence")
EVERYDAY_WEIGHT = 4.0
"""How much a made question counts: published ones outnumber them, users ask more like them."""
LIMIT = 80
"""Trees computed for a question."""
MAX_TABLES = 12
AT_MOST = {"unexplained_restrictive": -3.5, "unused_trigger": -4.0, "count_untold": -5.0}
AT_MOST |= {"unexplained_plain": -2.5, "count_of_time": -3.0}
AT_MOST |= {"repeated_top": -5.0, "empty": -1.0}
"""What no amount of data may unlearn: readings that drop a restriction are no readings."""
MIN_QUESTIONS = 12
MIN_TABLES = 8
"""A word, or a pair of words, in fewer questions or tables than these is no feature."""


@dataclass
class Seen:
    """One question with its computed trees."""

    case: str
    table: str
    fold: int
    ngrams: tuple[str, ...]
    stems: tuple[str, ...]
    linear: list[dict[str, float]]
    tags: list[tuple[str, ...]]
    names: list[tuple[tuple[str, str], ...]]
    """For each tree: (place, stem of the column's name)."""
    right: list[bool]

    @property
    def everyday(self) -> bool:
        """Whether it is one of the made questions."""
        return "-" in self.case and self.case.rpartition("-")[2] in WORDINGS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--sets", default="wtq:5000,wikisql:1500,spider:443")
    parser.add_argument("--start", type=Path, help="starting weights; else the package's")
    parser.add_argument("--out", type=Path, default=Path("sql_engine/offline/weights.json"))
    parser.add_argument("--fold", type=int, default=0, help="the fold that is not learnt from")
    parser.add_argument("--penalty", type=float, default=3.0)
    parser.add_argument("--keep", type=Path, help="keep the computed trees here, or use them")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    started = time.time()
    if options.keep and options.keep.exists():
        seen = pickle.loads(options.keep.read_bytes())
    else:
        seen = collect(options.root, options.sets, options.jobs)
        if options.keep:
            options.keep.write_bytes(pickle.dumps(seen))
    print(f"{len(seen)} questions computed in {time.time() - started:.0f} s", flush=True)
    start = load(options.start)
    weights = train(seen, start, options.fold, options.penalty)
    provenance = {
        "sets": options.sets,
        "fold kept out": options.fold,
        "penalty": options.penalty,
        "questions": len(seen),
    }
    write(weights, provenance, options.out)


# ---------------------------------------------------------------- collecting


def collect(root: Path, sets: str, jobs: int) -> list[Seen]:
    """Every question's computed trees."""
    tasks = []
    for entry in sets.split(","):
        name, _, sample = entry.partition(":")
        tasks += [(root, name, int(sample) if sample else None, part, jobs) for part in range(jobs)]
    if jobs == 1:
        return [item for task in tasks for item in _collect_part(task)]
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        return [item for part in pool.imap(_collect_part, tasks) for item in part]


def _collect_part(task: tuple[Path, str, int | None, int, int]) -> list[Seen]:
    root, name, sample, part, parts = task
    found = []
    for i, case in enumerate(cases(root, name, sample)):
        if i % parts == part and (seen := _see(case)):
            found.append(seen)
    return found


def _see(case: Case) -> Seen | None:
    if not 0 < len(case.tables) <= MAX_TABLES:
        return None
    search = Search(read_question(case.question, TODAY), case.tables)
    computed = search.computed(LIMIT)
    right = [case.right(c.denotation.rows) for c in computed]
    if not any(right) or all(right):
        return None
    about = search.features_of(computed[0].proposal.relation)
    linear, names = [], []
    for item in computed:
        told: dict[str, float] = defaultdict(float)
        for feature, value in item.features:
            told[feature] += value
        linear.append(dict(told))
        headers = search.features_of(item.proposal.relation).headers
        pairs = [(p, h) for p, col in places(item.proposal.tree) for h in headers[col.index]]
        names.append(tuple(pairs))
    return Seen(
        case.id,
        case.row["tables"][0],
        case.fold,
        about.ngrams,
        about.stems,
        linear,
        [tags(item.proposal.tree) for item in computed],
        names,
        right,
    )


# ---------------------------------------------------------------- learning


class Vocabulary:
    """The features worth a weight, numbered."""

    def __init__(self, seen: list[Seen]) -> None:
        grams = Counter(gram for item in seen for gram in item.ngrams)
        self._grams = {gram for gram, count in grams.items() if count >= MIN_QUESTIONS}
        stems = Counter(stem for item in seen for stem in item.stems)
        self._stems = {stem for stem, count in stems.items() if count >= MIN_QUESTIONS}
        tables: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for item in seen:
            for key in self._distinct(item):
                if len(tables[key]) < MIN_TABLES:
                    tables[key].add(item.table)
        kept = sorted(key for key, where in tables.items() if len(where) >= MIN_TABLES)
        self.numbers = {key: i for i, key in enumerate(kept)}

    def _distinct(self, item: Seen) -> set[tuple[str, ...]]:
        return {key for i in range(len(item.right)) for key, _ in self.keys(item, i)}

    def keys(self, item: Seen, i: int) -> Iterator[tuple[tuple[str, ...], float]]:
        """The features of one tree: plain, word with operator, word with column name."""
        for name, value in item.linear[i].items():
            yield ("linear", name), value
        for tag in item.tags[i]:
            for gram in item.ngrams:
                if gram in self._grams:
                    yield ("words", tag, gram), 1.0
        for place, header in item.names[i]:
            for stem in item.stems:
                if stem in self._stems:
                    yield ("names", place, f"{stem}~{header}"), 1.0


def train(seen: list[Seen], start: Weights, fold: int, penalty: float) -> Weights:
    """The weights that make the right trees likely."""
    learnt = [item for item in seen if item.fold != fold]
    vocabulary = Vocabulary(learnt)
    initial = _initial(vocabulary, start)
    data = _matrix(learnt, vocabulary)
    print(f"{len(learnt)} questions, {data[0].shape[0]} trees, {len(initial)} features", flush=True)
    limits = {("linear", name): limit for name, limit in AT_MOST.items()}
    bounds = [(None, limits.get(key)) for key in vocabulary.numbers]
    initial = np.minimum(initial, [np.inf if b[1] is None else b[1] for b in bounds])
    told = np.array([EVERYDAY_WEIGHT if item.everyday else 1.0 for item in learnt])
    result = optimize.minimize(
        _loss,
        initial,
        args=(*data, told, initial, penalty),
        jac=True,
        bounds=bounds,
        method="L-BFGS-B",
        options={"maxiter": 120},
    )
    print("training questions right:", _accuracy(result.x, *data))
    kept_out = [item for item in seen if item.fold == fold]
    if kept_out:
        matrix = _matrix(kept_out, vocabulary)
        print(
            "kept-out questions right:",
            _accuracy(initial, *matrix),
            "->",
            _accuracy(result.x, *matrix),
        )
    return _weights(vocabulary, result.x, start)


def _initial(vocabulary: Vocabulary, start: Weights) -> np.ndarray:
    initial = np.zeros(len(vocabulary.numbers))
    for key, number in vocabulary.numbers.items():
        if key[0] == "linear":
            initial[number] = start.linear.get(key[1], 0.0)
    return initial


def _matrix(seen: list[Seen], vocabulary: Vocabulary):
    indices, values, bounds, starts, right = [], [], [0], [0], []
    numbers = vocabulary.numbers
    for item in seen:
        for i in range(len(item.right)):
            for key, value in vocabulary.keys(item, i):
                number = numbers.get(key)
                if number is not None:
                    indices.append(number)
                    values.append(value)
            bounds.append(len(indices))
        right += item.right
        starts.append(len(right))
    shape = (len(right), len(numbers))
    matrix = sparse.csr_matrix(
        (np.array(values, np.float32), np.array(indices, np.int32), np.array(bounds)), shape
    )
    return matrix, np.array(starts), np.array(right)


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
    loss = -(told * np.log(good / whole)).sum() + penalty * (away @ away) / 2
    gradient = matrix.T @ (expected - wanted) + penalty * away
    return loss / count, gradient / count


def _accuracy(weights, matrix, starts, right) -> float:
    scores = matrix @ weights
    hits = [right[a + int(np.argmax(scores[a:b]))] for a, b in itertools.pairwise(starts)]
    return round(float(np.mean(hits)), 4)


def _weights(vocabulary: Vocabulary, values: np.ndarray, start: Weights) -> Weights:
    linear, words, names = dict(start.linear), defaultdict(dict), defaultdict(dict)
    for key, number in vocabulary.numbers.items():
        value = round(float(values[number]), 3)
        if key[0] == "linear":
            linear[key[1]] = value
        elif abs(value) >= 0.02:
            (words if key[0] == "words" else names)[key[1]][key[2]] = value
    return Weights(linear, dict(words), dict(names), start.confidence)


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
