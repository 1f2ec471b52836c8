"""The door to evaluation: run a user's cases, hold figures to a minimum, compare runs, draft cases.

    run = evaluate(router, load_cases(Path("cases.jsonl")))
    print(as_text(run))

`cli.py` calls these; `evaluation/` holds the parts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from router.errors import UsageError, nearest
from router.evaluation import report
from router.evaluation.case import Case, CasesError
from router.evaluation.case_files import load_cases, parse_cases, read_cases
from router.evaluation.chunking_figures import ChunkingFigures
from router.evaluation.differences import Comparison, compare
from router.evaluation.judge import Outcome, Verdict, judge
from router.evaluation.run import Run, evaluate, load_run, save_run
from router.evaluation.summary import Figures, Summary, figures, summarise

if TYPE_CHECKING:
    from router.evaluation.suggest import Record
    from router.router import Router

__all__ = [
    "Case",
    "CasesError",
    "Comparison",
    "Figures",
    "Outcome",
    "Run",
    "Summary",
    "Verdict",
    "as_json",
    "as_text",
    "check_gold",
    "compare",
    "compare_chunkings_of",
    "compare_files",
    "content",
    "draft_lines",
    "drafts",
    "evaluate",
    "figures",
    "judge",
    "load_cases",
    "load_run",
    "parse_cases",
    "parse_minimums",
    "read_cases",
    "save_run",
    "shortfalls",
    "summarise",
    "write_html",
]

Shown = Run | Comparison | Sequence[ChunkingFigures]
"""What a report can be made of."""


def as_text(found: Shown) -> str:
    """A run, a comparison or chunkings as aligned text."""
    if isinstance(found, Run):
        return report.run_text(found)
    if isinstance(found, Comparison):
        return report.comparison_text(found)
    return report.chunkings_text(found)


def as_json(found: Shown) -> Any:
    """The same as strict JSON."""
    if isinstance(found, Run):
        return report.run_json(found)
    if isinstance(found, Comparison):
        return report.comparison_json(found)
    return report.chunkings_json(found)


def write_html(run: Run, path: Path) -> None:
    """Write the page with the failing cases side by side."""
    path.write_text(report.run_html(run), encoding="utf-8")


def compare_files(before: Path, after: Path) -> Comparison:
    """Compare two kept runs. Raises CasesError."""
    return compare(load_run(before), load_run(after))


def compare_chunkings_of(
    sources: Iterable[str | Path], cases: Sequence[Case]
) -> tuple[ChunkingFigures, ...]:
    """Compare ways to cut documents into chunks, by the cases that tell row, column and cell.

    Raises:
        UsageError: no case tells all three.
        SourceError: a source cannot be read.
    """
    from retrieval.reading import read_source
    from router.evaluation.chunkings import compare_chunkings

    if not any(case.keys and case.column and case.cell for case in cases):
        raise UsageError(
            "no case tells row, column and cell", hint="chunkings are compared by look-ups"
        )
    documents = [result.document for source in sources for result in read_source(source)]
    return compare_chunkings(documents, cases)


def check_gold(router: Router, cases: Sequence[Case]) -> None:
    """Look for gold that the loaded tables cannot hold. Raises CasesError."""
    from router.evaluation.gold_check import check_gold

    check_gold(router, cases)


def content(router: Router) -> str:
    """A word that tells these tables from others, or from the same of another day."""
    told = sorted((entry.table.table_id, entry.table.version) for entry in router.catalog)
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def drafts(router: Router, *, per_table: int = 8) -> list[Record]:
    """Draft cases from the loaded tables: look-ups and aggregates with computed gold."""
    from router.evaluation.suggest import suggest

    return suggest(router.catalog, per_table=per_table)


def draft_lines(router: Router) -> Iterator[str]:
    """The drafts as JSON lines, ready for a cases file."""
    yield from (json.dumps(record, ensure_ascii=False) for record in drafts(router))


_BETTER_LOWER = frozenset(
    ("partial", "wrong", "declined", "failed", "p50_ms", "p95_ms", "calls", "tokens")
)
"""Figures that no one holds to a minimum."""


def parse_minimums(texts: Iterable[str]) -> dict[str, float]:
    """Read `--min`: "0.9" holds accuracy, "strict@1=0.8" any figure by its name.

    Raises:
        UsageError: an unknown figure, one that is better the lower it is, or no number.
    """
    known = [name for name in figures(()).named() if name not in _BETTER_LOWER]
    minimums = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        name = name.strip() if equals else "accuracy"
        if name not in known:
            close = nearest(name, known) or list(known)
            raise UsageError(f'no figure "{name}"', hint=f"Figures: {', '.join(close)}.")
        try:
            minimums[name] = float(number)
        except ValueError as error:
            raise UsageError(f"--min {text}: {number!r} is no number") from error
    return minimums


def shortfalls(run: Run, minimums: Mapping[str, float]) -> list[str]:
    """What a run lacks, one sentence a figure; a figure that no case tells is lacking too."""
    measured = summarise(run.outcomes).all.named()
    lacking = []
    for name, least in minimums.items():
        value = measured[name]
        if value is None:
            lacking.append(f"{name} cannot be told: no case measures it")
        elif value < least:
            lacking.append(f"{name} is {value:.4g}, below {least:g}")
    return lacking
