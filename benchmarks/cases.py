"""Run the reported-failure cases through the public API and count right, wrong and declined.

Usage: python -m benchmarks.cases FOLDER [--kind A] [--id B-040] [--verbose]

FOLDER holds `cases.jsonl` and `materialize.py` (their README tells the format). Each case's files
are written to a temporary folder and loaded; the case's action runs; the given answer is compared
with each machine-checkable part of `expected`. Parts told in words (`must`, `must_not`) are printed
beside the answer under `--verbose` for a reader to judge; they are not counted, unless a case has
no other part: then it is right if what is told holds each word of `must` that says what is to be
told, and unchecked if not.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from retrieval.errors import RetrievalError
from retrieval.table import LoadReport, Table
from router import Answer, Router
from sql_engine.errors import SqlEngineError

Case = dict[str, Any]


@dataclass(frozen=True)
class Verdict:
    """`outcome`: right, wrong, declined or unchecked; `given`: what to show a reader."""

    outcome: str
    given: str


class ScriptedClient:
    """An OpenAI client whose replies are prepared; counts its calls."""

    def __init__(self, replies: list[str]) -> None:
        self._replies = list(replies)
        self.calls = 0
        self.prompts: list[str] = []
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self._create))

    def with_options(self, **_: object) -> ScriptedClient:
        return self

    def _create(self, **request: Any) -> SimpleNamespace:
        self.prompts.append(json.dumps(request.get("messages"), default=str))
        reply = self._replies[min(self.calls, len(self._replies) - 1)]
        self.calls += 1
        message = SimpleNamespace(content=reply, refusal=None, tool_calls=None, role="assistant")
        choice = SimpleNamespace(message=message, finish_reason="stop", index=0)
        usage = SimpleNamespace(prompt_tokens=1, completion_tokens=1, total_tokens=2)
        return SimpleNamespace(choices=[choice], usage=usage, model="scripted", id="scripted")


def load_materializer(folder: Path) -> ModuleType:
    """The cases' own writer of input files."""
    spec = importlib.util.spec_from_file_location("materialize", folder / "materialize.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def loaded(
    case: Case, folder: Path, client: ScriptedClient | None
) -> Iterator[tuple[Router, LoadReport]]:
    """A router that holds the case's files, and how they were read."""
    request = case["request"] if isinstance(case["request"], dict) else {}
    options: dict[str, Any] = {"writer": "openai" if client else "offline"}
    if client:
        options |= {"client": client, "model": "scripted"}
    if "now" in request:
        options["today"] = date.fromisoformat(request["now"])
    with Router(**options) as router:
        if not {"load_as", "load_twice"} & set(request):
            yield router, router.add(folder)
        else:
            yield router, LoadReport()


def same(expected: Any, given: Any, tolerance: float = 1e-6) -> bool:
    """Scalars equal as numbers to a tolerance, else as text."""
    if expected is None or given is None:
        return expected is given
    try:
        return math.isclose(float(expected), float(given), rel_tol=1e-9, abs_tol=tolerance)
    except (TypeError, ValueError):
        return str(expected) == str(given)


def same_rows(expected: list[list[Any]], given: list[Any], ordered: bool) -> bool:
    """Rows equal, in order where `ordered`; the given may not have more or fewer."""
    if len(expected) != len(given):
        return False
    if not ordered:
        expected, given = (
            sorted(rows, key=lambda r: str([*map(str, r)])) for rows in (expected, given)
        )
    return all(
        len(e) == len(g) and all(map(same, e, g)) for e, g in zip(expected, given, strict=True)
    )


def typed_cells(table: Table, name: str) -> list[Any]:
    """A column as SQL would see it, as canonical text."""
    column = table.column(name)
    return [column.canonical_at(int(row)) for row in table.data_rows]


