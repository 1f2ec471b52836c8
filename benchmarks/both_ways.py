"""Runs the offline writer's winners both ways: over the catalog's arrays, and as SQL.

    python -m benchmarks.both_ways FOLDER_OF_SETS [--sets wtq,spider] [--winners 2000]

The arrays choose the answer and the SQL gives it, so both must say the same of every tree. Prints
how many agree and each that does not; ends with 1 where any does not, or where there are fewer.
"""

from __future__ import annotations

import argparse
import datetime as dt
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.offline import TODAY
from benchmarks.offline_sets import Case, cases
from router.evaluation.sameness import same_cell
from sql_engine.database import Database
from sql_engine.errors import SqlEngineError
from sql_engine.guard import check
from sql_engine.offline.evaluate import MAX_SHOWN
from sql_engine.offline.question import read_question
from sql_engine.offline.search import Reading, Search
from sql_engine.offline.to_sql import to_sql
from sql_engine.result import Limits

PLENTY = 2000
"""Questions of a set that are enough."""
SETS = "wtq,wikisql,spider,geography,hitab,tablebench,hctqa,everyday"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--winners", type=int, default=2000)
    parser.add_argument("--readings", type=int, default=1, help="readings of each question")
    options = parser.parse_args()
    agreed: Counter[str] = Counter()
    with Database() as database:
        for case, reading in _winners(options.root, options.sets.split(","), options.readings):
            told = differs(reading, case, database)
            agreed["differ" if told else "agree"] += 1
            if told:
                print(f"{case.id}: {case.question}\n  {told}", flush=True)
            if agreed.total() == options.winners:
                break
    print(f"{agreed['agree']} of {agreed.total()} winners give the same both ways")
    sys.exit(bool(agreed["differ"]) or agreed.total() < options.winners)


def _winners(root: Path, names: Sequence[str], count: int) -> Iterator[tuple[Case, Reading]]:
    """The first readings of questions, a question of each set in turn; a set that has no more is
    passed over. A result that is too long to be shown whole cannot be compared and is none.
    """
    asked = [cases(root, name, PLENTY) for name in names]
    while asked:
        for one in tuple(asked):
            case = next(one, None)
            if case is None:
                asked.remove(one)
                continue
            for reading in _readings(case, count):
                if reading.denotation.count <= MAX_SHOWN:
                    yield case, reading


def _readings(case: Case, count: int) -> list[Reading]:
    if not case.tables:
        return []
    return Search(read_question(case.question, TODAY), case.tables).readings()[:count]


def differs(reading: Reading, case: Case, database: Database) -> str:
    """What the SQL of a reading gives that the arrays did not; "" where they agree."""
    sql = to_sql(reading.tree, reading.relation)
    try:
        result = database.execute(check(sql, case.catalog), Limits(max_rows=MAX_SHOWN))
    except SqlEngineError as error:
        return f"{error}\n  {sql}"
    given, wanted = _sorted(result.rows), _sorted(reading.denotation.rows)
    if len(given) == len(wanted) and all(map(_same, given, wanted)):
        return ""
    return f"{sql}\n  {given[:3]}\n  {wanted[:3]}"


def _sorted(rows) -> list[tuple]:
    return sorted((tuple(map(_plain, row)) for row in rows), key=repr)


def _plain(cell: object) -> object:
    if isinstance(cell, dt.datetime | dt.date | dt.time):
        return str(cell)
    if cell is None or isinstance(cell, str | bool):
        return cell
    return round(float(cell), 6)


def _same(one: tuple, two: tuple) -> bool:
    return len(one) == len(two) and all(
        a == b or (None not in (a, b) and same_cell(str(a), str(b)))
        for a, b in zip(one, two, strict=True)
    )


if __name__ == "__main__":
    main()
