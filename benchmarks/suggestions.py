"""Cases drafted by `tabroute eval --suggest`, asked untouched: what share is right, what declined?

    python -m benchmarks suggestions

The tables are the sample tables and those of the golden sets, each folder loaded as a whole. The
gold of a draft is computed from the cells and not by the router.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.results import ROOT
from router import Router
from router.evaluate import drafts, evaluate, parse_cases, summarise

FOLDERS = ("sample_tables", "tests/data/messy", "tests/data/neutral", "tests/data/analyst")
TOLD = ("cases", "right", "partial", "wrong", "declined", "failed")


def measure() -> dict[str, Any]:
    """Counts by folder, and of all together."""
    found = {folder: _counts(ROOT / folder) for folder in FOLDERS}
    total = {name: sum(counts[name] for counts in found.values()) for name in TOLD}
    return {"by folder": found | {"all": total}}


def _counts(folder: Path) -> dict[str, int]:
    with Router(writer="offline") as router:
        for path in sorted(folder.iterdir()):
            if path.suffix != ".jsonl":
                router.add(path)
        cases = parse_cases(enumerate(drafts(router), 1))
        figures = summarise(evaluate(router, cases).outcomes).all.named()
    return {name: int(figures[name] or 0) for name in TOLD}