def check_table(expected: Case, tables: list[Table], warnings: str) -> list[bool]:
    """Every machine-checkable part of `expected` about loaded tables."""
    table = tables[0] if tables else None
    checks: list[bool] = []
    for part, want in expected.items():
        if part == "tables":
            checks.append(len(tables) == want)
        elif part == "row_counts":
            checks.append([len(t.data_rows) for t in tables] == want)
        elif part == "warning":
            checks.append(bool(warnings))
        elif part == "columns" and want and isinstance(want[0], list):
            checks.append([list(t.headers) for t in tables] == want)
        elif table is None:
            checks.append(part == "error")
        elif part == "columns":
            checks.append(list(table.headers) == want)
        elif part == "columns_first":
            checks.append(list(table.headers)[: len(want)] == want)
        elif part == "columns_contain":
            checks.append(set(want) <= set(table.headers))
        elif part == "columns_count":
            checks.append(len(table.headers) == want)
        elif part == "row_count":
            checks.append(len(table.data_rows) == want)
        elif part == "cell":
            row, name, value = want
            checks.append(same(value, table.column(name).text_at(row)))
        elif part in ("column_values", "column_values_as_text"):
            for name, values in want.items():
                given = typed_cells(table, name) if name in table.headers else []
                checks.append(len(given) == len(values) and all(map(same, values, given)))
        elif part == "column_null_count":
            counts = {name: typed_cells(table, name).count(None) for name in want}
            checks.append(counts == want)
        elif part == "type":
            checks.append({name: table.column(name).type.kind.value for name in want} == want)
        elif part == "row_values":
            rows = [[c.canonical_at(int(r)) for c in table.columns] for r in table.data_rows]
            checks.append(same_rows(want, rows, ordered=True))
        elif part == "row_values_contain":
            checks.append(any(want in table.row(int(r)) for r in table.data_rows))
        elif part == "sum":
            for name, value in want.items():
                given = typed_cells(table, name)
                checks.append(same(value, sum(float(v) for v in given if v is not None)))
    return checks


def check_answer(expected: Case, answer: Answer) -> list[bool]:
    """Every machine-checkable part of `expected` about an answer."""
    checks: list[bool] = []
    for part, want in expected.items():
        if part == "value":
            given = answer.value
            if given is None and len(answer.rows) == 1 and len(answer.rows[0]) == 1:
                given = answer.rows[0][0]
            checks.append(same(want, given, expected.get("tolerance", 1e-6)))
        elif part == "value_in":
            checks.append(any(same(value, answer.value) for value in want))
        elif part == "rows":
            checks.append(same_rows(want, list(answer.rows), expected.get("ordered", False)))
        elif part == "row_count":
            checks.append(len(answer.rows) == want)
        elif part == "warning":
            checks.append(bool(answer.warnings))
        elif part == "clarify":
            checks.append(answer.route == "declined" and bool(answer.alternatives))
        elif part in ("refused", "error", "not_found"):
            checks.append(answer.route == "declined")
    return checks


_SAYING = frozenset(
    [
        *("warn", "warned", "told", "tells", "says", "said", "reported", "report", "read", "kept"),
        *("and", "the", "left", "out", "with", "its", "not", "are", "that", "answer"),
    ]
)
_NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def tells(words: str, given: str) -> bool:
    """Whether a text holds each word that tells what is to be said, singular or plural."""
    wanted = {
        str(_NUMBER_WORDS.index(word)) if word in _NUMBER_WORDS else word[:6]
        for word in re.findall(r"\w+", words.casefold())
        if len(word) > 2 and word not in _SAYING
    }
    return bool(wanted) and all(word in given.casefold() for word in wanted)


def in_words(expected: Case, given: str) -> bool:
    """Whether an answer tells what a case that has no other part wants told."""
    options = [expected, *expected.get("any_of", ())]
    return any(tells(option.get("must", ""), given) for option in options)


def judged(expected: Case, check: Any) -> list[bool]:
    """The checks of `expected`, where `any_of` holds if one alternative does."""
    checks = check({k: v for k, v in expected.items() if k != "any_of"})
    if "any_of" in expected:
        options = [check(option) for option in expected["any_of"]]
        told = [option for option in options if option]
        if told:
            checks.append(any(all(option) for option in told))
    return list(checks)


def verdict(checks: list[bool], declined: bool, given: str) -> Verdict:
    """Right where all checks hold; unchecked where there is none."""
    if not checks:
        return Verdict("unchecked", given)
    if all(checks):
        return Verdict("right", given)
    return Verdict("declined" if declined else "wrong", given)


def check_files(expected: Case, tables: list[Table], report: LoadReport) -> list[bool]:
    """What is expected of each file: its tables, or that it is named among those left out."""
    skipped = {name for name, _ in report.skipped}
    return [
        name in skipped
        if "error_or_skip" in want
        else all(check_table(want, [t for t in tables if t.document.endswith(name)], ""))
        for name, want in expected.items()
    ]


