"""Amounts in cells that are told in several units: "£850 pcm" and "£160 pw", "72 m²" and
"480 sq ft". Their numbers are put side by side by no sum, mean, order or bound.

Takes a tree and its arrays; gives the reason against it, with the units and how many rows tell
each, or None. A number that stands alone agrees with any unit; in a column of numbers, what is read
as one is of the column's unit, and what is not ("480 sq ft") of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace

import numpy as np
import numpy.typing as npt

from sql_engine.offline.columns import NUMBER_PATTERN, ColumnData, TableData
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.tree import (
    Agg,
    AnyOf,
    Col,
    Facet,
    Grouped,
    Not,
    Rows,
    Top,
    Tree,
    Values,
    Where,
)
from sql_engine.words import fold, stem

_AMOUNT = re.compile(
    rf"(?P<sign>[$€£¥₹]?)\s*{NUMBER_PATTERN}(?:\s*(?:-|–|to)\s*{NUMBER_PATTERN})?"
    r"(?!st\b|nd\b|rd\b|th\b)\s*(?P<unit>(?:sq|cu|fl)\.?\s?[^\W\d_]+|[^\W\d_]+\.?[²³]?|[%‰°][^\W\d_]?)?(?P<more>(?:\s*/\s*|\s+per\s+)[^\W\d_]+)?"
)
"""An amount with its unit; "1st" and "2nd" are places, and of none."""
TOLD = 4
"""Units that the reason names."""


def mixed_units(tree: Tree, names: tuple[str, ...], data: TableData) -> str | None:
    """Why the amounts of this tree are not of one unit."""
    run = Evaluator(data)
    for col, rows in _compared(tree):
        column = data.columns[col.index]
        inside = col.facet is Facet.NUMBER or column.column.source.type.mixed
        if inside and len(chosen := run.rows(rows)) > 1:
            told = _told(column, chosen)
            if any(len({unit[part] for unit in told if unit[part]}) > 1 for part in (0, 1)):
                each = ", ".join(f"{' '.join(unit).strip()} in {n}" for unit, n in _most(told))
                return f"{names[col.index]} is told in different units ({each} of the rows)"
    return None


def _compared(node: object) -> Iterator[tuple[Col, Rows]]:
    """The columns whose numbers are put side by side, with the rows that they are taken from."""
    if isinstance(node, Agg) and node.col is not None and node.fn != "count":
        yield node.col, node.rows
    elif isinstance(node, Grouped):
        yield from ((m.col, node.rows) for m in node.measures if m.col and m.fn != "count")
    elif isinstance(node, Values) and node.order is not None:
        yield node.order, node.rows
    elif isinstance(node, Top):
        yield node.key, node.rows
    elif isinstance(node, Where):
        for cond in node.conds:
            others = tuple(other for other in node.conds if other is not cond)
            rows = replace(node, conds=others) if others else node.rows
            yield from ((col, rows) for col in _bounded(cond))
    if is_dataclass(node):
        for each in fields(node):
            yield from _compared(getattr(node, each.name))


def _bounded(cond: object) -> Iterator[Col]:
    """The columns that a condition compares."""
    if isinstance(cond, Not):
        yield from _bounded(cond.cond)
    elif isinstance(cond, AnyOf):
        for each in cond.conds:
            yield from _bounded(each)
    elif isinstance(col := getattr(cond, "col", None), Col):
        yield col


_NUMBER_ALONE = "no unit"

Unit = tuple[str, str]
"""The sign before a number and what stands after it; "" for none."""


def _told(column: ColumnData, rows: npt.NDArray[np.intp]) -> Counter[Unit]:
    """How many of these rows tell their amount in each unit, without case and plural."""
    counts = Counter[Unit]()
    read = column.column.source.canonical if column.numeric else None
    codes, number = np.unique(column.codes[rows], return_counts=True)
    for code, rows_of in zip(codes.tolist(), number.tolist(), strict=True):
        if code < 0:
            continue
        if read is not None and read[code] is not None:
            counts["", stem(fold(column.unit or _NUMBER_ALONE))] += rows_of
        elif found := (_AMOUNT.search if read is None else _AMOUNT.match)(column.texts[code]):
            unit = (found["unit"] or "").rstrip(".")
            counts[found["sign"], stem(fold(unit)) + fold(found["more"] or "")] += rows_of
    return counts


def _most(told: Counter[Unit]) -> list[tuple[Unit, int]]:
    return [(unit, n) for unit, n in told.most_common() if any(unit)][:TOLD]
