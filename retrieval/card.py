"""A table on one card: what a person would want to know of it before reading a row.

Takes a `Table`; gives a few lines: headings, rows, key, unit, and for each column its type with the
range of its values or its most frequent cells, totals rows aside; and what a language model said of
it, where one was asked. The same table always has the same card.
"""

from __future__ import annotations

import numpy as np

from retrieval.serialize import breadcrumb
from retrieval.table import NUMERIC, TEMPORAL, Column, Table

MOST_COLUMNS = 40
_TOP = 3
_LONGEST = 40


def table_card(table: Table, *, contents: bool = True) -> str:
    """The card of `table`; without `contents` no cell is on it."""
    shown = [_column(column, contents) for column in table.records[:MOST_COLUMNS]]
    left_out = len(table.columns) - len(shown)
    more = [f"- and {left_out} more columns"] if left_out else []
    said = [f"as a model says: {table.summary}"] if table.summary else []
    return "\n".join([breadcrumb(table), _size(table), *said, *shown, *more])


def _size(table: Table) -> str:
    told = [f"{len(table.data_rows):,} rows"]
    if table.totals:
        told.append(f"{len(table.totals):,} totals")
    if table.key is not None:
        told.append(f'each named by "{table.columns[table.key].name}"')
    if table.unit:
        told.append(f"unit: {table.unit}")
    return ", ".join(told)


def _column(column: Column, contents: bool) -> str:
    kind = column.type.kind.value.lower()
    unit = f" in {column.type.unit}" if column.type.unit else ""
    named = f"- {column.name} ({kind}{unit})"
    return f"{named}: {_content(column)}" if contents else named


def _content(column: Column) -> str:
    if not column.counts.any():
        return "empty"
    if column.type.kind in NUMERIC | TEMPORAL and (ends := _range(column)):
        return " to ".join(ends)
    distinct = int(np.count_nonzero(column.counts))
    most = column.counts.argsort(kind="stable")[::-1][: min(_TOP, distinct)].tolist()
    if len(most) < distinct and column.counts.max() == 1:
        # Where no cell repeats, the first ones are as good as any.
        most = np.flatnonzero(column.counts)[:_TOP].tolist()
    cells = ", ".join(_short(column.texts[code]) for code in most)
    return f"{distinct:,} different, such as {cells}" if distinct > len(most) else cells


def _range(column: Column) -> tuple[str, ...]:
    """The cells with the least and the greatest value; one where they are the same."""
    forms = column.texts if column.canonical is None else column.canonical
    shown = zip(forms, column.texts, column.counts.tolist(), strict=True)
    known = [(form, text) for form, text, count in shown if form and count]
    if column.type.kind in NUMERIC:
        known.sort(key=lambda pair: float(pair[0]))
    else:
        known.sort()
    ends = [known[0][1], known[-1][1]] if known else []
    return tuple(dict.fromkeys(ends))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
