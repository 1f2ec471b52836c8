"""In which unit a query's result is: that of the column it is taken of, where it keeps it.

Takes a checked query; gives a unit, or None, for each output column. Sums, means, extremes and
differences keep the unit of what they are taken of; counts, quotients and products have none.
"""

from __future__ import annotations

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from sql_engine.query import OutputColumn, Query

_KEPT = (
    exp.Sum,
    exp.Avg,
    exp.Min,
    exp.Max,
    exp.Median,
    exp.Abs,
    exp.Add,
    exp.Sub,
    exp.Paren,
    exp.Cast,
    exp.DataType,
    exp.Column,
    exp.Identifier,
)


def units_of(query: Query) -> tuple[str | None, ...]:
    """By output column; () where they cannot be told."""
    units = {
        (table.name, column.name): column.unit for table, column in query.columns if column.unit
    }
    if not units or not _is_flat(query.sql):
        return ()
    return tuple(_unit(output, units) for output in query.lineage or ())


def _is_flat(sql: str) -> bool:
    """Whether every output is made of columns of tables, and of no other query's outputs."""
    try:
        return (
            parse_one(sql, dialect="duckdb").find(exp.Subquery, exp.CTE, exp.SetOperation) is None
        )
    except (SqlglotError, RecursionError):
        return False


def _unit(output: OutputColumn, units: dict[tuple[str, str], str]) -> str | None:
    try:
        tree = parse_one(output.expression, dialect="duckdb")
    except (SqlglotError, RecursionError):
        return None
    found = {units.get(source) for source in output.sources or ()}
    kept = all(isinstance(node, _KEPT) for node in tree.walk())
    return found.pop() if kept and len(found) == 1 else None
