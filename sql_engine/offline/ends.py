"""Which end of a way a question says: "leaves from Ely" is no way that ends there.

Takes the words of a question, the place of a cell among them and the names of a table's columns;
gives whether a column tells the other end. Only where a table tells both ends of a way.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sql_engine.words import Word, name_words, stem

_FIRST = frozenset(map(stem, ["from", "origin", "source", "start", "departure", "depart"]))
_LAST = frozenset(map(stem, ["to", "destination", "dest", "end", "arrival", "arrive", "terminus"]))
"""Stems that alone make the name of a column of one end."""
_LEAVING = frozenset(map(stem, ["leave", "depart", "start", "begin", "from"]))
_REACHING = frozenset(map(stem, ["arrive", "end", "finish", "reach", "terminate", "to", "towards"]))
_SMALL = frozenset(["at", "in", "the", "into", "on"])
"""What may stand between such a word and the cell."""


def tells_other_end(words: Sequence[Word], place: int, name: str, names: Collection[str]) -> bool:
    """Whether the column called `name` tells the end that the words before a cell do not say."""
    own = _end(name)
    if not own or {_end(other) for other in names} < {"first", "last"}:
        return False
    before = place - 1
    while before > 0 and words[before].folded in _SMALL:
        before -= 1
    said = words[before].stem if before >= 0 else ""
    return (own == "last" and said in _LEAVING) or (own == "first" and said in _REACHING)


def _end(name: str) -> str:
    stems = set(name_words(name))
    if stems and stems <= _FIRST:
        return "first"
    return "last" if stems and stems <= _LAST else ""
