"""Reads a public question set in the layout that `docs/benchmarks.md` describes.

    DIR/<set>/questions.jsonl      id, question, tables, answer, split, and where they apply
                                   answer_rows, ordered, accepted, empty, gold_rows, db, db_tables
    DIR/<set>/tables/…             the tables, as CSV

Takes that folder, gives `Question`s; nothing here knows what a set is about.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

Rows = list[list[Any]]
T = TypeVar("T")


@dataclass(frozen=True)
class Question:
    """One question of a set with its gold."""

    id: str
    question: str
    tables: tuple[Path, ...]
    """Every file the question may need; of a database, all its tables."""
    answer: tuple[str, ...]
    results: tuple[Rows, ...]
    """Admissible results, where the set publishes rows."""
    ordered: bool
    gold_rows: tuple[int, ...]
    record: Mapping[str, Any]
    """The set's own line, for what only one set has."""


def load(folder: Path, name: str, split: str, *, limit: int | None = None) -> list[Question]:
    """Questions of one split; with `limit`, that many spread evenly over the file."""
    path = folder / name / "questions.jsonl"
    with path.open(encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    records = [r for r in records if r.get("split", split) == split and not r.get("empty")]
    return [_question(folder, name, record) for record in spread(records, limit)]


def spread(found: Sequence[T], limit: int | None) -> Sequence[T]:
    """So many of what was found, evenly spread; all without a limit."""
    if not limit or limit >= len(found):
        return found
    return [found[index * len(found) // limit] for index in range(limit)]


def _question(folder: Path, name: str, record: Mapping[str, Any]) -> Question:
    results = [record["answer_rows"]] if "answer_rows" in record else []
    results += [each["rows"] for each in record.get("accepted", [])]
    return Question(
        id=record["id"],
        question=record["question"],
        tables=tuple(_files(folder, name, record)),
        answer=tuple(record["answer"]),
        results=tuple(results),
        ordered=bool(record.get("ordered", False)),
        gold_rows=tuple(record.get("gold_rows", ())),
        record=record,
    )


def _files(folder: Path, name: str, record: Mapping[str, Any]) -> Iterator[Path]:
    tables = _tables_folder(folder, name)
    if record.get("db_tables"):
        yield from (tables / record["db"] / f"{table}.csv" for table in record["db_tables"])
    else:
        yield from (tables / table for table in record["tables"])


_BORROWED = {"spider_syn": "spider", "spider_dk": "spider", "defog_idk": "defog"}


def _tables_folder(folder: Path, name: str) -> Path:
    return folder / _BORROWED.get(name, name) / "tables"


def by_tables(questions: Iterable[Question]) -> dict[tuple[Path, ...], list[Question]]:
    """Questions that share their tables, so that those are loaded once."""
    groups: dict[tuple[Path, ...], list[Question]] = {}
    for question in questions:
        groups.setdefault(question.tables, []).append(question)
    return groups


def pool(questions: Sequence[Question], folder: Path, name: str, *, whole: bool) -> list[Path]:
    """The tables to search in: those of the questions, or every one the set has."""
    if whole:
        return sorted(_tables_folder(folder, name).glob("*.csv"))
    return sorted({path for question in questions for path in question.tables})
