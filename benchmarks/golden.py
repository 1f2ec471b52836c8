"""The sample and everyday questions asked end to end: what is right, wrong, declined, and why.

    python -m benchmarks golden sample | paraphrases | everyday | three | messy | neutral
    python -m benchmarks golden none | analyst | newcomer | library

`everyday` is twenty questions over a plain orders table; `three` the same twenty kinds over staff,
sensors and invoices, five wordings each; `messy` plain questions and traps over files as people
have them; `neutral` questions over fifteen small tables, a tenth of them not to be answered;
`none` fifty questions over the same tables whose true answer is none or 0;
`analyst` questions that were once answered wrong, over tables of the same kinds; `newcomer` what
people type first over the sample tables, in their own words; `library` what is asked over members,
books and the loans that join them, with the branches' page beside them. Every failing case is
printed with its gold and SQL.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path

from router import Router
from router.evaluate import Case, Outcome, Verdict, as_text, evaluate, figures, parse_cases
from router.evaluation.run import Run

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "sample_tables"
EVERYDAY = ROOT / "tests" / "data" / "everyday"
NEUTRAL = ROOT / "tests" / "data" / "neutral"
KEPT = (
    *("cases", "right", "partial", "wrong", "declined", "failed"),
    *("precision", "coverage", "p50_ms", "p95_ms"),
)
"""Figures that `--keep` keeps."""
MESSY = ROOT / "tests" / "data" / "messy"
ANALYST = ROOT / "tests" / "data" / "analyst"
LIBRARY = ROOT / "tests" / "data" / "library"
NEWCOMER = ROOT / "tests" / "data" / "newcomer.jsonl"
_SEVERAL = {"messy": MESSY, "analyst": ANALYST, "library": LIBRARY}
"""Parts whose questions each name their files."""
MESSY_TODAY = dt.date(2025, 6, 3)
"""What "yesterday" counts from in the messy questions."""
Sources = tuple[Path, ...]


def cases(name: str) -> dict[Sources, list[Case]]:
    """The cases of one part, by the sources they are asked over."""
    if name in _SEVERAL:
        return _of_several(_SEVERAL[name])
    if name == "newcomer":
        return {(SAMPLE,): parse_cases(enumerate(_records(NEWCOMER), 1))}
    if name in ("sample", "paraphrases"):
        originals = _records(SAMPLE / "questions.jsonl")
        both = parse_cases(enumerate(originals + _records(SAMPLE / "paraphrases.jsonl"), 1))
        count = len(originals)
        return {(SAMPLE,): both[:count] if name == "sample" else both[count:]}
    folder = NEUTRAL if name in ("neutral", "none") else EVERYDAY
    records = _records(folder / ("none.jsonl" if name == "none" else "questions.jsonl"))
    return {
        (folder / table,): parse_cases(enumerate([r for r in records if r["table"] == table], 1))
        for table in _TABLES.get(name) or dict.fromkeys(str(r["table"]) for r in records)
    }


_TABLES = {"everyday": ("orders.csv",), "three": ("staff.csv", "sensors.csv", "invoices.csv")}


def _of_several(folder: Path) -> dict[Sources, list[Case]]:
    """By the files that a question's `table` names, joined with "+"."""
    by_table: dict[str, list[dict[str, object]]] = {}
    for record in _records(folder / "questions.jsonl"):
        by_table.setdefault(str(record["table"]), []).append(record)
    return {
        tuple(folder / file for file in table.split("+")): parse_cases(enumerate(records, 1))
        for table, records in by_table.items()
    }


def _records(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run(name: str, step: int = 1) -> Run:
    """Ask every `step`-th question of one part over fresh routers, without a language model."""
    heads: dict[str, object] = {}
    outcomes: list[Outcome] = []
    for sources, asked in cases(name).items():
        with Router(writer="offline", today=MESSY_TODAY) as router:
            for source in sources:
                router.add(source)
            one = evaluate(router, asked[::step])
        heads.update(one.head)
        outcomes += one.outcomes
    return Run(heads, tuple(outcomes))


def counts(run: Run) -> dict[str, object]:
    """The figures to keep."""
    named = figures(run.outcomes).named()
    return {name: value for name, value in named.items() if name in KEPT}


def describe(run: Run) -> Iterator[str]:
    """The figures' first line, then every failing case in full."""
    yield as_text(run).split("\n\n")[0]
    for verdict in (Verdict.WRONG, Verdict.FAILED, Verdict.PARTIAL, Verdict.DECLINED):
        for outcome in run.outcomes:
            if outcome.verdict is verdict:
                yield _case(outcome)


def _case(outcome: Outcome) -> str:
    gold = json.dumps(dict(outcome.gold), ensure_ascii=False)
    given = outcome.given
    lines = [
        f"{outcome.verdict.value.upper()} {outcome.id}: {outcome.question}",
        f"gold {gold[:200]}",
        f"route {outcome.route}, confidence {outcome.confidence:.2f}, value {given.get('value')}",
        f"text {str(given.get('text', ''))[:200]}",
        f"sql {given.get('sql')}",
        f"why {outcome.why[:300]}",
    ]
    return "\n    ".join(lines)
