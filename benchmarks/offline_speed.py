"""How long the offline writer takes, and `Router.ask` around it, over tables of four sizes.

    python -m benchmarks offline-speed

Made-up tables: one of 100 rows, one of 1,000,000, one of 500 columns, and a catalog of 1,000. Each
is asked look-ups, counts, sums, means, rankings and groupings, no question twice. In milliseconds:
the first question, which makes the indexes over names and values, then median and 95th percentile
of the others; of the writer, by the clock and by the processor, and of `ask` as a whole.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import pandas

from benchmarks.llm_overhead import word
from router import Router
from sql_engine.offline import OfflineWriter
from sql_engine.writer import Draft, SqlRequest

QUESTIONS = 24
REGIONS = ("North", "South", "East", "West")
Frames = dict[str, pandas.DataFrame]
Times = dict[str, float | int]


@dataclass
class Timed(OfflineWriter):
    """The offline writer, with what each question took it."""

    clock_ms: list[float] = field(default_factory=list)
    processor_ms: list[float] = field(default_factory=list)

    def write(self, request: SqlRequest) -> Draft:
        clock, processor = time.perf_counter(), time.process_time()
        try:
            return super().write(request)
        finally:
            self.clock_ms.append((time.perf_counter() - clock) * 1000)
            self.processor_ms.append((time.process_time() - processor) * 1000)


def measure() -> dict[str, Any]:
    """Times by what is loaded."""
    loaded: dict[str, Callable[[], tuple[Frames, Iterator[str]]]] = {
        "100 rows": lambda: _orders(100),
        "1,000,000 rows": lambda: _orders(1_000_000),
        "500 columns": _wide,
        "1,000 tables": _many,
    }
    return {"by what is loaded": {name: _asked(*make()) for name, make in loaded.items()}}


def _asked(frames: Frames, questions: Iterator[str]) -> Times:
    writer, whole, answered = Timed(), [], 0
    with Router(writer=writer) as router:
        for name, frame in frames.items():
            router.add(frame, name=name)
        for question in islice(questions, QUESTIONS):
            started = time.perf_counter()
            answered += not router.ask(question).declined
            whole.append((time.perf_counter() - started) * 1000)
    return {
        "questions": len(whole),
        "answered": answered,
        "written": len(writer.clock_ms),
        "first ms": round(whole[0], 1),
        **_quantiles("writer, clock", writer.clock_ms[1:]),
        **_quantiles("writer, processor", writer.processor_ms[1:]),
        **_quantiles("ask", whole[1:]),
    }


def _quantiles(name: str, times: list[float]) -> Times:
    p50, p95 = np.percentile(times, (50, 95)).tolist()
    return {f"{name} p50 ms": round(p50, 1), f"{name} p95 ms": round(p95, 1)}


def _orders(rows: int) -> tuple[Frames, Iterator[str]]:
    chance = random.Random(3)
    columns = {
        "parcel": [f"PX-{number:07}" for number in range(rows)],
        "region": [chance.choice(REGIONS) for _ in range(rows)],
        "receiver": [word(chance.randrange(max(20, rows // 5)), 5).title() for _ in range(rows)],
        "weight": [f"{chance.random() * 30:.2f}" for _ in range(rows)],
        "postage": [f"{chance.random() * 90 + 2:.2f}" for _ in range(rows)],
        "sent on": [f"2023-{1 + n % 12:02d}-{1 + n % 28:02d}" for n in range(rows)],
    }
    return {"parcels": pandas.DataFrame(columns, dtype=str)}, _of_parcels(columns, chance)


def _of_parcels(columns: dict[str, list[str]], chance: random.Random) -> Iterator[str]:
    while True:
        place = chance.randrange(len(columns["parcel"]))
        parcel, receiver = columns["parcel"][place], columns["receiver"][place]
        region, most = chance.choice(REGIONS), chance.randrange(3, 28)
        cut = f"{most}.{chance.randrange(10, 99)}"
        yield f"What is the postage of parcel {parcel}?"
        yield f"How many parcels were sent to {receiver}?"
        yield f"What is the total postage of parcels of {receiver} heavier than {cut}?"
        yield f"How many parcels in the {region} have a weight above {cut}?"
        yield f"What is the average weight in the {region} with a postage below {cut}?"
        yield f"Which region has the highest total postage for a weight under {cut}?"
        yield f"Top {most} receivers by postage with a weight below {cut}"
        yield f"Number of parcels per region with a postage over {cut}"


def _wide() -> tuple[Frames, Iterator[str]]:
    chance = random.Random(4)
    names = [f"{word(number * 13 + 5)} {word(number + 40, 2)}" for number in range(499)]
    figures = {name: [str(chance.randrange(1000)) for _ in range(200)] for name in names}
    sites = [word(number + 900, 4).title() for number in range(200)]
    frame = pandas.DataFrame({"site": sites, **figures}, dtype=str)
    return {"readings": frame}, _of_measures("site", sites, names, chance)


def _many() -> tuple[Frames, Iterator[str]]:
    chance = random.Random(5)
    frames, questions = {}, []
    for number in range(1000):
        measures = [f"{word(number * 7 + place)} {word(place + 60, 2)}" for place in range(7)]
        sites = [word(number * 20 + row + 2000, 4).title() for row in range(20)]
        figures = {name: [str(chance.randrange(1000)) for _ in sites] for name in measures}
        frames[word(number)] = pandas.DataFrame({"site": sites, **figures}, dtype=str)
        questions.append(next(_of_measures("site", sites, measures, chance, number)))
    chance.shuffle(questions)
    return frames, iter(questions)


def _of_measures(
    key: str, sites: list[str], names: list[str], chance: random.Random, first: int = 0
) -> Iterator[str]:
    """Questions of tables whose rows are sites with figures; `first` is which form begins."""
    for number in range(first, first + 10 * QUESTIONS):
        name, other, site = chance.choice(names), chance.choice(names), chance.choice(sites)
        forms = (
            f"What is the {name} of {site}?",
            f"What is the total {name}?",
            f"Which {key} has the highest {name}?",
            f"How many {key}s have a {name} above {chance.randrange(100, 900)}?",
            f"What is the average {name} where {other} is below {chance.randrange(100, 900)}?",
        )
        yield forms[number % len(forms)]
