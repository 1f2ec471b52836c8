"""What tells which of several tables a question is about: its nouns, its keys, what it counts.

Takes the question, one relation of the catalog's tables and what the question mentions in each;
gives features of trees over that relation. Over a single table there is nothing to choose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from sql_engine.catalog import CatalogTable
from sql_engine.offline.columns import ColumnData, TableData, table_data
from sql_engine.offline.features import conditions_of, places
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.parts import Features
from sql_engine.offline.question import Question
from sql_engine.offline.relation import Relation
from sql_engine.offline.table_words import label_column
from sql_engine.offline.tree import Agg, Holds, In, Tree
from sql_engine.words import fold

_ASKING = frozenset(
    ["which", "what", "what's", "many", "list", "name", "show", "find", "give", "whose"]
)
_COUNTING = ("count", "most", "least", "compare_number", "compare_number_after", "superlative")
REACH = 4
"""How many words after the asking one its noun may stand."""
WELL = 0.8
"""How well a column must be named to be the one that is asked for."""


class Keys:
    """The cells that a question names and that are keys of a table: what it may be about."""

    def __init__(self, tables: Sequence[CatalogTable], found: Mapping[str, Mentions]) -> None:
        self._owners: dict[str, list[CatalogTable]] = {}
        self._called: dict[str, list[CatalogTable]] = {}
        for table in tables:
            columns = table_data(table).columns
            for value in found[table.name].values:
                if not value.exact or len(value.texts) != 1:
                    continue
                column, name = columns[value.column], fold(value.texts[0])
                if column.encoded().unique:
                    self._owners.setdefault(name, []).append(table)
                if value.column == label_column(table) and _stands_once(column, value.texts):
                    self._called.setdefault(name, []).append(table)

    def owners(self, text: str) -> list[CatalogTable]:
        """The tables that have a row of this name."""
        return self._owners.get(fold(text), [])

    def called(self, text: str) -> list[CatalogTable]:
        """The tables of which one row is called so, by the column that labels the rows."""
        return self._called.get(fold(text), [])


def _stands_once(column: ColumnData, texts: tuple[str, ...]) -> bool:
    return int(np.isin(column.codes, column.codes_of(texts)).sum()) == 1


class TableChoice:
    """Features of trees over one relation for or against its tables."""

    def __init__(
        self,
        question: Question,
        relation: Relation,
        data: TableData,
        found: Mapping[str, Mentions],
        keys: Keys,
    ) -> None:
        self._question = question
        self._relation = relation
        self._data = data
        self._found = found
        self._keys = keys

    @cached_property
    def _head(self) -> frozenset[str]:
        """The tables that the noun after the asking word names."""
        words = self._question.words
        for i, word in enumerate(words):
            if word.folded in _ASKING:
                for at in range(i + 1, min(i + 1 + REACH, len(words))):
                    named = [n for n, m in self._found.items() if m.table_words >> at & 1]
                    if named:
                        return frozenset(named)
                    if self._named_column(at):
                        return frozenset()
                return frozenset()
        return frozenset()

    def _named_column(self, at: int) -> bool:
        found = self._found.values()
        return any(c.mask >> at & 1 and c.score >= WELL for m in found for c in m.columns)

    @cached_property
    def of_relation(self) -> Features:
        """What holds for every tree over the relation."""
        own = {table.name for table in self._relation.tables}
        if self._relation.counted is not None:
            own.add(self._relation.counted.named.name)
        said = 0
        for name in own:
            said |= self._found[name].table_words
            for column in self._found[name].columns:
                said |= column.mask if column.score >= WELL else 0
        named = 0
        for found in self._found.values():
            named |= found.table_words
        unnamed = sum(not self._found[name].table_words for name in own)
        return (
            ("tables_left_out", float((named & ~said).bit_count())),
            ("tables_unnamed", float(unnamed)),
        )

    def of(self, tree: Tree) -> Features:
        """What holds for one tree."""
        features = [*self._of_head(tree), *self._of_keys(tree)]
        index = self._relation.count_index
        if index is not None and not self._question.of(*_COUNTING):
            shown = any(col.index == index for _, col in places(tree))
            features.append(("count_not_asked", float(shown)))
        return tuple(features)

    def _of_head(self, tree: Tree) -> Features:
        if not self._head or isinstance(tree, Holds):
            return ()
        names = [table.name for table in self._relation.tables]
        if isinstance(tree, Agg) and tree.col is None:
            return (
                ("counts_asked_table" if names[0] in self._head else "counts_other_table", 1.0),
            )
        shown = [c.index for p, c in places(tree) if p in ("out", "measure")]
        owners = {names[self._relation.owners[i]] for i in shown} or {names[0]}
        return (("shows_asked_table" if owners <= self._head else "shows_other_table", 1.0),)

    def _of_keys(self, tree: Tree) -> Features:
        features = []
        names = [table.name for table in self._relation.tables]
        shown = {c.index for place, c in places(tree) if place in ("out", "measure")}
        for cond in conditions_of(tree):
            if not isinstance(cond, In) or len(cond.texts) != 1:
                continue
            if self._data.columns[cond.col.index].encoded().unique:
                own = all(
                    self._relation.owners[i] == self._relation.owners[cond.col.index] for i in shown
                )
                features.append(("key_of_shown" if own else "key_of_other", 1.0))
                continue
            owners = [t for t in self._keys.owners(cond.texts[0]) if t.name not in names]
            if owners:
                features.append(("key_elsewhere", 1.0))
                features.append(("shown_elsewhere", float(self._have(owners, shown))))
        return tuple(features)

    def _have(self, owners: Sequence[CatalogTable], shown: Iterable[int]) -> bool:
        """Whether other tables have columns called as those that are shown."""
        known = {fold(c.name) for t in owners for c in t.columns}
        here = {fold(self._relation.columns[i].name) for i in shown}
        return bool(here) and here <= known

    def told_elsewhere(self, tree: Tree) -> bool:
        """Whether another table has a row of that name that tells what is shown: the population of
        a state is none of its cities', where no city is spoken of.
        """
        names = [table.name for table in self._relation.tables]
        if any(self._found[name].table_words for name in names):
            return False
        shown = {c.index for place, c in places(tree) if place in ("out", "measure")}
        for cond in conditions_of(tree):
            if not isinstance(cond, In) or len(cond.texts) != 1:
                continue
            owner = self._relation.owners[cond.col.index]
            label = label_column(self._relation.tables[owner])
            if cond.col.index == self._relation.offset(owner) + (label or 0):
                continue
            called = [t for t in self._keys.called(cond.texts[0]) if t.name not in names]
            if called and self._have(called, shown):
                return True
        return False
