"""What is wrong with a query whatever was asked: conditions that never hold, rows paired without a
condition, rows that are only a sample.

Takes the query's tree; gives `Problem`s, each from the syntax and the tables' sizes alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from retrieval.table import NUMERIC
from sql_engine.checks import Problem
from sql_engine.sql_names import quote
from sql_engine.sql_tree import SqlTree

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.optimizer.scope import Scope


def query_problems(tree: SqlTree) -> Iterator[Problem]:
    """A problem for each such fault."""
    yield from _compared_with_null(tree)
    yield from _numbers_as_text(tree)
    yield from _null_of_a_joined_key(tree)
    yield from _paired_without_condition(tree)
    yield from _sampled(tree)
    yield from _sampled_by_limit(tree)


def _compared_with_null(tree: SqlTree) -> Iterator[Problem]:
    from sqlglot import exp

    compared = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
    for node in tree.root.find_all(*compared):
        if isinstance(node.expression, exp.Null) or isinstance(node.this, exp.Null):
            sign = "IS NOT NULL" if isinstance(node, exp.NEQ) else "IS NULL"
            yield Problem(
                "compared_with_null",
                "a comparison with NULL never holds, so that rows are left out",
                f"nothing is equal or unequal to NULL: write {sign}",
            )


def _numbers_as_text(tree: SqlTree) -> Iterator[Problem]:
    """Numbers put in the order of texts, in which 10 comes before 9."""
    from sqlglot import exp

    for _, node, column in tree.columns():
        cast = node.parent if isinstance(node.parent, exp.Cast) else None
        text = column.as_text or (cast is not None and cast.is_type(*exp.DataType.TEXT_TYPES))
        if not text or column.source.type.kind not in NUMERIC:
            continue
        using = (cast or node).parent
        sides = (using.args.get("this"), using.args.get("expression")) if using else ()
        if not isinstance(using, _ordering()) or any(_is_number(side) for side in sides):
            continue
        name = quote(column.name)
        yield Problem(
            "numbers_as_text",
            f"{name} is compared as text, in which 10 comes before 9",
            f"compare {name} as a number, not as text",
        )


def _ordering() -> tuple[type[exp.Expr], ...]:
    from sqlglot import exp

    return (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.Ordered, exp.Max, exp.Min)


def _is_number(side: exp.Expr | None) -> bool:
    """Whether the other side is a number, so that DuckDB compares numbers."""
    from sqlglot import exp

    return isinstance(side, exp.Literal) and not side.is_string


def _null_of_a_joined_key(tree: SqlTree) -> Iterator[Problem]:
    """`a JOIN b ON a.x = b.x WHERE b.x IS NULL`, or of another column that has no NULL: meant is a
    LEFT JOIN.
    """
    from sqlglot import exp

    for scope in tree.scopes:
        select = scope.expression
        where = select.args.get("where") if isinstance(select, exp.Select) else None
        joins = select.args.get("joins") or ()
        if where is None or not joins or any(join.side for join in joins):
            continue
        ons = [on for join in joins if (on := join.args.get("on")) is not None]
        keys = {column.sql() for on in ons for column in on.find_all(exp.Column)}
        for test in where.this.flatten() if isinstance(where.this, exp.And) else [where.this]:
            if not (isinstance(test, exp.Is) and isinstance(test.expression, exp.Null)):
                continue
            if test.this.sql() in keys or _is_never_null(tree, scope, test.this):
                yield Problem(
                    "null_of_a_joined_key",
                    "an inner join has no row whose key is NULL, so that nothing is found",
                    "rows without a match: use LEFT JOIN, or NOT EXISTS",
                )


def _is_never_null(tree: SqlTree, scope: Scope, tested: exp.Expression) -> bool:
    from sqlglot import exp

    column = tree.base_column(scope, tested) if isinstance(tested, exp.Column) else None
    return column is not None and column.profile.nulls == 0


def _paired_without_condition(tree: SqlTree) -> Iterator[Problem]:
    for scope in tree.scopes:
        alone = _unlinked(tree, scope)
        if alone:
            names = " and ".join(map(quote, alone))
            yield Problem(
                "paired_rows",
                f"every row of {names} is paired with every other row",
                f"no condition joins {names} to the other tables: join along their keys",
            )


def _unlinked(tree: SqlTree, scope: Scope) -> list[str]:
    """Tables of several rows that no condition of the SELECT ties to the first source."""
    from sqlglot import exp

    select = scope.expression
    if not isinstance(select, exp.Select) or not select.args.get("joins"):
        return []
    if all(map(_heeds_no_repetition, select.selects)):
        return []
    sources = {
        alias: table
        for alias in scope.selected_sources
        if (table := tree.base_table(scope, alias)) is not None and table.row_count > 1
    }
    if len(sources) < 2 or len(sources) < len(scope.selected_sources):
        return []  # a subquery may hold one row
    groups = {alias: {alias} for alias in sources}
    for one, other in _tied(select, set(sources)):
        merged = groups[one] | groups[other]
        groups.update(dict.fromkeys(merged, merged))
    first = next(iter(sources))
    return [sources[alias].name for alias in sources if alias not in groups[first]]


def _heeds_no_repetition(output: exp.Expr) -> bool:
    """Whether what is shown is the same over rows and over each of them several times."""
    from sqlglot import exp

    counted = list(output.find_all(exp.AggFunc))
    return bool(counted) and all(
        isinstance(a, (exp.Min, exp.Max)) or isinstance(a.this, exp.Distinct) for a in counted
    )


def _tied(select: exp.Select, aliases: set[str]) -> Iterator[tuple[str, str]]:
    """Pairs of sources that some condition of the SELECT names together."""
    from sqlglot import exp

    conditions: list[exp.Expression] = []
    for join in select.args.get("joins") or ():
        if join.method == "NATURAL" or join.args.get("using"):
            yield from combinations(sorted(aliases), 2)
        conditions += [on] if (on := join.args.get("on")) is not None else []
    if where := select.args.get("where"):
        conditions.append(where.this)
    for condition in conditions:
        for part in condition.flatten() if isinstance(condition, exp.And) else [condition]:
            named = sorted({c.table for c in part.find_all(exp.Column)} & aliases)
            yield from combinations(named, 2)


def _sampled(tree: SqlTree) -> Iterator[Problem]:
    from sqlglot import exp

    if tree.root.find(exp.TableSample) is not None or tree.root.args.get("sample"):
        yield Problem(
            "sampled",
            "the query reads a sample of the rows, which says nothing of the rest",
            "read all rows: leave the sample out",
        )


def _sampled_by_limit(tree: SqlTree) -> Iterator[Problem]:
    """An aggregate over rows that a LIMIT cut in no order."""
    from sqlglot import exp

    for scope in tree.scopes:
        select = scope.expression
        if not isinstance(select, exp.Select) or not list(scope.find_all(exp.AggFunc)):
            continue
        for source in scope.sources.values():
            inner = getattr(source, "expression", None)
            if not isinstance(inner, exp.Select) or not inner.args.get("limit"):
                continue
            if not inner.args.get("order") and inner.find(exp.AggFunc) is None:
                yield Problem(
                    "sampled",
                    "the query computes over a few of the rows only",
                    "compute over all rows: leave the LIMIT of the subquery out",
                )
