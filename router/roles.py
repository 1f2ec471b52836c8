"""Two cells that may change places: "Alpha against Beta" where teams play at home and away.

Takes the tree of a query that holds a cell against each of two columns, both of which have both
cells; tells whether the question says which stands where: a header's word beside its own cell.
"""

from __future__ import annotations

from itertools import combinations

from sqlglot import exp

from sql_engine.catalog import CatalogTable
from sql_engine.words import Word, folded_words, name_words, words

Condition = tuple[str, str]
"""A column and the text that its cells equal."""


def undecided(
    question: str, tree: exp.Expr, tables: tuple[CatalogTable, ...]
) -> tuple[str, str] | None:
    """The two columns whose cells might as well be exchanged; None where the words decide."""
    held = _equalities(tree)
    for entry in tables:
        own = [each for each in held if entry.column(each[0]) is not None]
        for one, other in combinations(own, 2):
            if _exchangeable(entry, one, other) and not _decided(question, one, other):
                return one[0], other[0]
    return None


def _equalities(tree: exp.Expr) -> list[Condition]:
    found = []
    for equal in tree.find_all(exp.EQ):
        column, literal = equal.left, equal.right
        if isinstance(column, exp.Column) and isinstance(literal, exp.Literal):
            found += [(column.name, str(literal.this))] if literal.is_string else []
    return found


def _exchangeable(entry: CatalogTable, one: Condition, other: Condition) -> bool:
    if one[0] == other[0] or one[1] == other[1]:
        return False
    return _has(entry, other[0], one[1]) and _has(entry, one[0], other[1])


def _has(entry: CatalogTable, name: str, text: str) -> bool:
    """Whether a column has such a cell."""
    column = entry.column(name)
    return column is not None and text in column.source.texts


def _decided(question: str, one: Condition, other: Condition) -> bool:
    """Whether a header's word stands nearer to its own cell than to the other one."""
    said = words(question)
    sides = [_side(said, one, other), _side(said, other, one)]
    return any(side > 0 for side in sides) and not any(side < 0 for side in sides)


def _side(said: tuple[Word, ...], own: Condition, other: Condition) -> int:
    """1 where the header's word is nearer to its own cell, -1 to the other, else 0."""
    stems = set(name_words(own[0]))
    headers = [i for i, word in enumerate(said) if word.stem in stems]
    if not headers:
        return 0
    near, far = (_distance(said, headers, text) for _, text in (own, other))
    return (near < far) - (near > far)


def _distance(said: tuple[Word, ...], places: list[int], text: str) -> int:
    """Words between the nearest place and the nearest word of a cell."""
    cell = set(folded_words(text))
    own = [i for i, word in enumerate(said) if word.folded in cell]
    return min((abs(i - place) for i in own for place in places), default=len(said))
