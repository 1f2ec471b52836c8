"""Line labels of published tables against human labels: F1 a label and their mean.

Usage: python -m benchmarks.structure --data DIR [--errors N] [--only SUBSTRING]

DIR holds `files.jsonl` (`file`, `labels`: paths under DIR) with a CSV file and a JSON file of
`lines` each, one label a line: metadata, header, group, data, derived, notes, empty. What the
reader made of each line is told by its report: set aside, header, data row or totals row.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from retrieval.reading import read_source
from retrieval.table import ReadResult
from retrieval.understand import ABOVE, NOTE, REPEATED, SECTION_ROW

LABELS = ("metadata", "header", "group", "data", "derived", "notes")
REASONS = {ABOVE: "metadata", REPEATED: "header", SECTION_ROW: "group", NOTE: "notes"}


def labels_of(results: Sequence[ReadResult]) -> dict[int, str]:
    """Source line to label."""
    found: dict[int, str] = {}
    for result in results:
        for table, report in zip(result.document.tables, result.report.tables, strict=True):
            found |= dict.fromkeys(report.header_lines, "header")
            for aside in report.set_aside:
                found[aside.line] = REASONS[aside.reason]
            for row in range(table.row_count):
                line = table.line_of(row)
                if line is not None:
                    found[line] = "derived" if row in table.totals else "data"
    return found


def line_starts(path: Path) -> list[int]:
    """The source line at which each record starts."""
    starts, line = [], 1
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        for _ in reader:
            starts.append(line)
            line = reader.line_num + 1
    return starts


def pairs(data: Path, only: str, errors: int) -> Iterator[tuple[str, str]]:
    """(human label, label given) of every line that is not empty."""
    for line in (data / "files.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if only not in entry["file"]:
            continue
        wanted = json.loads((data / entry["labels"]).read_text(encoding="utf-8"))["lines"]
        given = labels_of(read_source(data / entry["file"]))
        starts = line_starts(data / entry["file"])
        wrong = []
        for human, start in zip(wanted, starts, strict=False):
            if human != "empty":
                label = given.get(start, "empty")
                yield human, label
                if label != human:
                    wrong.append((start, human, label))
        if wrong and errors > 0:
            errors -= 1
            print(entry["file"], len(wanted), wrong[:12])


def f1(counts: Counter[tuple[str, str]], label: str) -> float:
    """Harmonic mean of precision and recall of one label."""
    right = counts[label, label]
    given = sum(n for (_, g), n in counts.items() if g == label)
    wanted = sum(n for (w, _), n in counts.items() if w == label)
    return 2 * right / (given + wanted) if given + wanted else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--data", type=Path, required=True, help="the folder that holds files.jsonl"
    )
    parser.add_argument("--errors", type=int, default=0, help="show the errors of this many files")
    parser.add_argument("--only", default="", help="only files whose path holds this")
    options = parser.parse_args()
    counts = Counter(pairs(options.data, options.only, options.errors))
    scores = {label: f1(counts, label) for label in LABELS}
    for label, score in scores.items():
        missed = Counter({g: n for (w, g), n in counts.items() if w == label and g != label})
        print(f"{label:9} F1 {score:.3f}   given as: {dict(missed.most_common(4))}")
    print(f"macro F1 {sum(scores.values()) / len(scores):.3f}")


if __name__ == "__main__":
    main()
