"""Measures the offline writer on development sets: right, wrong, declined, and the whole curve.

python -m benchmarks.offline FOLDER_OF_SETS [--sets wtq,wikisql] [--sample 500] [--errors OUT]
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import time
from pathlib import Path

from benchmarks.offline_sets import Case, cases
from retrieval import vectors
from sql_engine.errors import CannotWrite
from sql_engine.offline.confidence import confidence
from sql_engine.offline.question import Question, read_question
from sql_engine.offline.ranker import Weights, load
from sql_engine.offline.reading import reading
from sql_engine.offline.search import Reading, Search, with_whole_rows
from sql_engine.offline.writer import DEFAULT_MIN_CONFIDENCE, settled

SETS = "everyday,strangers,wikisql,near_misses,wtq,spider,spider_syn,geography,hitab,aitqa,"
SETS += "tablebench,hctqa,defog_idk"
TODAY = dt.date(2024, 6, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--errors", type=Path, help="write one line a question here")
    parser.add_argument("--weights", type=Path, help="other weights than the package's")
    parser.add_argument("--plain", action="store_true", help="as without the dense extra")
    parser.add_argument("--fold", type=int, help="only questions over tables of this fold")
    options = parser.parse_args()
    weights = load(options.weights)
    if options.plain:
        vectors.available = lambda: False
    log = options.errors.open("w", encoding="utf-8") if options.errors else None
    for name in options.sets.split(","):
        outcomes = []
        for case in cases(options.root, name, options.sample, options.seed):
            if options.fold is not None and case.fold != options.fold:
                continue
            started = time.perf_counter()
            outcome = measure(case, weights)
            outcome["ms"] = 1000 * (time.perf_counter() - started)
            outcomes.append(outcome)
            if log:
                log.write(json.dumps(outcome, ensure_ascii=False, default=str) + "\n")
        report(name, outcomes)
        for kind in sorted({o["kind"] for o in outcomes} - {""}):
            report(f"  {name} {kind}", [o for o in outcomes if o["kind"] == kind])


def measure(case: Case, weights: Weights) -> dict:
    """What became of one question; always answered where any query can be formed."""
    question = read_question(case.question, TODAY)
    readings = Search(question, case.tables, weights).readings()
    oracle = [i for i, r in enumerate(readings) if case.right(r.denotation.rows)]
    outcome = {
        "set": case.set,
        "id": case.id,
        "fold": case.fold,
        "question": case.question,
        "kind": kind_of(case),
        "gold": case.row["answer"][:5],
        "gold_sql": case.row.get("gold_sql"),
        "right": False,
        "confidence": 0.0,
        "rank": oracle[0] if oracle else None,
    }
    if readings:
        best = readings[0]
        outcome["right"] = bool(oracle) and oracle[0] == 0
        outcome["confidence"] = confidence(readings, weights.confidence)
        outcome["gated"] = bool(best.coverage.restrictive or best.coverage.unused)
        outcome["reading"] = reading(best.tree, best.relation)
        outcome["got"] = [list(row) for row in best.denotation.rows[:5]]
        outcome["settled"] = _settled(case, question, readings)
        if oracle:
            found = readings[oracle[0]]
            outcome["oracle"] = reading(found.tree, found.relation)
    return outcome


def _settled(case: Case, question: Question, readings: list[Reading]) -> bool | None:
    """Whether the answer that a user gets is right; None where a doubt stands against it."""
    best = with_whole_rows(readings, question)[0]
    try:
        given = settled(question, best)
    except CannotWrite:
        return None
    if case.right(given.denotation.rows):
        return True
    # The same rows with what tells them apart beside them are the same answer.
    beside = len(given.denotation.rows) == len(best.denotation.rows)
    return given.tree != best.tree and beside and case.right(best.denotation.rows)


def kind_of(case: Case) -> str:
    """One table or several, where the set tells."""
    features = case.row.get("features")
    if features is None:
        return ""
    return "joins" if features["join"] or len(case.row["tables"]) > 1 else "single"


def report(name: str, outcomes: list[dict]) -> None:
    count = len(outcomes)
    right = sum(o["right"] for o in outcomes)
    reachable = sum(o["rank"] is not None for o in outcomes)
    answered = [o for o in outcomes if o["confidence"] >= DEFAULT_MIN_CONFIDENCE]
    answered_right = sum(o["right"] for o in answered)
    times = sorted(o["ms"] for o in outcomes)
    print(f"{name}: {count} questions, always answering {right / count:.1%} right,", end=" ")
    print(f"right reading among those considered {reachable / count:.1%}")
    wrong, declined = len(answered) - answered_right, count - len(answered)
    precision = answered_right / max(1, len(answered))
    print(f"  at {DEFAULT_MIN_CONFIDENCE}: {answered_right} right, {wrong} wrong,", end=" ")
    print(
        f"{declined} declined; precision {precision:.1%} at {len(answered) / count:.1%};", end=" "
    )
    print(f"p50 {times[count // 2]:.0f} ms, p95 {times[int(count * 0.95)]:.0f} ms")
    given = [o["settled"] for o in answered if o.get("settled") is not None]
    print(f"  with the doubts: {sum(given)} right, {len(given) - sum(given)} wrong;", end=" ")
    print(f"precision {sum(given) / max(1, len(given)):.1%} at {len(given) / count:.1%}")
    ranked = sorted(outcomes, key=lambda o: -o["confidence"])
    points = []
    for share in (0.1, 0.2, 0.3, 0.4, 0.6, 0.8):
        head = ranked[: max(1, int(count * share))]
        precision = sum(o["right"] for o in head) / len(head)
        points.append(f"{share:.0%}: {precision:.0%} (>= {head[-1]['confidence']:.2f})")
    print("  precision over coverage: " + ", ".join(points), flush=True)


if __name__ == "__main__":
    main()
