"""Run the reported failures of tools, MCP and consoles (kind D) and count right and wrong.

Usage: python -m benchmarks.tool_cases FOLDER [--verbose]

FOLDER holds `cases.jsonl` and `materialize.py`. Tool calls go through Python and through the MCP
server over stdio with the official client; REPL cases are played as a session of 80 columns.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.cases import load_materializer
from router import Router, repl, tools

Case = dict[str, Any]


def no_constants(name: str) -> Any:
    """Strict JSON has no NaN and no Infinity."""
    raise ValueError(f"{name} is no JSON")


def strict(result: Any) -> Any:
    """The result after a strict JSON round trip."""
    return json.loads(json.dumps(result, allow_nan=False), parse_constant=no_constants)


def over_mcp(folder: Path, calls: list[Case], environment: dict[str, str]) -> list[Any]:
    """The results of some calls through the official client."""
    from mcp import Client, StdioServerParameters

    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "router", "mcp", str(folder), "-w", "offline"],
        env={"PYTHONPATH": str(Path(__file__).parent.parent), **environment},
    )

    async def talk() -> list[Any]:
        async with Client(server) as client:
            results = [await client.call_tool(c["name"], c["arguments"]) for c in calls]
            return [result.structured_content for result in results]

    return asyncio.run(talk())


def checks(expected: Case, result: Any) -> Iterator[bool]:
    """Every machine-checkable part of `expected` about one result."""
    text = json.dumps(result, ensure_ascii=False)
    for part, want in expected.items():
        if part == "fields":
            row = dict(zip(result["columns"], result["rows"][0], strict=True))
            yield all(str(row[k]) in str(v) or row[k] == v for k, v in want.items())
        elif part == "rows":
            yield result["rows"] == want
        elif part == "is_error":
            yield ("error" in result) == want
        elif part == "row_count":
            yield result["row_count"] == want
        elif part == "bytes_max":
            yield len(text.encode()) <= want
        elif part == "truncated":
            yield result["truncated"] == want
        elif part == "top_row":
            cells = result["hits"][0]["cells"]
            yield all(str(cells[k]) == str(v) for k, v in want.items())
        elif part == "each":
            yield all("error" in one or one.get("count") is not None for one in result)


def run(case: Case, folder: Path) -> tuple[list[bool], str]:
    """The checks of one case, and what to show a reader."""
    request = case["request"]
    with Router(writer="offline") as tables:
        tables.add(folder)
        if isinstance(request, dict) and "repl" in request:
            return run_repl(tables, request["repl"])
        if isinstance(request, dict) and "inspect" in request:
            return inspect(), "schemas"
        calls = request if isinstance(request, list) else request.get("steps", [request])
        if calls and isinstance(calls[0], str):
            calls = [{"name": "run_sql", "arguments": {"sql": "SELECT * FROM nothing"}}]
        environment = request.get("env", {}) if isinstance(request, dict) else {}
        local = [strict(tables.call_tool(c["name"], c["arguments"])) for c in calls]
        remote = [strict(result) for result in over_mcp(folder, calls, environment)]
        for result in (*local, *remote):
            result.pop("elapsed_ms", None)
        given = local if isinstance(request, list) else local[0]
        same = local == remote
        found = [same, *checks(case["expected"], given)]
        return found, json.dumps(given, ensure_ascii=False)[:600]


def run_repl(tables: Router, lines: list[str]) -> tuple[list[bool], str]:
    """A session of 80 columns: no escapes, nothing too wide, the last value shown."""
    out = io.StringIO()
    session = repl.Session(tables, out, out, width=80)
    for line in lines:
        session.drop() if line == "^C" else session.feed(line)
    session.flush()
    shown = out.getvalue()
    fits = all(len(line) <= 80 for line in shown.splitlines())
    last = lines[-1].split()[-1]
    return ["\x1b" not in shown, "\\u" not in shown, fits, last in shown or last == "w"], shown[
        :600
    ]


def inspect() -> list[bool]:
    """The schemas that a client lists."""
    schemas = [tool["inputSchema"] for tool in tools.definitions("mcp")]
    return [
        all(s["type"] == "object" and isinstance(s["properties"], dict) for s in schemas),
        all(isinstance(s["required"], list) for s in schemas),
        all(isinstance(p["type"], str) for s in schemas for p in s["properties"].values()),
    ]


def main() -> None:
    """Run every case and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    lines = (options.folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [case for case in map(json.loads, lines) if case["kind"] == "D"]
    materialize = load_materializer(options.folder)
    right = 0
    for case in cases:
        with tempfile.TemporaryDirectory() as name:
            materialize.materialize(case, Path(name))
            found, given = run(case, Path(name))
        right += all(found)
        if options.verbose or not all(found):
            print(f"{'right' if all(found) else 'WRONG'} {case['id']} {found} {given}")
            print(f"   must {case['expected'].get('must')}")
    print(f"D: {right} of {len(cases)} right")


if __name__ == "__main__":
    main()
