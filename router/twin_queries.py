"""The query that a model wrote, over the other tables of the same shape.

A model names one table where several answer alike (one a year, say). Takes a question with the
answered query; gives what the same query says over each of the others. Decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from router.answer import Reading
from router.question import Asked
from router.readings import computed
from router.twins import twins_of
from sql_engine.catalog import CatalogTable
from sql_engine.correct import SqlAnswer
from sql_engine.sql_tree import parse_tree

MAX_TWINS = 3


def over_twins(asked: Asked, found: SqlAnswer) -> tuple[tuple[CatalogTable, Reading], ...]:
    """The other tables that the question fits as well, each with what the query gives there where
    that is something else.
    """
    twins = twins_of(asked, found.query)[:MAX_TWINS]
    return tuple(_answered(asked, found, twins))


def _answered(
    asked: Asked, found: SqlAnswer, twins: list[CatalogTable]
) -> Iterator[tuple[CatalogTable, Reading]]:
    for twin in twins:
        sql = _moved(found, twin)
        if sql is None:
            continue
        said, confidence = f"the same over {twin.table.title}", found.draft.confidence
        reading = computed(asked, sql, said, confidence)
        if reading is None or reading.rows == found.result.rows:
            continue
        if reading.truncated or any(value for row in reading.rows for value in row):
            yield twin, reading


def _moved(found: SqlAnswer, twin: CatalogTable) -> str | None:
    """The query with the other table in place of its own; None where it cannot be read."""
    from sqlglot import exp

    (table,) = found.query.tables
    tree = parse_tree(found.query.sql, found.query.tables)
    if tree is None:
        return None
    moved = tree.plain.copy()
    for named in list(moved.find_all(exp.Table)):
        if named.name.casefold() == table.name.casefold():
            if not named.alias:
                alias = exp.to_identifier(named.name, quoted=True)
                named.set("alias", exp.TableAlias(this=alias))
            named.set("this", exp.to_identifier(twin.name, quoted=True))
    return moved.sql(dialect="duckdb")
