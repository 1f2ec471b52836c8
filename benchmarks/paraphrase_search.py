"""Look-ups in other words: the row meant, with the dense extra and without, and exact codes.

python -m benchmarks.paraphrase_search

Twenty tables of ten rows (`paraphrases.txt`), each row with a code and a question that shares no
content word with it. Tells row@1 for the questions and for the codes, in both ways, and how often
a question about nothing in the tables finds a row all the same.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from retrieval import dense
from retrieval.build import build_table
from retrieval.index import Index
from retrieval.question import Question
from retrieval.table import Document, Table
from retrieval.tokenize import tokens

DATA = Path(__file__).with_name("paraphrases.txt")
UNRELATED = (
    "quarterly revenue of the semiconductor division", "who wrote the constitution of Norway",
    "boiling point of mercury in kelvin", "version of the compiler on the build server",
    "distance from Lima to Quito", "parliament seats won in 1987",
    "melting temperature of tungsten", "postal code of the Osaka warehouse",
    "median salary of data engineers", "goals of striker 9",
)  # fmt: skip


@dataclass(frozen=True)
class Group:
    """One table with its questions, each with the key of the row it means."""

    table: Table
    asked: tuple[tuple[str, str], ...]


def groups() -> list[Group]:
    """The tables of `paraphrases.txt`; each row gets a code."""
    parts = DATA.read_text(encoding="utf-8").split("\n== ")[1:]
    return [_group(number, part) for number, part in enumerate(parts)]


def _group(number: int, part: str) -> Group:
    title, *lines = part.strip().splitlines()
    head, *rows = csv.reader(line for line in lines if not line.startswith("?"))
    codes = [f"{title[0].upper()}{number:02d}-{17 * i % 100:02d}-{'AB'[i % 2]}" for i in range(10)]
    columns = [((name,), [row[i] for row in rows]) for i, name in enumerate(head)]
    table = build_table(
        [*columns, (("code",), codes)], document=f"{title}.csv", name=title, title=title, key=0
    )
    asked = (line[1:].split("=>") for line in lines if line.startswith("?"))
    return Group(table, tuple((question.strip(), key.strip()) for question, key in asked))


def shared_words(group: Group, question: str, key: str) -> set[str]:
    """Content words that a question shares with the row it means."""
    said = {t for word in Question.of(question).content_words for t in word.tokens}
    return said & {*tokens(key)}


def main() -> None:
    found = groups()
    for dense_wanted in (False, True) if dense.available() else (False,):
        index = Index(dense=dense_wanted)
        index.add(*(Document(g.table.document, "", (g.table,)) for g in found))
        asked = [(q, g.table.table_id, key) for g in found for q, key in g.asked]
        shared = sum(bool(shared_words(g, q, key)) for g in found for q, key in g.asked)
        right = sum(_first(index, q) == (table, key) for q, table, key in asked)
        codes = [
            (row[-1], g.table.table_id, row[0])
            for g in found
            for row in map(g.table.row, range(g.table.row_count))
        ]
        exact = sum(_first(index, code) == (table, key) for code, table, key in codes)
        unfounded = sum(bool(index.search_rows(question)) for question in UNRELATED)
        print(
            f"{'with' if dense_wanted else 'without'} dense: paraphrases row@1 "
            f"{right / len(asked):.3f} of {len(asked)} ({shared} share a word), codes row@1 "
            f"{exact / len(codes):.3f} of {len(codes)}, "
            f"{unfounded} of {len(UNRELATED)} unrelated questions find a row"
        )


def _first(index: Index, question: str) -> tuple[str, str] | None:
    hits = index.search_rows(question, 1)
    return (hits[0].table_id, next(iter(hits[0].cells.values()))) if hits else None


if __name__ == "__main__":
    main()
