"""Which tables SQL may name: their columns, SQL types and a profile of each column.

Takes `retrieval.table.Table`s, gives a `Catalog` that the guard, the linker and the writers read.
Immutable: adding or removing a table gives a new catalog that shares the old entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from retrieval.table import NUMERIC, Column, Kind, Table
from sql_engine.profile import ColumnProfile
from sql_engine.sql_names import distinct_name

if TYPE_CHECKING:
    from sql_engine.join_graph import JoinEdge, JoinGraph
    from sql_engine.schema_words import SchemaWords

ROW_COLUMN = "_row"
"""Every table carries the source position of each row under this name."""


@dataclass(frozen=True)
class CatalogColumn:
    """One SQL column; `source` is the table's column it shows."""

    name: str
    sql_type: str
    """DuckDB type: VARCHAR, BIGINT, DECIMAL(p,s), DOUBLE, BOOLEAN, DATE, TIMESTAMP, TIME."""
    source: Column
    as_text: bool = False
    """Shows the published text of a column that also has a typed form."""
    rows: npt.NDArray[np.int64] | None = field(default=None, compare=False)
    """Positions of the rows that SQL sees, where those are not all."""

    @property
    def kind(self) -> Kind:
        """What SQL sees here."""
        return Kind.TEXT if self.as_text else self.source.type.kind

    @property
    def unit(self) -> str | None:
        """The unit of the values, where told."""
        return None if self.as_text else self.source.type.unit

    @cached_property
    def profile(self) -> ColumnProfile:
        """What the values look like, as SQL sees them."""
        return ColumnProfile.of(self.records, as_text=self.as_text)

    @cached_property
    def records(self) -> Column:
        """The source without the rows that SQL does not see."""
        return self.source if self.rows is None else self.source.at(self.rows)


@dataclass(frozen=True)
class CatalogTable:
    """One SQL table."""

    name: str
    """Unique in the catalog without regard to case."""
    table: Table
    columns: tuple[CatalogColumn, ...]

    @property
    def row_count(self) -> int:
        """Rows that SQL sees (totals rows are not among them)."""
        return self.table.row_count - len(self.table.totals)

    def column(self, name: str) -> CatalogColumn | None:
        """The column of this name, without regard to case."""
        folded = name.casefold()
        return next((c for c in self.columns if c.name.casefold() == folded), None)


@dataclass(frozen=True)
class Catalog:
    """All SQL tables, in the order they came."""

    tables: tuple[CatalogTable, ...] = ()
    declared_joins: tuple[JoinEdge, ...] = ()
    """Keys that the user tells."""
    forbidden_joins: tuple[JoinEdge, ...] = ()
    """Keys that the user rules out."""

    @cached_property
    def joins(self) -> JoinGraph:
        """Which columns join which, found when first asked for."""
        from sql_engine.join_graph import JoinGraph

        return JoinGraph.of(self, declared=self.declared_joins, forbidden=self.forbidden_joins)

    @cached_property
    def schema_words(self) -> SchemaWords:
        """The words of its names, indexed when first asked for."""
        from sql_engine.schema_words import SchemaWords

        return SchemaWords.of(self)

    def __iter__(self) -> Iterator[CatalogTable]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def get(self, name: str) -> CatalogTable | None:
        """The table of this SQL name, without regard to case."""
        return self._by_name.get(name.casefold())

    def by_id(self, table_id: str) -> CatalogTable | None:
        """The table of this id."""
        return self._by_id.get(table_id)

    def of(self, tables: Iterable[CatalogTable]) -> Catalog:
        """These tables alone, with what is told of the joins among them."""
        kept = tuple(tables)
        names = {table.name.casefold() for table in kept}
        told = tuple(
            edge
            for edge in self.declared_joins
            if {edge.left_table.casefold(), edge.right_table.casefold()} <= names
        )
        return replace(self, tables=kept, declared_joins=told)

    @cached_property
    def _by_name(self) -> dict[str, CatalogTable]:
        return {table.name.casefold(): table for table in self.tables}

    @cached_property
    def _by_id(self) -> dict[str, CatalogTable]:
        return {table.table.table_id: table for table in self.tables}

    def with_tables(self, tables: tuple[Table, ...]) -> Catalog:
        """A catalog that holds `tables` as well; a table of the same id is replaced."""
        new_ids = {table.table_id for table in tables}
        kept = tuple(t for t in self.tables if t.table.table_id not in new_ids)
        names = {t.name.casefold() for t in kept}
        added = []
        for table in tables:
            name = distinct_name(table.name, names)
            names.add(name.casefold())
            added.append(CatalogTable(name, table, sql_columns(table)))
        return replace(self, tables=kept + tuple(added))

    def without_document(self, document: str) -> Catalog:
        """A catalog without this document's tables."""
        return replace(self, tables=tuple(t for t in self.tables if t.table.document != document))


def sql_columns(table: Table) -> tuple[CatalogColumn, ...]:
    """The SQL columns of a table: each column typed, and for a mixed one its text as well."""
    names: set[str] = {ROW_COLUMN}
    columns: list[CatalogColumn] = []
    rows = table.data_rows if table.totals else None
    for column in table.columns:
        name = distinct_name(column.name, names)
        names.add(name.casefold())
        columns.append(CatalogColumn(name, sql_type(column), column, rows=rows))
        if column.type.mixed:
            text_name = distinct_name(f"{column.name} (text)", names)
            names.add(text_name.casefold())
            columns.append(CatalogColumn(text_name, "VARCHAR", column, True, rows))
    return tuple(columns)


def folder_of(table: Table) -> str:
    """The folder of the table's document, "" at the top: tables of one folder belong together."""
    parent = str(PurePosixPath(table.document).parent)
    return "" if parent == "." else parent


def sql_type(column: Column) -> str:
    """The DuckDB type of a column."""
    kind = column.type.kind
    if kind is Kind.DECIMAL:
        return f"DECIMAL({column.type.precision},{column.type.scale})"
    return _SQL_TYPES[kind]


def is_numeric(column: CatalogColumn) -> bool:
    """Whether sums make sense."""
    return column.kind in NUMERIC


_SQL_TYPES = {
    Kind.TEXT: "VARCHAR",
    Kind.INTEGER: "BIGINT",
    Kind.DOUBLE: "DOUBLE",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
    Kind.TIME: "TIME",
}
