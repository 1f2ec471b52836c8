"""Which columns join which tables, found from names, types, uniqueness and value inclusion.

Takes a `Catalog`; gives a `JoinGraph` of many-to-one edges. A column joins a key (a column whose
values are distinct) of another table when its values are among the key's and its name says so, or
when its values are so many and so particular that chance is no explanation. Columns without a name
("column 3") join where one key alone holds their values. Candidates are found through indexes over
name stems and sampled values, so that the time grows with the number of columns and not with its
square. Users may declare edges, or forbid them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from retrieval.table import NUMERIC, Kind
from sql_engine.catalog import Catalog, CatalogColumn, CatalogTable, folder_of
from sql_engine.name_stems import stems, words
from sql_engine.sql_names import quote

MIN_CONFIDENCE = 0.5
_SAMPLE = 200
"""Values of a column that are looked up in a key."""
_PROBE = 12
"""Values of a column by which keys are found."""
_COMMON = 20
"""A value found in more key columns than this tells nothing about any."""
_INDEXED = 20_000
"""Keys of more values than this are found by name alone."""
_UNNAMED = re.compile(r"(?:[a-z]|col|column|field|var|attr|attribute|unnamed)?[\s_:.-]*\d+")
_UNNAMED_KEYS = 200
_BY_VALUES = 0.6
"""Confidence of a key that values alone tell."""
_APART = 0.7
"""Factor for tables of different folders, which more often are different worlds."""
GENERIC = frozenset({"id", "ids", "key", "code", "no", "nr", "num", "number", "name", "title"})
"""Words that say "this names the row" and nothing of what the row is."""


@dataclass(frozen=True)
class JoinEdge:
    """Each row of `left_table` finds at most one row of `right_table`."""

    left_table: str
    left_column: str
    right_table: str
    right_column: str
    confidence: float
    """1.0 declared; else from names and values."""
    kind: str = "many-to-one"
    """Or "one-to-one", where the left values are distinct as well."""

    def condition(self) -> str:
        """The join condition in SQL."""
        left = f"{quote(self.left_table)}.{quote(self.left_column)}"
        return f"{left} = {quote(self.right_table)}.{quote(self.right_column)}"

    def other(self, table: str) -> str:
        """The case-folded name of the table on the other side."""
        left, right = self.left_table.casefold(), self.right_table.casefold()
        return right if left == table.casefold() else left


@dataclass(frozen=True)
class JoinGraph:
    """All edges, surest first."""

    edges: tuple[JoinEdge, ...] = ()

    @classmethod
    def of(
        cls,
        catalog: Catalog,
        *,
        declared: Iterable[JoinEdge] = (),
        forbidden: Iterable[JoinEdge] = (),
    ) -> JoinGraph:
        """Find the edges of a catalog; declared ones are taken as they are."""
        sure = tuple(declared)
        fixed = {_sides(edge) for edge in (*sure, *forbidden)}
        found = [edge for edge in _find(catalog) if _sides(edge) not in fixed]
        return cls(sure + tuple(sorted(found, key=lambda edge: -edge.confidence)))

    def between(self, tables: Iterable[str]) -> tuple[JoinEdge, ...]:
        """The edges among these tables."""
        names = {name.casefold() for name in tables}
        return tuple(
            edge
            for edge in self.edges
            if {edge.left_table.casefold(), edge.right_table.casefold()} <= names
        )

    def neighbours(self, table: str) -> tuple[JoinEdge, ...]:
        """The edges that touch this table."""
        return tuple(self._by_table.get(table.casefold(), ()))

    def path(self, start: str, end: str, *, max_edges: int = 4) -> tuple[JoinEdge, ...] | None:
        """The shortest way from one table to another, () where they are one; None where there is
        none of at most `max_edges`.
        """
        target = end.casefold()
        ways: dict[str, tuple[JoinEdge, ...]] = {start.casefold(): ()}
        frontier = list(ways)
        for _ in range(max_edges + 1):
            if target in ways:
                return ways[target]
            following = []
            for table in frontier:
                for edge in self.neighbours(table):
                    other = edge.other(table)
                    if other not in ways:
                        ways[other] = (*ways[table], edge)
                        following.append(other)
            frontier = following
        return None

    @cached_property
    def _by_table(self) -> dict[str, list[JoinEdge]]:
        index: dict[str, list[JoinEdge]] = defaultdict(list)
        for edge in self.edges:
            for table in {edge.left_table.casefold(), edge.right_table.casefold()}:
                index[table].append(edge)
        return index


def _sides(edge: JoinEdge) -> frozenset[tuple[str, str]]:
    return frozenset(
        {
            (edge.left_table.casefold(), edge.left_column.casefold()),
            (edge.right_table.casefold(), edge.right_column.casefold()),
        }
    )


@dataclass(frozen=True)
class _Side:
    """A column that may join."""

    table: CatalogTable
    column: CatalogColumn
    position: int

    @property
    def forms(self) -> tuple[str | None, ...]:
        source = self.column.source
        return source.texts if source.canonical is None else source.canonical

    @cached_property
    def values(self) -> frozenset[str]:
        """The distinct values, as they compare."""
        return frozenset(form for form in self.forms if form is not None)

    def share_of(self, values: Sequence[str]) -> float:
        """The share of `values` that the column holds; a very long column is passed through once
        and not kept as a set.
        """
        if not values:
            return 0.0
        if self.column.profile.distinct > _INDEXED:
            held = set(values).intersection(form for form in self.forms if form is not None)
            return sum(value in held for value in values) / len(values)
        return sum(value in self.values for value in values) / len(values)

    def some(self, count: int) -> list[str]:
        """Values spread over the column."""
        forms = self.forms
        step = max(1, len(forms) // count)
        return [form for form in forms[::step] if form is not None][:count]

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the column's name; "mid" of merchants is the id of a merchant, and "did" of
        domain authors that of a domain.
        """
        named = words(self.table.name)
        short = self.column.name.casefold().removesuffix("id")
        if short == self.column.name.casefold():
            return stems(self.column.name)
        if short == "".join(word[0] for word in named):
            return stems(self.table.name) | {"id"}
        meant = next((word for word in named if short == word[0]), None)
        return stems(self.column.name) if meant is None else stems(meant) | {"id"}

    @property
    def is_unnamed(self) -> bool:
        """Whether the name says nothing: "column 3" of a file without a header."""
        return _UNNAMED.fullmatch(self.column.name.strip().casefold()) is not None

    @property
    def names_its_table(self) -> bool:
        """Whether the column is named for its own table."""
        return bool(self.stems & stems(self.table.name))

    @property
    def family(self) -> str:
        """Columns of one family compare with each other."""
        return "number" if self.column.kind in NUMERIC else str(self.column.kind)


