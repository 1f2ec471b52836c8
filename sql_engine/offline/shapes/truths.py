"""Yes or no: whether one amount exceeds another, is the same, is the largest or grew; whether
such a row is there.
"""

from __future__ import annotations

from collections.abc import Iterator

from sql_engine.offline.compared import totals_held
from sql_engine.offline.directions import runs_against
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.scope import Made, Scope, Slot
from sql_engine.offline.tree import Agg, All, Holds, In, Values


def truths(scope: Scope) -> Iterator[Made]:
    """Yes or no: whether one side exceeds the other, or such a row is there."""
    if scope.opener is None:
        return
    told = [("truth_told", 1.0)]
    pair = scope.pair()
    if pair is not None:
        left, right, _ = pair
        for trigger in scope.of("compare", "compare_less", "compare_number"):
            less = trigger.sense.operator == "compare_less" or trigger.sense.argument == "<"
            for slot in scope.spoken_of(trigger, scope.compared()):
                if slot.mask & trigger.mask:
                    continue
                fn = scope.summary(slot.col)
                one, two = Agg(fn, left, slot.col), Agg(fn, right, slot.col)
                features = [*told, ("compare_told", 1.0), *slot.features]
                under = less != runs_against(trigger, scope.column(slot.col))
                yield Holds("<" if under else ">", one, two), trigger.mask | slot.mask, features
            if scope.compares_counts:
                one, two = Agg("count", left), Agg("count", right)
                features = [*told, ("compare_told", 1.0), ("sides_counted", 1.0)]
                yield Holds("<" if less else ">", one, two), trigger.mask, features
    held = [*told, ("conditions_hold", 1.0)]
    if len(scope.conditions.node) >= 2:
        there = Holds(">", Agg("count", scope.rows), 0.0)
        totals = list(totals_held(scope.question, there, scope.data))
        yield from ((total, 0, held) for total in totals)
        if scope.row_words or not totals:  # where the rows are named, either may be meant
            yield there, 0, held
    yield from _columns_compared(scope)


def _columns_compared(scope: Scope) -> Iterator[Made]:
    """Whether one column of the rows exceeds another."""
    for left, right in _told_pairs(scope):
        one, two = Values(scope.rows, (left.col,)), Values(scope.rows, (right.col,))
        for trigger in scope.of("compare", "compare_less"):
            sign = ">" if trigger.sense.operator == "compare" else "<"
            mask = trigger.mask | left.mask | right.mask
            features = [("truth_told", 1.0), *left.features, *right.out()]
            yield Holds(sign, one, two), mask, features


def _told_pairs(scope: Scope) -> Iterator[tuple[Slot, Slot]]:
    named = sorted(scope.named_amounts(), key=lambda slot: slot.first)
    for left in named:
        for right in named:
            if left.first < right.first and not left.mask & right.mask:
                yield left, right


def ends_held(scope: Scope) -> Iterator[Made]:
    """Whether the one that is named is at an end: "does Leeds have the highest rent"."""
    conds = scope.conditions.node
    if scope.opener is None or len(conds) != 1 or not isinstance(conds[0], In):
        return
    for trigger in scope.of("superlative", "maximum", "minimum", "most", "least"):
        largest = trigger.sense.operator in ("maximum", "most") or trigger.sense.argument == "+"
        for slot in scope.beside(trigger.mask, scope.named_amounts()):
            if slot.mask & trigger.mask:
                continue
            upwards = largest != runs_against(trigger, scope.column(slot.col))
            fn, sign = ("max", ">=") if upwards else ("min", "<=")
            own, whole = Agg(fn, scope.rows, slot.col), Agg(fn, All(), slot.col)
            features = [("truth_told", 1.0), ("end_held", 1.0), *slot.features]
            yield Holds(sign, own, whole), trigger.mask | slot.mask, features


def changes_held(scope: Scope) -> Iterator[Made]:
    """Whether an amount grew, fell or stayed the same from one column, or one row, to another."""
    if scope.opener is None:
        return
    for sign, mask in _changes(scope):
        features = [("truth_told", 1.0), ("change_held", 1.0)]
        for left, right in _told_pairs(scope):
            if mask & (left.mask | right.mask):
                continue
            one, two = Values(scope.rows, (right.col,)), Values(scope.rows, (left.col,))
            told = [*features, *left.features, *right.out()]
            yield Holds(sign, one, two), mask | left.mask | right.mask, told
        pair = scope.pair()
        for slot in scope.named_amounts() if pair else ():
            if pair is None or slot.mask & mask:
                continue
            fn = scope.summary(slot.col)
            before, after = (Agg(fn, rows, slot.col) for rows in pair[:2])
            yield Holds(sign, after, before), mask | slot.mask, [*features, *slot.features]


def _changes(scope: Scope) -> Iterator[tuple[str, int]]:
    """How the later compares with the earlier, with the words that say so."""
    known = lexicon()
    for trigger in scope.of("same"):
        yield "=", trigger.mask
    for i, word in enumerate(scope.question.words):
        if i and not scope.taken >> i & 1:
            if word.folded in known.rising:
                yield ">", 1 << i
            if word.folded in known.falling:
                yield "<", 1 << i
