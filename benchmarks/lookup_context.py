"""How little text a look-up hands on: the part of a table that a question needs, and the table.

    python -m benchmarks run lookup-context --data DIR

Each look-up of the sets whose table has 40 rows or more, the table alone in an index. Two texts are
held against that of the whole table: the best row as it is indexed, and the rows and columns that
the question needs (where they are few enough for a prompt); and how often each holds the gold.
With `--limit N`, so many of each set, evenly spread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.question_sets import Question, by_tables, load, spread
from retrieval.context import table_slices
from retrieval.errors import RetrievalError
from retrieval.index import Index
from retrieval.reading import read_source
from retrieval.table import Document, Table

SETS = ("aitqa", "hitab", "wikisql")
ROWS = 40
"""From so many rows on, a table is no small one."""
TIMES = 20
"""How many times smaller the text handed on is meant to be."""

Record = dict[str, Any]


def measure(data: Path, split: str, limit: int | None = None) -> dict[str, Any]:
    """The figures over all questions of tables that are large enough."""
    found = {}
    for name in SETS:
        records: list[Record] = []
        asked = [question for question in load(data, name, split) if _is_lookup(question)]
        for paths, questions in by_tables(spread(asked, limit)).items():
            for table in tables(paths):
                if table.row_count >= ROWS:
                    records.extend(ask(table, questions))
        found |= {f"{name}, {text}": figures(records, text) for text in ("row", "part")}
    return {"by text": found}


def _is_lookup(question: Question) -> bool:
    """Whether one published cell is asked for."""
    record = question.record
    if "agg" in record:
        return record["agg"] == "none" and len(question.gold_rows) == 1
    return len(question.answer) == 1 and record.get("aggregation", ["none"]) == ["none"]


def tables(paths: Sequence[Path]) -> Iterator[Table]:
    """The tables of the files that can be read."""
    for path in paths:
        try:
            results = list(read_source(path))
        except RetrievalError:
            continue
        yield from (table for result in results for table in result.document.tables)


def ask(table: Table, questions: Sequence[Question]) -> Iterator[Record]:
    """A record a question: by text, how many times smaller it is, and whether it holds the gold."""
    index = Index()
    index.add(Document(table.document, "", (table,)))
    whole = sum(map(len, table_slices(table)))
    for question in questions:
        hits = index.search_rows(question.question, 1)
        texts = {
            "row": hits[0].text if hits else None,
            "part": index.part_of_table(question.question, table),
        }
        yield {
            name: None if text is None else (whole / len(text), question.answer[0] in text)
            for name, text in texts.items()
        }


def figures(records: Sequence[Record], name: str) -> dict[str, float]:
    """How much smaller one text is than the table."""
    made = [record[name] for record in records if record[name] is not None]
    times = [times for times, _ in made]
    return {
        "questions": len(records),
        "text handed on": len(made),
        "times smaller, median": round(median(times), 1) if times else 0.0,
        "least": round(min(times), 1) if times else 0.0,
        f"at least {TIMES} times": sum(each >= TIMES for each in times),
        "with the gold": sum(held for _, held in made),
    }
