"""What a query counts or lists, held against what the question says is counted or listed.

Takes the question, the query's tree with its result, and a probe; gives `Problem`s: rows counted
for things that are there several times, a count that leaves empty cells out, things listed twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from retrieval.table import NUMERIC
from sql_engine.catalog import CatalogColumn
from sql_engine.checks import Probe, Problem
from sql_engine.name_stems import stems
from sql_engine.result import Result
from sql_engine.sql_names import quote
from sql_engine.sql_tree import SqlTree

if TYPE_CHECKING:
    from sqlglot import exp

_DIFFERENT = re.compile(r"\b(different|distinct|unique)\s+(\w+)", re.IGNORECASE)


def count_problems(question: str, tree: SqlTree, result: Result, probe: Probe) -> Iterator[Problem]:
    """A problem for each thing that is counted or listed otherwise than the question says."""
    repeated = list(_different(question, tree, result, probe))
    yield from repeated
    yield from _counted_column(question, tree)
    if not repeated:
        yield from _counted_key(question, tree, result, probe)
        yield from _counted_rows(question, tree, result, probe)
    yield from _listed_keys(question, tree, result)


def _different(question: str, tree: SqlTree, result: Result, probe: Probe) -> Iterator[Problem]:
    from sqlglot import exp

    said = _DIFFERENT.search(question)
    if said is None or tree.root.find(exp.Distinct, exp.Union, exp.Intersect) is not None:
        return
    counts = [count.this for count in tree.root.find_all(exp.Count)]
    grouped = tree.root.find(exp.Group) is not None
    if counts and not grouped and not any(_is_unique(tree, count) for count in counts):
        yield _counts_each(said)
    elif _COUNTS_DIFFERENT.search(question) and grouped:
        columns = [count for count in counts if isinstance(count, exp.Column)]
        rows_alone = bool(counts) and not columns and len(tree.scopes) == 1
        if rows_alone or any(_differs(probe(_counting_once(tree, one)), result) for one in columns):
            yield _counts_each(said)
    elif not counts and not grouped and len(set(map(str, result.rows))) < len(result.rows):
        yield Problem(
            "other_operation",
            f"the question asks for {said[1].lower()} {said[2]}, some rows are there twice",
            "give each once: SELECT DISTINCT",
        )


_COUNTS_DIFFERENT = re.compile(
    r"\b(?:how many|number of|count of)\s+(?:the\s+)?(?:different|distinct|unique)\b", re.IGNORECASE
)


def _counts_each(said: re.Match[str]) -> Problem:
    return Problem(
        "other_operation",
        f"the question asks for {said[1].lower()} {said[2]}, the query counts each row",
        f"count each of the {said[2]} once: COUNT(DISTINCT ...)",
    )


def _differs(once: Result | None, result: Result) -> bool:
    return once is not None and sorted(map(str, once.rows)) != sorted(map(str, result.rows))


def _is_unique(tree: SqlTree, counted: exp.Expression) -> bool:
    from sqlglot import exp

    if isinstance(counted, exp.Star):
        return True  # rows: what they are is not told
    found = (
        c for _, node, c in tree.columns() if isinstance(counted, exp.Column) and node == counted
    )
    return any(column.profile.unique for column in found)


def _counted_column(question: str, tree: SqlTree) -> Iterator[Problem]:
    """COUNT and a quotient by COUNT(*) over a column with NULLs that nobody asked for."""
    from sqlglot import exp

    said = stems(question)
    for scope, node, column in tree.columns():
        if not column.profile.nulls or stems(column.name) & said:
            continue
        count = node.parent
        if isinstance(count, exp.Count) and not tree.has_outer_join and scope is tree.scopes[-1]:
            yield _leaves_nulls_out(column)


def _counted_key(question: str, tree: SqlTree, result: Result, probe: Probe) -> Iterator[Problem]:
    """Things are counted by a column that names some of them several times, and counting each once
    gives something else.
    """
    from sqlglot import exp

    said = _COUNTED.search(question)
    nouns = stems(said[1]) - _GENERIC if said else frozenset()
    for scope, node, column in tree.columns():
        table = tree.base_table(scope, node.table)
        if not isinstance(node.parent, exp.Count) or table is None or column.profile.unique:
            continue
        if not nouns & stems(column.name) or nouns & stems(table.name):
            continue
        if _differs(probe(_counting_once(tree, node)), result):
            name = quote(column.name)
            yield Problem(
                "counted_key",
                f"COUNT({name}) counts some several times",
                f"count each once: COUNT(DISTINCT {name})",
            )


def _counted_rows(question: str, tree: SqlTree, result: Result, probe: Probe) -> Iterator[Problem]:
    """COUNT(*) where a column of texts or keys that repeat, and no table, is what the question
    counts.
    """
    from sqlglot import exp

    said = _COUNTED.search(question)
    nouns = stems(said[1]) - _GENERIC if said else frozenset()
    selects = [s for s in tree.scopes if isinstance(s.expression, exp.Select)]
    if not nouns or len(selects) != 1 or any(nouns & stems(t.name) for t in tree.tables):
        return
    (scope,) = selects
    for alias in scope.selected_sources:
        table = tree.base_table(scope, alias)
        for column in table.columns if table else ():
            if column.profile.unique or not _names_things(column, nouns):
                continue
            counted = exp.column(column.name, table=alias, quoted=True)
            if _differs(probe(_counting_once(tree, exp.Star(), counted)), result):
                name = quote(column.name)
                yield Problem(
                    "counted_key",
                    f"COUNT(*) counts rows, and the same {name} several times",
                    f"count each once: COUNT(DISTINCT {name})",
                )
                return


def _names_things(column: CatalogColumn, nouns: frozenset[str]) -> bool:
    """Whether a column's texts are what is counted, or its numbers are keys of them."""
    name = stems(column.name)
    if name == nouns:
        return column.kind not in NUMERIC
    return bool(name & _KEY) and name - _GENERIC == nouns


