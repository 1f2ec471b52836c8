"""Computations that run but mean nothing, told from the data: sums over mixed units.

Takes a tree and its arrays; gives the reason against it, or None.
"""

from __future__ import annotations

import numpy as np

from retrieval.table import Kind
from sql_engine.offline.columns import TableData
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.features import columns_of, places
from sql_engine.offline.relation import Relation
from sql_engine.offline.tree import Agg, Arith, Grouped, Rows, Tree
from sql_engine.words import name_words

_UNIT_NAMES = frozenset({"currenc", "unit", "uom"})
MAX_UNITS = 12
"""A column of more distinct texts tells no units."""
_UNSOUND = "no sum is sound"
"""What the reader of cells says of a column that mixes currencies."""
_ADDED = frozenset({"sum", "mean", "median", "max", "min"})


def objection(tree: Tree, relation: Relation, data: TableData) -> str | None:
    """Why the numbers of this tree must not be put together."""
    functions, rows = _added(tree)
    if not functions & _ADDED or rows is None:
        return None
    used = columns_of(tree)
    chosen = Evaluator(data).rows(rows)
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


def _added(tree: Tree) -> tuple[set[str], Rows | None]:
    if isinstance(tree, Agg):
        return {tree.fn}, tree.rows
    if isinstance(tree, Grouped):
        return {m.fn for m in tree.measures}, tree.rows
    if isinstance(tree, Arith) and isinstance(tree.left, Agg):
        return {tree.left.fn}, tree.left.rows
    return set(), None
