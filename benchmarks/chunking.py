"""Which chunks can answer a question about one cell: fixed-size text, bare rows, rows with headers.

python -m benchmarks seed

A small corpus (three paragraphs, three tables of 13 rows in all, ten questions about single cells)
is cut in five ways and each chunking is ranked by BM25 with this package's tokens. A chunk passes
the strict check if it holds row name, header and value; the pair check if it holds the row name and
"header: value". A row counts as found if the chunk holds its name and the value.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrieval import bm25
from retrieval.build import build_table
from retrieval.index import Index
from retrieval.metrics import Fact, first_rank, mean_reciprocal_rank, recall_at
from retrieval.postings import Postings
from retrieval.question import Question
from retrieval.segments import Block, Field
from retrieval.serialize import row_text
from retrieval.table import Document, Table
from retrieval.tokenize import fold

PARAGRAPHS = (
    "Harbour Bikes rents bicycles at four stations. A rental begins when the lock opens and ends "
    "when the bicycle stands in any station. Riders must be sixteen or older; a helmet is lent at "
    "no charge, and a deposit is held on the card until the bicycle is back.",
    "Damage must be told within a day. Normal wear is not charged. For lost keys and broken lights "
    "the workshop sends an invoice, and the plan decides which part of it the rider pays.",
    "Stations are serviced on Mondays before opening. On public holidays all stations keep Sunday "
    "hours. Cargo bicycles can be reserved by telephone only, two days ahead.",
)

TABLES: tuple[tuple[str, list[list[str]]], ...] = (
    (
        "Rental plans",
        [
            ["Plan", "Monthly fee", "Free minutes per ride", "Damage cap", "Cancellation notice"],
            ["Shoreline", "9 EUR", "30", "150 EUR", "14 days"],
            ["Lighthouse", "19 EUR", "60", "80 EUR", "7 days"],
            ["Breakwater", "35 EUR", "120", "none", "1 day"],
            ["Day visitor", "0 EUR", "15", "300 EUR", "not needed"],
        ],
    ),
    (
        "Stations",
        [
            ["Station", "Docks", "Opens", "Sunday opening", "Cargo bicycles"],
            ["Fish Market", "24", "06:00", "08:00", "3"],
            ["North Pier", "16", "06:30", "09:00", "0"],
            ["Customs House", "40", "05:30", "08:30", "6"],
            ["Ferry Terminal", "32", "05:00", "07:00", "4"],
        ],
    ),
    (
        "Repair charges",
        [
            ["Part", "Code", "Charge", "Covered by plan", "Time in workshop"],
            ["Front light", "PRT-210-A", "12 EUR", "Lighthouse and above", "1 hour"],
            ["Rear light", "PRT-210-B", "9 EUR", "Lighthouse and above", "30 minutes"],
            ["Frame lock", "PRT-377-A", "48 EUR", "Breakwater only", "2 days"],
            ["Spare key", "PRT-377-K", "15 EUR", "no plan", "3 days"],
            ["Inner tube", "PRT-045-A", "6 EUR", "every plan", "20 minutes"],
        ],
    ),
)

QUESTIONS: tuple[tuple[str, Fact], ...] = (
    (
        "What is the cancellation notice of the Lighthouse plan?",
        Fact("Lighthouse", "Cancellation notice", "7 days"),
    ),
    ("How high is the damage cap for Shoreline?", Fact("Shoreline", "Damage cap", "150 EUR")),
    (
        "How many free minutes per ride does a day visitor get?",
        Fact("Day visitor", "Free minutes per ride", "15"),
    ),
    ("What does Breakwater cost as a monthly fee?", Fact("Breakwater", "Monthly fee", "35 EUR")),
    (
        "When is the Sunday opening of the Ferry Terminal?",
        Fact("Ferry Terminal", "Sunday opening", "07:00"),
    ),
    ("How many docks are there at Customs House?", Fact("Customs House", "Docks", "40")),
    (
        "How many cargo bicycles stand at the Fish Market station?",
        Fact("Fish Market", "Cargo bicycles", "3"),
    ),
    ("What is the charge for part PRT-210-B?", Fact("PRT-210-B", "Charge", "9 EUR")),
    (
        "How long is the time in the workshop for a frame lock?",
        Fact("Frame lock", "Time in workshop", "2 days"),
    ),
    (
        "Which plan is a spare key covered by?",
        Fact("Spare key", "Covered by plan", "no plan"),
    ),
)


def table_of(title: str, lines: list[list[str]], number: int = 0) -> Table:
    head, *rows = lines
    columns = [((header,), [row[i] for row in rows]) for i, header in enumerate(head)]
    return build_table(columns, document="seed", name=title, title=title, key=0, ordinal=number)


def as_text() -> str:
    parts = []
    for paragraph, (title, lines) in zip(PARAGRAPHS, TABLES, strict=True):
        parts += [paragraph, title, *(" | ".join(line) for line in lines), ""]
    return "\n".join(parts)


def fixed(size: int) -> list[str]:
    text = as_text()
    return [text[i : i + size] for i in range(0, len(text), size)]


def bare_rows() -> list[str]:
    rows = [" | ".join(line) for _, lines in TABLES for line in lines[1:]]
    return [*PARAGRAPHS, *rows]


def header_rows() -> list[str]:
    tables = [table_of(title, lines) for title, lines in TABLES]
    rows = [row_text(table, row) for table in tables for row in range(table.row_count)]
    return [*PARAGRAPHS, *rows]


def ranked(chunks: Sequence[str], question: str) -> list[str]:
    blocks = [
        Block(str(i), None, (), 1, [Field(np.zeros(1, np.int32), [chunk], cells=False)])
        for i, chunk in enumerate(chunks)
    ]
    postings: Postings[None] = Postings().with_blocks(blocks)
    terms = bm25.terms(postings, Question.of(question).tokens)
    rows = bm25.candidates(postings, terms)
    scores = bm25.scores(postings, terms, rows)
    return [chunks[i] for i in rows[np.lexsort((rows, -scores))].tolist()]


def found_rank(chunks: Sequence[str], fact: Fact) -> int | None:
    parts = fold(fact.row_name), fold(fact.value)
    holds = (i for i, chunk in enumerate(chunks) if all(part in fold(chunk) for part in parts))
    return next(holds, None)


def figures_of(chunks: Sequence[str], results: Sequence[Sequence[str]]) -> dict[str, object]:
    """Of the ten questions, how many pass each check at the first place and within three."""
    pairs = list(zip(results, [fact for _, fact in QUESTIONS], strict=True))
    strict = [first_rank(found, fact) for found, fact in pairs]
    ranks = {
        "row": [found_rank(found, fact) for found, fact in pairs],
        "strict": strict,
        "pair": [first_rank(found, fact, pair=True) for found, fact in pairs],
    }
    return {
        "chunks": len(chunks),
        "mean characters": round(sum(map(len, chunks)) / len(chunks)),
        **{
            f"{check} @{k}": f"{round(len(pairs) * recall_at(k, found))} of {len(pairs)}"
            for check, found in ranks.items()
            for k in (1, 3)
        },
        "strict MRR": round(mean_reciprocal_rank(strict), 2),
    }


def measure() -> dict[str, dict[str, dict[str, object]]]:
    """Figures by chunking, and of the row index as users have it."""
    cuts = [(f"fixed, {size} characters", fixed(size)) for size in (200, 400, 800)]
    cuts += [("bare rows", bare_rows()), ("rows with headers", header_rows())]
    found = {
        name: figures_of(chunks, [ranked(chunks, question) for question, _ in QUESTIONS])
        for name, chunks in cuts
    }
    index = Index()
    index.add(
        Document("seed", "", tuple(table_of(*told, number) for number, told in enumerate(TABLES)))
    )
    results = [[hit.text for hit in index.search_rows(question, 3)] for question, _ in QUESTIONS]
    found["the row index"] = figures_of(header_rows()[len(PARAGRAPHS) :], results)
    return {"by chunking": found}
