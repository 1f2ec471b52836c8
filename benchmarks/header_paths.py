"""Share of gold answer cells that come out of the readers with their full row and column path.

Usage: python -m benchmarks.header_paths --data DIR [--form html|xlsx|csv] [--misses N]

DIR holds folders (`hitab`, `aitqa`) with `questions.jsonl` and the same tables as `tables/*.csv`,
`tables_html/*.html` and `tables_xlsx/*.xlsx`. The HTML form is the reference: its leading rows of
`th` are the header (but for a row of values among them, which some pages mark as well), the `th` of
a body row its label; a row that holds one label alone heads the rows below it. An answer cell (by
its sheet coordinates in `formulas`, else by its text) counts where one cell of a table that was
read has the same text, every header text above it in its column's path, and every label text left
of it, and the label above it, in its row.

A set without an HTML form (`hctqa`) has its CSV form as the reference: the lines above the first
one that holds more numbers than words are the header, an open cell of the first line belongs to the
text left of it where something stands below, a line of one text heads the rows below, and the first
cell is the label.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from retrieval.errors import SourceError
from retrieval.reading import read_source
from retrieval.table import Table

REFERENCE = re.compile(r"\b([A-Z]{1,2})(\d{1,4})\b")


@dataclass(frozen=True)
class Reference:
    """A table as its HTML form tells it, spans filled."""

    rows: list[list[str]]
    header_rows: int
    labels: list[list[str]]
    """The label texts of each row, with those of the section above it."""

    def column_path(self, column: int) -> set[str]:
        return {row[column] for row in self.rows[: self.header_rows] if row[column]}


def fold(text: str) -> str:
    """Text without marks, white space and case, for comparing; numbers by their value."""
    if re.fullmatch(r"-?\d+\.\d+", text.strip()):
        text = f"{float(text):g}"
    return re.sub(r"\W+", "", text).casefold() or text.strip()


def reference(path: Path) -> Reference:
    root = LexborHTMLParser(path.read_text(encoding="utf-8"))
    grid: dict[tuple[int, int], str] = {}
    heads: list[list[bool]] = []
    for r, row in enumerate(root.css("tr")):
        column = 0
        heads.append([cell.tag == "th" for cell in row.css("td, th")])
        for cell in row.css("td, th"):
            while (r, column) in grid:
                column += 1
            height = int(cell.attributes.get("rowspan") or 1)
            width = int(cell.attributes.get("colspan") or 1)
            for rr in range(r, r + height):
                for cc in range(column, column + width):
                    grid[rr, cc] = fold(cell.text() or "")
            column += width
    width = max(c for _, c in grid) + 1
    rows = [[grid.get((r, c), "") for c in range(width)] for r in range(len(heads))]
    count = next((i for i, marks in enumerate(heads) if not all(marks)), len(heads))
    while count > 1 and _holds_values(rows[count - 1]):
        count -= 1
    return Reference(rows, count, list(_labels(rows, heads, count)))


def csv_reference(path: Path) -> Reference:
    """The reference of a set that has no HTML form."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [[fold(" ".join(cell.split())) for cell in row] for row in csv.reader(file)]
    width = max(map(len, rows))
    rows = [row + [""] * (width - len(row)) for row in rows]
    count = next((i for i, row in enumerate(rows) if _is_body(row)), len(rows))
    for r, row in enumerate(rows[:count]):
        if sum(map(bool, row)) == 1:
            rows[r] = [""] * width
            continue
        for c in range(2, width if r == 0 else 0):
            below = any(rows[k][c] for k in range(r + 1, count))
            row[c] = row[c] or (row[c - 1] if below else "")
    labels, section = [], list[str]()
    for row in rows:
        if row[0] and sum(map(bool, row)) == 1:
            section = [row[0]]
        labels.append([row[0], *section] if row[0] else section)
    return Reference(rows, count, labels)


def _is_body(row: list[str]) -> bool:
    cells = [cell for cell in row[1:] if cell.isalnum()]
    years = [cell for cell in cells if re.fullmatch(r"(?:19|20)\d\d", cell)]
    numbers = [cell for cell in cells if cell.isdigit() and cell not in years]
    return len(numbers) * 2 > len(cells)