def _listed_keys(question: str, tree: SqlTree, result: Result) -> Iterator[Problem]:
    """A single column of keys, asked for as things, that shows some several times."""
    from sqlglot import exp

    select = tree.root
    if not isinstance(select, exp.Select) or not _ASKS_WHICH.match(question.strip()):
        return
    if any(select.args.get(part) for part in ("distinct", "group", "limit")):
        return
    if len(select.selects) != 1 or len(set(map(str, result.rows))) == len(result.rows):
        return
    shown = select.selects[0].unalias()
    column = tree.base_column(tree.scopes[-1], shown) if isinstance(shown, exp.Column) else None
    if column is not None and _KEY & stems(column.name):
        yield Problem(
            "listed_twice",
            f"some of {quote(column.name)} are listed several times",
            "list each once: SELECT DISTINCT",
        )


_ASKS_WHICH = re.compile(r"(?:which|who|what|list|find|show|give|return|get)\b", re.IGNORECASE)
_KEY = stems("id key code")


def _counting_once(tree: SqlTree, counted: exp.Expr, thing: exp.Expr | None = None) -> str:
    """The query with COUNT(counted) as COUNT(DISTINCT thing); the thing is what is counted if none
    is told.
    """
    from sqlglot import exp

    marked = tree.root.copy()
    for count in marked.find_all(exp.Count):
        if count.this == counted:
            count.set("this", exp.Distinct(expressions=[(thing or counted).copy()]))
    return marked.sql(dialect="duckdb")


_COUNTED = re.compile(
    r"\b(?:how many|number of)\s+(?:the\s+)?(?:(?:different|distinct|unique)\s+)?([\w-]+)\b",
    re.IGNORECASE,
)
_GENERIC = stems("id name number code")


def _leaves_nulls_out(column: CatalogColumn) -> Problem:
    name = quote(column.name)
    return Problem(
        "counted_column",
        f"COUNT leaves out the rows where {name} is empty",
        f"COUNT({name}) leaves out rows where it is NULL: COUNT(*) counts rows",
    )
