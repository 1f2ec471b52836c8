"""Whole web pages: the gold table of each page recovered, cell for cell.

Usage: python -m benchmarks.web_pages --data DIR [--misses N]

DIR holds `files.jsonl` (`page`: an HTML file, `gold_csv`: its table as a CSV file, both relative to
DIR). Cells are compared after folding white space, case and footnote marks; columns without text,
such as pictures, are left out. A page counts where one of its tables has at least 99 % of the gold
cells in their places; the header is the first row.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import unicodedata
from pathlib import Path

from retrieval.errors import SourceError
from retrieval.reading import read_source
from retrieval.table import Table

MARKS = re.compile(r"\[[^\[\]]{1,10}\]|[*†‡§]+$")


def fold(text: str) -> str:
    """Text without marks, white space and case."""
    plain = MARKS.sub(
        "", unicodedata.normalize("NFKC", text).replace("\\n", " ").replace('\\"', '"')
    )
    return re.sub(r"\s+", "", plain).replace("–", "-").casefold()


def grid_of(table: Table) -> list[list[str]]:
    """The published columns that hold text, with the last header word of each as the first row."""
    columns = [column for column in table.columns if not column.derived and column.texts]
    head = ["" if c.name.startswith("column_") else c.path[-1] for c in columns]
    return [head, *([c.text_at(r) for c in columns] for r in range(table.row_count))]


def share(gold: list[list[str]], given: list[list[str]]) -> float:
    """Gold cells that stand at their place, or in a row with the same cells."""
    wanted = [[fold(cell) for cell in row] for row in gold]
    found = [[fold(cell) for cell in row] for row in given]
    total = sum(map(len, wanted))
    right, position = 0, 0
    for row in wanted:
        best, at = 0, position
        for k in range(position, min(position + 3, len(found))):
            same = sum(a == b for a, b in zip(row, found[k], strict=False))
            if same > best:
                best, at = same, k
        right += best
        position = at + 1 if best else position
    return right / total if total else 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--misses", type=int, default=0, help="print this many pages below 99 %%")
    options = parser.parse_args()
    right = pages = 0
    for line in (options.data / "files.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        pages += 1
        with (options.data / entry["gold_csv"]).open(encoding="utf-8", newline="") as file:
            gold = list(csv.reader(file))
        try:
            results = read_source(options.data / entry["page"])
        except SourceError as error:
            print("  unread", entry["id"], error)
            continue
        tables = [table for result in results for table in result.document.tables]
        scored = [(share(gold, grid_of(table)), table) for table in tables]
        best, table = max(scored, key=lambda pair: pair[0], default=(0.0, None))
        right += best >= 0.99
        if best < 0.99 and options.misses > 0:
            options.misses -= 1
            print(f"  {entry['id']} {best:.3f} gold {gold[:2]}")
            if table is not None:
                given = grid_of(table)
                print("      given", given[:2])
                pairs = zip(gold, given, strict=False)
                bad = [(a, b) for a, b in pairs if [*map(fold, a)] != [*map(fold, b)]]
                print("      first difference", bad[:1], len(gold), len(given))
    print(f"pages with 99 % of the gold cells: {right}/{pages} = {right / max(1, pages):.3f}")


if __name__ == "__main__":
    main()
