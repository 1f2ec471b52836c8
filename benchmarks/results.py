"""What was measured, kept as JSON lines, and the page that shows it.

`results.jsonl` beside this file holds a line a run: figures only, with the version, commit, machine
and command that gave them. `python -m benchmarks page` writes `docs/benchmarks.md` from it.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LINES = Path(__file__).parent / "results.jsonl"
PAGE = ROOT / "docs" / "benchmarks.md"

Record = dict[str, Any]


def machine() -> str:
    """Processor, cores and system, as far as Python knows them."""
    name = platform.processor() or platform.machine()
    return (
        f"{name}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    )


def commit() -> str:
    """The checked-out commit, with a mark where files other than the figures differ from it."""
    others = ("--", ".", f":!{LINES.relative_to(ROOT)}")
    changed = _git("status", "--porcelain", "--untracked-files=no", *others)
    return (_git("describe", "--always") or "unknown") + ("-dirty" if changed else "")


def _git(*words: str) -> str:
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def own_version() -> str:
    """The version of this repository."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def versions(*packages: str) -> dict[str, str]:
    """Installed versions."""
    return {package: metadata.version(package) for package in packages}


def keep(name: str, settings: Mapping[str, Any], figures: Mapping[str, Any]) -> Record:
    """Append a run's figures."""
    line = {
        "name": name,
        "at": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "machine": machine(),
        "versions": versions("duckdb", "sqlglot"),
        "command": "python -m benchmarks " + " ".join(_told(sys.argv[1:])),
        "settings": dict(settings),
        "figures": dict(figures),
    }
    with LINES.open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(line, ensure_ascii=False)}\n")
    return line


def _told(arguments: Sequence[str]) -> list[str]:
    """The command as others would type it: folders of this machine by a word, no records."""
    told: list[str] = []
    words = iter(arguments)
    for argument in words:
        if argument == "--records":
            next(words, None)
            continue
        told.append(argument)
        if argument in ("--data", "--folder", "--wheels"):
            next(words, None)
            told.append("DIR")
    return told


def latest() -> dict[str, Record]:
    """The newest line for each name and settings; a sample and the whole are one measurement."""
    lines: dict[str, Record] = {}
    if LINES.exists():
        for text in LINES.read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            settings = {name: v for name, v in line["settings"].items() if name != "limit"}
            lines[f"{line['name']} {json.dumps(settings, sort_keys=True)}"] = line
    return lines


def answer_figures(records: Sequence[Record]) -> dict[str, Any]:
    """Counts, shares, the curve of precision over coverage, segments, times."""
    segments = sorted({r["segment"] for r in records if r["segment"]})
    figures = _counts(records)
    times = sorted(r["ms"] for r in records if "ms" in r) or [0.0]
    figures["p50_ms"] = times[len(times) // 2]
    figures["p95_ms"] = times[min(len(times) - 1, int(0.95 * len(times)))]
    figures["curve"] = curve(records)
    figures["segments"] = {
        segment: _counts([r for r in records if r["segment"] == segment]) for segment in segments
    }
    return figures


def _counts(records: Sequence[Record]) -> dict[str, Any]:
    by = {v: sum(r["verdict"] == v for r in records) for v in _VERDICTS}
    answered = [r for r in records if r.get("answered")]
    right = sum(r["verdict"] == "right" for r in answered)
    return {
        "questions": len(records),
        **by,
        "accuracy": round(by["right"] / len(records), 4) if records else None,
        "precision": round(right / len(answered), 4) if answered else None,
        "coverage": round(len(answered) / len(records), 4) if records else None,
    }


_VERDICTS = ("right", "wrong", "declined", "failed")


def curve(records: Sequence[Record]) -> list[list[float]]:
    """[least confidence, coverage, precision] at ten cuts."""
    answered = sorted(
        (r for r in records if r.get("answered")), key=lambda r: r["confidence"], reverse=True
    )
    points = []
    for tenth in range(1, 11):
        size = len(answered) * tenth // 10
        if size:
            right = sum(r["verdict"] == "right" for r in answered[:size])
            least = answered[size - 1]["confidence"]
            points.append([least, round(size / len(records), 4), round(right / size, 4)])
    return points


def write_page(intro: str) -> Path:
    """Write the page of all the latest figures."""
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page_text(intro), encoding="utf-8")
    return PAGE


def page_text(intro: str) -> str:
    """The page: some words, then a section for each measurement's latest figures."""
    lines = sorted(latest().values(), key=lambda line: (line["name"], str(line["settings"])))
    parts = [intro.strip(), ""]
    for line in lines:
        parts += _section(line)
    return "\n".join(parts).rstrip() + "\n"


def _section(line: Record) -> list[str]:
    told = ", ".join(f"{name} {value}" for name, value in line["settings"].items())
    package = ", ".join(f"{name} {version}" for name, version in line["versions"].items())
    return [
        f"## {line['name']}" + (f" ({told})" if told else ""),
        "",
        f"`{line['command']}`",
        "",
        *_table(line["figures"]),
        f"Measured {line['at'][:10]} at commit {line['commit']} with {package}; {line['machine']}.",
        "",
    ]


def _table(figures: Mapping[str, Any]) -> list[str]:
    """The figures as tables: plain ones in a row of their own, nested ones a row for each name."""
    plain = {name: value for name, value in figures.items() if not isinstance(value, (dict, list))}
    groups = [value for value in figures.values() if _is_rows(value)]
    parts: list[str] = []
    if plain and groups and set(_flat(groups[0])) <= set(plain):
        groups = [{"all": plain} | groups[0], *groups[1:]]
    elif plain:
        groups = [{"": plain}, *groups]
    for group in groups:
        parts += [*_rows(group), ""]
    if figures.get("curve"):
        parts += ["Precision as answers of lower confidence are let in:", ""]
        parts += ["| least confidence | coverage | precision |", "|---:|---:|---:|"]
        parts += [*(f"| {' | '.join(map(_cell, point))} |" for point in figures["curve"]), ""]
    return parts


def _flat(group: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(head for row in group.values() for head in row))


def _rows(group: Mapping[str, Mapping[str, Any]]) -> list[str]:
    heads = [head for head in _flat(group) if not isinstance(_first(group, head), (dict, list))]
    table = [f"| | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for name, row in group.items():
        table.append(f"| {name} | {' | '.join(_cell(row.get(head)) for head in heads)} |")
    return table


def _is_rows(value: object) -> bool:
    return (
        isinstance(value, dict) and bool(value) and all(isinstance(v, dict) for v in value.values())
    )


def _first(rows: Mapping[str, Mapping[str, Any]], head: str) -> Any:
    return next((row[head] for row in rows.values() if head in row), None)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
