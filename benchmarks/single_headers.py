"""Tables of one header line: the multi-row logic must leave them alone.

Usage: python -m benchmarks.single_headers --data DIR [--limit N] [--misses N]

DIR holds CSV files whose first line is the header and whose other lines are data (sets of plain
tables). Counts tables whose header, row count and cells come out unchanged, and lists what the
reader made of the others: rows taken for titles, headers, sections, notes or totals.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from pathlib import Path

from retrieval.errors import SourceError
from retrieval.reading import read_source


def verdict(path: Path) -> tuple[str, str]:
    """What the reader changed ("" where nothing), and an example line."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
    try:
        results = read_source(path)
    except SourceError as error:
        return "unread", str(error)
    tables = [t for result in results for t in result.document.tables]
    reports = [r for result in results for r in result.report.tables]
    if len(tables) != 1:
        return "split", str([t.headers for t in tables])
    table, report = tables[0], reports[0]
    if report.header_rows != 1:
        return f"{report.header_rows} header rows", str(rows[:3])
    if report.set_aside:
        return report.set_aside[0].reason, report.set_aside[0].text[:150]
    if table.totals:
        return "totals", str([table.row(r) for r in sorted(table.totals)][:2])
    if table.row_count != len(rows) - 1:
        return "row count", f"{table.row_count} of {len(rows) - 1}"
    return "", ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=10**9)
    parser.add_argument("--misses", type=int, default=0, help="examples to print of each kind")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for path in sorted(options.data.rglob("*.csv"))[: options.limit]:
        kind, example = verdict(path)
        counts[kind] += 1
        if kind and counts[kind] <= options.misses:
            print(f"  {kind}: {path.name}: {example}")
    print(f"unchanged: {counts['']} of {sum(counts.values())}; changed: {dict(counts)}")


if __name__ == "__main__":
    main()
