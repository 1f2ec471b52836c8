"""What the language model's route costs besides the model and the query itself.

    python -m benchmarks.llm_overhead [--rows 1000000] [--tables 1000] [--columns 20] [--repeat 15]

Two made-up catalogs: one table of many rows, and many small tables. A scripted reply stands for
the model. Printed in milliseconds, median of the repeats: linking, pruning, rendering the prompt,
and the loop with guard and checks beyond one run of the query; then `Router.ask` as a whole, a
question unlike the last one each time, with the processor time of the asking process beside the
time on the clock. First uses are shown apart, since indexes over names, joins and profiles are
made then.
"""

from __future__ import annotations

import argparse
import datetime as dt
import itertools
import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import pandas

from retrieval.build import build_table
from retrieval.table import Table
from router import Router
from sql_engine.catalog import Catalog
from sql_engine.correct import answer
from sql_engine.database import Database
from sql_engine.guard import check
from sql_engine.linking import link
from sql_engine.links import Links
from sql_engine.prompt import render_prompt
from sql_engine.pruning import prune
from sql_engine.writer import ScriptedWriter, SqlRequest

REGIONS = ("north", "south", "east", "west")
TODAY = dt.date(2024, 1, 1)
SYLLABLES = tuple(a + b for a in "bdfgklmnprst" for b in "aiou")


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
    call: Callable[[], Any], repeat: int, clock: Callable[[], float] = time.perf_counter
) -> tuple[float, float]:
    """The first call, and the median of the rest."""
    times = []
    for _ in range(repeat + 1):
        started = clock()
        call()
        times.append((clock() - started) * 1000)
    return times[0], statistics.median(times[1:])


def measure_ask(catalog: Catalog, questions: Sequence[str], sql: str, repeat: int) -> None:
    """`Router.ask`, with a writer that answers every question by `sql`."""
    with Router(writer=ScriptedWriter([sql] * 4 * (repeat + 1))) as router:
        for entry in catalog.tables:
            columns = {column.name: column.cells() for column in entry.table.columns}
            router.add(pandas.DataFrame(columns, dtype=str), name=entry.name)
        asked = itertools.cycle(questions)
        clocks = {"clock": time.perf_counter, "processor": time.process_time}
        for name, clock in clocks.items():
            first, median = milliseconds(lambda: router.ask(next(asked)), repeat, clock)
            print(f"  ask, {name:9} first {first:7.1f}  median {median:8.2f}")


def measure(name: str, catalog: Catalog, questions: Sequence[str], sql: str, repeat: int) -> None:
    question = questions[0]
    database = Database(workers=1, spares=0)
    request = SqlRequest(question, catalog, catalog.tables[:20], Links(), TODAY)
    query = check(sql, catalog)
    database.execute(query)
    steps = {
        "link": milliseconds(lambda: link(question, catalog), repeat),
        "prune": milliseconds(lambda: prune(request), repeat),
        "render": milliseconds(lambda: render_prompt(request, prune(request)), repeat),
        "query alone": milliseconds(lambda: database.execute(query), repeat),
        "loop": milliseconds(lambda: answer(request, ScriptedWriter([sql]), database), repeat),
    }
    database.close()
    print(name)
    for step, (first, median) in steps.items():
        print(f"  {step:12} first {first:9.1f}  median {median:8.2f}")
    alone, loop, told = steps["query alone"][1], steps["loop"][1], steps["render"][1]
    own = told + loop - alone
    print(f"  overhead {own + steps['link'][1]:.2f} ms, {own:.2f} without linking")
    measure_ask(catalog, questions, sql, repeat)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=15)
    args = parser.parse_args()
    measure(
        f"{args.rows} rows",
        big(args.rows),
        [f"What is the average weight of parcels sent to the {one} by month?" for one in REGIONS],
        "SELECT date_trunc('month', sent_on), AVG(weight) FROM parcels "
        "WHERE region = 'north' GROUP BY 1",
        args.repeat,
    )
    catalog = many(args.tables, args.columns)
    target = catalog.tables[len(catalog) // 2]
    measure(
        f"{args.tables} tables of {args.columns} columns",
        catalog,
        [f"How many {entry.name} are there?" for entry in catalog.tables[:: len(catalog) // 7]],
        f'SELECT COUNT(*) FROM "{target.name}"',
        args.repeat,
    )


if __name__ == "__main__":
    main()
