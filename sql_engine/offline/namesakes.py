"""Things that a table names but does not tell apart by their names.

Two members may both be called "Ann Lee": what is counted or added up for each of them is grouped by
the key that a join finds them by, with the name beside it. Takes a tree over a relation; gives the
tree as it is meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from retrieval.kept import kept_together
from sql_engine.offline.columns import Value, encoded_column, table_data
from sql_engine.offline.relation import Relation
from sql_engine.offline.table_words import label_column
from sql_engine.offline.tree import Agg, Arith, Col, Grouped, Holds, Tally, Tree

FEWEST_NAMES = 0.5
"""Different names a row: a column of fewer tells kinds of things, and names none."""


def apart(tree: Tree, relation: Relation) -> Tree:
    """The tree with namesakes grouped and counted one by one."""
    keys = shared_names(relation)
    return _apart(tree, keys) if keys else tree


@kept_together(Relation.made_of, size=64)
def shared_names(relation: Relation) -> Mapping[int, int]:
    """The columns that name the rows of a table, where several rows share a name: each with the
    column of the key that tells the rows apart.
    """
    return {label: key for label, key in _labels(relation).items() if _names(relation, label) > 1}


@kept_together(Relation.made_of, size=64)
def _labels(relation: Relation) -> Mapping[int, int]:
    """The columns that name the rows of a table one by one, or nearly; each with its key."""
    found = {join.right: join.right_column for join in relation.joins}
    if relation.counted is not None:
        found[0] = relation.counted.key
    keys = {}
    for place, key in found.items():
        table, start = relation.tables[place], relation.offset(place)
        label = label_column(table)
        if label is not None and _names(relation, label + start):
            names = [column.name for column in table.columns]
            keys[label + start] = names.index(key) + start
    return keys


def by_key(tree: Tree, relation: Relation) -> Tree:
    """Groups of named things as those of the keys that a join finds them by."""
    if not isinstance(tree, Grouped) or not relation.composed:
        return tree
    labels = _labels(relation)
    keys = (replace(key, index=labels.get(key.index, key.index)) for key in tree.keys)
    return replace(tree, keys=tuple(dict.fromkeys(keys)))


def sharing(relation: Relation, label: int, names: Sequence[str]) -> list[Value]:
    """The keys of the rows, in their own table, that have one of some names."""
    owner = relation.owners[label]
    table, start = relation.tables[owner], relation.offset(owner)
    keys = encoded_column(table, table.columns[shared_names(relation)[label] - start].name)
    column = table_data(table).columns[label - start]
    rows = np.isin(column.codes, column.codes_of(names))
    return [keys.values[code] for code in np.unique(keys.codes[rows]).tolist() if code >= 0]


def _names(relation: Relation, label: int) -> float:
    """How many rows of its own table a name has at most, on average; 0 for a column that tells
    kinds of things.
    """
    owner = relation.owners[label]
    codes = encoded_column(relation.tables[owner], relation.columns[label].name).codes
    codes = codes[codes >= 0]
    names = len(np.unique(codes))
    return len(codes) / names if names and names >= FEWEST_NAMES * len(codes) else 0.0


def _apart(tree: Tree, keys: Mapping[int, int]) -> Tree:
    if isinstance(tree, Tally):
        return replace(tree, groups=_groups(tree.groups, keys))
    if isinstance(tree, Grouped):
        return _groups(tree, keys)
    if isinstance(tree, Agg):
        return _number(tree, keys)
    if isinstance(tree, Arith | Holds):
        sides = {
            side: _number(node, keys)
            for side, node in (("left", tree.left), ("right", tree.right))
            if isinstance(node, Agg)
        }
        return replace(tree, **sides)  # type: ignore[arg-type]
    return tree


def _groups(tree: Grouped, keys: Mapping[int, int]) -> Grouped:
    told = [Col(keys[key.index]) for key in tree.keys if key.index in keys]
    added = tuple(key for key in told if key not in tree.keys)
    return replace(tree, keys=(*tree.keys, *added))


def _number(node: Agg, keys: Mapping[int, int]) -> Agg:
    if node.fn != "distinct" or node.col is None or node.col.index not in keys:
        return node
    return replace(node, col=Col(keys[node.col.index]))
