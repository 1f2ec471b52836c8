"""Cases drafted from a user's own tables, to start an evaluation from.

Takes the loaded tables, gives records in the form of `case.py`: look-ups of one cell by its row's
key, and aggregates whose gold is computed here, in plain Python, from the cells. The wordings are
drafts: a user rewords them as people really ask.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from retrieval.table import NUMERIC, Column, Kind, Table

Record = dict[str, Any]

_GROUPS = range(2, 21)
"""A column of so few distinct values, each seen several times, is one to group by."""

_RATES = frozenset(["%", "average", "mean", "percent", "percentage", "rate", "ratio", "share"])


def suggest(tables: Sequence[Table], *, per_table: int = 8, seed: int = 0) -> list[Record]:
    """Draft cases for each table: half look-ups, half aggregates, where the table allows."""
    records = []
    for table in tables:
        chooser = random.Random(f"{seed} {table.table_id}")
        others = [other for other in tables if other is not table]
        lookups = list(_lookups(table, others, chooser, per_table))
        computed = list(_aggregates(table, others))
        chooser.shuffle(lookups)
        share = min(len(computed), per_table - min(len(lookups), per_table // 2))
        records += lookups[: per_table - share] + computed[:share]
    return [{"id": f"draft-{number}", **record} for number, record in enumerate(records, 1)]


def _called(table: Table) -> str:
    return table.name.replace("_", " ")


def _where(table: Table, shared: bool) -> str:
    """Which table is meant, where others have the same words too."""
    return f" in {_called(table)}" if shared else ""


def _lookups(
    table: Table, others: Sequence[Table], chooser: random.Random, most: int
) -> Iterator[Record]:
    key = _key_column(table)
    if key is None:
        return
    rows = [int(row) for row in table.data_rows]
    elsewhere = {text for other in others for column in other.columns for text in column.texts}
    for row in chooser.sample(rows, min(2 * most, len(rows))):
        name = table.columns[key].text_at(row)
        filled = [
            i for i in range(len(table.columns)) if i != key and _has_value(table.columns[i], row)
        ]
        if not name or not filled:
            continue
        column = table.columns[chooser.choice(filled)]
        yield {
            "question": f"What is the {_spoken(column)} of {name}"
            f"{_where(table, name in elsewhere)}?",
            "route": "row",
            "table": table.document,
            "row": name,
            "column": column.name,
            "cell": column.text_at(row),
        }


def _has_value(column: Column, row: int) -> bool:
    """Whether the cell tells something that "what is the …" can ask for."""
    if column.type.kind is Kind.BOOLEAN or not column.text_at(row):
        return False
    return column.type.kind is Kind.TEXT or column.canonical_at(row) is not None


def _aggregates(table: Table, others: Sequence[Table]) -> Iterator[Record]:
    rows = [int(row) for row in table.data_rows]
    numbers = [c for c in table.columns if c.type.kind in NUMERIC and not c.type.mixed]
    measures = [c for c in numbers if not _is_identifier(c, rows)]
    groups = [c for c in table.columns if c.type.kind is Kind.TEXT and _groups(c, rows)]
    noun = _called(table)
    elsewhere = {word for other in others for column in other.columns for word in _words(column)}
    if not any(_is_part(noun, _called(o)) or _is_part(_called(o), noun) for o in others):
        yield _computed(table, f"How many rows does {noun} have?", [[len(rows)]])
    for measure in measures[:2]:
        values = [value for value in (_value(measure, row) for row in rows) if value is not None]
        if not values:
            continue
        name = _spoken(measure) + _where(table, not _words(measure).isdisjoint(elsewhere))
        if not _is_rate(measure):
            yield _computed(table, f"What is the total {name}?", [[_plain(sum(values))]])
        yield _computed(table, f"What is the highest {name}?", [[_plain(max(values))]])
    for group in groups[:2]:
        counts: dict[str, int] = {}
        for row in rows:
            if group.text_at(row):
                counts[group.text_at(row)] = counts.get(group.text_at(row), 0) + 1
        most = max(counts, key=lambda text: counts[text])
        yield _computed(
            table,
            f"How many rows of {noun} have the {_spoken(group)} {most}?",
            [[counts[most]]],
        )
        if all(counts[text] < counts[most] for text in counts if text != most):
            yield _computed(table, f"Which {_spoken(group)} has the most rows in {noun}?", [[most]])


def _computed(table: Table, question: str, rows: list[list[Any]]) -> Record:
    return {"question": question, "route": "sql", "table": table.document, "rows": rows}


def _key_column(table: Table) -> int | None:
    if table.key is not None:
        return table.key
    rows = table.data_rows
    for index, column in enumerate(table.columns):
        if len(rows) and len({int(column.codes[row]) for row in rows}) == len(rows):
            return index
    return None


def _is_part(name: str, longer: str) -> bool:
    """Whether a table's name is the beginning of another's, so that it may mean either."""
    return longer.casefold().startswith(f"{name.casefold()} ")


def _is_rate(column: Column) -> bool:
    """Whether its numbers are shares, means or prices of one, which no one adds up."""
    return column.type.unit == "%" or not _words(column).isdisjoint(_RATES)


def _is_identifier(column: Column, rows: Sequence[int]) -> bool:
    """Whole numbers in even steps: numbers of things, not amounts."""
    if column.type.kind is not Kind.INTEGER or len(rows) < 3:
        return False
    values = [_value(column, row) for row in rows]
    told = [value for value in values if value is not None]
    return len({after - before for before, after in itertools.pairwise(told)}) == 1


def _groups(column: Column, rows: Sequence[int]) -> bool:
    return len(column.texts) in _GROUPS and len(column.texts) * 2 <= len(rows)


def _value(column: Column, row: int) -> Decimal | None:
    text = column.canonical_at(row)
    return None if text is None else Decimal(text)


def _plain(number: Decimal | int) -> int | float:
    return int(number) if number == int(number) else float(number)


def _words(column: Column) -> set[str]:
    return set(_spoken(column).casefold().split())


def _spoken(column: Column) -> str:
    """The header as a question would say it."""
    words = " ".join(part for part in column.path).replace("_", " ")
    return words if any(c.isdigit() for c in words) else words.casefold()
