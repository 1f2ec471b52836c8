"""The words of all table and column names, indexed: which tables a question's words speak of.

Takes a `Catalog`; scores its tables for a question. A word counts the more the fewer tables have
it (inverse document frequency), most in a table's name, less in a column's, least in a title.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sql_engine.name_stems import stems

if TYPE_CHECKING:
    from sql_engine.catalog import Catalog, CatalogTable

IN_NAME, IN_COLUMN, IN_TITLE = 3.0, 2.0, 1.0


@dataclass(frozen=True)
class SchemaWords:
    """Stem to the positions of the tables that have it, each with a weight."""

    postings: Mapping[str, Mapping[int, float]]
    table_count: int

    @classmethod
    def of(cls, catalog: Catalog) -> SchemaWords:
        """Index a catalog's names."""
        postings: dict[str, dict[int, float]] = defaultdict(dict)
        for position, table in enumerate(catalog):
            for stem, weight in _weights(table).items():
                postings[stem][position] = weight
        return cls(dict(postings), len(catalog))

    def scores(self, question: str) -> dict[int, float]:
        """Table positions with the score of their names for the question's words."""
        scores: dict[int, float] = defaultdict(float)
        for stem in stems(question):
            for position, weight in self.postings.get(stem, {}).items():
                scores[position] += weight * self.rarity(stem)
        return dict(scores)

    def rarity(self, stem: str) -> float:
        """log(1 + (N - n + 0.5) / (n + 0.5)) over N tables, n of which have the stem."""
        having = len(self.postings.get(stem, ()))
        return math.log(1 + (self.table_count - having + 0.5) / (having + 0.5))


def _weights(table: CatalogTable) -> dict[str, float]:
    weights = dict.fromkeys(stems(table.table.title), IN_TITLE)
    for column in table.columns:
        weights |= dict.fromkeys(stems(column.name), IN_COLUMN)
    return weights | dict.fromkeys(stems(table.name), IN_NAME)
