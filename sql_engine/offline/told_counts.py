"""A count that a cell tells: "how many cylinders has the Comet" where its row says 8 in a column
Cylinders. Different values of a single row are always one, which nobody asks for.

Takes a tree with its arrays; gives the tree as it is meant, and what is unclear of one that counts.
"""

from __future__ import annotations

import re

from sql_engine.offline.columns import NUMBER_PATTERN, TableData
from sql_engine.offline.doubt import Doubt
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.question import NUMBER_WORDS
from sql_engine.offline.tree import Agg, Tree, Values
from sql_engine.words import fold

_NUMBER_FIRST = re.compile(rf"\s*(?:{NUMBER_PATTERN}(?![\w/.:-])|[^\W\d_]+\b)")
_SEVERAL = re.compile(r"[,;/&\n]|\band\b", re.IGNORECASE)


def as_told(tree: Tree, data: TableData) -> Tree:
    """The number that the one row tells, in place of a count of its different values."""
    cell = _only_cell(tree, data)
    if cell is None or not _tells_number(cell):
        return tree
    assert isinstance(tree, Agg)
    assert tree.col is not None
    return Values(tree.rows, (tree.col,))


def told_count(tree: Tree, data: TableData) -> Doubt | None:
    """One cell that may hold several of what is counted."""
    cell = _only_cell(tree, data)
    if cell is None or not _SEVERAL.search(cell):
        return None
    return Doubt(f"one cell tells them: {cell}", "Ask which they are.")


def _only_cell(tree: Tree, data: TableData) -> str | None:
    """The text of the one cell whose different values are counted."""
    if not isinstance(tree, Agg) or tree.fn != "distinct" or tree.col is None:
        return None
    rows = Evaluator(data).rows(tree.rows)
    if len(rows) != 1:
        return None
    encoded = data.columns[tree.col.index].encoded(tree.col.facet)
    code = int(encoded.codes[rows][0])
    return str(encoded.values[code]) if code >= 0 else None


def _tells_number(cell: str) -> bool:
    first = _NUMBER_FIRST.match(cell)
    said = fold(first.group().strip()) if first else ""
    return said[:1].isdigit() or said in NUMBER_WORDS
