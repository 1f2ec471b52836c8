"""Two runs of the same cases side by side: what got better, what got worse."""

from __future__ import annotations

from dataclasses import dataclass

from router.evaluation.judge import Outcome, Verdict
from router.evaluation.run import Run
from router.evaluation.summary import figures

_ORDER = {
    Verdict.RIGHT: 4,
    Verdict.PARTIAL: 3,
    Verdict.DECLINED: 2,
    Verdict.UNJUDGED: 1,
    Verdict.FAILED: 1,
    Verdict.WRONG: 0,
}
"""A decline is better than a wrong answer, an error is better than a wrong answer too."""


@dataclass(frozen=True)
class Change:
    """One case whose verdict is another in the second run."""

    before: Outcome
    after: Outcome


@dataclass(frozen=True)
class Comparison:
    """What differs between two runs."""

    figures: dict[str, tuple[float | int | None, float | int | None]]
    """Each figure before and after, over the cases that both runs hold."""
    better: tuple[Change, ...]
    worse: tuple[Change, ...]
    only_before: tuple[str, ...]
    """Ids of cases that the second run lacks."""
    only_after: tuple[str, ...]


def compare(before: Run, after: Run) -> Comparison:
    """Compare two runs over the cases they share, by id and question."""
    first = {(o.id, o.question): o for o in before.outcomes}
    second = {(o.id, o.question): o for o in after.outcomes}
    shared = [key for key in first if key in second]
    old = figures([first[key] for key in shared]).named()
    new = figures([second[key] for key in shared]).named()
    changes = [Change(first[key], second[key]) for key in shared]
    return Comparison(
        figures={name: (old[name], new[name]) for name in old},
        better=tuple(c for c in changes if _rank(c.after) > _rank(c.before)),
        worse=tuple(c for c in changes if _rank(c.after) < _rank(c.before)),
        only_before=tuple(id_ for id_, question in first if (id_, question) not in second),
        only_after=tuple(id_ for id_, question in second if (id_, question) not in first),
    )


def _rank(outcome: Outcome) -> int:
    return _ORDER[outcome.verdict]
