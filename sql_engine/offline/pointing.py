"""How many rows of another table point to each row of a table: "customers with no orders".

Takes catalog tables and the join graph; gives `Pointing` columns, which a relation shows beside the
columns of its first table, so that every form of question reads them as it reads any number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from retrieval.table import EMPTY, Column, ColumnType, Kind
from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.join_graph import JoinEdge, JoinGraph
from sql_engine.offline.columns import encoded_column
from sql_engine.offline.relation import Pointing


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
        yield _pointing(table, other, edge, other)
        for onward in edges:
            bridged = onward.left_table == edge.left_table and onward != edge
            far = by_name[onward.right_table.casefold()]
            if bridged and far is not table and onward.left_column != edge.left_column:
                yield _pointing(table, other, edge, far)


@lru_cache(maxsize=256)
def _pointing(
    table: CatalogTable, other: CatalogTable, edge: JoinEdge, named: CatalogTable
) -> Pointing:
    keys = encoded_column(table, edge.right_column)
    pointers = encoded_column(other, edge.left_column)
    used = np.bincount(pointers.codes[pointers.codes >= 0], minlength=len(pointers.values))
    count_of = dict(zip(pointers.values, used.tolist(), strict=True))
    per_key = np.array([count_of.get(value, 0) for value in keys.values] + [0], np.int64)
    counts, codes = np.unique(per_key[keys.codes], return_inverse=True)
    whole = np.full(table.table.row_count, EMPTY, np.int32)
    whole[table.table.data_rows] = codes
    name = f"number of {named.name}"
    kind = ColumnType(Kind.INTEGER)
    source = Column(name, (name,), whole, tuple(map(str, counts.tolist())), kind, derived=True)
    shown = CatalogColumn(name, "BIGINT", source)
    return Pointing(other, edge.left_column, edge.right_column, named, shown)
