"""The words of all table and column names, indexed: which tables a question's words speak of.

Takes a `Catalog`; scores its tables for a question. A word counts the more the fewer tables have
it (inverse document frequency), most in a table's name, less in a column's, least in a title.
Tables that join, or lie in one folder, form a group: a question is asked over one group, so a
table gains from the words that its group's other tables explain.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sql_engine.catalog import folder_of
from sql_engine.name_stems import OPERATION_STEMS, content_stems, content_words, stems

if TYPE_CHECKING:
    from sql_engine.catalog import Catalog, CatalogTable

IN_NAME, IN_COLUMN, IN_TITLE = 3.0, 2.0, 1.0
OPERATION = 0.3
"""Factor for a word that more often says what to do than what with: "the number of", "in order"."""

Evidence = Mapping[str, Mapping[int, float]]
"""What in the question speaks for tables (a stem, a linked span): table positions with weights."""


@dataclass(frozen=True)
class SchemaWords:
    """Stem to the positions of the tables that have it, each with a weight."""

    postings: Evidence
    groups: tuple[int, ...]
    """The group of each table."""
    names: tuple[frozenset[str], ...]
    """The stems of each table's name."""

    @classmethod
    def of(cls, catalog: Catalog) -> SchemaWords:
        """Index a catalog's names."""
        postings: dict[str, dict[int, float]] = defaultdict(dict)
        for position, table in enumerate(catalog):
            for stem, weight in _weights(table).items():
                postings[stem][position] = weight
        names = tuple(stems(table.table.name) for table in catalog)
        return cls(dict(postings), _groups(catalog), names)

    def evidence(self, question: str) -> dict[str, dict[int, float]]:
        """Each stem of the question that is in a name: table positions with weights."""
        return {
            stem: {place: weight * self.telling(stem) for place, weight in found.items()}
            for stem in content_stems(question)
            if (found := self.postings.get(stem))
        }

    def named_in(self, question: str) -> dict[int, float]:
        """Positions of the tables whose whole name the question says, each with how near together
        its words stand: of "authors who wrote publications in a domain", "domain publication" is
        named rather than "domain author".
        """
        said = content_words(question)
        all_said = frozenset(said)
        return {
            place: len(name) / _nearest(name, said)
            for place, name in enumerate(self.names)
            if name and name <= all_said
        }

    def name_rarity(self, place: int) -> float:
        """How telling the words of a table's name are, on average."""
        name = self.names[place]
        return sum(map(self.rarity, name)) / len(name)

    def telling(self, stem: str) -> float:
        """How much a stem of a question tells."""
        return self.rarity(stem) * (OPERATION if stem in OPERATION_STEMS else 1.0)

    def rarity(self, stem: str) -> float:
        """How telling a stem is, by the number of tables that have it."""
        return self.rarity_of(len(self.postings.get(stem, ())))

    def rarity_of(self, having: int) -> float:
        """log(1 + (N - n + 0.5) / (n + 0.5)) over N tables, n of which have it."""
        return math.log(1 + (len(self.groups) - having + 0.5) / (having + 0.5))

    def table_scores(self, evidence: Evidence) -> dict[int, float]:
        """Positions of tables with what speaks for each alone."""
        scores: dict[int, float] = defaultdict(float)
        for found in evidence.values():
            for place, weight in found.items():
                scores[place] += weight
        return dict(scores)

    def group_scores(self, evidence: Evidence) -> dict[int, float]:
        """Groups with what speaks for them: each piece of evidence once, where it is strongest."""
        scores: dict[int, float] = defaultdict(float)
        for found in evidence.values():
            best: dict[int, float] = {}
            for place, weight in found.items():
                group = self.groups[place]
                best[group] = max(best.get(group, 0.0), weight)
            for group, weight in best.items():
                scores[group] += weight
        return dict(scores)


def _weights(table: CatalogTable) -> dict[str, float]:
    weights = dict.fromkeys(stems(table.table.title), IN_TITLE)
    for name, weight in [*((c.name, IN_COLUMN) for c in table.columns), (table.name, IN_NAME)]:
        own = stems(name)
        for stem in own:
            weights[stem] = max(weights.get(stem, 0.0), weight * (0.6 + 0.4 / len(own)))
    return weights


def _nearest(name: frozenset[str], said: Sequence[str]) -> int:
    """The length of the shortest stretch of words that has all of a name."""
    shortest, last = len(said), dict[str, int]()
    for place, stem in enumerate(said):
        if stem in name:
            last[stem] = place
            if len(last) == len(name):
                shortest = min(shortest, place - min(last.values()) + 1)
    return shortest


def _groups(catalog: Catalog) -> tuple[int, ...]:
    """Connected tables: by joins, and by lying in one folder below the top."""
    position = {table.name.casefold(): place for place, table in enumerate(catalog)}
    first_in: dict[str, int] = {}
    pairs = [
        (place, first_in.setdefault(folder, place))
        for place, table in enumerate(catalog)
        if (folder := folder_of(table.table))
    ]
    for edge in catalog.joins.edges:
        left, right = position[edge.left_table.casefold()], position[edge.right_table.casefold()]
        if folder_of(catalog.tables[left].table) == folder_of(catalog.tables[right].table):
            pairs.append((left, right))
    return _connected(len(catalog), pairs)


def _connected(count: int, pairs: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    parents = list(range(count))

    def root(place: int) -> int:
        while parents[place] != place:
            parents[place] = place = parents[parents[place]]
        return place

    for one, other in pairs:
        parents[root(one)] = root(other)
    return tuple(root(place) for place in range(count))
