"""Looks in the package for table ids and names of the development sets: none may be there.

    python -m benchmarks.no_names FOLDER_OF_SETS [--sets wtq,spider]

A name is a cell of a development table of two to five capitalised words, or a question's id or
table's file name that has a digit. It is looked for in every text file of the package, weights and
word lists included, without regard to case. Names that are plain English are in `REVIEWED`, each
seen by a person. Prints what it finds; ends with 1 where that is anything.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from sql_engine.offline.lexicon import lexicon

PACKAGES = ("retrieval", "router", "sql_engine")
KINDS = frozenset([".py", ".json", ".toml", ".md", ".txt", ".yaml"])
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
NAME = re.compile(r"[A-Z][a-z]+(?:[ -][A-Z][a-z]+){1,4}")
LONGEST = 5
MANY_LINES = 3000
"""Rows of a table that are looked at."""
REVIEWED = Path(__file__).with_suffix(".txt")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--sets", help="names of sets; else all that are there")
    options = parser.parse_args()
    folders = (
        [options.root / name for name in options.sets.split(",")]
        if options.sets
        else sorted(path.parent for path in options.root.glob("*/tables"))
    )
    reviewed = set(REVIEWED.read_text(encoding="utf-8").split("\n"))
    names, ids = set(), set()
    for folder in folders:
        names.update(_names(folder))
        ids.update(_ids(folder))
    found = 0
    for path in _files():
        text = path.read_text(encoding="utf-8").casefold()
        told = (set(_phrases(text)) & names) - reviewed
        told |= set(re.findall(r"[\w-]+", text)) & ids
        for name in sorted(told):
            print(f"{path}: {name}")
            found += 1
    print(f"{len(names)} names and {len(ids)} ids looked for: {found} found")
    sys.exit(bool(found))


def _files() -> Iterator[Path]:
    for package in PACKAGES:
        yield from (p for p in sorted(Path(package).rglob("*")) if p.suffix in KINDS)


def _phrases(text: str) -> Iterator[str]:
    words = WORD.findall(text)
    for size in range(2, LONGEST + 1):
        for start in range(len(words) - size + 1):
            yield " ".join(words[start : start + size])


def _names(folder: Path) -> Iterator[str]:
    """Every capitalised cell of several words."""
    for path in sorted((folder / "tables").rglob("*.csv")):
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            for number, row in enumerate(csv.reader(file)):
                if number > MANY_LINES:
                    break
                if number:
                    yield from (
                        cell.strip().replace("-", " ").casefold()
                        for cell in row
                        if NAME.fullmatch(cell.strip()) and _names_something(cell)
                    )


def _names_something(cell: str) -> bool:
    """Whether no word of it is a function word, and not all are one word."""
    words = [word.casefold() for word in WORD.findall(cell)]
    return len(set(words)) > 1 and not lexicon().function & set(words)


def _ids(folder: Path) -> Iterator[str]:
    """File names of tables, where a digit and a sign say that they are nothing else."""
    for path in (folder / "tables").rglob("*.csv"):
        stem = path.stem.casefold()
        if re.search(r"\d", stem) and re.search(r"[-_]", stem):
            yield stem


if __name__ == "__main__":
    main()
