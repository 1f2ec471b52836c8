"""Run the reported failures of answering (kinds A and C) through tool calls, beside Python.

Usage: python -m benchmarks.answers_through_tools FOLDER [--kind A] [--verbose]

FOLDER holds `cases.jsonl` and `materialize.py`. A question goes to `ask_tables`, SQL to `run_sql`,
a look-up to `search_rows`; each result passes strict JSON and is judged by the checks of
`benchmarks.cases`, which runs the same case in Python. Both outcomes are counted, and each case
whose outcomes differ is printed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.cases import (
    Case,
    ScriptedClient,
    Verdict,
    check_answer,
    judged,
    load_again,
    load_materializer,
    loaded,
    run_case,
    same,
    same_rows,
    verdict,
)
from router import Router

ERRORS = ("refused", "error", "not_found", "files")
"""Parts of `expected` that an error or a declined answer meets."""


def call(router: Router, name: str, arguments: dict[str, Any]) -> Any:
    """A tool's result after a strict JSON round trip."""
    result = router.call_tool(name, json.dumps(arguments))
    return json.loads(json.dumps(result, allow_nan=False))


def ask(case: Case, router: Router, client: ScriptedClient | None) -> Verdict:
    """The question through `ask_tables`."""
    request, expected = case["request"], case["expected"]
    question = request["question"] if isinstance(request, dict) else request
    result = call(router, "ask_tables", {"question": question})
    if "error" in result:
        return failed(expected, result)
    answer: Any = SimpleNamespace(**result)
    checks = judged(expected, lambda part: check_answer(part, answer))
    if client and "llm_calls_max" in expected:
        checks.append(client.calls <= expected["llm_calls_max"])
    if client and "llm_calls" in expected:
        checks.append(client.calls == expected["llm_calls"])
    return verdict(checks, answer.route == "declined", json.dumps(result, ensure_ascii=False))


def sql(case: Case, router: Router) -> Verdict:
    """The statement through `run_sql`."""
    request, expected = case["request"], case["expected"]
    if isinstance(request, list) or (isinstance(request, dict) and "sql" not in request):
        return Verdict("unchecked", "needs its own script")
    options: Case = {} if isinstance(request, str) else request
    if "timeout_s" in options:
        router.configure(timeout_s=options["timeout_s"])
    router.configure(tool_max_rows=options.get("row_cap") or 1000, tool_max_chars=1_000_000)
    text = request if isinstance(request, str) else request["sql"]
    result = call(router, "run_sql", {"sql": text})
    if "error" in result:
        return failed(expected, result)
    rows = result["rows"]
    checks = ["refused" not in expected and "error" not in expected]
    for part, want in expected.items():
        if part == "value":
            checks.append(same(want, rows[0][0]))
        elif part == "rows":
            checks.append(same_rows(want, rows, expected.get("ordered", False)))
        elif part == "row_count":
            checks.append(result["row_count"] == want)
        elif part == "truncated":
            checks.append(result["truncated"] == want)
    return verdict(checks, False, json.dumps(result, ensure_ascii=False))


def lookup(case: Case, router: Router, folder: Path) -> Verdict:
    """The words through `search_rows`."""
    request, expected = case["request"], case["expected"]
    options: Case = request if isinstance(request, dict) else {"query": request}
    load_again(router, folder, options)
    query = str(options.get("query") or options.get("question"))
    top = expected.get("top_row")
    asked = [(query, top), *((other, top) for other in expected.get("also_requests", []))]
    asked += [(other, want) for other, want in expected.get("also", [])]
    checks, given = [], []
    for words, want in asked:
        result = call(router, "search_rows", {"query": words, "k": options.get("k", 3)})
        given.append(json.dumps(result, ensure_ascii=False)[:300])
        cells = result["hits"][0]["cells"] if result["hits"] else {}
        if words == query and expected.get("not_found"):
            checks.append(not result["hits"])
        if words == query and "n_found" in expected:
            checks.append(result["total"] == expected["n_found"])
        if words == query and "row_count" in expected:
            checks.append(result["count"] == expected["row_count"])
        if isinstance(want, dict):
            checks.append(all(same(v, cells.get(k)) for k, v in want.items() if k != "n_found"))
        elif want is not None:
            checks.append(any(same(want, value) for value in cells.values()))
    return verdict(checks, False, "; ".join(given))


def failed(expected: Case, result: Any) -> Verdict:
    """An error is right where one is expected."""
    right = bool(set(ERRORS) & set(expected))
    return Verdict("right" if right else "declined", json.dumps(result["error"]))


def run(case: Case, folder: Path) -> Verdict:
    """The case through a tool call."""
    request = case["request"]
    replies = request.get("llm_replies") if isinstance(request, dict) else None
    client = ScriptedClient(replies) if replies else None
    with loaded(case, folder, client) as (router, _):
        if case["action"] == "ask":
            return ask(case, router, client)
        if case["action"] == "sql":
            return sql(case, router)
        return lookup(case, router, folder)


def main() -> None:
    """Run the chosen cases twice; print where the outcomes differ, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", choices=["A", "C"], help="both where it is left out")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    lines = (options.folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    kinds = [options.kind] if options.kind else ["A", "C"]
    cases = [case for case in map(json.loads, lines) if case["kind"] in kinds]
    materializer = load_materializer(options.folder)
    counts: Counter[tuple[str, str, str]] = Counter()
    for case in cases:
        with tempfile.TemporaryDirectory() as name:
            materializer.materialize(case, name)
            tool, python = run(case, Path(name)), run_case(case, Path(name))
        counts[case["kind"], "tools", tool.outcome] += 1
        counts[case["kind"], "python", python.outcome] += 1
        if options.verbose or tool.outcome != python.outcome:
            print(f"{case['id']} tools {tool.outcome}, python {python.outcome}")
            print(f"   tools  {tool.given[:400]}\n   python {python.given[:400]}")
    for (kind, surface, outcome), count in sorted(counts.items()):
        print(f"{kind} {surface} {outcome}: {count}")


if __name__ == "__main__":
    main()
