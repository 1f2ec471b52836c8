"""What the language model's route costs besides the model and the query itself.

    python -m benchmarks llm-overhead

Two made-up catalogs: one table of many rows, and many small tables. A writer that has the query of
each question stands for the model. In milliseconds, median of the repeats: linking, pruning,
rendering the prompt, and the loop with guard and checks beyond one run of the query; then
`Router.ask` as a whole, a question unlike the last one each time, with the processor time of the
asking process beside the time on the clock. First uses are told apart, since indexes over names,
joins and profiles are made then. The prompts that the questions make are looked at as well: how
long they are, and whether they hold the table that is asked about.
"""

from __future__ import annotations

import datetime as dt
import itertools
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas

from retrieval.build import build_table
from retrieval.table import Table
from router import Router
from router.evidence import SEARCHED_TABLES, narrowed
from sql_engine.catalog import Catalog
from sql_engine.correct import answer
from sql_engine.database import Database
from sql_engine.guard import check
from sql_engine.linking import link
from sql_engine.links import Links
from sql_engine.prompt import estimate_tokens, render_prompt
from sql_engine.pruning import prune
from sql_engine.writer import Draft, ScriptedWriter, SqlRequest

ROWS, TABLES, COLUMNS, REPEAT = 1_000_000, 1000, 20, 15
Times = dict[str, dict[str, float]]
REGIONS = ("north", "south", "east", "west")
TODAY = dt.date(2024, 1, 1)
SYLLABLES = tuple(a + b for a in "bdfgklmnprst" for b in "aiou")


@dataclass(frozen=True)
class Asked:
    """A question, the table that it is about, and the query that answers it."""

    question: str
    table: str
    sql: str


class Knowing:
    """A writer that has every question's query."""

    name = "knowing"
    knows_language = True
    max_attempts = 3

    def __init__(self, asked: Sequence[Asked]) -> None:
        self.queries = {one.question: one.sql for one in asked}
        self.requests: list[SqlRequest] = []

    def write(self, request: SqlRequest) -> Draft:
        self.requests.append(request)
        return Draft(self.queries[request.question])


def word(number: int, length: int = 3) -> str:
    parts = []
    for _ in range(length):
        parts.append(SYLLABLES[number % len(SYLLABLES)])
        number //= len(SYLLABLES)
    return "".join(parts)


def big(rows: int) -> Catalog:
    chance = random.Random(1)
    columns: list[tuple[tuple[str, ...], list[str]]] = [
        (("parcel_id",), [str(n) for n in range(rows)]),
        (("region",), [chance.choice(REGIONS) for _ in range(rows)]),
        (("receiver",), [word(chance.randrange(200_000), 5) for _ in range(rows)]),
        (("weight",), [f"{chance.random() * 30:.2f}" for _ in range(rows)]),
        (("sent_on",), [f"2023-{1 + n % 12:02d}-{1 + n % 28:02d}" for n in range(rows)]),
    ]
    table = build_table(columns, document="parcels.csv", name="parcels")
    return Catalog().with_tables((table,))


def many(tables: int, columns: int) -> Catalog:
    made: list[Table] = []
    for number in range(tables):
        name = word(number)
        headers = [f"{name}_id", *(f"{word(number * 7 + c)}_{word(c)}" for c in range(columns - 1))]
        cells = [
            [str(r * (c + 1)) if c % 2 else word(r + c) for r in range(20)] for c in range(columns)
        ]
        made.append(
            build_table(
                [((h,), c) for h, c in zip(headers, cells, strict=True)],
                document=f"{name}.csv",
                name=name,
            )
        )
    return Catalog().with_tables(tuple(made))


