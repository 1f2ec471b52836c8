"""Tables of one header line: the multi-row logic must leave their headers alone.

Usage: python -m benchmarks.single_headers --data DIR [DIR …] [--limit N] [--misses N]

DIR holds CSV files whose first line is the header and whose other lines are data (sets of plain
tables). A header is unaltered where its one line gave the names of the columns, each as published
but for empty and repeated names, which are made usable, and where the line after it (but for the
header written again) is the body's first row. What the reader makes of later lines (totals,
sections, notes) is another question and does not count here.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from retrieval.build import named_columns
from retrieval.errors import SourceError
from retrieval.orientation import TURNED
from retrieval.reading import read_source
from retrieval.table import Table, TableReport

UNALTERED = "unaltered"
MEANS = {
    "no header found": "the first line is of the kind of those below it: a record, no header",
    "read on its side": "the names stand in the first column; the table is turned, with a warning",
}
"""What is told of a file whose first line is not taken for its header."""


def lines_of(path: Path) -> list[list[str]]:
    """The file's lines with content, cells with single spaces."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [[" ".join(cell.split()) for cell in row] for row in csv.reader(file)]
    return [row for row in rows if any(row)]


def expected_names(rows: Sequence[Sequence[str]]) -> list[str]:
    """The first line's cells, made usable, of every column that has a name or content."""
    width = max(map(len, rows))
    filled = [list(row) + [""] * (width - len(row)) for row in rows]
    kept = [c for c in range(width) if any(row[c] for row in filled)]
    paths: list[tuple[tuple[str, ...], list[str]]] = [((filled[0][c],), []) for c in kept]
    return [column.name for column in named_columns(paths)]


def verdict(rows: Sequence[Sequence[str]], table: Table, report: TableReport) -> tuple[str, str]:
    """What became of the header, and an example where it is altered."""
    if TURNED in table.warnings:
        return "read on its side", str(rows[:3])
    if report.header_rows > 1:
        return f"{report.header_rows} lines joined", str(rows[: report.header_rows])
    if report.header_rows == 0:
        return "no header found", str(rows[:3])
    if table.row_count and len(rows) > 1 and report.header_lines != (1,):
        return "another line taken", str(rows[:3])
    names = [column.name for column in table.columns if not column.derived]
    wanted = expected_names(rows)
    if names != wanted:
        return "other names", f"{names} for {wanted}"
    first = next((row for row in rows[1:] if row != rows[0]), [])
    body = table.row(0) if table.row_count else ()
    if _folded(body)[: len(_folded(first))] != _folded(first):
        return "first line of data is no row", f"{first} / {body}"
    return UNALTERED, ""


def _folded(cells: Sequence[str]) -> str:
    return "".join("".join(cells).split())


def judged(path: Path) -> tuple[str, str]:
    """The verdict on one file."""
    try:
        result = read_source(path)[0]
    except SourceError as error:
        return "unread", str(error)
    if len(result.document.tables) != 1:
        return "split", str([table.headers for table in result.document.tables])
    return verdict(lines_of(path), result.document.tables[0], result.report.tables[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--limit", type=int, default=10**9)
    parser.add_argument("--misses", type=int, default=0, help="examples to print of each kind")
    options = parser.parse_args()
    for folder in options.data:
        counts: Counter[str] = Counter()
        for path in sorted(folder.rglob("*.csv"))[: options.limit]:
            kind, example = judged(path)
            counts[kind] += 1
            if kind != UNALTERED and counts[kind] <= options.misses:
                print(f"  {kind}: {path.name}: {example}"[:700])
        altered = {kind: count for kind, count in counts.items() if kind != UNALTERED}
        print(
            f"{folder}: header unaltered in {counts[UNALTERED]} of {sum(counts.values())}", altered
        )
        for kind in altered.keys() & MEANS.keys():
            print(f"  {kind}: {MEANS[kind]}")


if __name__ == "__main__":
    main()
