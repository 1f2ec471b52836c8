"""The part of the schema that a question needs: few tables, few columns, and how they join.

Takes an `SqlRequest`; gives a `PrunedSchema` for the prompt. Tables are ranked by the words of
their names, by what the question links to and by the caller's own ranking; tables that lie
between two needed ones come along. Nothing is lost by it: a query may name any table of the
catalog, and an error names what was left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrieval.table import TEMPORAL
from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.join_graph import JoinEdge
from sql_engine.links import ColumnLink, ValueLink
from sql_engine.name_stems import likeness, stems
from sql_engine.table_choice import choose_tables
from sql_engine.writer import SqlRequest

_TIME_COLUMN = 0.5
"""Relevance of a date where the question speaks of time."""
_RANK_PRIOR = 0.5
"""Relevance of any column of the first table; of the n-th, a n-th of it."""
_KEY_COLUMN = 0.6
"""Relevance of a column that joins two tables kept: above a partly named one."""
_LEADING_COLUMN = 0.3
"""Relevance of a table's key: a question about things often asks for their names."""


TIME_WORDS = re.compile(
    r"\b(when|dates?|days?|daily|weeks?|weekly|months?|monthly|quarters?|years?|yearly|annual|time|"
    r"today|yesterday|ago|since|recent|latest|earliest|oldest|newest|before|after|during|"
    r"(19|20)\d\d)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class PrunedTable:
    """A table with the columns kept, most needed first."""

    table: CatalogTable
    ranked: tuple[CatalogColumn, ...]

    @property
    def columns(self) -> tuple[CatalogColumn, ...]:
        """The columns kept, in the table's order."""
        kept = {column.name for column in self.ranked}
        return tuple(column for column in self.table.columns if column.name in kept)


@dataclass(frozen=True)
class PrunedSchema:
    """The tables kept, most needed first, and the keys along which they join."""

    tables: tuple[PrunedTable, ...]
    joins: tuple[JoinEdge, ...] = ()

    def holds(self, table: str, column: str) -> bool:
        """Whether the column is kept."""
        return any(
            kept.table.name.casefold() == table.casefold()
            and any(c.name.casefold() == column.casefold() for c in kept.columns)
            for kept in self.tables
        )

    def join_conditions(self) -> tuple[str, ...]:
        """The keys along which the columns kept join."""
        return tuple(
            f"{edge.condition()} ({edge.kind})"
            for edge in self.joins
            if self.holds(edge.left_table, edge.left_column)
            and self.holds(edge.right_table, edge.right_column)
        )

    def smaller(self) -> PrunedSchema | None:
        """The next smaller schema: half the columns of the widest table, or a table less; None
        where one table with one column is left.
        """
        if not self.tables:
            return None
        widest = max(self.tables, key=lambda kept: len(kept.ranked))
        if len(widest.ranked) > 4 or (len(self.tables) == 1 and len(widest.ranked) > 1):
            half = replace(widest, ranked=widest.ranked[: len(widest.ranked) // 2])
            return replace(self, tables=tuple(half if t is widest else t for t in self.tables))
        return replace(self, tables=self.tables[:-1]) if len(self.tables) > 1 else None


def prune(request: SqlRequest, *, max_tables: int = 5, max_columns: int = 30) -> PrunedSchema:
    """The schema for one question: at most `max_tables` tables and `max_columns` columns in all."""
    tables = choose_tables(request, max_tables)
    joins = request.catalog.joins.between([table.name for table in tables])
    columns = _choose_columns(request, tables, joins, max_columns)
    return PrunedSchema(
        tuple(PrunedTable(table, columns.get(table.name, ())) for table in tables), joins
    )


def _choose_columns(
    request: SqlRequest,
    tables: Sequence[CatalogTable],
    joins: Sequence[JoinEdge],
    max_columns: int,
) -> dict[str, tuple[CatalogColumn, ...]]:
    relevance = _Relevance(request, joins)
    scored = [
        (
            relevance.of(table, column, position) + _RANK_PRIOR / (1 + place),
            -place,
            -position,
            table,
            column,
        )
        for place, table in enumerate(tables)
        for position, column in enumerate(table.columns)
    ]
    best = sorted(scored, key=lambda entry: entry[:3], reverse=True)[:max_columns]
    kept: dict[str, list[CatalogColumn]] = defaultdict(list)
    for _, _, _, table, column in best:
        kept[table.name].append(column)
    return {name: tuple(columns) for name, columns in kept.items()}


class _Relevance:
    """How much a question needs a column."""

    def __init__(self, request: SqlRequest, joins: Sequence[JoinEdge]) -> None:
        asked = request.glossary.spelt_out(request.question)
        self._filtered = {
            table.name.casefold(): stems(condition)
            for table in request.catalog
            if (condition := request.glossary.filter_of(table.name))
        }
        self._wanted = stems(asked)
        self._known: dict[str, float] = {}
        self._tells_time = TIME_WORDS.search(asked) is not None
        self._linked: dict[tuple[str, str], float] = defaultdict(float)
        links: tuple[ColumnLink | ValueLink, ...] = (*request.links.columns, *request.links.values)
        for link in links:
            key = (link.table.casefold(), link.column.casefold())
            self._linked[key] = max(self._linked[key], link.score)
        self._keys = {(e.left_table.casefold(), e.left_column.casefold()) for e in joins} | {
            (e.right_table.casefold(), e.right_column.casefold()) for e in joins
        }

    def _said(self, stem: str) -> float:
        """How far the question says a stem."""
        if stem not in self._known:
            found = (likeness(stem, said) for said in self._wanted)
            self._known[stem] = max(found, default=0.0)
        return self._known[stem]

    def of(self, table: CatalogTable, column: CatalogColumn, position: int) -> float:
        """From 0 to 1."""
        name = (table.name.casefold(), column.name.casefold())
        own = stems(column.name)
        named = sum(map(self._said, own)) / len(own) if own else 0.0
        return max(
            named,
            self._linked.get(name, 0.0),
            1.0 if own and own <= self._filtered.get(name[0], frozenset()) else 0.0,
            _KEY_COLUMN if name in self._keys else 0.0,
            _LEADING_COLUMN if _names_rows(table, column, position) else 0.0,
            _TIME_COLUMN if self._tells_time and column.kind in TEMPORAL else 0.0,
        )


def _names_rows(table: CatalogTable, column: CatalogColumn, position: int) -> bool:
    """Whether a column tells which row is meant."""
    named = column.name.casefold().endswith(_KEY_ENDINGS)
    return position == (table.table.key or 0) or (named and column.profile.unique)


_KEY_ENDINGS = ("id", "key", "code", "number", "no", "nr")