def _find(catalog: Catalog) -> Iterator[JoinEdge]:
    sides = [
        _Side(table, column, position)
        for table in catalog
        for position, column in enumerate(table.columns)
        if not column.as_text and column.kind in (Kind.TEXT, Kind.INTEGER)
    ]
    if len(catalog) < 2:
        return
    keys = _KeyIndex([side for side in sides if _is_key(side)])
    unnamed = [key for key in sides if key.position == 0 and _is_key(key) and key.is_unnamed]
    for side in sides:
        if side.is_unnamed:
            yield from _by_values_alone(side, unnamed[:_UNNAMED_KEYS])
            continue
        scored = [(_confidence(side, key), key) for key in keys.candidates(side)]
        best = max(scored, key=lambda pair: (pair[0], _rank(side, pair[1])), default=None)
        if best is not None and best[0] >= MIN_CONFIDENCE:
            yield _edge(side, best[1], best[0])


def _by_values_alone(side: _Side, keys: Sequence[_Side]) -> Iterator[JoinEdge]:
    """Where no column has a name: the key that alone holds all of the column's values, or the
    smallest that does where the values repeat. What several keys hold alike tells none of them.
    """
    values = side.values if side.column.profile.distinct <= _INDEXED else frozenset()
    if not values or _is_own_key(side):
        return
    held = sorted(
        (
            key
            for key in keys
            if key.table is not side.table
            and key.family == side.family
            and key.column.profile.distinct <= _INDEXED
            and values <= key.values
        ),
        key=lambda key: len(key.values),
    )
    alone = len(held) == 1 and 2 * len(values) >= len(held[0].values)
    tightest = len(held) > 1 and len(held[0].values) < len(held[1].values)
    if alone or (tightest and not side.column.profile.unique):
        yield _edge(side, held[0], _BY_VALUES)


def _edge(side: _Side, key: _Side, confidence: float) -> JoinEdge:
    kind = "one-to-one" if side.column.profile.unique else "many-to-one"
    left, right = (side.table.name, side.column.name), (key.table.name, key.column.name)
    return JoinEdge(*left, *right, round(confidence, 2), kind)


def _is_key(side: _Side) -> bool:
    return side.column.profile.unique and side.column.profile.nulls == 0


def _rank(side: _Side, key: _Side) -> tuple[bool, bool, bool, int, int]:
    """Among keys that fit alike: one of the same folder, of a table named like the column's own,
    the one that its own table is named for, the first column, the one with most values.
    """
    together = folder_of(side.table.table) == folder_of(key.table.table)
    alike = bool(stems(side.table.name) & stems(key.table.name))
    return together, alike, key.names_its_table, -key.position, key.column.profile.distinct


