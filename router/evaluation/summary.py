"""The figures of a run: accuracy, routing, retrieval, coverage, latency; whole and per segment.

Takes outcomes, gives a `Summary` of plain numbers. A figure whose cases are none is None, never 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields

from router.answer import Route
from router.evaluation.judge import Outcome, Verdict

CUTS = (1, 3, 10)
"""Numbers of hits at which retrieval is measured."""


@dataclass(frozen=True)
class Figures:
    """What a set of outcomes comes to; shares are 0 to 1."""

    cases: int
    right: int
    partial: int
    """The right row shown, and no cell of it chosen."""
    wrong: int
    declined: int
    """Not answered though the data holds the answer."""
    failed: int
    accuracy: float | None
    """Right over judged cases."""
    precision: float | None
    """Right over answers given."""
    coverage: float | None
    """Answers given over cases that have an answer."""
    routing: float | None
    """Admissible routes over cases that tell one."""
    execution: float | None
    """Right over cases whose gold is a result."""
    declined_right: float | None
    """Declined over unanswerable cases."""
    recall: tuple[float | None, ...]
    """Gold row among the first k hits, for each of `CUTS`."""
    strict: tuple[float | None, ...]
    """A hit with row name, header and value among the first k, for each of `CUTS`."""
    mrr: float | None
    """Mean of 1 / place of the gold row."""
    p50_ms: float | None
    p95_ms: float | None
    calls: int
    """Calls of a language model."""
    tokens: int

    def named(self) -> dict[str, float | int | None]:
        """Every figure under the name that `--min` takes."""
        names = [f.name for f in fields(self) if f.name not in ("recall", "strict")]
        plain = {name: getattr(self, name) for name in names}
        recall = {f"recall@{k}": value for k, value in zip(CUTS, self.recall, strict=True)}
        strict = {f"strict@{k}": value for k, value in zip(CUTS, self.strict, strict=True)}
        return {**plain, **recall, **strict}


@dataclass(frozen=True)
class Summary:
    """A run's figures."""

    all: Figures
    segments: dict[str, Figures]
    """By `route=…`, `table=…`, `tag=…`."""
    confusion: dict[str, dict[str, int]]
    """Gold route, then route taken, to the number of cases."""
    curve: tuple[tuple[float, float], ...]
    """(coverage, precision) as answers of lower confidence are let in."""


def summarise(outcomes: Sequence[Outcome]) -> Summary:
    """The figures of a run's outcomes."""
    return Summary(
        all=figures(outcomes),
        segments=_segments(outcomes),
        confusion=_confusion(outcomes),
        curve=_curve(outcomes),
    )


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """The figures of one set of outcomes."""
    judged = [o for o in outcomes if o.verdict is not Verdict.UNJUDGED]
    verdicts = Counter(o.verdict for o in judged)
    answered = [o for o in judged if o.answered]
    answerable = [o for o in judged if not o.unanswerable]
    looked_up = [o for o in outcomes if o.looked_up]
    times = sorted(o.elapsed_ms for o in outcomes if o.verdict is not Verdict.FAILED)
    return Figures(
        cases=len(outcomes),
        right=verdicts[Verdict.RIGHT],
        partial=verdicts[Verdict.PARTIAL],
        wrong=verdicts[Verdict.WRONG],
        declined=verdicts[Verdict.DECLINED],
        failed=verdicts[Verdict.FAILED],
        accuracy=_share(judged, _is_right),
        precision=_share(answered, _is_right),
        coverage=_share(answerable, lambda o: o.answered),
        routing=_share([o for o in outcomes if o.gold_routes], Outcome.routed_right),
        execution=_share([o for o in judged if o.computed], _is_right),
        declined_right=_share(
            [o for o in judged if o.unanswerable], lambda o: o.route == Route.DECLINED
        ),
        recall=tuple(_share(looked_up, _within(k, lambda o: o.rank)) for k in CUTS),
        strict=tuple(_share(looked_up, _within(k, lambda o: o.strict_rank)) for k in CUTS),
        mrr=_mean([1 / o.rank if o.rank else 0.0 for o in looked_up]),
        p50_ms=_quantile(times, 0.5),
        p95_ms=_quantile(times, 0.95),
        calls=sum(o.calls for o in outcomes),
        tokens=sum(o.tokens for o in outcomes),
    )


def _is_right(outcome: Outcome) -> bool:
    return outcome.verdict is Verdict.RIGHT


def _within(k: int, place: Callable[[Outcome], int | None]) -> Callable[[Outcome], bool]:
    return lambda outcome: (found := place(outcome)) is not None and found <= k


def _share(outcomes: Sequence[Outcome], holds: Callable[[Outcome], bool]) -> float | None:
    return _mean([float(holds(outcome)) for outcome in outcomes])


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def _segments(outcomes: Iterable[Outcome]) -> dict[str, Figures]:
    members: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        names = [f"route={route}" for route in outcome.gold_routes]
        names += [f"table={outcome.table}"] if outcome.table else []
        names += [f"tag={tag}" for tag in outcome.tags]
        for name in names:
            members.setdefault(name, []).append(outcome)
    return {name: figures(members[name]) for name in sorted(members)}


def _confusion(outcomes: Iterable[Outcome]) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for outcome in outcomes:
        if outcome.gold_routes:
            gold = outcome.route if outcome.routed_right() else outcome.gold_routes[0]
            row = table.setdefault(gold, {})
            row[outcome.route or "failed"] = row.get(outcome.route or "failed", 0) + 1
    return table


def _curve(outcomes: Sequence[Outcome]) -> tuple[tuple[float, float], ...]:
    """Ten points at most: precision among the most confident share of the answerable cases."""
    answered = sorted((o for o in outcomes if o.answered), key=lambda o: -o.confidence)
    whole = sum(not o.unanswerable for o in outcomes)
    if not answered or not whole:
        return ()
    sizes = sorted({max(1, round(len(answered) * tenth / 10)) for tenth in range(1, 11)})
    points = []
    for size in sizes:
        right = sum(_is_right(o) for o in answered[:size])
        points.append((round(size / whole, 4), round(right / size, 4)))
    return tuple(points)
