"""Joins along columns that are no key between their tables.

Takes a query's tree with its result and the catalog's join graph; gives a `Problem` where two
tables that join along known keys are joined along other columns, of different names, alone, and
where nothing is found because no value of one column is in the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.checks import Probe, Problem, is_empty
from sql_engine.join_graph import GENERIC, JoinGraph
from sql_engine.name_stems import stems
from sql_engine.result import Result
from sql_engine.sql_names import quote
from sql_engine.sql_tree import SqlTree

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.optimizer.scope import Scope

_Side = tuple[CatalogTable, CatalogColumn]


def key_problems(tree: SqlTree, joins: JoinGraph) -> Iterator[Problem]:
    """A problem for each pair of tables that are joined past their keys."""
    for scope in tree.scopes:
        pairs: dict[frozenset[str], list[tuple[_Side, _Side]]] = defaultdict(list)
        for left, right in _compared(tree, scope):
            pairs[frozenset((left[0].name, right[0].name))].append((left, right))
        for names, compared in pairs.items():
            known = joins.between(names)
            keys = {
                frozenset(((e.left_table, e.left_column), (e.right_table, e.right_column)))
                for e in known
            }
            if known and not any(_is_key(pair, keys) for pair in compared):
                yield _past_the_key(*compared[0], known[0].condition())


def unmatched_keys(tree: SqlTree, result: Result, probe: Probe) -> Iterator[Problem]:
    """Each pair of columns that an empty query holds equal, where they share no value."""
    if not is_empty(result):
        return
    for scope in tree.scopes:
        for (one, first), (other, second) in _compared(tree, scope):
            names = [f"{quote(one.name)}.{quote(first.name)}"]
            names.append(f"{quote(other.name)}.{quote(second.name)}")
            held = f"FROM {quote(one.name)}, {quote(other.name)} WHERE {' = '.join(names)}"
            met = probe(f"SELECT 1 {held} LIMIT 1")
            if met is not None and not met.rows:
                yield Problem(
                    "wrong_key",
                    f"nothing is found: no value of {names[0]} is in {names[1]}",
                    f"{' and '.join(names)} share no value: join along a key of the tables",
                )


def _compared(tree: SqlTree, scope: Scope) -> Iterator[tuple[_Side, _Side]]:
    """Pairs of columns of different tables that a SELECT holds equal."""
    from sqlglot import exp

    for equal in scope.find_all(exp.EQ):
        sides = [_side(tree, scope, node) for node in (equal.this, equal.expression)]
        if sides[0] and sides[1] and sides[0][0].name != sides[1][0].name:
            yield sides[0], sides[1]


def _side(tree: SqlTree, scope: Scope, node: exp.Expr) -> _Side | None:
    from sqlglot import exp

    table = tree.base_table(scope, node.table) if isinstance(node, exp.Column) else None
    column = table.column(node.name) if table is not None else None
    return (table, column) if table is not None and column is not None else None


def _is_key(pair: tuple[_Side, _Side], keys: set[frozenset[tuple[str, str]]]) -> bool:
    """Whether a pair of columns is a known key, or is told by a name that both share."""
    (one, first), (other, second) = pair
    known = frozenset(((one.name, first.name), (other.name, second.name))) in keys
    shared = stems(first.name) & stems(second.name)
    return known or bool(shared - GENERIC)


def _past_the_key(one: _Side, other: _Side, condition: str) -> Problem:
    shown = " = ".join(
        f"{quote(table.name)}.{quote(column.name)}" for table, column in (one, other)
    )
    return Problem(
        "wrong_key",
        f"the tables are joined where {shown}, though their key is {condition}",
        f"join along the key: {condition}",
    )
