"""Ways in which models get a query wrong, each applied to a right one.

A fault takes the right query's tree, the catalog and a source of chance; it gives the broken SQL
with what a message must name so that a model can mend it, or None where it does not apply.
"""

from __future__ import annotations

import datetime as dt
import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp, parse_one

from retrieval.table import NUMERIC, TEMPORAL
from sql_engine.catalog import Catalog


@dataclass(frozen=True)
class Broken:
    """A broken query; any of `needed` in a message tells how to mend it."""

    sql: str
    needed: tuple[str, ...]


Fault = Callable[[exp.Query, Catalog, random.Random], Broken | None]


def duckdb_text(tree: exp.Query) -> str:
    return tree.sql(dialect="duckdb")


def base_columns(tree: exp.Query, catalog: Catalog) -> list[exp.Column]:
    known = {c.name.casefold() for t in catalog for c in t.columns}
    return [c for c in tree.find_all(exp.Column) if c.name.casefold() in known]


def misspelt_column(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    columns = [c for c in base_columns(tree, catalog) if len(c.name) > 3]
    if not columns:
        return None
    right = chance.choice(columns).name
    place = chance.randrange(1, len(right) - 1)
    wrong = right[:place] + right[place + 1 :]
    for column in columns:
        if column.name == right:
            column.set("this", exp.to_identifier(wrong, quoted=True))
    return Broken(duckdb_text(tree), (right,))


def misspelt_table(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    tables = [t for t in tree.find_all(exp.Table) if catalog.get(t.name)]
    if not tables:
        return None
    right = chance.choice(tables).name
    wrong = right[:-1] if right.endswith("s") else right + "s"
    if catalog.get(wrong):
        return None
    for table in tables:
        if table.name == right:
            if not table.alias:
                table.set("alias", exp.TableAlias(this=exp.to_identifier(right)))
            table.set("this", exp.to_identifier(wrong, quoted=True))
    return Broken(duckdb_text(tree), (right,))


def wrong_table(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    tables = list(tree.find_all(exp.Table))
    others = [t.name for t in catalog if t.name.casefold() != tables[0].name.casefold()]
    if len(tables) != 1 or not others or not list(tree.find_all(exp.Column)):
        return None
    right = tables[0].name
    tables[0].set("this", exp.to_identifier(chance.choice(others), quoted=True))
    return Broken(duckdb_text(tree), (right,))


def wrong_case(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    texts = [
        literal
        for literal in tree.find_all(exp.Literal)
        if literal.is_string
        and isinstance(literal.parent, (exp.EQ, exp.In))
        and str(literal.this).casefold() != str(literal.this).swapcase().casefold() + "x"
        and any(char.isalpha() for char in str(literal.this))
    ]
    if not texts:
        return None
    literal = chance.choice(texts)
    right = str(literal.this)
    literal.replace(exp.Literal.string(right.lower() if right != right.lower() else right.upper()))
    return Broken(duckdb_text(tree), (right,))


def misspelt_value(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    texts = [
        one
        for one in tree.find_all(exp.Literal)
        if one.is_string and isinstance(one.parent, (exp.EQ, exp.In)) and len(str(one.this)) > 4
    ]
    if not texts:
        return None
    literal = chance.choice(texts)
    right = str(literal.this)
    place = chance.randrange(1, len(right) - 1)
    literal.replace(exp.Literal.string(right[:place] + right[place + 1 :]))
    return Broken(duckdb_text(tree), (right,))


def missing_group_by(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    group = tree.args.get("group")
    if group is None or not any(c.find(exp.AggFunc) is None for c in tree.selects):
        return None
    names = tuple(c.name for c in tree.selects if c.find(exp.AggFunc) is None)
    tree.set("group", None)
    return Broken(duckdb_text(tree), ("GROUP BY", *names))


def other_dialect(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    options: list[tuple[str, tuple[str, ...]]] = []
    sql = duckdb_text(tree)
    if " AVG(" in sql:
        options.append((sql.replace(" AVG(", " AVERAGE("), ("avg",)))
    limit = tree.args.get("limit")
    if limit is not None and sql.startswith("SELECT ") and sql.count(" LIMIT ") == 1:
        top = sql.replace(f" {duckdb_text(limit)}".replace("  ", " "), "")
        options.append((top.replace("SELECT ", "SELECT TOP 1 ", 1), ("LIMIT",)))
    column = next(iter(base_columns(tree, catalog)), None)
    if column is not None:
        text = duckdb_text(column)
        options.append((sql.replace(text, f"[{column.name}]", 1), (f'"{column.name}"',)))
        options.append((sql.replace(text, f"`{column.name}`", 1), (f'"{column.name}"',)))
    if " COUNT(" in sql:
        options.append((sql.replace(" COUNT(", " COUNT_BIG(", 1), ("count",)))
    if not options:
        return None
    return Broken(*chance.choice(options))


def integer_division(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    averages = list(tree.find_all(exp.Avg))
    if not averages:
        return None
    for average in averages:
        inner = duckdb_text(average.this)
        average.replace(parse_one(f"SUM({inner}) // COUNT({inner})", dialect="duckdb"))
    return Broken(duckdb_text(tree), ("`/`", "fraction"))


def dropped_condition(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    wheres = list(tree.find_all(exp.Where, exp.Having))
    if not wheres:
        return None
    where = chance.choice(wheres)
    parts = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
    dropped = chance.choice(parts)
    if dropped.find(exp.Query) is not None:
        return None
    if len(parts) == 1:
        where.pop()
    else:
        kept = [part.copy() for part in parts if part is not dropped]
        where.set("this", exp.and_(*kept))
    values = tuple(str(v.this) for v in dropped.find_all(exp.Literal))
    names = tuple(c.name for c in dropped.find_all(exp.Column))
    return Broken(duckdb_text(tree), values or names)


def dropped_date_range(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """Every condition on a time is left out."""
    timed = {c.name.casefold() for t in catalog for c in t.columns if c.kind in TEMPORAL}
    wheres = [
        (where, where.this.flatten() if isinstance(where.this, exp.And) else [where.this])
        for where in tree.find_all(exp.Where)
    ]
    lost: list[exp.Expression] = []
    for where, parts in wheres:
        kept = [part for part in map(exp.Expression.copy, parts) if not _is_timed(part, timed)]
        lost += [part for part in where.find_all(exp.Literal) if _is_timed(part, timed)]
        if kept:
            where.set("this", exp.and_(*kept))
        else:
            where.pop()
    values = tuple(str(literal.this)[:4] for literal in lost)
    return Broken(duckdb_text(tree), (*values, "period", "time"))


def _is_timed(part: exp.Expression, timed: set[str]) -> bool:
    """Whether a condition without a subquery speaks of a date, or of a year as a number."""
    dated = any(_DATED.match(str(one.this)) for one in part.find_all(exp.Literal))
    named = any(c.name.casefold() in timed for c in part.find_all(exp.Column))
    return (dated or named) and part.find(exp.Query) is None


_DATED = re.compile(r"[12]\d{3}($|-)")


def inner_join(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """Rows without a match are lost."""
    joins = [join for join in tree.find_all(exp.Join) if join.side == "LEFT"]
    for join in joins:
        join.set("side", None)
        join.set("kind", None)
    return Broken(duckdb_text(tree), ("LEFT JOIN",)) if joins else None


def fan_out(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """Join a child table to what is summed, averaged or counted, under whatever joins there are."""
    if not isinstance(tree, exp.Select) or tree.find(exp.Sum, exp.Avg) is None:
        return None
    measured = {c.table for a in tree.find_all(exp.Sum, exp.Avg) for c in a.find_all(exp.Column)}
    tables = {t.alias_or_name: t.name for t in tree.find_all(exp.Table)}
    if len(tables) == 1:
        (alias,) = tables
        for column in tree.find_all(exp.Column):
            column.set("table", exp.to_identifier(alias))
    elif len(measured) == 1 and "" not in measured and not tree.find(exp.Subquery):
        (alias,) = measured
    else:
        return None
    joined = _with_child(tree, alias, tables[alias], catalog, chance)
    return joined and Broken(duckdb_text(joined), ("repeats rows",))


def fan_out_count(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """Join a child table to what is counted."""
    if not isinstance(tree, exp.Select) or len(list(tree.find_all(exp.Table))) != 1:
        return None
    if not any(isinstance(o.unalias(), exp.Count) for o in tree.selects) or tree.find(exp.Distinct):
        return None
    (table,) = tree.find_all(exp.Table)
    alias = table.alias_or_name
    for column in tree.find_all(exp.Column):
        column.set("table", exp.to_identifier(alias))
    joined = _with_child(tree, alias, table.name, catalog, chance)
    return joined and Broken(duckdb_text(joined), ("repeats rows", "COUNT(DISTINCT"))


def _with_child(
    tree: exp.Select, alias: str, name: str, catalog: Catalog, chance: random.Random
) -> exp.Select | None:
    edges = [
        e
        for e in catalog.joins.edges
        if e.right_table.casefold() == name.casefold() and e.kind == "many-to-one"
    ]
    if not edges:
        return None
    edge = chance.choice(edges)
    on = f'{alias}."{edge.right_column}" = zz."{edge.left_column}"'
    return tree.join(f'"{edge.left_table}" AS zz', on=on, dialect="duckdb")


def dropped_distinct(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    found = list(tree.find_all(exp.Distinct))
    if len(found) != 1:
        return None
    (distinct,) = found
    if isinstance(distinct.parent, exp.Count):
        distinct.replace(distinct.expressions[0])
    else:
        distinct.pop()
    return Broken(duckdb_text(tree), ("DISTINCT", "once"))


def dropped_or_branch(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    either = tree.find(exp.Or)
    if either is None:
        return None
    dropped, kept = either.this, either.expression
    values = tuple(str(v.this) for v in dropped.find_all(exp.Literal))
    either.replace(kept.copy())
    return Broken(duckdb_text(tree), values)


def dropped_having(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    having = tree.find(exp.Having)
    if having is None:
        return None
    values = tuple(str(v.this) for v in having.find_all(exp.Literal))
    having.pop()
    return Broken(duckdb_text(tree), values)


def wrong_limit(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    limit = tree.args.get("limit")
    if limit is None or not isinstance(limit.expression, exp.Literal):
        return None
    count = int(limit.expression.this)
    if count == 1:
        return None
    limit.set("expression", exp.Literal.number(count + 1))
    return Broken(duckdb_text(tree), (str(count),))


def other_aggregate(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """AVG becomes SUM, MAX becomes MIN, and so on."""
    swaps = {exp.Avg: exp.Sum, exp.Max: exp.Min, exp.Min: exp.Max}
    found = [a for a in tree.find_all(*swaps) if type(a) in swaps]
    if len(found) != 1:
        return None
    words = {exp.Avg: ("average", "mean"), exp.Max: ("MAX",), exp.Min: ("MIN",)}[type(found[0])]
    found[0].replace(swaps[type(found[0])](this=found[0].this.copy()))
    return Broken(duckdb_text(tree), words)


def other_end(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    order = tree.args.get("order")
    if order is None or tree.args.get("limit") is None:
        return None
    key = order.expressions[0]
    key.set("desc", not key.args.get("desc"))
    key.set("nulls_first", None)
    return Broken(duckdb_text(tree), ("other end", "ASC", "DESC"))


def dropped_denial(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    denied = next(tree.find_all(exp.Not, exp.NEQ, exp.Except), None)
    if denied is None:
        return None
    if isinstance(denied, exp.Except):
        if denied is not tree:
            return None
        return Broken(duckdb_text(denied.this), ("not", "without"))
    if isinstance(denied, exp.Not):
        denied.replace(denied.this.copy())
    else:
        equal = exp.EQ(this=denied.this.copy(), expression=denied.expression.copy())
        denied.replace(equal)
    return Broken(duckdb_text(tree), ("leave", "heed"))


def other_bound(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    swaps = {exp.GT: exp.GTE, exp.LT: exp.LTE, exp.GTE: exp.GT, exp.LTE: exp.LT}
    found = [node for node in tree.find_all(*swaps) if isinstance(node.expression, exp.Literal)]
    if len(found) != 1:
        return None
    (node,) = found
    node.replace(swaps[type(node)](this=node.this.copy(), expression=node.expression.copy()))
    return Broken(duckdb_text(tree), ("bound",))


def paired(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """A join without its condition."""
    joins = list(tree.find_all(exp.Join))
    if len(joins) != 1 or joins[0].args.get("on") is None:
        return None
    joins[0].set("on", None)
    joins[0].set("kind", "CROSS")
    return Broken(duckdb_text(tree), ("join",))


def summed_once(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """SUM(DISTINCT x) for SUM(x): equal amounts collapse."""
    totals = [s for s in tree.find_all(exp.Sum, exp.Avg) if not isinstance(s.this, exp.Distinct)]
    for total in totals:
        total.set("this", exp.Distinct(expressions=[total.this.copy()]))
    return Broken(duckdb_text(tree), ("DISTINCT",)) if totals else None


def counted_rows(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """COUNT(*) for COUNT(DISTINCT x)."""
    counts = [c for c in tree.find_all(exp.Count) if isinstance(c.this, exp.Distinct)]
    for count in counts:
        count.set("this", exp.Star())
    return Broken(duckdb_text(tree), ("DISTINCT", "once")) if counts else None


def wrong_key(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """A join along another column of the same type."""
    tables = {t.alias_or_name.casefold(): catalog.get(t.name) for t in tree.find_all(exp.Table)}
    for join in tree.find_all(exp.Join):
        on = join.args.get("on")
        if not isinstance(on, exp.EQ) or not isinstance(on.expression, exp.Column):
            continue
        table = tables.get(on.expression.table.casefold())
        right = table.column(on.expression.name) if table else None
        if table is None or right is None:
            continue
        others = [c for c in table.columns if c.kind is right.kind and c is not right]
        if others:
            wrong = chance.choice(others).name
            on.expression.set("this", exp.to_identifier(wrong, quoted=True))
            return Broken(duckdb_text(tree), (right.name,))
    return None


def one_of_the_tied(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """`ORDER BY x DESC LIMIT 1` for `x = (SELECT MAX(x) ...)`."""
    where = tree.args.get("where")
    test = where.this if where else None
    inner = test.expression.unnest() if isinstance(test, exp.EQ) else None
    if not isinstance(tree, exp.Select) or not isinstance(inner, exp.Select):
        return None
    found = inner.selects[0].unalias() if len(inner.selects) == 1 else None
    if not isinstance(found, (exp.Max, exp.Min)) or tree.find(exp.Group):
        return None
    key = exp.Ordered(this=test.this.copy(), desc=isinstance(found, exp.Max), nulls_first=False)
    tree.set("where", None)
    tree.set("order", exp.Order(expressions=[key]))
    return Broken(duckdb_text(tree.limit(1)), ("tie",))


def other_date(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """Another date column of the same table is compared."""
    dates = {
        (t.name.casefold(), c.name.casefold()): t
        for t in catalog
        for c in t.columns
        if c.kind in TEMPORAL
    }
    for where in tree.find_all(exp.Where):
        for column in where.find_all(exp.Column):
            table = next(
                (t for (_, name), t in dates.items() if name == column.name.casefold()), None
            )
            others = [c.name for c in table.columns if c.kind in TEMPORAL] if table else []
            others = [name for name in others if name.casefold() != column.name.casefold()]
            if others:
                right, wrong = column.name, chance.choice(others)
                for one in where.find_all(exp.Column):
                    if one.name == right:
                        one.set("this", exp.to_identifier(wrong, quoted=True))
                return Broken(duckdb_text(tree), (right,))
    return None


def other_column(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """Another column of the same table is shown."""
    if not isinstance(tree, exp.Select) or len(list(tree.find_all(exp.Table))) != 1:
        return None
    table = catalog.get(next(tree.find_all(exp.Table)).name)
    shown = [c for c in tree.selects if isinstance(c, exp.Column)]
    names = {c.name.casefold() for c in tree.find_all(exp.Column)}
    others = [c.name for c in table.columns if c.name.casefold() not in names] if table else []
    if not shown or not others or tree.args.get("group"):
        return None
    column = chance.choice(shown)
    right = column.name
    column.set("this", exp.to_identifier(chance.choice(others), quoted=True))
    return Broken(duckdb_text(tree), (right,))


def fewer_columns(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """One of several things that are asked for is not shown."""
    if not isinstance(tree, exp.Select) or len(tree.selects) < 2 or tree.find(exp.Subquery):
        return None
    order = tree.args.get("order")
    sorted_by = {c.name for c in order.find_all(exp.Column)} if order else set()
    shown = [output for output in tree.selects if output.alias_or_name not in sorted_by]
    if not shown:
        return None
    left_out = chance.choice(shown)
    tree.set("expressions", [output for output in tree.selects if output is not left_out])
    names = tuple(column.name for column in left_out.find_all(exp.Column))
    return Broken(duckdb_text(tree), (*names, "count", "both", "total"))


def wrong_year(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """Every year is the one before."""
    lost = set()
    for literal in list(tree.find_all(exp.Literal)):
        text = str(literal.this)
        if _DATED.match(text):
            lost.add(text[:4])
            changed = f"{int(text[:4]) - 1}{text[4:]}"
            kept = exp.Literal.string if literal.is_string else exp.Literal.number
            literal.replace(kept(changed))
    return Broken(duckdb_text(tree), tuple(lost)) if lost else None


def short_month(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """The last day of a period is left out."""
    for node in tree.find_all(exp.Between, exp.LT, exp.LTE):
        bound = node.args["high"] if isinstance(node, exp.Between) else node.expression
        for literal in bound.find_all(exp.Literal):
            text = str(literal.this)
            if re.fullmatch(r"[12]\d{3}-\d\d-\d\d", text):
                day = dt.date.fromisoformat(text) - dt.timedelta(days=1)
                literal.replace(exp.Literal.string(day.isoformat()))
                return Broken(duckdb_text(tree), (text, "last day"))
    return None


def compared_as_text(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """A number is compared, or put in order, as text."""
    numbers = {c.name.casefold() for t in catalog for c in t.columns if c.kind in NUMERIC}
    found = [
        column
        for column in tree.find_all(exp.Column)
        if column.name.casefold() in numbers
        and isinstance(
            column.parent, (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Ordered, exp.Max, exp.Min)
        )
    ]
    for column in found:
        other = column.parent.args.get("expression")
        if isinstance(other, exp.Literal) and not other.is_string:
            other.replace(exp.Literal.string(str(other.this)))
        column.replace(exp.cast(column.copy(), "VARCHAR"))
    return Broken(duckdb_text(tree), ("as text",)) if found else None


def mean_of_means(tree: exp.Query, catalog: Catalog, chance: random.Random) -> Broken | None:
    """An average of the averages of groups of unlike size."""
    if not isinstance(tree, exp.Select) or len(tree.selects) != 1 or tree.args.get("group"):
        return None
    mean = tree.selects[0].unalias()
    if not isinstance(mean, exp.Avg) or not isinstance(mean.this, exp.Column):
        return None
    tables = [t for s in tree.find_all(exp.Table) if (t := catalog.get(s.name))]
    groups = [
        c.name
        for t in tables
        for c in t.columns
        if c.name.casefold() != mean.this.name.casefold() and 1 < c.profile.distinct < t.row_count
    ]
    if len(tables) != 1 or not groups:
        return None
    inner = tree.copy()
    inner.set("expressions", [exp.alias_(mean.copy(), "m")])
    inner = inner.group_by(exp.column(chance.choice(groups), quoted=True))
    return Broken(
        f"SELECT AVG(m) FROM ({duckdb_text(inner)}) AS g", ("average of averages", "all rows")
    )


FAULTS: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (
        misspelt_column,
        misspelt_table,
        wrong_table,
        wrong_case,
        misspelt_value,
        missing_group_by,
        other_dialect,
        integer_division,
        dropped_condition,
        dropped_date_range,
        inner_join,
        dropped_having,
        dropped_or_branch,
        dropped_denial,
        dropped_distinct,
        other_bound,
        wrong_limit,
        other_aggregate,
        other_end,
        paired,
        fan_out,
        fan_out_count,
        summed_once,
        counted_rows,
        wrong_key,
        one_of_the_tied,
        other_date,
        other_column,
        fewer_columns,
        wrong_year,
        short_month,
        compared_as_text,
        mean_of_means,
    )
}
