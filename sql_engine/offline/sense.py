"""Computations that run but mean nothing, told from the data: sums over mixed units, sums of
percentages, of years, of ages and ranks, of numbers that count the rows.

Takes a tree and its arrays; gives the reason against it, or None.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import numpy as np

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData, TableData, holds_years
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.features import columns_of, conditions_of, places
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mixed_units import mixed_units
from sql_engine.offline.relation import Relation
from sql_engine.offline.tree import (
    Agg,
    Arith,
    Cmp,
    Col,
    Grouped,
    Rows,
    Scalar,
    Top,
    Tree,
    Values,
    Within,
)
from sql_engine.offline.unit_words import column_unit
from sql_engine.words import folded_words, name_words, split_name, stem

_UNIT_NAMES = frozenset({"currenc", "unit", "uom"})
MAX_UNITS = 12
"""A column of more distinct texts tells no units."""
_UNSOUND = "no sum is sound"
"""What the reader of cells says of a column that mixes currencies."""
_ADDED = frozenset({"sum", "mean", "median", "max", "min", "share"})


def objection(tree: Tree, relation: Relation, data: TableData) -> str | None:
    """Why the numbers of this tree must not be put together."""
    if night := _through_the_night(tree, data):
        return night
    if twice := _in_two_rows(tree, data):
        return twice
    if mixed := mixed_units(tree, relation.names, data):
        return mixed
    functions, rows = _added(tree)
    if not functions & _ADDED or rows is None:
        return None
    used = columns_of(tree)
    chosen = Evaluator(data).rows(rows)
    for col in summed_columns(tree) if len(chosen) > 1 or isinstance(tree, Arith) else ():
        if unsound := adds_up_to_nothing(data.columns[col.index]):
            return f"{relation.names[col.index]}: {unsound}"
    for _, col in places(tree):
        column = data.columns[col.index]
        for warning in column.column.source.type.warnings:
            if column.numeric and _UNSOUND in warning:
                return f"{column.name}: {warning}"
    for index, column in enumerate(data.columns):
        if index in used or not set(name_words(column.name)) & _UNIT_NAMES:
            continue
        if column.kind is not Kind.TEXT or len(column.texts) > MAX_UNITS:
            continue
        codes = np.unique(column.encoded().codes[chosen])
        units = [str(column.encoded().values[c]) for c in codes.tolist() if c >= 0]
        if len(units) > 1:
            told = ", ".join(units[:4])
            return f"the amounts are in different units ({relation.names[index]}: {told})"
    return None


def _through_the_night(tree: Tree, data: TableData) -> str | None:
    """Why times of day have no order: some are late in the evening and some early next morning."""
    top = tree.rows if isinstance(tree, Values) and isinstance(tree.rows, Top) else None
    ordered = [top.key.index] if top else []
    if isinstance(tree, Agg) and tree.fn in ("max", "min") and tree.col is not None:
        ordered.append(tree.col.index)
    ordered += [c.col.index for c in conditions_of(tree) if isinstance(c, Cmp | Within)]
    for index in ordered:
        column = data.columns[index]
        hours = {v.hour for v in column.encoded().values if isinstance(v, dt.time)}
        night = bool(hours) and min(hours) < _MORNING and max(hours) >= _EVENING
        if column.kind is Kind.TIME and night and not hours & _DAY:
            return f"{column.name} runs past midnight: the clock alone does not order it"
    return None


def _in_two_rows(tree: Tree, data: TableData) -> str | None:
    """Why a standing's matches are not added up: each stands in the rows of both sides, of which
    one won what the other lost.
    """
    known, sums = lexicon(), {}
    if not isinstance(tree, Agg) or tree.fn != "sum" or tree.col is None:
        return None
    for column in data.columns:
        name = name_words(column.name)
        if len(name) == 1 and column.amount:
            for side in ("won", "lost"):
                if name[0] in getattr(known, side):
                    sums[side] = float(np.nansum(column.encoded().row_floats))
    named = name_words(data.columns[tree.col.index].name)
    level = len(sums) == 2 and sums["won"] == sums["lost"] > 0
    several = len(Evaluator(data).rows(tree.rows)) > 1
    if level and several and len(named) == 1 and named[0] in known.shared:
        return "each of them stands in two rows, those of both sides"
    return None


_MORNING, _EVENING = 6, 20
_DAY = frozenset(range(_MORNING, 18))
"""Hours that a night has none of."""


def whole_share(tree: Tree, data: TableData) -> Tree:
    """A share of a column that is one already, in percent: of one row it is the cell."""
    if not isinstance(tree, Arith) or tree.op != "%" or not isinstance(tree.left, Agg):
        return tree
    col, rows = tree.left.col, tree.left.rows
    if tree.left.fn != "sum" or col is None or not _percentage(data.columns[col.index]):
        return tree
    return Values(rows, (col,)) if len(Evaluator(data).rows(rows)) == 1 else tree


def _percentage(column: ColumnData) -> bool:
    return bool(column_unit(column.unit) & lexicon().units["%"])


def summed_columns(tree: Tree | Scalar) -> Iterator[Col]:
    """The columns that a tree adds up over several rows."""
    if isinstance(tree, Agg) and tree.fn == "sum" and tree.col is not None:
        yield tree.col
    elif isinstance(tree, Grouped):
        yield from (m.col for m in tree.measures if m.fn in ("sum", "share") and m.col is not None)
    elif isinstance(tree, Arith) and tree.op == "%":
        yield from summed_columns(tree.left)


def adds_up_to_nothing(column: ColumnData) -> str | None:
    """Why the numbers of a column have no sum, or None."""
    named = set(name_words(column.name))
    if _percentage(column) or named & _PERCENT:
        return "percentages do not add up"
    if holds_years(column):
        return "years do not add up"
    if named & _LEVELS or (column.unit or "").startswith("°"):
        return "temperatures and the like do not add up"
    if named & _RATINGS:
        return "ratings do not add up"
    if named & _PLACES:
        return "ages and ranks do not add up"
    if column.kind is Kind.INTEGER and not named & amounts() and _counts_rows(column):
        return "these numbers count the rows, and do not add up"
    return None


def is_of_one_piece(column: ColumnData) -> bool:
    """Whether a column of money tells the price of one piece: "unit_price", "Price each"."""
    words = set(folded_words(" ".join(split_name(column.name))))
    return bool(words & _PIECE) and bool(set(name_words(column.name)) & lexicon().money_named)


_PIECE = frozenset(["unit", "piece", "each"])
_PERCENT = frozenset(map(stem, ["percent", "percentage", "pct"]))
_RATINGS = frozenset(map(stem, ["rating", "satisfaction", "csat", "nps"]))
_LEVELS = frozenset(map(stem, ["temperature", "temp", "humidity", "pressure", "ph"]))
_PLACES = frozenset(map(stem, ["age", "rank", "ranking", "pos", "position"]))
FEWEST_COUNTED = 5


def numbers_things(column: ColumnData) -> bool:
    """Whether a column numbers what the rows are, in whatever order: the lots of a sale. A few rows
    may be 1, 2 and 3 of anything.
    """
    many = len(column.encoded().values) >= FEWEST_NUMBERED
    return many and column.numbers_rows and not set(name_words(column.name)) & amounts()


def numbers_groups(column: ColumnData) -> bool:
    """Whether whole numbers without gaps, under a name in the singular and without a unit, number
    groups of rows: weeks of a year, rounds. "Per week" is then by group, and "per day" of a column
    "Days open" is not.
    """
    if column.kind is not Kind.INTEGER or column.unit or set(name_words(column.name)) & amounts():
        return False
    last = folded_words(column.name)[-1:]
    several = last and last[0].endswith("s") and not last[0].endswith("ss")
    return column.encoded().dense and not several


FEWEST_NUMBERED = 10


def amounts() -> frozenset[str]:
    """Stems of what amounts are called, and no number of a row."""
    return lexicon().money_named | lexicon().quantities


def _counts_rows(column: ColumnData) -> bool:
    """Whether the numbers run 1, 2, 3 from row to row."""
    floats = column.encoded().row_floats
    return len(floats) >= FEWEST_COUNTED and bool((floats == np.arange(1, len(floats) + 1)).all())


def _added(tree: Tree) -> tuple[set[str], Rows | None]:
    if isinstance(tree, Agg):
        return {tree.fn}, tree.rows
    if isinstance(tree, Grouped):
        return {m.fn for m in tree.measures}, tree.rows
    if isinstance(tree, Arith) and isinstance(tree.left, Agg):
        return {tree.left.fn}, tree.left.rows
    return set(), None