def milliseconds(
    call: Callable[[], Any], clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """The first call, and the median of the rest."""
    times = []
    for _ in range(REPEAT + 1):
        started = clock()
        call()
        times.append((clock() - started) * 1000)
    return {"first ms": round(times[0], 1), "p50 ms": round(statistics.median(times[1:]), 2)}


def _asked(catalog: Catalog, questions: Sequence[Asked]) -> tuple[Times, Times]:
    """Times of `Router.ask`; and the prompts of the questions, each over its table."""
    clocks = {"clock": time.perf_counter, "processor": time.process_time}
    writer = Knowing(questions)
    with Router(writer=writer) as router:
        for entry in catalog.tables:
            columns = {column.name: column.cells() for column in entry.table.columns}
            router.add(pandas.DataFrame(columns, dtype=str), name=entry.name)
        asked = itertools.cycle(one.question for one in questions)
        times = {
            f"ask as a whole, {name}": milliseconds(lambda: router.ask(next(asked)), clock)
            for name, clock in clocks.items()
        }
    sent = {request.question: request for request in writer.requests}
    prompts = {
        question: render_prompt(request, prune(request)) for question, request in sent.items()
    }
    texts = {q: "".join(message.content for message in told) for q, told in prompts.items()}
    held = [f'table "{one.table}"' in texts.get(one.question, "") for one in questions]
    return times, {
        f"{len(catalog):,} tables": {
            "columns": sum(len(entry.columns) for entry in catalog),
            "prompts": len(texts),
            "drafts a question": round(len(writer.requests) / (len(clocks) * (REPEAT + 1)), 2),
            "tokens of the longest": max(map(estimate_tokens, texts.values())),
            "with the table asked about": sum(held),
        }
    }


def _steps(catalog: Catalog, questions: Sequence[Asked]) -> tuple[Times, Times]:
    """Each step for the first question, what all of them come to beyond the query, and
    `Router.ask`; and the prompts.
    """
    question, sql = questions[0].question, questions[0].sql
    found_tables = catalog.tables[:SEARCHED_TABLES]
    near = narrowed(catalog, (entry.table.table_id for entry in found_tables))
    request = SqlRequest(question, catalog, found_tables, Links(), TODAY)
    query = check(sql, catalog)
    with Database(workers=1, spares=0) as database:
        database.execute(query)
        found = {
            "link": milliseconds(lambda: link(question, near)),
            "prune": milliseconds(lambda: prune(request)),
            "prune and render": milliseconds(lambda: render_prompt(request, prune(request))),
            "query alone": milliseconds(lambda: database.execute(query)),
            "loop": milliseconds(lambda: answer(request, ScriptedWriter([sql]), database)),
        }
    p50 = {name: times["p50 ms"] for name, times in found.items()}
    own = p50["link"] + p50["prune and render"] + p50["loop"] - p50["query alone"]
    asked, prompts = _asked(catalog, questions)
    whole = asked["ask as a whole, clock"]["p50 ms"] - p50["query alone"]
    told = {"these steps but the query": own, "ask as a whole but the query": whole}
    own_times = {step: {"p50 ms": round(ms, 2)} for step, ms in told.items()}
    return {**found, **asked, **own_times}, prompts


def measure() -> dict[str, Any]:
    """Times by catalog and step."""
    rows, tables = big(ROWS), many(TABLES, COLUMNS)
    by_month = [
        Asked(
            f"What is the average weight of parcels sent to the {one} by month?",
            "parcels",
            "SELECT date_trunc('month', sent_on), AVG(weight) FROM parcels "
            f"WHERE region = '{one}' GROUP BY 1",
        )
        for one in REGIONS
    ]
    counts = [
        Asked(
            f"How many {entry.name} are there?",
            entry.name,
            f'SELECT COUNT(*) FROM "{entry.name}"',
        )
        for entry in tables.tables[:: len(tables) // 7]
    ]
    of_rows, of_one = _steps(rows, by_month)
    of_tables, of_many = _steps(tables, counts)
    return {
        f"{ROWS:,} rows": {f"{ROWS:,} rows: {step}": times for step, times in of_rows.items()},
        f"{TABLES:,} tables": {
            f"{TABLES:,} tables of {COLUMNS} columns: {step}": times
            for step, times in of_tables.items()
        },
        "prompts": of_one | of_many,
    }
