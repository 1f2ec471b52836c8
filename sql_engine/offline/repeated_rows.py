"""Sums and means over rows that a join repeats: the inhabitants of countries, each added once for
every language that is spoken there.

Takes a reading with its arrays; gives the doubt that another figure comes out where each row of the
joined table is taken once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sql_engine.offline.columns import TableData
from sql_engine.offline.doubt import Doubt
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.relation import Relation
from sql_engine.offline.search import Reading
from sql_engine.offline.tree import Agg, Facet

_ADDED: dict[str, Callable[..., float]] = {
    "sum": np.nansum,
    "mean": np.nanmean,
    "median": np.nanmedian,
}


def repeated_by_join(best: Reading, data: TableData) -> Doubt | None:
    """A figure of a joined table that counts some of its rows several times."""
    tree, relation = best.tree, best.relation
    if not isinstance(tree, Agg) or tree.fn not in _ADDED or tree.col is None:
        return None
    pointer = _pointer(relation, tree.col.index)
    if pointer is None or tree.col.facet is not Facet.VALUE:
        return None
    rows = np.asarray(Evaluator(data).rows(tree.rows))
    codes = data.columns[pointer].encoded().codes[rows]
    _, firsts = np.unique(codes, return_index=True)
    floats = data.columns[tree.col.index].encoded().row_floats
    once, every = floats[rows[firsts]], floats[rows]
    if len(once) == len(every) or not np.isfinite(once).any():
        return None
    added = _ADDED[tree.fn]
    if np.isclose(added(once), added(every)):
        return None
    name = relation.tables[relation.owners[tree.col.index]].name
    return Doubt(
        f"rows of {name} are taken once for each row of {relation.tables[0].name}",
        f"Ask for {name} alone, or for each row of {relation.tables[0].name}.",
    )


def _pointer(relation: Relation, column: int) -> int | None:
    """The column by which the first table points to the one that a column is of."""
    owner = relation.owners[column]
    for join in relation.joins:
        if join.right == owner and join.left == 0:
            names = [each.name for each in relation.tables[0].columns]
            return names.index(join.left_column) if join.left_column in names else None
    return None
