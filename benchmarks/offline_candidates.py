"""The computed trees of development questions, kept on disk so that training starts in seconds.

Takes sets and a folder; gives a `Seen` for each question: every tree's features as compact arrays,
which trees give the gold answer, and which give equal results. A chunk of questions is a file; a
file that is there is not computed again.
"""

from __future__ import annotations

import multiprocessing
import pickle
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.offline import TODAY, kind_of
from benchmarks.offline_sets import Case, cases
from sql_engine.offline.features import places, tags
from sql_engine.offline.question import read_question
from sql_engine.offline.ranker import load
from sql_engine.offline.search import (
    MAX_EVALUATED,
    Computed,
    Search,
    demerit,
    meanings,
    traits,
    without_weaker,
)

MAX_TABLES = 12
CHUNK = 500
"""Questions of a file."""
LEXICAL = ("words_of_operators", "words_of_columns")
"""Features that are scores of the model itself: computed anew by whoever trains."""


@dataclass
class Seen:
    """One question with its computed trees; arrays have an entry a tree unless said."""

    set: str
    case: str
    kind: str
    table: str
    fold: int
    ngrams: tuple[str, ...]
    stems: tuple[str, ...]
    names: tuple[str, ...]
    """The features that any tree of the question has."""
    indices: np.ndarray
    """Into `names`; those of tree i from bounds[i] to bounds[i + 1]."""
    values: np.ndarray
    bounds: np.ndarray
    tags: list[tuple[str, ...]]
    pairs: list[tuple[tuple[str, str], ...]]
    """(place, stem of the column's name)."""
    right: np.ndarray
    groups: np.ndarray
    """Equal for trees with equal results."""
    blanks: np.ndarray

    @property
    def everyday(self) -> bool:
        """Whether it is one of the made questions."""
        return self.set == "everyday"

    def features(self, tree: int) -> dict[str, float]:
        """All features of one tree by name."""
        span = slice(self.bounds[tree], self.bounds[tree + 1])
        pairs = zip(self.indices[span].tolist(), self.values[span].tolist(), strict=True)
        return {self.names[i]: value for i, value in pairs}


def collect(root: Path, sets: str, keep: Path, jobs: int, weights: Path | None) -> list[Seen]:
    """Every question's computed trees, from files where they are kept."""
    keep.mkdir(parents=True, exist_ok=True)
    tasks = []
    for entry in sets.split(","):
        name, _, sample = entry.partition(":")
        count = int(sample) if sample else _count(root, name)
        step = count if name in ("everyday", "near_misses", "strangers") else CHUNK
        tasks += [
            (root, name, start, min(start + step, count), keep, weights)
            for start in range(0, count, step)
        ]
    missing = [task for task in tasks if not _file(task).exists()]
    if missing:
        print(f"computing {len(missing)} of {len(tasks)} chunks", flush=True)
        with multiprocessing.get_context("spawn").Pool(jobs) as pool:
            for done in pool.imap_unordered(_collect_chunk, missing):
                print(f"  {done.name}", flush=True)
    return [seen for task in tasks for seen in pickle.loads(_file(task).read_bytes())]


Task = tuple[Path, str, int, int, Path, Path | None]


def _count(root: Path, name: str) -> int:
    with (root / name / "questions.jsonl").open(encoding="utf-8") as lines:
        return sum(1 for _ in lines)


def _file(task: Task) -> Path:
    return task[4] / f"{task[1]}-{task[2]}-{task[3]}.pickle"


def _collect_chunk(task: Task) -> Path:
    root, name, start, stop, _, weights = task
    found = [seen for case in _chunk(root, name, start, stop) if (seen := see(case, weights))]
    part = _file(task).with_suffix(".part")
    part.write_bytes(pickle.dumps(found, protocol=5))
    part.rename(_file(task))
    return _file(task)


def _chunk(root: Path, name: str, start: int, stop: int) -> Iterator[Case]:
    return cases(root, name, stop, start=start)


def see(case: Case, weights: Path | None = None) -> Seen | None:
    """The computed trees of one question; None where there are none."""
    if not 0 < len(case.tables) <= MAX_TABLES:
        return None
    search = Search(read_question(case.question, TODAY), case.tables, load(weights))
    computed = without_weaker(search.computed(MAX_EVALUATED))
    if not computed:
        return None
    about = search.features_of(computed[0].proposal.relation)
    names: dict[str, int] = {}
    indices: list[int] = []
    values: list[float] = []
    bounds = [0]
    for item in computed:
        told = traits(item, search.features_of(item.proposal.relation))
        for feature, value in told.items():
            if feature not in LEXICAL and value:
                indices.append(names.setdefault(sys.intern(feature), len(names)))
                values.append(value)
        bounds.append(len(indices))
    return Seen(
        case.set,
        case.id,
        kind_of(case),
        case.row["tables"][0],
        case.fold,
        about.ngrams,
        about.stems,
        tuple(names),
        np.array(indices, np.int16),
        np.array(values, np.float32),
        np.array(bounds, np.int32),
        [tags(item.proposal.tree) for item in computed],
        [_pairs(item, search) for item in computed],
        np.array([case.right(item.denotation.rows) for item in computed]),
        meanings(computed),
        np.array([demerit(item) for item in computed]),
    )


def _pairs(item: Computed, search: Search) -> tuple[tuple[str, str], ...]:
    headers = search.features_of(item.proposal.relation).headers
    found = places(item.proposal.tree)
    return tuple((place, stem) for place, col in found for stem in headers[col.index])


__all__ = ["LEXICAL", "Seen", "collect", "see"]
