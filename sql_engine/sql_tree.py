"""A query's syntax tree with every name resolved, for the checks after a run.

Takes SQL and the tables it reads; sqlglot parses it and resolves the names. None where sqlglot
cannot read the statement: then nothing is checked, and nothing is refused either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sql_engine.catalog import ROW_COLUMN, CatalogColumn, CatalogTable

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.optimizer.scope import Scope


@dataclass(frozen=True)
class SqlTree:
    """A parsed query over known tables."""

    root: exp.Query
    """Names qualified, stars kept."""
    plain: exp.Query
    """As written."""
    tables: tuple[CatalogTable, ...]

    @cached_property
    def scopes(self) -> tuple[Scope, ...]:
        """Every SELECT with the sources it sees, innermost first."""
        from sqlglot.optimizer.scope import traverse_scope

        return tuple(traverse_scope(self.root))

    @property
    def has_outer_join(self) -> bool:
        """Whether a join keeps rows without a match."""
        from sqlglot import exp

        return any(join.side for join in self.root.find_all(exp.Join))

    def base_table(self, scope: Scope, alias: str) -> CatalogTable | None:
        """The catalog table that an alias stands for in a scope; None for a subquery."""
        from sqlglot import exp

        source = scope.sources.get(alias)
        if not isinstance(source, exp.Table):
            return None
        name = source.name.casefold()
        return next((t for t in self.tables if t.name.casefold() == name), None)

    def base_column(self, scope: Scope, column: exp.Column) -> CatalogColumn | None:
        """The catalog column that a column of the tree shows, also through subqueries that hand
        it on under some name.
        """
        from sqlglot import exp
        from sqlglot.optimizer.scope import Scope

        source = scope.sources.get(column.table)
        table = self.base_table(scope, column.table)
        if table is not None:
            return table.column(column.name)
        if not isinstance(source, Scope) or not isinstance(source.expression, exp.Select):
            return None
        for output in source.expression.selects:
            inner = output.unalias()
            if output.alias_or_name == column.name and isinstance(inner, exp.Column):
                return self.base_column(source, inner)
        return None

    def columns(self) -> Iterator[tuple[Scope, exp.Column, CatalogColumn]]:
        """Each mention of a base column."""
        for scope in self.scopes:
            for column in scope.columns:
                found = self.base_column(scope, column)
                if found is not None:
                    yield scope, column, found


def parse_tree(sql: str, tables: Sequence[CatalogTable]) -> SqlTree | None:
    """The tree of `sql`, or None where it cannot be told."""
    from sqlglot import exp, parse_one
    from sqlglot.errors import SqlglotError
    from sqlglot.optimizer.qualify import qualify

    schema: dict[str, object] = {
        table.name: {c.name: c.sql_type for c in table.columns} | {ROW_COLUMN: "BIGINT"}
        for table in tables
    }
    try:
        plain = parse_one(sql, dialect="duckdb")
        if not isinstance(plain, exp.Query):
            return None
        root = qualify(
            plain.copy(),
            dialect="duckdb",
            schema=schema,
            validate_qualify_columns=False,
            expand_stars=False,
        )
    except (SqlglotError, RecursionError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return SqlTree(root, plain, tuple(tables)) if isinstance(root, exp.Query) else None
