"""Cases drafted from a user's own tables, to start an evaluation from.

Takes the loaded tables, gives records in the form of `case.py`: look-ups of one cell by its row's
key, and aggregates whose gold is computed here, in plain Python, from the cells. What nobody adds
up (years, ratings, amounts in several units) is not drafted. The wordings are drafts: a user
rewords them as people really ask.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from retrieval.cells import is_missing_mark
from retrieval.table import NUMERIC, Column, Kind, Table
from sql_engine.catalog import CatalogTable
from sql_engine.offline.columns import holds_years, table_data
from sql_engine.offline.relation import Relation
from sql_engine.offline.repeated import things
from sql_engine.offline.sense import objection
from sql_engine.offline.tree import Agg, All, Col

Record = dict[str, Any]

_GROUPS = range(2, 21)
"""A column of so few distinct values, each seen several times, is one to group by."""
MOST_MEASURES = 2
"""Columns of a table whose sum and greatest are drafted."""

_RATES = frozenset(["average", "mean", "rate", "ratio", "share", "unit"])
"""Words of headers whose figures are of one thing each: nobody adds up a "Unit price"."""
_UNIT = re.compile(r"\s*\([^()]*\)$")


def suggest(entries: Iterable[CatalogTable], *, per_table: int = 8, seed: int = 0) -> list[Record]:
    """Draft cases for each table: half look-ups, half aggregates, where the table allows."""
    records, loaded = [], list(entries)
    tables = [entry.table for entry in loaded]
    for entry, table in zip(loaded, tables, strict=True):
        chooser = random.Random(f"{seed} {table.table_id}")
        others = [other for other in tables if other is not table]
        lookups = list(_lookups(table, others, chooser, per_table))
        computed = list(_aggregates(entry, others))
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
        name = _told(table.columns[key], row)
        filled = [
            i for i in range(len(table.columns)) if i != key and _has_value(table.columns[i], row)
        ]
        if not name or not filled:
            continue
        column = table.columns[chooser.choice(filled)]
        numbered = table.columns[key].type.kind in NUMERIC
        called = f"{_spoken(table.columns[key], table)} {name}" if numbered else name
        yield {
            "question": f"What is the {_spoken(column, table)} of {called}"
            f"{_where(table, name in elsewhere)}?",
            "route": "row",
            "table": table.document,
            "row": name,
            "column": column.name,
            "cell": column.text_at(row),
        }


def _has_value(column: Column, row: int) -> bool:
    """Whether the cell tells something that "what is the …" can ask for."""
    if column.type.kind is Kind.BOOLEAN or not _words(column) or not _told(column, row):
        return False
    return column.type.kind is Kind.TEXT or column.canonical_at(row) is not None


def _told(column: Column, row: int) -> str:
    """The cell's text; "" where it says that there is none ("n/a")."""
    text = column.text_at(row)
    return "" if is_missing_mark(text) else text


def _aggregates(entry: CatalogTable, others: Sequence[Table]) -> Iterator[Record]:
    table = entry.table
    rows = [int(row) for row in table.data_rows]
    groups = [c for c in table.columns if c.type.kind is Kind.TEXT and _groups(c, rows)]
    noun = _called(table)
    elsewhere = {word for other in others for column in other.columns for word in _words(column)}
    if not any(_is_part(noun, _called(o)) or _is_part(_called(o), noun) for o in others):
        yield _computed(table, f"How many rows does {noun} have?", [[len(rows)]])
    for measure, fn in _measures(entry):
        values = [value for value in (_value(measure, row) for row in rows) if value is not None]
        if not values:
            continue
        name = _spoken(measure, table) + _where(table, not _words(measure).isdisjoint(elsewhere))
        if fn == "sum":
            yield _computed(table, f"What is the total {name}?", [[_plain(sum(values))]])
        else:
            yield _computed(table, f"What is the highest {name}?", [[_plain(max(values))]])
    for group in groups[:2]:
        counts: dict[str, int] = {}
        for row in rows:
            if text := _told(group, row):
                counts[text] = counts.get(text, 0) + 1
        if not counts:
            continue
        most = max(counts, key=lambda text: counts[text])
        yield _computed(
            table,
            f"How many rows of {noun} have the {_spoken(group, table)} {most}?",
            [[counts[most]]],
        )
        if all(counts[text] < counts[most] for text in counts if text != most):
            asked = f"Which {_spoken(group, table)} has the most rows in {noun}?"
            yield _computed(table, asked, [[most]])


def _measures(entry: CatalogTable) -> Iterator[tuple[Column, str]]:
    """Columns of amounts, each with what may be asked of it: its sum, its greatest."""
    data, relation = table_data(entry), Relation((entry,))
    repeated = frozenset[int]().union(*things(data).values())
    found = 0
    for index, column in enumerate(entry.table.columns):
        held = data.columns[index]
        numbers = column.type.kind in NUMERIC and not column.type.mixed and held.amount
        if not numbers or held.identifier or holds_years(held) or not _words(column):
            continue
        adds_up = index not in repeated and _words(column).isdisjoint(_RATES)
        for fn in ("sum", "max") if adds_up else ("max",):
            if objection(Agg(fn, All(), Col(index)), relation, data) is None:
                yield column, fn
        found += 1
        if found == MOST_MEASURES:
            return


def _computed(table: Table, question: str, rows: list[list[Any]]) -> Record:
    return {"question": question, "route": "sql", "table": table.document, "rows": rows}


def _key_column(table: Table) -> int | None:
    """The column that names the rows: its key, else one whose texts or whole numbers differ."""
    if table.key is not None:
        return table.key if _names_rows(table.columns[table.key]) else None
    rows = table.data_rows
    for index, column in enumerate(table.columns):
        distinct = len(rows) and len({int(column.codes[row]) for row in rows}) == len(rows)
        if distinct and _names_rows(column):
            return index
    return None


def _names_rows(column: Column) -> bool:
    """Whether its cells may stand for rows: no amounts, and no numbers without a name for them."""
    return column.type.kind not in NUMERIC or (
        column.type.kind is Kind.INTEGER and column.type.unit is None and bool(_words(column))
    )


def _is_part(name: str, longer: str) -> bool:
    """Whether a table's name is the beginning of another's, so that it may mean either."""
    return longer.casefold().startswith(f"{name.casefold()} ")


def _groups(column: Column, rows: Sequence[int]) -> bool:
    return len(column.texts) in _GROUPS and len(column.texts) * 2 <= len(rows)


def _value(column: Column, row: int) -> Decimal | None:
    text = column.canonical_at(row)
    return None if text is None else Decimal(text)


def _plain(number: Decimal | int) -> int | float:
    return int(number) if number == int(number) else float(number)


def _words(column: Column) -> set[str]:
    """The words of a header, as letters tell them."""
    return set(re.findall(r"[^\W\d_]+", column.name.casefold()))


def _spoken(column: Column, table: Table) -> str:
    """The header as a question would say it: without its unit, where it is alone in its name."""
    words = " ".join(column.path).replace("_", " ")
    bare = _UNIT.sub("", words)
    if (
        bare
        and sum(_UNIT.sub("", c.name) == _UNIT.sub("", column.name) for c in table.columns) == 1
    ):
        words = bare
    return words if any(c.isdigit() for c in words) else words.casefold()
