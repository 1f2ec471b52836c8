"""The rows that the last answer rests on: what "list them" and "who are they?" ask for.

Takes the last answer's SQL and the tables; gives the SQL that shows those rows, or None where the
statement does not tell them for certain (joins, groups, nested sources, extremes).
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sql_engine.catalog import Catalog, CatalogTable
from sql_engine.sql_names import quote

_PARTS = ("joins", "with_", "group", "having", "qualify", "distinct", "offset", "windows")
"""What makes a statement's rows other than those of its table."""
_COUNTING = (exp.Count, exp.Sum, exp.Avg)
"""Aggregates over all the rows; an extreme is of one of them."""


def rows_behind(sql: str, catalog: Catalog, column: str | None = None) -> str | None:
    """The SQL of the rows that went into `sql`, or of the different cells of one column."""
    try:
        tree = sqlglot.parse_one(sql, read="duckdb")
    except (SqlglotError, RecursionError):
        return None
    entry = _table(tree, catalog)
    if entry is None or not isinstance(tree, exp.Select):
        return None
    counted = _counted_column(tree)
    keyed = counted is not None and _names_rows(entry, counted.name)
    counted = None if keyed else counted
    if _aggregates(tree) and counted is None and not (keyed or _over_all_rows(tree)):
        return None
    if column is not None and (counted is not None or entry.column(column) is None):
        return None
    if counted is not None or column is not None:
        shown = counted or exp.column(str(column), quoted=True)
        tree.set("distinct", exp.Distinct())
        tree.set("expressions", [shown])
        return tree.where(exp.not_(exp.Is(this=shown.copy(), expression=exp.null()))).sql("duckdb")
    names = [quote(each.name) for each in entry.columns if not each.as_text]
    tree.set("expressions", [exp.maybe_parse(name, dialect="duckdb") for name in names])
    return tree.sql("duckdb")


def _table(tree: exp.Expr, catalog: Catalog) -> CatalogTable | None:
    """The one table of a plain SELECT."""
    if not isinstance(tree, exp.Select) or any(tree.args.get(part) for part in _PARTS):
        return None
    source = tree.args.get("from_")
    if source is None or not isinstance(source.this, exp.Table) or source.this.args.get("joins"):
        return None
    if any(tree.find_all(exp.Subquery, exp.Window)):
        return None
    return catalog.get(source.this.name)


def _names_rows(entry: CatalogTable, name: str) -> bool:
    """Whether a column is the key, each row with a cell of its own: to count them counts rows."""
    column, key = entry.column(name), entry.table.key
    if column is None or key is None or entry.table.columns[key] is not column.source:
        return False
    return len(column.source.texts) == entry.table.row_count


def _aggregates(tree: exp.Select) -> bool:
    return any(each.find(exp.AggFunc) for each in tree.expressions)


def _over_all_rows(tree: exp.Select) -> bool:
    """Whether each output is one count, sum or mean, of every row of the filter."""
    return all(
        isinstance(each.unalias(), _COUNTING) and not each.find(exp.Distinct, exp.Filter)
        for each in tree.expressions
    )


def _counted_column(tree: exp.Select) -> exp.Column | None:
    """The column whose different cells were counted, where nothing else was."""
    only = tree.expressions[0].unalias() if len(tree.expressions) == 1 else None
    distinct = only.this if isinstance(only, exp.Count) else None
    if not isinstance(distinct, exp.Distinct) or len(distinct.expressions) != 1:
        return None
    column = distinct.expressions[0]
    return column.copy() if isinstance(column, exp.Column) else None
