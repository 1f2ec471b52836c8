"""What may be wrong with an answer although the query ran.

Takes the question's links, the checked query and its result; gives `Problem`s: each a warning for
the reader of the answer, and advice for the writer where another draft may mend it. Where the
syntax alone cannot tell (do rows tie at the cut? does the join repeat rows?), a probing query over
the same tables does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sql_engine.catalog import ROW_COLUMN, CatalogTable
from sql_engine.name_stems import stems, words
from sql_engine.result import Result
from sql_engine.sql_names import quote
from sql_engine.sql_tree import SqlTree

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.optimizer.scope import Scope

Probe = Callable[[str], Result | None]
"""Runs a query of the checks; None where it does not run in its short time."""


@dataclass(frozen=True)
class Problem:
    """One reason for doubt, or a fact that the reader of the answer has to know."""

    code: str
    warning: str
    """One sentence for the reader of the answer."""
    advice: str = ""
    """What another draft should do; empty where none can mend it."""
    is_fact: bool = False
    """It is as true of a right answer, so that it is told, and speaks not against one."""


def result_problems(tree: SqlTree | None, result: Result, probe: Probe) -> Iterator[Problem]:
    """Problems that show in the query and its result, whatever was asked."""
    yield from not_a_number(result)
    if tree is None:
        return
    yield from _null_in_not_in(tree)
    yield from _bracketed_names(tree)
    yield from _whole_number_division(tree)
    yield from _repeated_sums(tree, probe)
    yield from _cut(tree, result, probe)


def is_empty(result: Result) -> bool:
    """Whether nothing matched: no rows, or one row of NULLs and zeros as aggregates give."""
    if not result.rows:
        return True
    return len(result.rows) == 1 and all(value in (None, 0) for value in result.rows[0])


def is_one_cell(result: Result) -> bool:
    """Whether there is one row of one column."""
    return len(result.rows) == 1 and len(result.columns) == 1


def not_a_number(result: Result) -> Iterator[Problem]:
    """A problem where cells are empty because what was computed is no number."""
    if result.undefined:
        names = ", ".join(map(quote, result.undefined))
        yield Problem(
            "not_a_number",
            f"{names} is empty where what was computed is no number, as after a division by zero",
            f"{names} is no number in some rows; divide by NULLIF(x, 0), and keep arguments of "
            "functions such as ln and sqrt in their range",
        )


def _null_in_not_in(tree: SqlTree) -> Iterator[Problem]:
    from sqlglot import exp

    for negation in tree.root.find_all(exp.Not):
        inner = negation.this.unnest()
        subquery = inner.args.get("query") if isinstance(inner, exp.In) else None
        select = subquery.unnest() if subquery is not None else None
        scope = next((s for s in tree.scopes if s.expression is select), None)
        if scope is None or not isinstance(select, exp.Select) or len(select.selects) != 1:
            continue
        column = select.selects[0].unalias()
        if not isinstance(column, exp.Column) or _rules_out_null(select, column):
            continue
        base = tree.base_column(scope, column)
        if base is not None and base.profile.nulls:
            name = f"{quote(base.name)}"
            yield Problem(
                "null_in_not_in",
                f"NOT IN over a column with NULLs ({name}) matches nothing",
                f"{name} has NULLs, so that NOT IN is never true: use NOT EXISTS, "
                f"or leave them out with {name} IS NOT NULL",
            )


def _rules_out_null(select: exp.Select, column: exp.Column) -> bool:
    """Whether the subquery's condition is false where the column is NULL: any comparison with it
    outside an OR will do.
    """
    from sqlglot import exp

    where = select.args.get("where")
    if where is None:
        return False
    for predicate in where.this.flatten() if isinstance(where.this, exp.And) else [where.this]:
        mentions = any(c == column for c in predicate.find_all(exp.Column))
        null_test = isinstance(predicate, exp.Is)
        if mentions and not null_test and not isinstance(predicate, exp.Or):
            return True
    return False


def _bracketed_names(tree: SqlTree) -> Iterator[Problem]:
    """`[name]` quotes a name in T-SQL, and makes a list of one in DuckDB."""
    from sqlglot import exp

    for array in tree.root.find_all(exp.Array):
        inner = array.expressions[0] if len(array.expressions) == 1 else None
        if isinstance(inner, exp.Column):
            name = quote(inner.name)
            yield Problem(
                "bracketed_name",
                f"{name} is shown as a list of one value",
                f"[{inner.name}] makes a list: write the name in double quotes, {name}",
            )


def _whole_number_division(tree: SqlTree) -> Iterator[Problem]:
    from sqlglot import exp

    if tree.root.find(exp.IntDiv) is not None:
        yield Problem(
            "whole_number_division",
            "a quotient is cut to whole numbers",
            "`//` cuts the fraction off: divide with `/`, unless whole numbers are asked for",
        )


def _repeated_sums(tree: SqlTree, probe: Probe) -> Iterator[Problem]:
    from sqlglot import exp

    told = set()
    for scope in tree.scopes:
        select = scope.expression
        if not isinstance(select, exp.Select) or not select.args.get("joins"):
            continue
        for aggregate in _sums(select, scope):
            aliases = {column.table for column in aggregate.find_all(exp.Column)}
            tables = {alias: tree.base_table(scope, alias) for alias in aliases}
            if not aliases or None in tables.values() or frozenset(aliases) in told:
                continue
            if all(_repeats(tree, select, alias, probe) for alias in aliases):
                told.add(frozenset(aliases))
                yield _repeated(aggregate, [t for t in tables.values() if t is not None])


def counted_twice(question: str, tree: SqlTree, probe: Probe) -> Iterator[Problem]:
    """Rows that the question counts or lists, and that a join repeats."""
    from sqlglot import exp

    for scope in tree.scopes:
        select = scope.expression
        if not isinstance(select, exp.Select) or not select.args.get("joins"):
            continue
        alias = _counted_source(question, tree, scope)
        counts = [c for c in scope.find_all(exp.Count) if not isinstance(c.this, exp.Distinct)]
        if alias is None or not counts or isinstance(counts[0].parent, exp.Window):
            continue
        table = tree.base_table(scope, alias)
        if table is not None and _repeats(tree, select, alias, probe):
            name = quote(table.name)
            yield Problem(
                "repeated_rows",
                f"the join repeats rows of {name}, so that COUNT counts some several times",
                f"count each row of {name} once: COUNT(DISTINCT its key), or use EXISTS",
            )


def listed_twice(question: str, tree: SqlTree, result: Result, probe: Probe) -> Iterator[Problem]:
    """Rows that are there several times because a join repeats what is shown of them."""
    from sqlglot import exp

    select = tree.root
    if not isinstance(select, exp.Select) or not _ASKS_WHICH.match(question.strip()):
        return
    if any(select.args.get(part) for part in ("distinct", "group", "limit")):
        return
    whole = len(set(map(str, result.rows))) == len(result.rows)
    if whole or not select.args.get("joins") or select.find(exp.AggFunc):
        return
    aliases = {c.table for output in select.selects for c in output.find_all(exp.Column)}
    alias = aliases.pop() if len(aliases) == 1 else ""
    table = tree.base_table(tree.scopes[-1], alias)
    if table is not None and _repeats(tree, select, alias, probe):
        yield Problem(
            "listed_twice",
            f"the join repeats rows of {quote(table.name)}: some are listed several times",
            "list each once: SELECT DISTINCT, or use EXISTS",
        )


_ASKS_WHICH = re.compile(r"(which|who|what are the|list|find|show|give)\b", re.IGNORECASE)
_COUNTED = re.compile(r"\b(?:how many|number of|count of)\s+((?:[\w-]+\s*){1,3})", re.IGNORECASE)


def _counted_source(question: str, tree: SqlTree, scope: Scope) -> str | None:
    """The source whose rows the question counts: the one that the counted noun names, alone."""
    said = _COUNTED.search(question)
    if said is None:
        return None
    for word in words(said[1]):
        named = [
            alias
            for alias in scope.selected_sources
            if (table := tree.base_table(scope, alias)) is not None
            and stems(word) & stems(table.name)
        ]
        if named:
            exact = tree.base_table(scope, named[0])
            whole = exact is not None and len(stems(exact.name)) == 1
            return named[0] if len(named) == 1 and whole else None
    return None


def _sums(select: exp.Select, scope: Scope) -> Iterator[exp.AggFunc]:
    from sqlglot import exp

    for aggregate in scope.find_all(exp.Sum, exp.Avg):
        windowed = isinstance(aggregate.parent, exp.Window)
        if not isinstance(aggregate.this, exp.Distinct) and not windowed:
            yield aggregate


def _repeats(tree: SqlTree, select: exp.Select, alias: str, probe: Probe) -> bool:
    """Whether one row of the source `alias` is there more than once within a group."""
    from sqlglot import exp

    group = select.args.get("group")
    keys = [key.copy() for key in group.expressions] if group else []
    row = exp.column(ROW_COLUMN, table=alias, quoted=True)
    probing = select.copy()
    for part in ("group", "having", "order", "limit", "offset", "distinct", "qualify"):
        probing.set(part, None)
    rows = exp.Count(this=exp.Distinct(expressions=[exp.Tuple(expressions=[*keys, row])]))
    probing.set("expressions", [exp.Count(this=row.copy()), rows])
    with_clause = tree.root.args.get("with_")
    if with_clause is not None and select is not tree.root:
        probing.set("with_", with_clause.copy())
    found = probe(probing.sql(dialect="duckdb"))
    if found is None or not found.rows:
        return False
    joined, distinct = found.rows[0]
    return isinstance(joined, int) and isinstance(distinct, int) and joined > distinct


def _repeated(aggregate: exp.AggFunc, tables: list[CatalogTable]) -> Problem:
    names = " and ".join(quote(table.name) for table in tables)
    done = aggregate.key.upper()
    return Problem(
        "repeated_rows",
        f"the join repeats rows of {names}, so that {done} counts some values several times",
        f"the join repeats rows of {names}: aggregate the other table in a subquery to one row "
        f"for each key before the join, or use EXISTS, so that {done} takes each row once",
    )


def _cut(tree: SqlTree, result: Result, probe: Probe) -> Iterator[Problem]:
    """Rows that tie with the last one kept, or a cut in no order at all."""
    from sqlglot import exp

    root = tree.plain
    limit, order = root.args.get("limit"), root.args.get("order")
    count = _literal_count(limit)
    if count is None or count == 0 or len(result.rows) < count:
        return
    probing = root.copy()
    keys = [key.this for key in order.expressions] if order else []
    positions = _show_sort_keys(probing, keys)
    if positions is None:
        return
    probing.set("limit", exp.Limit(expression=exp.Literal.number(count + 1)))
    found = probe(probing.sql(dialect="duckdb"))
    if found is None or len(found.rows) <= count:
        return
    last, following = found.rows[count - 1], found.rows[count]
    width = len(result.columns)
    if last[:width] == following[:width]:
        return
    if not keys:
        yield Problem(
            "arbitrary_rows",
            f"the query keeps {count} of more rows in no order",
            "LIMIT without ORDER BY keeps arbitrary rows: answer with all rows that match",
        )
    elif all(last[place] == following[place] for place in positions):
        advice = "rows tie at the LIMIT: return all that tie, by comparing with the extreme value"
        yield Problem(
            "tie",
            f"more rows tie with the last of the {count} kept",
            advice if count == 1 else "",
        )


def _literal_count(limit: exp.Expression | None) -> int | None:
    from sqlglot import exp

    value = limit.args.get("expression") if isinstance(limit, exp.Limit) else None
    if not isinstance(value, exp.Literal) or value.is_string:
        return None
    return int(value.this) if str(value.this).isdigit() else None


def _show_sort_keys(query: exp.Query, keys: list[exp.Expression]) -> list[int] | None:
    """Appends the sort keys that are not among the outputs; gives where each key stands in a row,
    counted from its end for those appended. None where that would change the rows.
    """
    from sqlglot import exp

    places = [_shown_at(query, key) for key in keys]
    missing = [key for key, place in zip(keys, places, strict=True) if place is None]
    if missing and (not isinstance(query, exp.Select) or query.args.get("distinct")):
        return None
    for number, key in enumerate(missing):
        query.append("expressions", exp.alias_(key.copy(), f"_key_{number}"))
    appended = iter(range(-len(missing), 0))
    return [next(appended) if place is None else place for place in places]


def _shown_at(query: exp.Query, key: exp.Expression) -> int | None:
    """The output position that a sort key names, where it names one."""
    from sqlglot import exp

    if isinstance(key, exp.Literal) and not key.is_string and str(key.this).isdigit():
        return int(key.this) - 1
    if any(output.is_star for output in query.selects):
        return None
    for place, output in enumerate(query.selects):
        named = isinstance(key, exp.Column) and not key.table and output.alias_or_name == key.name
        if named or output.unalias() == key:
            return place
    return None