class _KeyIndex:
    """Finds the keys that a column may point to: by the words of its name, by its whole name, and
    by its values. What more than a few keys have in common tells nothing, and is left out, so that
    the candidates of a column stay few however many tables there are.
    """

    def __init__(self, keys: list[_Side]) -> None:
        self._by_word: dict[str, list[_Side]] = defaultdict(list)
        self._by_name: dict[str, list[_Side]] = defaultdict(list)
        self._by_value: dict[str, list[_Side]] = defaultdict(list)
        for key in keys:
            for stem in _naming_stems(key):
                self._by_word[stem].append(key)
            for name in (_joined(key.column.name), _joined(f"{key.table.name} {key.column.name}")):
                self._by_name[name].append(key)
            if key.family == "text" and key.column.profile.distinct <= _INDEXED:
                for value in key.values:
                    if len(self._by_value[value]) <= _COMMON:
                        self._by_value[value].append(key)

    def candidates(self, side: _Side) -> list[_Side]:
        """Keys of other tables and of a comparable type, each once."""
        found: dict[int, _Side] = {}
        for key in self._near(side):
            if key.table is not side.table and key.family == side.family:
                found.setdefault(id(key), key)
        return list(found.values())

    def _near(self, side: _Side) -> Iterator[_Side]:
        for stem in sorted(side.stems):
            yield from _few(self._by_word.get(stem, ()))
        named = self._by_name.get(_joined(side.column.name), ())
        folder = folder_of(side.table.table)
        yield from _few(named) or (k for k in named if folder_of(k.table.table) == folder)
        if side.family == "text":
            for value in side.some(_PROBE):
                yield from _few(self._by_value.get(value, ()))


def _few(keys: Sequence[_Side]) -> Sequence[_Side]:
    return keys if len(keys) <= _COMMON else ()


def _naming_stems(key: _Side) -> frozenset[str]:
    return (stems(key.table.name) | key.stems) - GENERIC


def _joined(name: str) -> str:
    return "".join(words(name))


def _confidence(side: _Side, key: _Side) -> float:
    """How sure it is that the column points to the key: the weaker of name and values decides."""
    here, there = side.column.profile.distinct, key.column.profile.distinct
    if _is_own_key(side) and here >= there:
        return 0.0
    named = _name_score(side, key)
    if not here or not there:
        return named * 0.8 if named >= 0.9 and key.position == 0 else 0.0
    if named == 0.0 and _particular(side, key) == 0.0:
        return 0.0
    included = key.share_of(side.some(_SAMPLE))
    if included < 0.8:
        return 0.0
    if named == 0.0:
        return _particular(side, key) * included**4
    apart = folder_of(side.table.table) != folder_of(key.table.table)
    return named * included * (_APART if apart else 1.0)


def _is_own_key(side: _Side) -> bool:
    return side.column.profile.unique and side.position == 0


def _name_score(side: _Side, key: _Side) -> float:
    """1.0 where the column is named as the key, or as the key's table and the key together."""
    own, theirs, table = side.stems, key.stems, stems(key.table.name)
    specific = bool(theirs - GENERIC)
    joined = _joined(side.column.name)
    if joined == _joined(key.column.name) and specific and _speaks_of_one_thing(side, key):
        return 1.0 if _is_naming(key) else 0.4
    if joined == _joined(f"{key.table.name} {key.column.name}") or own == table | theirs:
        return 1.0
    if theirs <= own and table <= own:
        return 0.9
    if not _is_naming(key):
        return 0.0
    if theirs and theirs <= own and specific and own & table:
        return 0.9
    if own <= table | theirs and own & table - GENERIC and theirs - GENERIC <= own:
        return 0.75
    if specific and theirs <= own and key.position == 0:
        return 0.7
    return 0.0


def _speaks_of_one_thing(side: _Side, key: _Side) -> bool:
    """False for two tables' own keys that are abbreviated alike: "cid" of conferences and of
    coupons.
    """
    return side.stems == key.stems or not (side.names_its_table and key.names_its_table)


def _is_naming(key: _Side) -> bool:
    """Whether the key is meant to name rows: the first column, or so called. Other columns may be
    distinct by chance, as last names are in a small table.
    """
    return key.position == 0 or key.names_its_table or bool(key.stems & GENERIC - {"name", "title"})


def _particular(side: _Side, key: _Side) -> float:
    """How far the values alone tell: texts that are no everyday words, many of them."""
    if side.family != "text" or key.position > 0:
        return 0.0
    many = min(1.0, side.column.profile.distinct / 10)
    return 0.7 * many
