"""What the tables beside a relation say against a reading over it.

Takes a question, its mentions by table and the catalog; tells which words the tables beside have a
place for, which dates are theirs, and which trees list rows or join tables that nobody spoke of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from sql_engine.catalog import Catalog, CatalogTable
from sql_engine.offline.columns import relation_data, table_data
from sql_engine.offline.features import columns_of
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.money import holds_money
from sql_engine.offline.question import Question, covering
from sql_engine.offline.relation import Relation, join_graph
from sql_engine.offline.table_words import WHOLE_NAME
from sql_engine.offline.tree import Agg, Tree, Values

LEAST_NAMED = 0.6
"""How well a word must name a column for its table to have a place for it."""


def told_apart(found: Mapping[str, Mentions], *, alone: bool) -> dict[str, Mentions]:
    """The mentions by table, without those that another table has a better claim to."""
    return _called_once(_without_parts(found, alone=alone))


def _without_parts(found: Mapping[str, Mentions], *, alone: bool) -> dict[str, Mentions]:
    """The mentions without parts of cells whose word is a whole header of another table: "owner" is
    no note "owner anxious"; a table beside others is supposed to hold nothing that no name says.
    """
    headers = {m.mask for each in found.values() for m in each.columns if m.score >= WHOLE_NAME}
    return {
        name: replace(
            each,
            values=tuple(v for v in each.values if v.exact or v.mask not in headers),
            rows=each.rows & (-1 if alone else ~each.supposed),
        )
        for name, each in found.items()
    }


def _called_once(found: dict[str, Mentions]) -> dict[str, Mentions]:
    """The mentions without a word for the rows that no name of the table says, where another table
    has a place for that word.
    """
    kept = {}
    for name, each in found.items():
        others = 0
        for other, held in found.items():
            others |= 0 if other == name else words_placed(held)
        kept[name] = replace(each, rows=each.rows & ~(each.kinds & others))
    return kept


def words_placed(found: Mentions) -> int:
    """Mask of the words that a table has a place for."""
    columns = (column for column in found.columns if column.score >= LEAST_NAMED)
    return found.rows | found.table_words | covering((*columns, *found.values))


class OtherTables:
    """What is told beside each relation of one question."""

    def __init__(
        self,
        question: Question,
        tables: Sequence[CatalogTable],
        found: Mapping[str, Mentions],
        catalog: Catalog,
    ) -> None:
        self._question = question
        self._tables = tables
        self._found = found
        self._catalog = catalog

    def joins_needlessly(self, relation: Relation, tree: Tree) -> bool:
        """Whether a list tells nothing of the rows that point to what it lists, and no word speaks
        of them: "volunteers who are not drivers" leaves out none that has no shift.
        """
        alone = sum(join.left == 0 for join in relation.joins) == 1
        listed = isinstance(tree, Values) and bool(tree.cols)
        if not alone or not (listed or (isinstance(tree, Agg) and tree.fn == "distinct")):
            return False
        first = relation.tables[0]
        said = self._found[first.name]
        if said.table_words or said.deeds or said.undone:
            return False
        return min(columns_of(tree), default=0) >= len(first.columns)

    def lists_others(self, relation: Relation, tree: Tree) -> bool:
        """Whether whole rows are listed of another table than the one whose name the question opens
        with: "plays never shown in Leeds" are no venues.
        """
        if len(self._tables) < 2 or not isinstance(tree, Values) or tree.cols:
            return False
        function = lexicon().function
        content = (i for i, w in enumerate(self._question.words) if w.folded not in function)
        first = next(content, 0)
        named = {n for n, found in self._found.items() if found.table_words >> first & 1}
        return bool(named) and relation.tables[0].name not in named

    def dates_of_others(self, relation: Relation, found: Mentions) -> set[int]:
        """The dates that no word names, of a table whose rows have deeds of their own in another:
        "worked in June" is of the shifts, and tells nothing of when a volunteer joined.
        """
        begun = lexicon().beginnings
        if relation.tables[0].name not in self._acting:
            return set()
        if any(word.stem in begun for word in self._question.words):
            return set()
        named = {m.column for m in found.columns if m.score >= LEAST_NAMED}
        columns = enumerate(relation_data(relation).columns)
        dated = {i for i, column in columns if column.temporal and relation.owners[i] == 0}
        return dated - named

    @cached_property
    def _acting(self) -> frozenset[str]:
        """The tables that dated rows of others point to: the members of loans."""
        dated = {table.name for table in self._tables if is_dated(table)}
        edges = join_graph(self._catalog).edges
        pairs = ((edge.left_table, edge.right_table) for edge in edges)
        return frozenset(right for left, right in pairs if left in dated and left != right)

    def told_beside(self, relation: Relation) -> int:
        """Mask of what tables that join those of the relation place: their names, verbs for
        their rows, whole cells and whole headers.
        """
        own = {table.name: table for table in relation.tables}
        told = any(map(_tells_money, own.values()))
        near: set[str] = set()
        for edge in join_graph(self._catalog).edges:
            if {edge.left_table, edge.right_table} & own.keys():
                near |= {edge.left_table, edge.right_table}
        mask = 0
        for table in self._tables:
            if table.name not in near:
                continue
            mask |= self._found[table.name].deeds
            if table.name not in own:
                mask |= _surely_placed(self._found[table.name])
                told = told or _tells_money(table)
        mask |= self._money_asked if told else 0
        for name in own:
            mask &= ~self._found[name].rows
        return mask & ~self._question.light

    @cached_property
    def _money_asked(self) -> int:
        """Mask of the words that ask for money."""
        asked = lexicon().money_asked
        return sum(1 << i for i, word in enumerate(self._question.words) if word.stem in asked)


def _tells_money(table: CatalogTable) -> bool:
    return any(column.amount and holds_money(column) for column in table_data(table).columns)


def _surely_placed(found: Mentions) -> int:
    """Mask of the words that are whole cells, whole headers or the name of a table."""
    columns = (column for column in found.columns if column.score >= WHOLE_NAME)
    values = (value for value in found.values if value.exact)
    return found.table_words | covering((*columns, *values))


def is_dated(table: CatalogTable) -> bool:
    """Whether a table tells days or times."""
    return any(column.temporal for column in table_data(table).columns)
