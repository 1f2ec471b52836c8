"""Whole rows, where it is clear which rows are meant and not which of their columns.

"List the beans" may ask for the name, the Latin name or the price of the same four rows: all of
them, shown as they stand, hold each of these. Takes readings, most likely first; gives them with
the likeliest over whole rows in the place of those that show some column that no word names.
"""

from __future__ import annotations

from dataclasses import replace

from sql_engine.offline.columns import relation_data
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.features import question_word
from sql_engine.offline.question import Question
from sql_engine.offline.search import Reading, names_output, says_as_much
from sql_engine.offline.tree import All, Values, Where

RIVAL = 0.1
"""The probability from which another reading is shown and asked about."""
_ASKING = frozenset(["which", "what", "list", "none"])
"""What may be told by whole rows: no person, time or place is."""


def shown_whole(readings: list[Reading], question: Question) -> list[Reading]:
    """The readings, those of the same rows with no column named as one of whole rows."""
    best = readings[0]
    tree = best.tree
    if not isinstance(tree, Values) or isinstance(tree.rows, All) or tree.order is not None:
        return readings
    asking = question_word(question)
    if asking not in _ASKING or (asking == "what" and best.denotation.count == 1):
        return readings  # "what type is it" asks for one cell of one row
    if asking == "none" and not isinstance(tree.rows, Where):
        return readings  # "lowest mark in history" may ask for the mark
    same = [r for r in readings if _is_of_same_rows(r, best)]
    rivals = [r for r in same[1:] if r.probability > RIVAL]
    if not rivals or any(names_output(r) for r in same):
        return readings
    whole = Values(tree.rows, ())
    shown = replace(
        best,
        tree=whole,
        denotation=Evaluator(relation_data(best.relation)).run(whole),
        probability=sum(r.probability for r in same),
    )
    return [shown, *(r for r in readings if all(r is not one for one in same))]


def _is_of_same_rows(reading: Reading, best: Reading) -> bool:
    tree, rows = reading.tree, best.tree.rows  # type: ignore[union-attr]
    same = isinstance(tree, Values) and tree.rows == rows and tree.order is None
    return same and reading.relation == best.relation and says_as_much(reading, best)
