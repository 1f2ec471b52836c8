"""Hold each dialogue with a router, offline, and count its turns right, declined and wrong.

Usage: python -m benchmarks.dialogues [FOLDER] [--verbose]

FOLDER holds `dialogues.jsonl` and the CSV files that it is about. A turn is right where its rows
are those of its gold SQL (order and column names aside), or, for "why?", where the answer tells its
SQL or its source. A turn that was declined is counted as such.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.cases import same_rows
from router import Answer, Router

DEFAULT = Path(__file__).parent.parent / "tests" / "data" / "dialogues"


@dataclass(frozen=True)
class Turn:
    """What became of one turn."""

    dialogue: str
    number: int
    question: str
    outcome: str
    given: str


def hold(router: Router, dialogue: dict[str, Any]) -> Iterator[Turn]:
    """Ask the turns in order, each with the answers before it."""
    history: list[Answer] = []
    for number, turn in enumerate(dialogue["turns"], 1):
        outcome, given, answer = one(router, turn, history)
        history.append(answer)
        yield Turn(dialogue["id"], number, turn["question"], outcome, given)


def one(router: Router, turn: dict[str, Any], history: list[Answer]) -> tuple[str, str, Answer]:
    """Outcome, what to show a reader, and the answer."""
    answer = router.ask(turn["question"], history=history)
    given = f"read as {answer.read_as!r}: {answer.text!r} {answer.rows[:3]} {answer.sql}"
    if answer.declined or turn.get("declined"):
        right = answer.declined and turn.get("declined")
        return "right" if right else "declined" if answer.declined else "wrong", given, answer
    if turn.get("why"):
        right = "SQL:" in answer.text or "Source:" in answer.text
    else:
        gold = [list(row) for row in router.sql(turn["sql"]).rows]
        rows = [[answer.value]] if answer.value is not None else [list(r) for r in answer.rows]
        right = same_rows(gold, rows, ordered=False)
    return ("right" if right else "wrong"), given, answer


def load(folder: Path) -> list[dict[str, Any]]:
    """The dialogues of a folder."""
    lines = (folder / "dialogues.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def run(folder: Path) -> list[Turn]:
    """Every turn of every dialogue."""
    with Router(writer="offline") as router:
        router.add(str(folder / "*.csv"))
        return [turn for dialogue in load(folder) for turn in hold(router, dialogue)]


def main() -> None:
    """Run, print the counts and, with --verbose, each turn that is not right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    turns = run(options.folder)
    if options.verbose:
        for turn in turns:
            if turn.outcome != "right":
                print(
                    f"{turn.outcome} {turn.dialogue}.{turn.number} {turn.question}\n  {turn.given}"
                )
    counts = Counter(turn.outcome for turn in turns)
    print(f"{len(turns)} turns: {dict(counts)}")


if __name__ == "__main__":
    main()
