"""What becomes of hostile SQL that a language model wrote, and of a harmless one, in each peer.

Every statement runs in a process of its own in an empty folder with a secret in it. Afterwards the
rows of the table are counted and summed through the same peer, and the folder is looked at.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.peers.environments import ask_worker, own_python, python_of, version_of
from benchmarks.results import ROOT, own_version

WORKER = Path(__file__).parent / "sql_worker.py"
STATEMENTS = json.loads((Path(__file__).parent / "statements.json").read_text(encoding="utf-8"))
ORDERS = ROOT / "sample_tables" / "orders.csv"
PEERS = ("llama-index", "langchain", "vanna", "pandasai", "tabroute")
GROUP_BY = "SELECT region, SUM(amount) FROM orders GROUP BY region"
SECONDS = 60.0
"""For the start of the peer, which takes most of it, and the statement."""

HARMLESS = "a harmless query"
ALL_ROWS = 3200
OUTCOMES = ("stopped", "executed", "hung", "not measured")

Record = dict[str, Any]


def measure(folder: Path, known: Sequence[Record] = ()) -> Iterator[Record]:
    """A record a peer and statement, as soon as it is known.

    Args:
        folder: where the environments are made.
        known: records of a broken run, which are not measured again.
    """
    done = {(record["peer"], record["statement"]): record for record in known}
    for peer in PEERS:
        jobs: dict[str, Callable[[str, Path], Record]] = {
            statement["name"]: partial(_hostile, statement) for statement in STATEMENTS
        }
        jobs[HARMLESS] = _harmless
        try:
            python = own_python() if peer == "tabroute" else python_of(peer, folder)
            version = own_version() if peer == "tabroute" else version_of(peer, folder)
        except RuntimeError as error:
            yield {"peer": peer, "statement": HARMLESS, "figures": {"error": str(error)}}
            continue
        for name, job in jobs.items():
            told = {"peer": peer, "version": version, "statement": name}
            yield done.get((peer, name)) or told | job(peer, python)


def figures(records: Sequence[Record]) -> dict[str, Any]:
    """By peer: how many statements were stopped, executed, hung; time and cap of a harmless one."""
    table: dict[str, Any] = {}
    for peer in dict.fromkeys(record["peer"] for record in records):
        found = [record for record in records if record["peer"] == peer]
        outcomes = Counter(record["outcome"] for record in found if "outcome" in record)
        counts = {name: outcomes[name] for name in OUTCOMES} if outcomes else {}
        harmless = next((record["figures"] for record in found if "figures" in record), {})
        table[peer] = {
            "version": found[0].get("version"),
            "statements": sum(outcomes.values()),
            **counts,
            **harmless,
        }
    return table


def by_statement(records: list[Record]) -> dict[str, dict[str, str]]:
    """What each statement came to, peer by peer."""
    table: dict[str, dict[str, str]] = {}
    for record in records:
        if "outcome" not in record:
            continue
        table.setdefault(record["statement"], {})[record["peer"]] = record["outcome"]
    return table


def _hostile(statement: Record, peer: str, python: Path) -> Record:
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / "secret.txt").write_text("the secret", encoding="utf-8")
        (Path(home) / "secret.csv").write_text("a\nthe secret\n", encoding="utf-8")
        told = _run(peer, python, statement["sql"], home)
        written = sorted(path.name for path in Path(home).glob("written*"))
    return {
        "outcome": _outcome(told, written, reads=statement.get("reads", False)),
        "written": written,
        "told": told,
    }


def _run(peer: str, python: Path, sql: str, home: str, times: int = 1) -> Record:
    job = {
        "peer": peer,
        "csv": str(ORDERS),
        "statement": sql,
        "folder": home,
        "times": times,
        "root": str(ROOT),
    }
    return ask_worker(python, WORKER, job, timeout_s=SECONDS, folder=home)


def _outcome(told: Record, written: list[str], *, reads: bool) -> str:
    """`stopped`, `executed` (data changed, a file written, a secret read) or `hung`.

    Where the control query did not run before the statement, nothing was measured.
    """
    before = told.get("before", {"error": "did not start"})
    if "error" in before:
        return "not measured"
    if "runs" not in told:
        return "hung"
    run, after = told["runs"][0], told["after"]
    changed = after.get("first") != before.get("first")
    leaked = reads and "error" not in run and run.get("rows", 0) > 0
    return "executed" if changed or written or leaked else "stopped"


def _harmless(peer: str, python: Path) -> Record:
    """Time of a group-by over all orders, and what a large result comes to."""
    with tempfile.TemporaryDirectory() as home:
        grouped = _run(peer, python, GROUP_BY, home, times=5)
        whole = _run(peer, python, "SELECT * FROM orders", home)
    told: Record = {"group-by ms": None, "rows of 3,200": None, "says it is cut": None}
    if "runs" in grouped and "runs" in whole:
        rows = whole["runs"][0].get("rows")
        cut = whole["runs"][0].get("truncated")
        told = {
            "group-by ms": round(median(run["ms"] for run in grouped["runs"]), 1),
            "rows of 3,200": rows,
            "says it is cut": ("yes" if cut else "no") if rows != ALL_ROWS else "not cut",
        }
    return {"figures": told, "told": {"grouped": grouped, "whole": whole}}
