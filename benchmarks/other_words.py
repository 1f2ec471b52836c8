"""Look-ups in other words: the row meant, with the dense extra and without, and exact codes.

python -m benchmarks other-words

Twenty tables of ten rows (`other_words.txt`), each row with a code and a question that shares no
content word with it. Tells row@1 for the questions and for the codes, in both ways, and how often
a question about nothing in the tables finds a row all the same.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrieval import sentences, vectors
from retrieval.build import build_table
from retrieval.index import Index
from retrieval.question import Question
from retrieval.table import Document, Table
from retrieval.tokenize import tokens

DATA = Path(__file__).with_name("other_words.txt")
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
    """The tables of `other_words.txt`; each row gets a code."""
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


def shared_words(question: str, key: str) -> set[str]:
    """Content words that a question shares with the row it means."""
    said = {t for word in Question.of(question).content_words for t in word.tokens}
    return said & {*tokens(key)}


def measure() -> dict[str, Any]:
    """By search: row@1 of the questions and of the codes, and unrelated questions with a row."""
    found = groups()
    by_meaning = "with dense, sentences compared" if sentences.available() else "with dense"
    ways = {"by words": False} | ({by_meaning: True} if vectors.available() else {})
    return {"by search": {w: _figures(found, dense_wanted=on) for w, on in ways.items()}}


def _figures(found: list[Group], *, dense_wanted: bool) -> dict[str, Any]:
    index = Index(dense=dense_wanted)
    index.add(*(Document(g.table.document, "", (g.table,)) for g in found))
    asked = [(q, (g.table.table_id, key)) for g in found for q, key in g.asked]
    codes = [(row[-1], (g.table.table_id, row[0])) for g in found for row in _rows(g.table)]
    return {
        "questions": len(asked),
        "sharing a word": sum(bool(shared_words(q, key)) for q, (_, key) in asked),
        "row@1": _right(index, asked),
        "codes": len(codes),
        "code row@1": _right(index, codes),
        "unrelated with a row": sum(bool(index.search_rows(q)) for q in UNRELATED),
        "unrelated": len(UNRELATED),
    }


def _rows(table: Table) -> list[tuple[str, ...]]:
    return [table.row(row) for row in range(table.row_count)]


def _right(index: Index, asked: list[tuple[str, tuple[str, str]]]) -> float:
    return round(sum(_first(index, q) == wanted for q, wanted in asked) / len(asked), 4)


def _first(index: Index, question: str) -> tuple[str, str] | None:
    hits = index.search_rows(question, 1)
    return (hits[0].table_id, next(iter(hits[0].cells.values()))) if hits else None