def run_load(case: Case, router: Router, report: LoadReport) -> Verdict:
    """Compare the loaded tables."""
    tables = [entry.table for entry in router.catalog]
    warnings = " ".join((*report.warnings, *(w for t in report.tables for w in t.warnings)))
    checks = judged(case["expected"], lambda e: check_table(e, tables, warnings))
    checks += check_files(case["expected"].get("files", {}), tables, report)
    if not checks and in_words(case["expected"], warnings):
        checks.append(True)
    then = case["expected"].get("then")
    given = "; ".join(f"{t.name}{list(t.headers)} x {len(t.data_rows)}" for t in tables)
    if then:
        result = router.sql(then["sql"])
        got = result.rows[0][0] if result.rows else None
        checks.append(same(then["value"], got))
        given += f" | then {got!r}"
    return verdict(checks, False, given + (f" | warned: {warnings}" if warnings else ""))


def run_ask(case: Case, router: Router, client: ScriptedClient | None) -> Verdict:
    """Ask, and compare the answer."""
    request = case["request"]
    answer = router.ask(request["question"] if isinstance(request, dict) else request)
    checks = judged(case["expected"], lambda e: check_answer(e, answer))
    checks += check_afterwards(case["expected"], router)
    if not checks and in_words(case["expected"], " ".join((answer.text, *answer.warnings))):
        checks.append(True)
    if client and "llm_calls_max" in case["expected"]:
        checks.append(client.calls <= case["expected"]["llm_calls_max"])
    if client and "llm_calls" in case["expected"]:
        checks.append(client.calls == case["expected"]["llm_calls"])
    given = (
        f"[{answer.route}] {answer.text!r} value={answer.value!r} rows={list(answer.rows)[:4]} "
        f"sql={answer.sql} warnings={answer.warnings}"
    )
    return verdict(checks, answer.route == "declined", given)


def run_sql(case: Case, router: Router) -> Verdict:
    """Run SQL through the guard, and compare rows, truncation and refusals."""
    expected, request = case["expected"], case["request"]
    if isinstance(request, list):
        return run_steps(request, expected["last"], router)
    if isinstance(request, dict) and "parallel" in request:
        return run_parallel(request, router)
    checks, given = check_statement(request, expected, router)
    checks += check_afterwards(expected, router)
    return verdict(checks, False, given)


def check_statement(request: Any, expected: Case, router: Router) -> tuple[list[bool], str]:
    """Run one statement; every machine-checkable part of `expected`, and what to show."""
    options = {"sql": request} if isinstance(request, str) else request
    started = time.monotonic()
    try:
        result = router.sql(
            options["sql"], max_rows=options.get("row_cap"), timeout_s=options.get("timeout_s")
        )
    except SqlEngineError as error:
        in_time = time.monotonic() - started <= expected.get("wall_s_max", 99)
        failed = bool({"refused", "error"} & set(expected))
        return [failed, in_time], f"{error.code}: {error}"
    checks = ["refused" not in expected and "error" not in expected]
    for part, want in expected.items():
        if part == "value":
            checks.append(same(want, result.rows[0][0]))
        elif part == "rows":
            checks.append(same_rows(want, list(result.rows), expected.get("ordered", False)))
        elif part == "row_count":
            checks.append(len(result.rows) == want)
        elif part == "truncated":
            checks.append(result.truncated == want)
    return checks, f"{list(result.rows)[:4]} truncated={result.truncated}"


def check_afterwards(expected: Case, router: Router) -> list[bool]:
    """That tables hold as many rows as told, no file was made, and what follows is as told."""
    checks = [
        same(rows, router.sql(f'SELECT count(*) FROM "{name}"').rows[0][0])
        for name, rows in expected.get("unchanged", {}).items()
    ]
    if "sql" in expected.get("then", {}):
        checks += check_statement(expected["then"]["sql"], expected["then"], router)[0]
    made = MADE.search(str(expected.get("must_not", "")))
    return [*checks, not Path(made[1]).exists()] if made else checks


MADE = re.compile(r"create (/\S+)")


def run_steps(steps: list[Case], expected: Case, router: Router) -> Verdict:
    """Statements and pauses one after the other; the last is compared."""
    for step in steps[:-1]:
        if "sleep_s" in step:
            time.sleep(step["sleep_s"])
        else:
            router.sql(step["sql"], timeout_s=step.get("timeout_s"))
    checks, given = check_statement(steps[-1], expected, router)
    return verdict(checks, False, given)


def run_parallel(request: Case, router: Router) -> Verdict:
    """A statement for each k up to parallel x repeat, from several threads: each gives 2k."""
    asked = range(request["parallel"] * request["repeat"])

    def one(k: int) -> bool:
        result = router.sql(request["sql_template"].replace("{k}", str(k)))
        return same(2 * k, result.rows[0][0])

    with ThreadPoolExecutor(request["parallel"]) as threads:
        right = list(threads.map(one, asked))
    return verdict([all(right)], False, f"{sum(right)} of {len(right)} are 2k")


