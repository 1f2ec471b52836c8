"""The rows that the last answer rests on: what "list them" and "who are they?" ask for.

Takes the last answer's SQL and the tables; gives the SQL that shows those rows, or None where the
statement does not tell them for certain (joins, groups, nested sources). Behind a highest or lowest
value stand the rows that have it.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sql_engine.catalog import Catalog, CatalogTable
from sql_engine.name_stems import words
from sql_engine.sql_names import quote

_PARTS = ("joins", "with_", "group", "having", "distinct", "offset", "windows")
"""What makes a statement's rows other than those of its table."""
_COUNTING = (exp.Count, exp.Sum, exp.Avg)
"""Aggregates over all the rows."""
_EXTREME = (exp.Max, exp.Min)
"""Aggregates that are the value of one of the rows."""


def rows_behind(sql: str, catalog: Catalog, column: str | None = None) -> str | None:
    """The SQL of the rows that went into `sql`, or of the different cells of one column."""
    try:
        tree = sqlglot.parse_one(sql, read="duckdb")
    except (SqlglotError, RecursionError):
        return None
    entry = _table(tree, catalog)
    if entry is None or not isinstance(tree, exp.Select):
        return None
    _keep_extreme(tree)
    counted = _counted_column(tree)
    keyed = counted is not None and _names_rows(entry, counted.name)
    counted = None if keyed else counted
    if _aggregates(tree) and counted is None and not (keyed or _over_all_rows(tree)):
        return None
    if column is not None and (counted is not None or entry.column(column) is None):
        return None
    if counted is not None or column is not None:
        return _different(tree, counted or exp.column(str(column), quoted=True))
    names = [quote(each.name) for each in entry.columns if not each.as_text]
    tree.set("expressions", [exp.maybe_parse(name, dialect="duckdb") for name in names])
    return tree.sql("duckdb")


def _different(tree: exp.Select, shown: exp.Column) -> str:
    """The different cells of a column in the rows of a query, which are chosen first."""
    tree.set("expressions", [shown])
    if tree.args.get("qualify") or tree.args.get("limit"):
        tree = exp.select(shown.copy()).from_(tree.subquery("q"))
    tree.set("order", None)
    tree.set("distinct", exp.Distinct())
    return tree.where(exp.not_(exp.Is(this=shown.copy(), expression=exp.null()))).sql("duckdb")


def _table(tree: exp.Expr, catalog: Catalog) -> CatalogTable | None:
    """The one table of a plain SELECT."""
    if not isinstance(tree, exp.Select) or any(tree.args.get(part) for part in _PARTS):
        return None
    source = tree.args.get("from_")
    if source is None or not isinstance(source.this, exp.Table) or source.this.args.get("joins"):
        return None
    ranked = {id(each) for each in _windows(tree.args.get("qualify"))}
    if tree.find(exp.Subquery) or any(id(each) not in ranked for each in _windows(tree)):
        return None
    return catalog.get(source.this.name)


def _windows(tree: exp.Expr | None) -> list[exp.Window]:
    return [] if tree is None else list(tree.find_all(exp.Window))


def _keep_extreme(tree: exp.Select) -> None:
    """Make the highest or lowest value of a column the condition for the rows that have it."""
    only = tree.expressions[0].unalias() if len(tree.expressions) == 1 else None
    if not isinstance(only, _EXTREME) or not isinstance(only.this, exp.Column):
        return
    of_all = tree.copy()
    of_all.set("expressions", [only.copy()])
    tree.set("expressions", [only.this.copy()])
    tree.where(exp.EQ(this=only.this.copy(), expression=of_all.subquery()), copy=False)


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


def most_of_groups(sql: str, *, least: bool) -> str | None:
    """The groups of a query with the most or the least of its one measure, ties included."""
    groups = groups_of(sql)
    if groups is None or len(groups.measures) != 1:
        return None
    way = "ASC" if least else "DESC"
    rank = f"RANK() OVER (ORDER BY {quote(groups.measures[0].alias_or_name)} {way} NULLS LAST)"
    return f"SELECT * FROM ({sql}) AS q QUALIFY {rank} = 1"


def sorted_groups(sql: str, by: str, *, down: bool) -> str | None:
    """The groups of a query in the order of the output that some words name, and no other."""
    groups = groups_of(sql)
    if groups is None:
        return None
    said = set(words(by))
    outputs = (*groups.keys, *(measure.alias_or_name for measure in groups.measures))
    named = [name for name in outputs if said <= set(words(name))]
    if len(named) != 1:
        return None
    return f"SELECT * FROM ({sql}) AS q ORDER BY {quote(named[0])} {'DESC' if down else 'ASC'}"


@dataclass(frozen=True)
class Groups:
    """What a grouped query gives."""

    keys: tuple[str, ...]
    """The names of what it groups by."""
    measures: tuple[exp.Expression, ...]
    restricted: bool
    """Whether groups are left out by their figures, or a join may count a row in several."""


def groups_of(sql: str) -> Groups | None:
    """A grouped query's keys and measures; None where it makes no groups."""
    try:
        tree = sqlglot.parse_one(sql, read="duckdb")
    except (SqlglotError, RecursionError):
        return None
    if not isinstance(tree, exp.Select) or not tree.args.get("group") or tree.args.get("limit"):
        return None
    measures = tuple(each for each in tree.expressions if each.find(exp.AggFunc))
    keys = tuple(each.alias_or_name for each in tree.expressions if not each.find(exp.AggFunc))
    restricted = any(tree.args.get(part) for part in ("having", "qualify", "joins"))
    return Groups(keys, measures, restricted)
