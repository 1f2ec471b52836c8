"""Look-ups end to end: the right cell by `Router.ask`, offline, and how little text that takes.

python -m benchmarks.lookup_answers SET_FOLDER [--pool] [--limit N] [--misses N]

Each question is asked over its own table, or with `--pool` over all tables of the set at once. An
answer is right if its value, or one cell of its rows for a single-row answer, is the gold text.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path

from retrieval.table import Table
from router import Answer, Router


def plain(text: object) -> str:
    """Numbers without currency, grouping and trailing zeros; other text folded."""
    folded = str(text).strip().casefold()
    negative = folded.startswith(("(", "-")) and any(c.isdigit() for c in folded)
    number = re.sub(r"[$€£,%\s()]|^-", "", folded)
    if re.fullmatch(r"\d+(\.\d+)?", number):
        return f"{'-' if negative else ''}{float(number):g}"
    return re.sub(r"\s+", " ", folded)


def right(answer: Answer, gold: list[str]) -> bool:
    wanted = {plain(text) for text in gold}
    if answer.value is not None:
        return plain(answer.value) in wanted or plain(answer.text) in wanted
    return plain(answer.text) in wanted


def table_text(table: Table) -> int:
    """Characters of a table with its headers."""
    cells = sum(
        int((column.counts * [len(text) for text in column.texts]).sum()) if column.texts else 0
        for column in table.columns
    )
    return cells + sum(len(header) for header in table.headers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pool", action="store_true")
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--misses", type=int, default=0)
    args = parser.parse_args()
    lines = (args.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    if args.limit:
        questions = questions[:: max(1, len(questions) // args.limit)]
    routers: dict[str, Router] = {}
    outcomes: Counter[str] = Counter()
    routes: Counter[str] = Counter()
    ratios = []
    for question in questions:
        key = "" if args.pool else question["tables"][0]
        if key not in routers:
            routers[key] = Router(writer="offline")
            routers[key].add(args.folder / "tables" / key if key else args.folder / "tables")
        answer = routers[key].ask(question["question"])
        good = right(answer, question["answer"])
        outcome = "right" if good else "declined" if answer.route == "declined" else "wrong"
        outcomes[outcome] += 1
        routes[f"{answer.route} {outcome}"] += 1
        if outcome != "right" and args.misses > 0:
            args.misses -= 1
            print(question["question"], "| gold", question["answer"], "| got", answer.route)
            print("   ", answer.text[:150], "|", answer.reason[:100], "|", answer.sql)
    total = sum(outcomes.values())
    print(", ".join(f"{name} {n} ({n / total:.3f})" for name, n in outcomes.most_common()))
    print(", ".join(f"{name} {n}" for name, n in routes.most_common()))
    if ratios:
        print(f"context: {sum(ratios) / len(ratios):.1f} times smaller")


if __name__ == "__main__":
    main()
