"""The twenty everyday questions, without a model: who answers, rightly or wrongly, who declines.

A peer gets the orders as a clean SQLite table with typed columns; tabroute reads the CSV as it is
published. gibran answers over metrics that somebody declares first, and is given those that the
questions need. Of the others that say they need no model, tableqa does not install.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks import golden
from benchmarks.peers.environments import ask_worker, python_of, version_of
from benchmarks.results import own_version
from router.evaluate import Case
from router.evaluation.sameness import same_rows

PEERS = ("text2sql-lite", "gibran")
WORKER = Path(__file__).parent / "everyday_worker.py"


def measure(folder: Path) -> dict[str, Any]:
    """Right, wrong and declined for each."""
    (((source,), cases),) = golden.cases("everyday").items()
    figures: dict[str, Any] = {}
    for peer in PEERS:
        try:
            figures[peer] = _peer(peer, folder, source, cases)
        except RuntimeError as error:
            figures[peer] = {"error": str(error)}
    verdicts = Counter(outcome.verdict.value for outcome in golden.run("everyday").outcomes)
    figures["tabroute"] = {"version": own_version(), **_counts(verdicts)}
    return figures


def _peer(peer: str, folder: Path, source: Path, cases: list[Case]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as home:
        database = Path(home) / "orders.sqlite"
        _clean(source, database)
        job = {
            "peer": peer,
            "database": str(database),
            "questions": [case.question for case in cases],
        }
        told = ask_worker(python_of(peer, folder), WORKER, job, timeout_s=120)
    if isinstance(told, dict):
        return {"version": version_of(peer, folder), **told}
    verdicts = Counter(_verdict(case, one) for case, one in zip(cases, told, strict=True))
    return {"version": version_of(peer, folder), **_counts(verdicts)}


def _verdict(case: Case, told: dict[str, Any]) -> str:
    if "declined" in told:
        return "declined"
    same = (same_rows(rows, told["rows"], ordered=case.ordered) for rows in case.results)
    return "right" if any(same) else "wrong"


def _counts(verdicts: Counter[str]) -> dict[str, int]:
    return {name: verdicts[name] for name in ("right", "wrong", "declined")}


def _clean(source: Path, database: Path) -> None:
    frame = pd.read_csv(source)
    frame.columns = frame.columns.str.lower().str.replace(" ", "_")
    frame["placed_on"] = pd.to_datetime(frame.placed_on, format="%d %b %Y").dt.date.astype(str)
    frame["order_total"] = frame.order_total.str.replace("[$,]", "", regex=True).astype(float)
    connection = sqlite3.connect(database)
    frame.to_sql("orders", connection, index=False)
    connection.close()
