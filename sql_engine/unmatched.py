"""Values that the SQL compares a column with and the column does not hold.

Takes a query's tree; gives `Problem`s with the nearest values of the column, and the columns that
do hold the value. A comparison for equality alone is looked at, since only there a value that is
missing says that the query is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.checks import Problem
from sql_engine.prompt import sql_literal
from sql_engine.sql_names import quote
from sql_engine.sql_tree import SqlTree

if TYPE_CHECKING:
    from sqlglot import exp

_NEAREST = 3
_NEAR_SCORE = 72.0
"""Similarity of two texts, of 100, from which one is near the other."""
_SEARCHED = 200_000
"""Distinct values of a column among which near ones are looked for."""


def unmatched_values(tree: SqlTree, *, empty: bool) -> Iterator[Problem]:
    """A problem for each text compared with a column that does not hold it.

    Args:
        tree: the query.
        empty: whether its result is empty; then a value without any near one counts as well.
    """
    told = set()
    for column, value, folded in _comparisons(tree):
        key = (column.name, value)
        if key in told or _holds(column, value, folded=folded):
            continue
        told.add(key)
        near = nearest_values(column, value)
        if near or empty:
            yield _unmatched(column, value, near, tree)


def nearest_values(column: CatalogColumn, value: str) -> tuple[str, ...]:
    """The column's values that come nearest to `value`, best first; () where none is near."""
    from rapidfuzz import fuzz, process, utils

    texts = column.source.texts[:_SEARCHED]
    same = [text for text in texts if text.casefold().strip() == value.casefold().strip()]
    if same:
        return tuple(same[:_NEAREST])
    found = process.extract(
        value,
        texts,
        scorer=fuzz.WRatio,
        processor=utils.default_process,
        limit=_NEAREST,
        score_cutoff=_NEAR_SCORE,
    )
    return tuple(text for text, _, _ in found)


def _unmatched(column: CatalogColumn, value: str, near: tuple[str, ...], tree: SqlTree) -> Problem:
    name, literal = quote(column.name), sql_literal(value)
    warning = f"no row has {name} = {literal}"
    hints = []
    if near:
        hints.append("the nearest values are " + ", ".join(map(sql_literal, near)))
    elsewhere = list(_elsewhere(tree.tables, column, value))
    if elsewhere:
        hints.append(f"{literal} is in " + " and ".join(elsewhere))
    told = "; ".join([warning, *hints])
    return Problem("unmatched_value", told, told if hints else "")


def _elsewhere(tables: Iterable[CatalogTable], column: CatalogColumn, value: str) -> Iterator[str]:
    for table in tables:
        for other in table.columns:
            if other is not column and other.sql_type == "VARCHAR" and _holds(other, value):
                yield f"{quote(table.name)}.{quote(other.name)}"


def _holds(column: CatalogColumn, value: str, *, folded: bool = False) -> bool:
    forms = column.source.texts
    if column.source.canonical is not None and not column.as_text:
        forms = tuple(form for form in column.source.canonical if form is not None)
    return any(form.casefold() == value for form in forms) if folded else value in forms


def _comparisons(tree: SqlTree) -> Iterator[tuple[CatalogColumn, str, bool]]:
    """Each text that is compared for equality with a text column; True where letter case is
    folded on the column's side. Of an IN list only texts count that no other of it stands for.
    """
    from sqlglot import exp

    for scope in tree.scopes:
        for predicate in scope.find_all(exp.EQ, exp.NEQ, exp.In):
            sides = [predicate.this, predicate.args.get("expression")]
            if isinstance(predicate, exp.In):
                sides = [predicate.this]
            column = next((c for c in map(_compared_column, sides) if c is not None), None)
            if column is None:
                continue
            base = tree.base_column(scope, column)
            if base is None or base.sql_type != "VARCHAR":
                continue
            folded = isinstance(column.parent, exp.Lower)
            values = [v for v in _texts_compared(predicate) if not folded or v == v.casefold()]
            known = [value for value in values if _holds(base, value, folded=folded)]
            if len(values) > 1 and known:
                values = [v for v in values if not any(_alike(v, other) for other in known)]
            yield from ((base, value, folded) for value in values)


def _compared_column(side: exp.Expression | None) -> exp.Column | None:
    from sqlglot import exp

    inner = side.this if isinstance(side, (exp.Lower, exp.Trim)) else side
    return inner if isinstance(inner, exp.Column) else None


def _texts_compared(predicate: exp.Condition) -> list[str]:
    from sqlglot import exp

    parts = [predicate.this, predicate.args.get("expression"), *predicate.expressions]
    return [str(part.this) for part in parts if isinstance(part, exp.Literal) and part.is_string]


def _alike(one: str, other: str) -> bool:
    """Whether one is a spelling of the other."""
    short, long = sorted((one.casefold(), other.casefold()), key=len)
    return short == long or long.startswith(short)