def _holds_values(row: list[str]) -> bool:
    cells = [cell for cell in row[1:] if cell]
    numbers = [c for c in cells if c.isdigit() and not re.fullmatch(r"(?:19|20)\d\d", c)]
    return bool(numbers) or not cells


def _labels(rows: list[list[str]], heads: list[list[bool]], start: int) -> Iterator[list[str]]:
    section: list[str] = []
    for r, row in enumerate(rows):
        own = [cell for cell, _ in zip(row, range(sum(heads[r])), strict=False) if cell]
        if r >= start and own and len(set(filter(None, row))) == 1:
            section = own
            yield own
        else:
            yield own + section


def recovered(
    tables: Sequence[Table], text: str, column_path: set[str], labels: Sequence[str]
) -> bool:
    """Whether a cell of `tables` has this text under this path beside these labels."""
    for table in tables:
        for column in table.columns:
            path = {fold(part) for part in column.path}
            if not column_path <= path:
                continue
            for code, cell in enumerate(column.texts):
                if fold(cell) != text:
                    continue
                for row in (column.codes == code).nonzero()[0].tolist():
                    beside = {fold(part) for part in table.row(row)}
                    if set(labels) <= beside:
                        return True
    return False


def named(tables: Sequence[Table], text: str) -> bool:
    """Whether a header path holds the text."""
    return any(text in {fold(p) for p in c.path} for t in tables for c in t.columns)


def gold_cells(question: dict[str, object], ref: Reference) -> list[tuple[int, int]]:
    """(row, column) in the reference of each answer cell."""
    cells = []
    for formula in question.get("formulas", ()):  # type: ignore[attr-defined]
        for letters, number in REFERENCE.findall(formula):
            column = 0
            for letter in letters:
                column = column * 26 + ord(letter) - 64
            row = int(number) - 3
            if 0 <= row < len(ref.rows) and column <= len(ref.rows[0]):
                cells.append((row, column - 1))
    if not cells and "formulas" not in question:
        answers = question["answer"]
        wanted = {fold(part) for a in answers for part in str(a).split(" | ")}  # type: ignore[attr-defined]
        cells = [(r, c) for r, row in enumerate(ref.rows) for c, x in enumerate(row) if x in wanted]
    return cells


def measure(folder: Path, form: str, misses: int) -> None:
    suffix = {"html": "tables_html/{}.html", "xlsx": "tables_xlsx/{}.xlsx", "csv": "tables/{}.csv"}
    found = total = 0
    read: dict[str, tuple[Reference, list[Table]]] = {}
    shown: set[str] = set()
    with (folder / "questions.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            question = json.loads(line)
            stem = Path(question["tables"][0]).stem
            if stem not in read:
                html = folder / f"tables_html/{stem}.html"
                plain = folder / suffix["csv"].format(stem)
                ref = reference(html) if html.exists() else csv_reference(plain)
                try:
                    results = read_source(folder / suffix[form].format(stem))
                    tables = [t for result in results for t in result.document.tables]
                except SourceError:
                    tables = []
                read[stem] = ref, tables
            ref, tables = read[stem]
            for row, column in gold_cells(question, ref):
                text = ref.rows[row][column]
                if not text:
                    continue
                total += 1
                if row < ref.header_rows:
                    good = named(tables, text) or any(
                        text == fold(x) for t in tables for c in t.columns for x in c.texts
                    )
                else:
                    labels = ref.labels[row]
                    good = recovered(tables, text, ref.column_path(column), labels)
                found += good
                if not good and len(shown) < misses and stem not in shown:
                    shown.add(stem)
                    print(
                        "  miss",
                        stem,
                        (row, column),
                        text,
                        ref.column_path(column),
                        ref.labels[row],
                    )
    print(f"{folder.name:8} {form:5} {found}/{total} = {found / max(1, total):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--form", choices=("html", "xlsx", "csv"))
    parser.add_argument("--set", default="hitab,aitqa,hctqa")
    parser.add_argument(
        "--misses", type=int, default=0, help="print this many misses a set and form"
    )
    options = parser.parse_args()
    for name in options.set.split(","):
        forms = [f for f in ("html", "xlsx") if (options.data / name / f"tables_{f}").is_dir()]
        for form in [options.form] if options.form else [*forms, "csv"]:
            measure(options.data / name, form, options.misses)


if __name__ == "__main__":
    main()
