"""Who has part in a deed that the rows of a table stand for: members borrow books.

Takes a question with its mentions of the tables; tells which trees answer by another than the one
who is asked for. "Who borrowed Dune" asks for no author, "what did Ruth borrow" for no date.
"""

from __future__ import annotations

from collections.abc import Mapping

from sql_engine.join_graph import JoinGraph
from sql_engine.offline.features import condition_column, conditions_of
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.question import Question
from sql_engine.offline.relation import Relation
from sql_engine.offline.relation_mentions import asked_part, takes_part
from sql_engine.offline.tree import Grouped, Tree, Values


class DeedRoles:
    """The parts in deeds of one question."""

    def __init__(self, question: Question, found: Mapping[str, Mentions], graph: JoinGraph) -> None:
        self._question = question
        self._found = found
        self._graph = graph
        self._asked: dict[str, bool] = {}

    def misses(self, relation: Relation, tree: Tree) -> bool:
        """Whether a tree shows something else than what is called so in a table that the rows of
        the deed point to, and that they are not found by.
        """
        if not self._has_part(relation.tables[0].name):
            return False
        if not isinstance(tree, Values | Grouped):
            return True
        told = {relation.owners[condition_column(cond)] for cond in conditions_of(tree.rows)}
        shown = {relation.owners[c.index] for c in getattr(tree, "keys", getattr(tree, "cols", ()))}
        return not shown or bool(shown & (told | {0}))

    def _has_part(self, deeds: str) -> bool:
        """Whether somebody or something of another table has part in a table's deeds: told once
        for all trees over it.
        """
        if deeds not in self._asked:
            self._asked[deeds] = self._points_to_part(deeds)
        return self._asked[deeds]

    def _points_to_part(self, deeds: str) -> bool:
        first = self._found[deeds]
        if not asked_part(self._question, first):
            return False
        pointed = {edge.right_table for edge in self._graph.neighbours(deeds)} & self._found.keys()
        return any(takes_part(self._question, first, self._found[name]) for name in pointed)
