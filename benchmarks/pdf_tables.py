"""Tables printed to PDF and read back: cells in their row and column.

Usage: python -m benchmarks.pdf_tables --data DIR [DIR …] [--count N] [--misses N]

Needs the `pdf` extra and fpdf2. Each DIR is a folder of CSV tables; they take turns. Prints N
documents of one, two or three of them each (long ones run over pages, with prose between), half
with ruled lines and half without, reads each PDF, and counts the cells that come back in their row
and column. A document is trusted unless its report warns; of those that are not, the count is told
apart.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections.abc import Sequence
from itertools import chain, count, islice
from pathlib import Path

from retrieval.errors import SourceError
from retrieval.reading import read_source
from retrieval.table import Table

Grid = list[list[str]]


def load(path: Path) -> Grid | None:
    """A table of two to eight columns in the Latin-1 letters that a PDF's own fonts have."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [[" ".join(cell.split()) for cell in row] for row in csv.reader(file)]
    width = len(rows[0])
    if not 3 <= len(rows) <= 90 or not 2 <= width <= 8 or any(len(r) != width for r in rows):
        return None
    text = "".join(cell for row in rows for cell in row)
    return rows if text.isascii() and all(rows[0]) else None


def print_pdf(path: Path, grids: Sequence[Grid], *, ruled: bool) -> None:
    from fpdf import FPDF

    pdf = FPDF(orientation="landscape")
    pdf.set_font("Helvetica", size=8)
    pdf.add_page()
    for number, grid in enumerate(grids, 1):
        pdf.cell(text=f"Table {number}. A table of {len(grid) - 1} lines")
        pdf.ln(8)
        lines = "ALL" if ruled else "NONE"
        with pdf.table(borders_layout=lines, first_row_as_headings=False) as table:
            for row in grid:
                table.row(row)
        pdf.ln(8)
        pdf.cell(text="Some words of prose stand between the tables of this document.")
        pdf.ln(10)
    pdf.output(str(path))


def fold(text: str) -> str:
    return "".join(text.split())


def same_cells(wanted: Sequence[str], given: Sequence[str], *, header: bool) -> int:
    """Cells of one line in their columns; a header line of several is part of the path."""
    pairs = [(fold(a), fold(b)) for a, b in zip(wanted, given, strict=False)]
    return sum(a == b or (header and bool(a) and a in b) for a, b in pairs)


def right_cells(gold: Grid, tables: Sequence[Table]) -> int:
    """Gold cells that stand in their row and column of the table that fits best."""
    best = 0
    for table in tables:
        columns = [column for column in table.columns if not column.derived]
        head = [" ".join(column.path) for column in columns]
        rows = [head, *([c.text_at(r) for c in columns] for r in range(table.row_count))]
        found, position = 0, 0
        for wanted in gold:
            window = range(position, min(position + 3, len(rows)))
            same = [same_cells(wanted, rows[k], header=k == 0) for k in window]
            if same and max(same):
                found += max(same)
                at = window[same.index(max(same))]
                position = at + 1 if at else 0
        best = max(best, found)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--misses", type=int, default=0)
    options = parser.parse_args()
    folders = (sorted(folder.glob("*.csv"))[::3] for folder in options.data)
    paths = chain.from_iterable(zip(*folders, strict=False))
    grids = iter([grid for grid in map(load, paths) if grid is not None])
    counts: dict[str, list[int]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number in count():
            group = list(islice(grids, 1 + number % 3))
            printed = sum(documents for documents, _, _ in counts.values())
            if not group or printed == options.count:
                break
            path, ruled = Path(folder) / f"{number}.pdf", number % 2 == 0
            try:
                print_pdf(path, group, ruled=ruled)
            except ValueError as error:  # a row higher than a page cannot be printed
                print("  not printed", number, error)
                continue
            tables: list[Table] = []
            try:
                tables = [t for result in read_source(path) for t in result.document.tables]
            except SourceError as error:
                print("  unread", number, error)
            sure = not any(table.warnings for table in tables)
            kind = f"{'ruled' if ruled else 'spaced'}, {'trusted' if sure else 'warned'}"
            total = sum(len(row) for grid in group for row in grid)
            right = sum(right_cells(grid, tables) for grid in group)
            entry = counts.setdefault(kind, [0, 0, 0])
            for place, value in enumerate((1, right, total)):
                entry[place] += value
            if right < 0.9 * total and options.misses > 0:
                options.misses -= 1
                print(f"  {number} {kind} {right}/{total} {[t.headers for t in tables]}")
                print("     ", [grid[:2] for grid in group])
    for kind, (documents, right, total) in sorted(counts.items()):
        print(f"{kind:16} {documents} documents, cells {right}/{total} = {right / total:.3f}")
    if not counts:
        raise SystemExit("no CSV table in these folders can be printed: give folders of tables")
    right, total = (sum(entry[place] for entry in counts.values()) for place in (1, 2))
    print(f"all              cells {right}/{total} = {right / total:.3f}")


if __name__ == "__main__":
    main()
