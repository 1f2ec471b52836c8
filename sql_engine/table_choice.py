"""Which few tables of a catalog a question needs.

Takes an `SqlRequest`; gives tables, best first. A question is asked over one group of tables that
belong together (see `schema_words.py`), so what speaks for all tables of a group comes first.
Within a group each next table is the one that explains most of what those before it leave
unexplained, and the tables through which it joins them come along.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from sql_engine.catalog import CatalogTable
from sql_engine.join_graph import JoinEdge
from sql_engine.links import ColumnLink, TableLink, ValueLink
from sql_engine.name_stems import OPERATION_STEMS, content_stems, words
from sql_engine.schema_words import OPERATION as _OPERATION
from sql_engine.writer import SqlRequest

_TABLE_LINK, _COLUMN_LINK, _VALUE_LINK = 3.0, 2.0, 2.5
_PRIOR = 2.0
"""Weight of the caller's ranking: as much as one rare word."""
_FOCUS = 3.5
"""How much more a table counts in the group that explains most: the power of the groups' ratio."""
_REDUNDANT = 0.25
"""Weight of what a table of the same group already explains."""
_NAMED = 1.5
"""Weight of a table whose whole name is in the question, whatever the other tables explain."""
_JOINED = 1.0
"""What speaks for a table by each one already chosen that it joins."""
_LONGEST_PATH = 3


def choose_tables(request: SqlRequest, max_tables: int) -> tuple[CatalogTable, ...]:
    """The tables that the question needs, best first."""
    choice = _Choice(request)
    while len(choice.chosen) < min(max_tables, len(request.catalog)):
        place = choice.best()
        for needed in (*choice.ways_to(place), place):
            if len(choice.chosen) < max_tables:
                choice.take(needed)
    return tuple(request.catalog.tables[place] for place in choice.chosen)


class _Choice:
    """The tables chosen so far, and what they explain of the question."""

    def __init__(self, request: SqlRequest) -> None:
        self._catalog, self._words = request.catalog, request.catalog.schema_words
        self._places = {table.name.casefold(): place for place, table in enumerate(self._catalog)}
        self._evidence = self._all_evidence(request)
        self._factor = self._group_factors()
        self._bonus: dict[int, float] = defaultdict(float)
        for rank, table in enumerate(request.tables):
            self._bonus[self._places[table.name.casefold()]] += _PRIOR / (1 + rank)
        self._covered: dict[tuple[int, str], float] = defaultdict(float)
        self._adjacent: dict[int, float] = {}
        self.chosen: dict[int, None] = {}
        """Positions, in the order they were chosen."""

    def best(self) -> int:
        """The position of the next table."""
        gains: dict[int, float] = defaultdict(float)
        for key, found in self._evidence.items():
            for place, weight in found.items():
                covered = self._covered[self._words.groups[place], key]
                gains[place] += max(0.0, weight - covered) + _REDUNDANT * min(weight, covered)
        for place, confidence in self._adjacent.items():
            gains[place] += _JOINED * confidence
        scores = {place: self._score(place, gains[place]) for place in {*gains, *self._bonus}}
        left = {place: score for place, score in scores.items() if place not in self.chosen}
        if not left:
            return next(p for p in range(len(self._catalog)) if p not in self.chosen)
        return max(left, key=lambda place: (left[place], -place))

    def take(self, place: int) -> None:
        """Choose a table."""
        if place in self.chosen:
            return
        self.chosen[place] = None
        group = self._words.groups[place]
        for key, found in self._evidence.items():
            if place in found:
                self._covered[group, key] = max(self._covered[group, key], found[place])
        name = self._catalog.tables[place].name
        for edge in self._catalog.joins.neighbours(name):
            other = self._places[edge.other(name)]
            self._adjacent[other] = self._adjacent.get(other, 0.0) + edge.confidence

    def ways_to(self, place: int) -> list[int]:
        """The tables between this one and the nearest of those chosen."""
        table = self._catalog.tables[place]
        paths = [
            path
            for chosen in self.chosen
            if self._words.groups[chosen] == self._words.groups[place]
            and (path := self._path(self._catalog.tables[chosen], table)) is not None
        ]
        shortest = min(paths, key=len, default=())
        names = dict.fromkeys(n for e in shortest for n in (e.left_table, e.right_table))
        return [found for n in names if (found := self._places[n.casefold()]) != place]

    def _path(self, start: CatalogTable, end: CatalogTable) -> tuple[JoinEdge, ...] | None:
        return self._catalog.joins.path(start.name, end.name, max_edges=_LONGEST_PATH)

    def _score(self, place: int, gain: float) -> float:
        score = self._factor[self._words.groups[place]] * gain + self._bonus[place]
        return round(score, 6)  # sums come in the order of a set; a tie must stay a tie

    def _group_factors(self) -> dict[int, float]:
        scores = self._words.group_scores(self._evidence)
        most = max(scores.values(), default=1.0)
        return defaultdict(float, {g: (score / most) ** _FOCUS for g, score in scores.items()})

    def _all_evidence(self, request: SqlRequest) -> dict[str, dict[int, float]]:
        """Words and linked spans of the question: the tables that each speaks for."""
        asked = request.glossary.spelt_out(request.question)
        evidence = self._words.evidence(asked)
        for key, found in self._linked(request).items():
            known = evidence.setdefault(key, {})
            rarity = self._words.rarity_of(len(found))
            for place, weight in found.items():
                known[place] = max(known.get(place, 0.0), weight * rarity)
        for place, together in self._words.named_in(asked).items():
            named = _NAMED * together * self._words.name_rarity(place)
            evidence[f"table {place}"] = {place: named}
        return evidence

    def _linked(self, request: SqlRequest) -> dict[str, dict[int, float]]:
        """Each linked span of the question, under its stem where it is one word: the tables it
        names, each with its best link.
        """
        found: dict[str, dict[int, float]] = defaultdict(dict)
        for weight, link in _weighed(request):
            place = self._places.get(link.table.casefold())
            own = content_stems(link.span.text)
            if place is None or not own:
                continue
            span = found[next(iter(own)) if len(own) == 1 else link.span.text.casefold()]
            span[place] = max(span.get(place, 0.0), weight * _sureness(link, own))
        return found


def _sureness(link: TableLink | ColumnLink | ValueLink, own: frozenset[str]) -> float:
    """How much a link counts, from 0 to 1: parts of cells and words far apart count little."""
    sure = link.score**2 * (_OPERATION if own <= OPERATION_STEMS else 1.0)
    if isinstance(link, ValueLink):
        return sure * min(1.0, len(words(link.value)) / len(words(link.span.text)))
    return sure


def _weighed(request: SqlRequest) -> Iterator[tuple[float, TableLink | ColumnLink | ValueLink]]:
    for weight, links in (
        (_TABLE_LINK, request.links.tables),
        (_COLUMN_LINK, request.links.columns),
        (_VALUE_LINK, request.links.values),
    ):
        yield from ((weight, link) for link in links)
