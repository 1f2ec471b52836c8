"""Which base columns feed each output column of a query.

Takes SQL and the tables it reads; sqlglot resolves the names. Best effort: None where sqlglot
cannot read the statement, or cannot place a name. Nothing is allowed or refused by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, build_scope

from sql_engine.catalog import ROW_COLUMN, CatalogTable
from sql_engine.query import OutputColumn, Sources
from sql_engine.sql_names import fold


def lineage_of(sql: str, tables: Sequence[CatalogTable]) -> tuple[OutputColumn, ...] | None:
    """The outputs of `sql` in order, or None where they cannot be told."""
    schema: dict[str, object] = {
        table.name: {c.name: c.sql_type for c in table.columns} | {ROW_COLUMN: "BIGINT"}
        for table in tables
    }
    try:
        parsed = parse_one(sql, dialect="duckdb")
        if not isinstance(parsed, exp.Query):
            return None
        tree = qualify(parsed, dialect="duckdb", schema=schema, validate_qualify_columns=False)
        scope = build_scope(tree)
    except (SqlglotError, RecursionError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return None if scope is None else tuple(_Lineage(tables).outputs(scope))


class _Lineage:
    """Follows columns through the scopes of a qualified statement down to base tables."""

    def __init__(self, tables: Sequence[CatalogTable]) -> None:
        self._names = {
            (fold(table.name), fold(name)): (table.name, name)
            for table in tables
            for name in [ROW_COLUMN, *(c.name for c in table.columns)]
        }

    def outputs(self, scope: Scope) -> list[OutputColumn]:
        if scope.set_operation_scopes:
            left, right = map(self.outputs, scope.set_operation_scopes)
            return [
                OutputColumn(a.name, _joined((a.sources, b.sources)), a.expression)
                for a, b in zip(left, right, strict=False)
            ]
        return [
            OutputColumn(
                select.alias_or_name,
                self.sources(select, scope),
                select.unalias().sql(dialect="duckdb", comments=False),
            )
            for select in scope.expression.selects  # type: ignore[attr-defined]
        ]

    def sources(self, expression: exp.Expression, scope: Scope) -> Sources | None:
        found: list[Sources | None] = []
        for node in expression.walk(prune=lambda node: isinstance(node, exp.Query)):
            if isinstance(node, exp.Column):
                found.append(self.column(node, scope))
            elif isinstance(node, exp.Query):
                inner = next((s for s in scope.subquery_scopes if s.expression is node), None)
                found += [output.sources for output in self.outputs(inner)] if inner else [None]
        return _joined(found)

    def column(self, column: exp.Column, scope: Scope | None) -> Sources | None:
        while scope is not None:
            source = scope.sources.get(column.table)
            if isinstance(source, exp.Table):
                base = self._names.get((fold(source.name), fold(column.name)))
                return (base,) if base else None
            if source is not None:
                return next(
                    (o.sources for o in self.outputs(source) if fold(o.name) == fold(column.name)),
                    None,
                )
            scope = scope.parent
        return None


def _joined(parts: Iterable[Sources | None]) -> Sources | None:
    """All sources, each once; None where those of one part are unknown."""
    known: dict[tuple[str, str], None] = {}
    for sources in parts:
        if sources is None:
            return None
        known |= dict.fromkeys(sources)
    return tuple(known)
