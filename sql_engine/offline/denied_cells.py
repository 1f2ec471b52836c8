"""A denial said of several cells of one column: "excluding returned and cancelled orders".

Takes the conditions chosen for a question; gives them with one denial of all the cells it is said
of. A cell that is told beside one of its column that is denied ("open, not paid") stands alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sql_engine.offline.parts import Part
from sql_engine.offline.question import Question
from sql_engine.offline.tree import Cond, In, Not

ConditionPart = Part[Cond]

_CONTRAST = frozenset(["but", "only"])


def denied_together(question: Question, chosen: Sequence[ConditionPart]) -> list[ConditionPart]:
    """The conditions in the order of their words, each column's denied cells together."""
    parts = sorted(chosen, key=_first)
    for negated in parts:
        denied = _denied_cells(negated)
        if denied is None:
            continue
        told = [(p, p.node) for p in parts if isinstance(p.node, In) and p.node.col == denied.col]
        if told:
            others = [p for p in parts if p is not negated and all(p is not t for t, _ in told)]
            return [*_merged(question, negated, denied, told), *others]
    return parts


def _merged(
    question: Question,
    negated: ConditionPart,
    denied: In,
    told: Sequence[tuple[ConditionPart, In]],
) -> list[ConditionPart]:
    first, *rest = (part for part, _ in told)
    if _first(negated) > _first(first) or _contrasted(question, negated, first):
        return [replace(first, mask=first.mask | negated.mask), *rest]
    texts = (*denied.texts, *(text for _, node in told for text in node.texts))
    mask, features = negated.mask, negated.features
    for part, _ in told:
        mask, features = mask | part.mask, features + part.features
    whole: Cond = Not(In(denied.col, tuple(dict.fromkeys(texts))))
    return [Part(whole, mask, features)]


def _denied_cells(part: ConditionPart) -> In | None:
    node = part.node
    return node.cond if isinstance(node, Not) and isinstance(node.cond, In) else None


def _first(part: ConditionPart) -> int:
    return part.mask & -part.mask


def _contrasted(question: Question, negated: ConditionPart, other: ConditionPart) -> bool:
    """Whether a "but" stands between what is denied and what is not: "not paid but open"."""
    cells = negated.mask.bit_length()
    between = question.words[_first(negated).bit_length() : max(cells, other.mask.bit_length())]
    return any(word.folded in _CONTRAST for word in between)
