"""How many rows of another table point to each row of a table: "customers with no orders".

Takes catalog tables and the join graph; gives `Pointing` columns, which a relation shows beside the
columns of its first table, so that every form of question reads them as it reads any number. Tells
as well which trees over a join hide what no row points to, or say nothing of the counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from retrieval.kept import kept_together
from retrieval.table import EMPTY, Column, ColumnType, Kind
from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.join_graph import JoinEdge, JoinGraph
from sql_engine.offline.columns import encoded_column, relation_data
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.features import condition_column, conditions_of
from sql_engine.offline.question import Question
from sql_engine.offline.relation import Pointing, Relation
from sql_engine.offline.table_words import label_column
from sql_engine.offline.tree import Agg, All, Col, Grouped, Measure, Tally, Tree, Values, Where


def pointing(
    table: CatalogTable, tables: Sequence[CatalogTable], graph: JoinGraph
) -> Iterator[Pointing]:
    """The counts that rows of a table may have: of rows that point to them, straight or from a
    bridge that also points to what is counted.
    """
    by_name = {other.name.casefold(): other for other in tables}
    edges = graph.between(by_name)
    for edge in edges:
        if edge.right_table.casefold() != table.name.casefold() or edge.kind == "one-to-one":
            continue
        other = by_name[edge.left_table.casefold()]
        if other is table:
            continue
        yield _pointing(table, other, edge, other, None)
        for onward in edges:
            bridged = onward.left_table == edge.left_table and onward != edge
            far = by_name[onward.right_table.casefold()]
            if bridged and far is not table and onward.left_column != edge.left_column:
                yield _pointing(table, other, edge, far, onward.left_column)


def _pointing(
    table: CatalogTable,
    other: CatalogTable,
    edge: JoinEdge,
    named: CatalogTable,
    onward: str | None,
) -> Pointing:
    shown = _counts(table, other, edge, named.name)
    return Pointing(other, edge.left_column, edge.right_column, named, shown, onward)


@kept_together(lambda table, other, edge, name: ((table, other), (edge, name)), size=256)
def _counts(table: CatalogTable, other: CatalogTable, edge: JoinEdge, named: str) -> CatalogColumn:
    """How many rows of the other table point to each row, as a column of the first."""
    keys = encoded_column(table, edge.right_column)
    pointers = encoded_column(other, edge.left_column)
    used = np.bincount(pointers.codes[pointers.codes >= 0], minlength=len(pointers.values))
    count_of = dict(zip(pointers.values, used.tolist(), strict=True))
    per_key = np.array([count_of.get(value, 0) for value in keys.values] + [0], np.int64)
    counts, codes = np.unique(per_key[keys.codes], return_inverse=True)
    whole = np.full(table.table.row_count, EMPTY, np.int32)
    whole[table.table.data_rows] = codes
    name = f"number of {named}"
    kind = ColumnType(Kind.INTEGER)
    source = Column(name, (name,), whole, tuple(map(str, counts.tolist())), kind, derived=True)
    return CatalogColumn(name, "BIGINT", source)


@dataclass(frozen=True)
class _Kept:
    """Where the values of a key are kept: the table whose rows are pointed to."""

    table: CatalogTable
    column: str
    beside: Relation | None
    """The relation that shows how many rows point to each of its rows."""

    @property
    def names_rows(self) -> bool:
        """Whether the key tells single rows, and no kinds of them."""
        label = label_column(self.table)
        named = label is not None and self.table.columns[label].name == self.column
        key = self.beside is not None and self.beside.counted is not None
        return named or (key and self.beside.counted.key == self.column)  # type: ignore[union-attr]


def with_none(
    tree: Tree, relation: Relation, counting: Sequence[Relation]
) -> tuple[Tree, Relation] | None:
    """A tree over rows that point to others as one that counts what no row points to as well: "the
    fewest orders" may be none. None where it would hide that, or says nothing that `counting`, the
    relations that show the counts, does not say better.
    """
    if relation.counted is not None:
        return None if _lists_counts(tree, relation) else (tree, relation)
    groups = tree.groups if isinstance(tree, Tally) else tree
    if not isinstance(groups, Grouped) or len(groups.keys) != 1 or not groups.measures:
        return tree, relation
    if groups.measures[0].fn != "count" or not (groups.having or groups.n):
        return tree, relation
    kept = _kept(groups.keys[0], relation, counting)
    if kept is None:
        return tree, relation
    if kept.beside is not None and len(groups.having) == 1 and kept.names_rows:
        return None
    if not _seeks_few(groups) or not _is_hidden(groups, kept, relation):
        return tree, relation
    if kept.beside is None or tree is not groups or not isinstance(groups.rows, All):
        return None
    names = [column.name for column in kept.table.columns]
    own = Col(names.index(kept.column), groups.keys[0].facet)
    counted = Measure("sum", Col(len(kept.beside.columns) - 1))
    return replace(groups, keys=(own,), measures=(counted,)), kept.beside


def in_all(question: Question, tree: Tree, relation: Relation) -> Tree:
    """The counts of some rows as their total, where how many there are is asked of all together:
    "how many books were borrowed by seniors", no "how many did each of them borrow".
    """
    if relation.counted is None or not isinstance(tree, Values) or not question.of("count"):
        return tree
    if [col.index for col in tree.cols] != [relation.count_index] or not isinstance(
        tree.rows, Where
    ):
        return tree
    if any(word.folded in _SINGLY for word in question.words):
        return tree
    return Agg("sum", tree.rows, tree.cols[0])


_SINGLY = frozenset(["each", "every", "per", "which", "what", "respective", "respectively"])


def _lists_counts(tree: Tree, relation: Relation) -> bool:
    """Whether counts are listed or ranked without what they are the counts of."""
    if isinstance(tree, Grouped) and tree.n is not None:
        return any(key.index == relation.count_index for key in tree.keys)
    alone = isinstance(tree, Values) and [c.index for c in tree.cols] == [relation.count_index]
    return alone and isinstance(tree.rows, All)  # type: ignore[union-attr]


def _kept(key: Col, relation: Relation, counting: Sequence[Relation]) -> _Kept | None:
    """Where a key's values are kept; None where the counted rows themselves keep them."""
    owner, name = relation.owners[key.index], relation.columns[key.index].name
    join = next((j for j in relation.joins if j.right == owner and j.left == 0), None)
    pointer = name if owner == 0 else join and join.left_column
    for other in counting:
        shown = other.counted
        if shown is None or shown.named is not relation.tables[0] or shown.column != pointer:
            continue
        if owner == 0:
            return _Kept(other.tables[0], shown.key, other)
        if other.tables == (relation.tables[owner],):
            return _Kept(other.tables[0], name, other)
    return _Kept(relation.tables[owner], name, None) if owner else None


def _seeks_few(tree: Grouped) -> bool:
    """Whether groups of few rows are sought, among which those of none would be."""
    least = tree.largest is False and tree.n is not None
    return least or any(op in ("<", "<=", "!=") or (op == "=" and not n) for op, n in tree.having)


def _is_hidden(tree: Grouped, kept: _Kept, relation: Relation) -> bool:
    """Whether a key has values that no counted row finds."""
    key = tree.keys[0]
    owner = relation.owners[key.index]
    told = {relation.owners[condition_column(c)] for c in conditions_of(tree)}
    data = relation_data(relation)
    rows = Evaluator(data).rows(All() if owner and owner in told else tree.rows)
    found = data.columns[key.index].encoded(key.facet).codes[rows]
    known = encoded_column(kept.table, kept.column).codes
    return len(np.unique(found[found >= 0])) < len(np.unique(known[known >= 0]))
