"""The rows that a tree speaks of: one table, or one table with what its rows point to.

A join only ever adds columns: each row of the first table finds at most one row of every other, so
that no row is counted twice. Takes catalog tables and the join graph; gives `Relation`s.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from retrieval.kept import kept_together
from sql_engine.catalog import Catalog, CatalogColumn, CatalogTable
from sql_engine.join_graph import JoinEdge, JoinGraph

MAX_JOINED = 3
"""Tables of a relation, the first among them."""


@dataclass(frozen=True)
class Join:
    """Each row of table `left` (a position in the relation) finds at most one row of `right`."""

    left: int
    left_column: str
    right: int
    right_column: str


@dataclass(frozen=True)
class Pointing:
    """How many rows of another table point to each row of a relation's first table."""

    table: CatalogTable
    """The other table."""
    column: str
    """Its column that points to the rows."""
    key: str
    """The column of the first table that is pointed to."""
    named: CatalogTable
    """The table whose name says what is counted: the other one, or one that it bridges to."""
    shown: CatalogColumn
    """The counts, as a column of the first table."""
    onward: str | None = None
    """Its column that points to what is counted, where it is a bridge."""


@dataclass(frozen=True)
class Elapsed:
    """How many days each row of a relation's first table lies between two of its dates."""

    start: str
    end: str
    """The columns of the dates."""
    shown: CatalogColumn
    """The days, as a column of the table."""


@dataclass(frozen=True)
class Relation:
    """One table, or one with others joined to its rows, or with the rows that point to them
    counted, or with the days between two of its dates.
    """

    tables: tuple[CatalogTable, ...]
    joins: tuple[Join, ...] = ()
    counted: Pointing | None = None
    elapsed: Elapsed | None = None

    def made_of(self) -> tuple[Sequence[CatalogTable], Hashable]:
        """Its tables, and how they are put together."""
        if self.elapsed is not None:
            return self.tables, (self.joins, self.elapsed.start, self.elapsed.end)
        if self.counted is None:
            return self.tables, self.joins
        told = (self.counted.column, self.counted.key)
        return (*self.tables, self.counted.table, self.counted.named), (self.joins, told)

    @property
    def name(self) -> str:
        """How to speak of it."""
        named = " with ".join(table.name for table in self.tables)
        return f"{named} with the {self.counted.shown.name}" if self.counted else named

    @property
    def told_of(self) -> str:
        """The table whose rows are added up or counted."""
        return self.counted.table.name if self.counted else self.tables[0].name

    @property
    def composed(self) -> bool:
        """Whether its rows are more than those of one table as they stand."""
        return bool(self.joins) or self.computed is not None

    @property
    def computed(self) -> CatalogColumn | None:
        """The column that no table has: counts, or lengths of time."""
        made = self.counted or self.elapsed
        return made.shown if made else None

    @property
    def count_index(self) -> int | None:
        """The position of the column of counts, which is the last."""
        return len(self.columns) - 1 if self.counted else None

    @property
    def computed_index(self) -> int | None:
        """The position of the column that no table has, which is the last."""
        return len(self.columns) - 1 if self.computed else None

    @cached_property
    def columns(self) -> tuple[CatalogColumn, ...]:
        """The columns of all tables, those of the first table first."""
        own = tuple(column for table in self.tables for column in table.columns)
        return (*own, self.computed) if self.computed else own

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """For each column, the position of its table."""
        own = tuple(i for i, table in enumerate(self.tables) for _ in table.columns)
        return (*own, 0) if self.computed else own

    @cached_property
    def names(self) -> tuple[str, ...]:
        """For each column, a name that is unique in the relation."""
        folded = [column.name.casefold() for column in self.columns]
        return tuple(
            column.name if folded.count(column.name.casefold()) == 1 else self._long(i)
            for i, column in enumerate(self.columns)
        )

    def _long(self, index: int) -> str:
        return f"{self.tables[self.owners[index]].name}.{self.columns[index].name}"

    def offset(self, table: int) -> int:
        """The position of a table's first column."""
        return self.owners.index(table)

    def needs(self, used: set[int]) -> bool:
        """Whether the columns used touch every table that no other joined table hangs on."""
        if self.computed_index is not None and self.computed_index not in used:
            return False
        held = {self.owners[i] for i in used} | {join.left for join in self.joins}
        return all(i in held for i in range(1, len(self.tables)))


@kept_together(lambda it: (it.tables, (it.declared_joins, it.forbidden_joins)), size=8)
def join_graph(catalog: Catalog) -> JoinGraph:
    """The join graph of a catalog, found once for the same tables."""
    return catalog.joins


def joined(tables: Sequence[CatalogTable], graph: JoinGraph) -> Iterator[Relation]:
    """Every relation of two or three of these tables."""
    by_name = {table.name.casefold(): table for table in tables}
    edges = list(_directed(graph.between(by_name)))
    for first in tables:
        yield from _grown(Relation((first,)), by_name, edges)


def _grown(
    relation: Relation, by_name: dict[str, CatalogTable], edges: list[JoinEdge]
) -> Iterator[Relation]:
    if len(relation.tables) == MAX_JOINED:
        return
    present = [table.name.casefold() for table in relation.tables]
    for edge in edges:
        left, right = edge.left_table.casefold(), edge.right_table.casefold()
        if left not in present or right in present:
            continue
        position = present.index(left)
        if relation.joins and position < relation.joins[-1].left:
            continue
        join = Join(position, edge.left_column, len(present), edge.right_column)
        grown = Relation((*relation.tables, by_name[right]), (*relation.joins, join))
        yield grown
        yield from _grown(grown, by_name, edges)


def _directed(edges: Sequence[JoinEdge]) -> Iterator[JoinEdge]:
    """The edges, and one-to-one edges the other way round as well."""
    for edge in edges:
        yield edge
        if edge.kind == "one-to-one":
            yield JoinEdge(
                edge.right_table,
                edge.right_column,
                edge.left_table,
                edge.left_column,
                edge.confidence,
                edge.kind,
            )
