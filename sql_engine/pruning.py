"""The part of the schema that a question needs: few tables, few columns, and how they join.

Takes an `SqlRequest`; gives a `PrunedSchema` for the prompt. Tables are ranked by the words of
their names, by what the question links to and by the caller's own ranking; tables that lie
between two needed ones come along. Nothing is lost by it: a query may name any table of the
catalog, and an error names what was left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from retrieval.table import TEMPORAL
from sql_engine.catalog import Catalog, CatalogColumn, CatalogTable
from sql_engine.join_graph import JoinEdge
from sql_engine.links import ColumnLink, ValueLink
from sql_engine.name_stems import content_stems, stems
from sql_engine.writer import SqlRequest

_TABLE_LINK, _COLUMN_LINK, _VALUE_LINK = 3.0, 2.0, 2.5
_PRIOR = 2.0
"""Weight of the caller's ranking: as much as one rare word."""
_GROUP = 0.4
"""Weight of what speaks for a table's group, beside what speaks for the table."""
_NEIGHBOUR = 0.5
"""Weight of what speaks for the best table that it joins."""
_REDUNDANT = 0.5
"""Weight of what a table already picked explains as well."""
_TIME_COLUMN = 0.5
"""Relevance of a date where the question speaks of time."""
_NAMED = 1.5
"""Weight of a table whose whole name is in the question, whatever the other tables explain."""
_LONGEST_PATH = 3
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


def choose_tables(request: SqlRequest, max_tables: int) -> tuple[CatalogTable, ...]:
    """The tables that the question needs, best first.

    Each next table is the one that explains most of what the ones before it leave unexplained;
    the tables that lie between it and the first one come along.
    """
    catalog, ranking = request.catalog, _Ranking(request)
    chosen: dict[str, CatalogTable] = {}
    for place in ranking.picks(min(max_tables, len(catalog))):
        table = catalog.tables[place]
        first = next(iter(chosen.values()), table)
        for needed in (table, *_between(catalog, first, table)):
            if len(chosen) < max_tables:
                chosen.setdefault(needed.name, needed)
    return tuple(chosen.values())


def _between(catalog: Catalog, first: CatalogTable, table: CatalogTable) -> list[CatalogTable]:
    path = catalog.joins.path(first.name, table.name, max_edges=_LONGEST_PATH) or ()
    names = dict.fromkeys(name for edge in path for name in (edge.left_table, edge.right_table))
    return [found for name in names if (found := catalog.get(name)) is not None]


class _Ranking:
    """How much speaks for each table, alone and beside those already picked."""

    def __init__(self, request: SqlRequest) -> None:
        catalog, words = request.catalog, request.catalog.schema_words
        self._position = {table.name.casefold(): place for place, table in enumerate(catalog)}
        evidence = words.evidence(request.question)
        for key, found in self._linked(request).items():
            known = evidence.setdefault(key, {})
            rarity = words.rarity_of(len(found))
            for place, weight in found.items():
                known[place] = max(known.get(place, 0.0), weight * rarity)
        for place in words.named_in(request.question):
            evidence[f"table {place}"] = {place: _NAMED * words.name_rarity(place)}
        self._evidence = evidence
        group = words.group_scores(evidence)
        self._bonus = [_GROUP * group.get(words.groups[p], 0.0) for p in range(len(catalog))]
        for rank, table in enumerate(request.tables):
            self._bonus[self._position[table.name.casefold()]] += _PRIOR / (1 + rank)
        self._add_neighbours(catalog, words.table_scores(evidence))

    def picks(self, count: int) -> Iterator[int]:
        """Positions of tables, each next one by what it adds."""
        covered: dict[str, float] = defaultdict(float)
        left = set(range(len(self._bonus)))
        for _ in range(count):
            gains = {place: self._bonus[place] for place in left}
            for key, found in self._evidence.items():
                for place, weight in found.items():
                    if place in left:
                        new = max(0.0, weight - covered[key])
                        gains[place] += new + _REDUNDANT * (weight - new)
            best = max(left, key=lambda place: (gains[place], -place))
            left.discard(best)
            for key, found in self._evidence.items():
                covered[key] = max(covered[key], found.get(best, 0.0))
            yield best

    def _add_neighbours(self, catalog: Catalog, own: dict[int, float]) -> None:
        for place, table in enumerate(catalog):
            near = [
                own.get(self._position[edge.other(table.name)], 0.0) * edge.confidence
                for edge in catalog.joins.neighbours(table.name)
            ]
            self._bonus[place] += _NEIGHBOUR * max(near, default=0.0)

    def _linked(self, request: SqlRequest) -> dict[str, dict[int, float]]:
        """Each linked span of the question, under its stem where it is one word: the tables it
        names, each with its best link.
        """
        found: dict[str, dict[int, float]] = defaultdict(dict)
        for weight, links in (
            (_TABLE_LINK, request.links.tables),
            (_COLUMN_LINK, request.links.columns),
            (_VALUE_LINK, request.links.values),
        ):
            for link in links:
                place = self._position.get(link.table.casefold())
                own = content_stems(link.span.text)
                if place is None or not own:
                    continue
                span = found[next(iter(own)) if len(own) == 1 else link.span.text.casefold()]
                span[place] = max(span.get(place, 0.0), weight * link.score)
        return found


def _choose_columns(
    request: SqlRequest,
    tables: Sequence[CatalogTable],
    joins: Sequence[JoinEdge],
    max_columns: int,
) -> dict[str, tuple[CatalogColumn, ...]]:
    relevance = _Relevance(request, joins)
    scored = [
        (relevance.of(table, column, position), -place, -position, table, column)
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
        self._wanted = stems(request.question)
        self._tells_time = TIME_WORDS.search(request.question) is not None
        self._linked: dict[tuple[str, str], float] = defaultdict(float)
        links: tuple[ColumnLink | ValueLink, ...] = (*request.links.columns, *request.links.values)
        for link in links:
            key = (link.table.casefold(), link.column.casefold())
            self._linked[key] = max(self._linked[key], link.score)
        self._keys = {(e.left_table.casefold(), e.left_column.casefold()) for e in joins} | {
            (e.right_table.casefold(), e.right_column.casefold()) for e in joins
        }

    def of(self, table: CatalogTable, column: CatalogColumn, position: int) -> float:
        """From 0 to 1."""
        name = (table.name.casefold(), column.name.casefold())
        own = stems(column.name)
        named = len(own & self._wanted) / len(own) if own else 0.0
        return max(
            named,
            self._linked.get(name, 0.0),
            _KEY_COLUMN if name in self._keys else 0.0,
            _LEADING_COLUMN if position == (table.table.key or 0) else 0.0,
            _TIME_COLUMN if self._tells_time and column.kind in TEMPORAL else 0.0,
        )
