"""Tells a cell that is empty from a row that is not there, where a query leaves empty cells out.

Takes the query of an empty result; gives the columns that the rows it is about have no value in.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from router.question import Asked
from sql_engine.errors import ExecutionError, InvalidQuery, LimitExceeded, Refused
from sql_engine.guard import check


def empty_columns(asked: Asked, sql: str) -> list[str]:
    """The shown columns that are empty in every row of the question's conditions; none where no
    row meets these.
    """
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    where = tree.args.get("where")
    if not isinstance(tree, exp.Select) or where is None:
        return []
    shown = {each.name for each in tree.expressions if isinstance(each, exp.Column)}
    parts = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
    given = [part for part in parts if _given_column(part) in shown]
    others = [part for part in parts if part not in given]
    if not given or not others:
        return []
    tree.set("where", exp.Where(this=exp.and_(*(part.copy() for part in others))))
    try:
        found = asked.database.execute(check(tree.sql("duckdb"), asked.catalog), asked.limits)
    except (ExecutionError, InvalidQuery, LimitExceeded, Refused):
        return []
    return [_given_column(part) for part in given] if found.rows else []


def _given_column(part: exp.Expr) -> str:
    """The column that a condition demands to have a value; "" where it demands something else."""
    null = part.this if isinstance(part, exp.Not) else None
    is_null = isinstance(null, exp.Is) and isinstance(null.expression, exp.Null)
    column = null.this if null is not None and is_null else None
    return column.name if isinstance(column, exp.Column) else ""
