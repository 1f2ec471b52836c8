"""Rows that add nothing to a sum or mean because they have no number.

Takes the checked query's tree and a probe; gives a `Problem` for each column that is added up over
rows of which some are blank there. Where the query bounds the column, blank rows are not asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sql_engine.checks import Probe, Problem
from sql_engine.rows_asked import conditions, mentions, rows_asked
from sql_engine.sql_tree import SqlTree

if TYPE_CHECKING:
    from sqlglot import exp


def blank_numbers(tree: SqlTree, probe: Probe) -> Iterator[Problem]:
    """A problem for each column."""
    told = set()
    for _, node, column in tree.columns():
        if column.name in told or not column.profile.nulls or column.source.type.mixed:
            continue
        if not _is_added_up(node) or _is_bounded(node):
            continue
        told.add(column.name)
        blank, count = _counted(node, probe)
        if 0 < blank < count:
            are = "has" if blank == 1 else "have", "is" if blank == 1 else "are"
            yield Problem(
                "blank_numbers",
                f'{blank:,} of {count:,} rows {are[0]} no "{column.name}" and {are[1]} left out',
                is_fact=True,
            )


def _is_added_up(node: exp.Column) -> bool:
    from sqlglot import exp

    using = node.find_ancestor(exp.AggFunc, exp.Select)
    return isinstance(using, exp.Sum | exp.Avg | exp.Median | exp.PercentileCont | exp.Stddev)


def _is_bounded(node: exp.Column) -> bool:
    """Whether a condition already tells which cells of the column count."""
    from sqlglot import exp

    select = node.find_ancestor(exp.Select)
    return select is None or any(mentions(condition, node) for condition in conditions(select))


def _counted(node: exp.Column, probe: Probe) -> tuple[int, int]:
    """How many of the rows that the query is about have no such number, and how many there are."""
    from sqlglot import exp

    probing = rows_asked(node)
    if probing is None:
        return 0, 0
    number = exp.column(node.name, table=node.table or None, quoted=True)
    every = exp.Count(this=exp.Star())
    probing = probing.select(every, exp.Count(this=number), append=False)
    found = probe(probing.sql(dialect="duckdb"))
    if found is None or not found.rows:
        return 0, 0
    count, filled = (int(str(value)) for value in found.rows[0])
    return count - filled, count
