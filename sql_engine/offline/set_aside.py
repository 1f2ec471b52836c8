"""Whether a reading leaves out a row that the question names, as that row is a total.

Totals rows are no records: a sum over "revenue or profit" would be of the profit alone
where the revenue is the total of other rows. Takes a reading; gives a doubt, or
None.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sql_engine.offline.columns import ColumnData, table_data
from sql_engine.offline.doubt import Doubt
from sql_engine.offline.features import conditions_of
from sql_engine.offline.relation import Relation
from sql_engine.offline.search import Reading
from sql_engine.offline.tree import Arith, Cond, Holds, In


def set_aside(best: Reading) -> Doubt | None:
    """A cell that the question names and that stands in totals rows alone."""
    for cond in _conditions(best.tree):
        if not isinstance(cond, In):
            continue
        column = _column(best.relation, cond.col.index)
        used = {column.texts[code] for code in np.unique(column.codes).tolist() if code >= 0}
        lost = [text for text in cond.texts if text not in used]
        if lost:
            return Doubt(
                f'"{lost[0]}" is told in rows alone that sum others, and are no records',
                "Ask for the figure of that row alone.",
            )
    return None


def _column(relation: Relation, index: int) -> ColumnData:
    """A column over all records of its own table."""
    owner = relation.owners[index]
    return table_data(relation.tables[owner]).columns[index - relation.offset(owner)]


def _conditions(tree: object) -> Iterator[Cond]:
    if isinstance(tree, Arith | Holds):
        yield from _conditions(tree.left)
        yield from _conditions(tree.right)
    elif not isinstance(tree, float | int):
        yield from conditions_of(tree)
