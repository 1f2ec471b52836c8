"""Ask every case and judge it; keep the outcomes in a file that a broken run resumes from.

A run file is JSON lines: a head (version, machine, settings, a fingerprint of the cases), then one
outcome a line, written as soon as it is known. A last line that a killed run left unfinished is no
outcome: its case is asked again.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from router.errors import RouterError
from router.evaluation.case import Case, CasesError, GoldRows
from router.evaluation.judge import Outcome, Verdict, failure, judge
from router.json_values import to_json

if TYPE_CHECKING:
    from router.router import Router

HITS = 10
"""Row hits fetched to measure retrieval."""

Progress = Callable[[int, int], None]
"""Told after each case: how many are done, of how many."""


@dataclass(frozen=True)
class Run:
    """A whole evaluation."""

    head: Mapping[str, Any]
    outcomes: tuple[Outcome, ...]


def evaluate(
    router: Router,
    cases: Sequence[Case],
    *,
    keep: Path | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Run:
    """Ask the router every case.

    Args:
        router: with the tables loaded.
        cases: the questions with their gold.
        keep: a run file; outcomes that it already holds for the same cases and settings are not
            asked again.
        settings: what tells this run from others; kept in its head.
        progress: called after each case.

    Raises:
        CasesError: `keep` is a file of another run.
    """
    head = run_head(cases, settings or {})
    known = {outcome.id: outcome for outcome in _resume(keep, head)} if keep else {}
    outcomes = []
    for done, case in enumerate(cases, 1):
        outcome = known.get(case.id)
        if outcome is None:
            outcome = ask_case(router, case)
            if keep:
                _append(keep, _as_json(outcome))
        outcomes.append(outcome)
        if progress:
            progress(done, len(cases))
    return Run(head, tuple(outcomes))


def ask_case(router: Router, case: Case) -> Outcome:
    """Ask one case and judge the answer. An error is an outcome, not the end of the run."""
    from retrieval.errors import RetrievalError
    from router.evaluation.gold_cells import values
    from sql_engine.errors import SqlEngineError

    try:
        gold = _gold_result(router, case)
        answer = router.ask(case.question)
        hits = router.lookup(case.question, k=HITS) if case.tells_row else ()
        return judge(case, answer, hits, gold, cells=values(case, router))
    except (RouterError, SqlEngineError, RetrievalError) as error:
        return failure(case, error)


def _gold_result(router: Router, case: Case) -> GoldRows | None:
    from sql_engine.errors import SqlEngineError

    if case.sql is None:
        return None
    try:
        result = router.sql(case.sql)
    except SqlEngineError as error:
        raise CasesError(f"the gold query fails: {error}") from error
    if result.truncated:
        raise CasesError(
            f"the gold query has more than {len(result.rows):,} rows, the row cap",
            hint="raise --max-rows",
        )
    return tuple(tuple(row) for row in result.rows)


def run_head(cases: Sequence[Case], settings: Mapping[str, Any]) -> dict[str, Any]:
    """What a run file starts with: enough to tell where and from what its figures come."""
    told = repr(cases).encode()
    return {
        "tabroute": metadata.version("tabroute") if _installed() else "source",
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "started": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "cases": len(cases),
        "fingerprint": hashlib.sha256(told).hexdigest()[:16],
        "settings": to_json(dict(settings)),
    }


def _installed() -> bool:
    try:
        metadata.version("tabroute")
    except metadata.PackageNotFoundError:
        return False
    return True


def load_run(path: Path) -> Run:
    """Read a run file. Raises CasesError."""
    try:
        lines = [json.loads(line) for line in _whole_lines(path).decode("utf-8").splitlines()]
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise CasesError(f"cannot read the run {path}: {error}") from error
    if not lines or "fingerprint" not in lines[0]:
        raise CasesError(f"{path} is not a run file", hint="write one with --out FILE")
    return Run(lines[0], tuple(_from_json(line) for line in lines[1:]))


def _whole_lines(path: Path) -> bytes:
    """The file up to its last line end: what follows was cut off while it was written."""
    text = path.read_bytes()
    return text[: text.rfind(b"\n") + 1]


def save_run(run: Run, path: Path) -> None:
    """Write a whole run to a file."""
    lines = [dict(run.head), *(_as_json(outcome) for outcome in run.outcomes)]
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    path.write_text(text, encoding="utf-8")


def _resume(path: Path, head: Mapping[str, Any]) -> Iterator[Outcome]:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or not path.stat().st_size:
        _append(path, head)
        return
    known = load_run(path)
    if any(known.head.get(name) != head[name] for name in ("fingerprint", "settings")):
        raise CasesError(
            f"{path} holds a run of other cases, tables or settings",
            hint="give another --out FILE",
        )
    path.write_bytes(_whole_lines(path))
    yield from known.outcomes


def _append(path: Path, line: Mapping[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(line, ensure_ascii=False)}\n")


def _as_json(outcome: Outcome) -> dict[str, Any]:
    record = to_json(outcome)
    assert isinstance(record, dict)
    return record


_TUPLES = {"gold_routes", "tags", "hits"}


def _from_json(record: Mapping[str, Any]) -> Outcome:
    known = {f.name for f in fields(Outcome)}
    values: dict[str, Any] = {name: value for name, value in record.items() if name in known}
    values |= {name: tuple(values[name]) for name in _TUPLES & values.keys()}
    values["verdict"] = Verdict(values["verdict"])
    return Outcome(**values)
