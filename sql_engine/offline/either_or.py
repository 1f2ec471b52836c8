"""Questions that ask which of two is so: "did Ada or Bo order more", "which is older, Ada or Bo".

Takes a question with its mentions; gives the columns whose cells are offered to choose from. A yes
says nothing to such a question, nor does a third. "Did any order from Hull or York come late" asks
for yes or no.
"""

from __future__ import annotations

from sql_engine.offline.mentions import Mentions
from sql_engine.offline.question import Question
from sql_engine.offline.tree import Grouped, Tree, Values

ASKING_TRUTH = frozenset(["is", "are", "was", "were", "does", "do", "did", "has", "have", "can"])
"""Words that a question for yes or no opens with, and one that offers two."""
NAMED = 0.5
"""How well words must name a cell to be offered."""
LEFT_OPEN = frozenset(
    ["any", "either", "anyone", "anybody", "anything", "some", "someone", "there"]
)
"""Words that leave open which one it is."""


def offered(question: Question, found: Mentions) -> frozenset[int]:
    """The columns of which two cells are offered, joined by an "or"."""
    words = question.words
    if any(word.folded in LEFT_OPEN for word in words):
        return frozenset()
    asked = words[0].folded in ASKING_TRUTH
    named = [value for value in found.values if value.score >= NAMED]
    columns: set[int] = set()
    for trigger in question.of("or"):
        left = {
            v.column
            for v in named
            if v.last == trigger.first - 1 and (asked or _set_apart(question, v.first))
        }
        right = {
            v.column
            for v in named
            if v.first > trigger.last and _only_small(question, trigger.last + 1, v.first)
        }
        columns |= left & right
    return frozenset(columns)


def _set_apart(question: Question, first: int) -> bool:
    """Whether a name opens the question, or stands after a comma: "which is older, Ada or Bo"."""
    words = question.words
    before = question.text[words[first - 1].end : words[first].start] if first else ","
    return bool(set(before) & set(",:;"))


def _only_small(question: Question, first: int, end: int) -> bool:
    return all(question.function >> i & 1 for i in range(first, end))


def chooses(tree: Tree, columns: frozenset[int]) -> bool:
    """Whether a tree gives a cell of one of the columns."""
    if isinstance(tree, Values):
        return any(col.index in columns for col in tree.cols)
    if isinstance(tree, Grouped):
        return tree.show_keys and any(col.index in columns for col in tree.keys)
    return False
