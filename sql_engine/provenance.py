"""Which source rows a query rests on: its filter, and a query for the row positions.

Takes SQL that the guard has accepted; gives plain facts about its text. What cannot be told for
certain (joins, set operations, nested sources) is left out rather than guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sql_engine.catalog import ROW_COLUMN, CatalogTable
from sql_engine.loading import sql_texts
from sql_engine.sql_names import quote

_WITHOUT_LOSS = frozenset(
    {"expressions", "from_", "where", "group", "having", "order", "limit", "distinct"}
)
"""Parts of a SELECT that put together the rows that the filter leaves, or show some of these."""


@dataclass(frozen=True)
class Provenance:
    """What a query reads."""

    filter: str | None = None
    """The condition of a plain one-table query."""
    rows_sql: str | None = None
    """A query whose first column is the position of each row that went in; one-table queries
    only."""
    aggregated: bool | None = None
    """Rows were grouped, counted or made distinct; None where that cannot be told."""
    equalities: tuple[tuple[str, str], ...] | None = None
    """Columns and the texts that they equal, where nothing else keeps rows of the table out."""


@lru_cache(maxsize=256)
def provenance(sql: str, *, max_rows: int = 20) -> Provenance:
    """What `sql` reads; `rows_sql` asks for one row more than `max_rows`."""
    try:
        tree = sqlglot.parse_one(sql, read="duckdb")
    except (SqlglotError, RecursionError):
        return Provenance()
    plain = _plain_select(tree)
    if plain is None:
        return Provenance(aggregated=tree.find(exp.AggFunc) is not None)
    where = plain.args.get("where")
    aggregated = _aggregated(plain)
    return Provenance(
        filter=None if where is None else where.this.sql(dialect="duckdb"),
        rows_sql=_rows_sql(plain, max_rows, aggregated=aggregated),
        aggregated=aggregated,
        equalities=_equalities(plain),
    )


def fewest_rows(source: Provenance, table: CatalogTable) -> int:
    """So many rows at least went into an aggregated query of one table, as the counts of its cells
    tell; 0 where they tell nothing.
    """
    if source.equalities is None:
        return 0
    without = [table.row_count - _holding(table, *each) for each in source.equalities]
    return max(0, table.row_count - sum(without))


def _holding(table: CatalogTable, name: str, value: str) -> int:
    """How many rows hold a text in a column of texts; 0 where that is not known."""
    column = table.column(name)
    if column is None or column.sql_type != "VARCHAR":
        return 0
    counts = column.records.counts.tolist()
    return sum(n for n, text in zip(counts, sql_texts(column), strict=True) if text == value)


def _equalities(select: exp.Select) -> tuple[tuple[str, str], ...] | None:
    given = {name for name, value in select.args.items() if value}
    of_table = {name for name, value in select.args["from_"].this.args.items() if value}
    if given - _WITHOUT_LOSS or of_table - {"this", "alias"}:
        return None
    where = select.args.get("where")
    conditions = [] if where is None else list(where.this.flatten())
    if where is not None and not isinstance(where.this, exp.And):
        conditions = [where.this]
    found = [_equality(condition) for condition in conditions]
    return None if None in found else tuple(each for each in found if each is not None)


def _equality(condition: exp.Expr) -> tuple[str, str] | None:
    if not isinstance(condition, exp.EQ):
        return None
    column, value = condition.this, condition.expression
    if not isinstance(column, exp.Column) or not isinstance(value, exp.Literal):
        return None
    return (column.name, str(value.this)) if value.is_string else None


def _plain_select(tree: exp.Expr) -> exp.Select | None:
    """The tree where it is one SELECT over one named table."""
    if not isinstance(tree, exp.Select) or tree.args.get("joins") or tree.args.get("with_"):
        return None
    source = tree.args.get("from_")
    if source is None or not isinstance(source.this, exp.Table) or source.this.args.get("joins"):
        return None
    return tree if isinstance(source.this.this, exp.Identifier) else None


def _aggregated(select: exp.Select) -> bool:
    if select.args.get("group") or select.args.get("distinct") or select.args.get("having"):
        return True
    return any(
        isinstance(node, exp.AggFunc) and node.find_ancestor(exp.Select) is select
        for projection in select.expressions
        for node in projection.find_all(exp.AggFunc)
    )


def _rows_sql(select: exp.Select, max_rows: int, *, aggregated: bool) -> str:
    """The same rows, their positions first; a cut by LIMIT stays where rows are not grouped."""
    rows = select.copy()
    position = exp.column(ROW_COLUMN, table=rows.args["from_"].this.alias_or_name, quoted=True)
    if not aggregated:
        rows.set("expressions", [position, *rows.expressions])
        text = rows.sql(dialect="duckdb")
        return f"SELECT {quote(ROW_COLUMN)} FROM ({text}) AS cited LIMIT {max_rows + 1}"
    for part in ("group", "distinct", "having", "qualify", "order", "limit", "offset"):
        rows.set(part, None)
    rows.set("expressions", [position])
    return rows.limit(max_rows + 1).sql(dialect="duckdb")