def load_again(router: Router, folder: Path, options: Case) -> None:
    """Load what a case wants replaced, or loaded a second time."""
    if "load_as" in options:
        router.add(folder / options["first"], name=options["load_as"])
        router.add(folder / options["then"], name=options["load_as"])
    if "load_twice" in options:
        router.add(folder / options["load_twice"])
        router.add(folder / options["load_twice"])


def run_lookup(case: Case, router: Router, folder: Path) -> Verdict:
    """Look rows up, and compare the first."""
    expected, request = case["expected"], case["request"]
    options: Case = request if isinstance(request, dict) else {"query": request}
    load_again(router, folder, options)
    asked = [(options.get("query") or options.get("question"), expected.get("top_row"))]
    asked += [(query, expected.get("top_row")) for query in expected.get("also_requests", [])]
    checks, given = [], []
    for query, top in asked:
        hits = router.lookup(str(query), k=options.get("k", 3))
        given.append(f"{query!r} -> {[dict(hit.cells) for hit in hits][:2]} total={hits.total}")
        if expected.get("not_found"):
            checks.append(len(hits) == 0)
        if top:
            cells = dict(hits[0].cells) if len(hits) else {}
            checks.append(all(same(v, cells.get(k)) for k, v in top.items()))
        if "n_found" in expected:
            checks.append(hits.total == expected["n_found"])
        if "row_count" in expected:
            checks.append(len(hits) == expected["row_count"])
        if "scores_not_negative" in expected:
            checks.append(all(hit.score >= 0 for hit in hits))
        if "ids" in expected:
            checks.append(
                [int(next(iter(dict(hit.cells).values()))) for hit in hits] == expected["ids"]
            )
        for _ in range(options.get("repeat", 0)):
            again = router.lookup(str(query), k=options.get("k", 3))
            checks.append([hit.row_position for hit in again] == [hit.row_position for hit in hits])
    for query, want in expected.get("also", []):
        hits = router.lookup(query, k=3)
        cells = dict(hits[0].cells) if len(hits) else {}
        given.append(f"{query!r} -> {cells}")
        if isinstance(want, dict):
            checks.append(all(same(v, cells.get(k)) for k, v in want.items() if k != "n_found"))
        else:
            checks.append(any(same(want, value) for value in cells.values()))
    if "ask" in expected.get("then", {}):
        checks += check_answer(expected["then"], router.ask(expected["then"]["ask"]))
    return verdict(checks, False, "; ".join(given))


def run_case(case: Case, folder: Path) -> Verdict:
    """Load the case's files and run its action."""
    request = case["request"]
    replies = request.get("llm_replies") if isinstance(request, dict) else None
    client = ScriptedClient(replies) if replies else None
    try:
        with loaded(case, folder, client) as (router, report):
            if case["action"] == "load":
                return run_load(case, router, report)
            if case["action"] == "ask":
                return run_ask(case, router, client)
            if case["action"] == "sql":
                return run_sql(case, router)
            if case["action"] == "lookup":
                return run_lookup(case, router, folder)
    except (SqlEngineError, RetrievalError) as error:
        right = bool({"refused", "error", "files"} & set(case["expected"]))
        outcome = "right" if right else "wrong"
        return Verdict(outcome, f"raised {error.code}: {error}")
    return Verdict("unchecked", "needs its own script")


def main() -> None:
    """Run the chosen cases; print a line for each that is not right, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", default="")
    parser.add_argument("--id", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    writer = load_materializer(options.folder)
    counts: Counter[tuple[str, str]] = Counter()
    lines = (options.folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    for case in map(json.loads, lines):
        if not case["kind"].startswith(options.kind) or not case["id"].startswith(options.id):
            continue
        with tempfile.TemporaryDirectory() as folder:
            writer.materialize(case, folder)
            try:
                found = run_case(case, Path(folder))
            except Exception as error:  # a crash is a finding, and the rest must still run
                found = Verdict("crashed", f"{type(error).__name__}: {error}")
        counts[case["kind"], found.outcome] += 1
        if options.verbose or found.outcome not in ("right",):
            asked = json.dumps(case["request"], ensure_ascii=False)
            wanted = json.dumps(case["expected"], ensure_ascii=False)
            print(f"{case['id']} {found.outcome}: {asked[:200]}")
            print(f"   want {wanted[:300]}\n   got  {found.given[:500]}")
    for (kind, outcome), count in sorted(counts.items()):
        print(f"{kind} {outcome}: {count}")


if __name__ == "__main__":
    main()
