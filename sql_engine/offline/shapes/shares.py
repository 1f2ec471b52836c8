"""What part of a whole is asked for: of the rows, of a sum, one column of another, and of what the
one has whom "its" or "their" stands for.
"""

from __future__ import annotations

from collections.abc import Iterator

from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.money import holds_money
from sql_engine.offline.question import Trigger, covering
from sql_engine.offline.scope import Made, Scope, Slot
from sql_engine.offline.sense import numbers_things
from sql_engine.offline.tree import Agg, All, Arith, Rows, Where
from sql_engine.words import name_words


def shares(scope: Scope) -> Iterator[Made]:
    """What part of the rows, or of a sum, the conditions select; or one column of another."""
    for trigger in scope.of("share"):
        if _tells_figure(scope, trigger):
            continue
        of_columns = list(_of_columns(scope, trigger))
        yield from of_columns
        if of_columns or isinstance(scope.rows, All):
            continue
        whole = _shared(scope, trigger)
        if whole is None:
            continue
        part, all_ = Agg("count", scope.rows), Agg("count", whole)
        features = [("share_told", 1.0), ("share_of_rows", 1.0)]
        if not _of_money(scope, trigger):
            yield Arith("%", part, all_), trigger.mask, features
        total = covering(scope.of("sum")[:1])
        for slot in scope.named_amounts():
            if slot.first < trigger.first:
                continue  # "Reed's share of the votes" is no share of Reed's votes
            if numbers_things(scope.column(slot.col)) or scope.column(slot.col).numbers_in_order:
                continue  # the lots of a sale are no amount, though they are numbered
            if _says_what_part(scope, slot) or _is_of_matches(scope, trigger, slot):
                continue
            part, all_ = Agg("sum", scope.rows, slot.col), Agg("sum", whole, slot.col)
            features = [("share_told", 1.0), *slot.features]
            yield Arith("%", part, all_), trigger.mask | slot.mask | total, features


def _tells_figure(scope: Scope, trigger: Trigger) -> bool:
    """Whether "percentage" is what the figures are, and no part is asked for: "a percentage above
    15", "the percentage change".
    """
    after = scope.question.words[trigger.last + 1 : trigger.last + 2]
    compared = any(t.first == trigger.last + 1 for t in scope.question.of("compare_number"))
    return compared or any(word.folded in _CHANGING for word in after)


_CHANGING = frozenset(["change", "changes", "point", "points", "growth", "increase", "decrease"])


def _says_what_part(scope: Scope, slot: Slot) -> bool:
    """Whether an amount says which part of the rows is asked for, and not of what: "what share of
    the Lisbon trips was delayed" is none of the delayed ones.
    """
    gap = scope.question.words[scope.conditions.mask.bit_length() : max(slot.first, 0)]
    return bool(gap) and not any(word.folded in _OF_WHAT for word in gap)


def _is_of_matches(scope: Scope, trigger: Trigger, slot: Slot) -> bool:
    """Whether the matches of a standing are what the share is of: "share of games drawn by Ada" is
    of all her games, and not of the games that others drew.
    """
    known, words = lexicon(), scope.question.words
    name = name_words(scope.column(slot.col).name)
    ended = len(name) == 1 and name[0] in known.won | known.lost | known.shared
    said = {word.stem for word in words[trigger.last + 1 : slot.mask.bit_length() - 1]}
    return ended and bool(said & known.shared)


_OF_WHAT = frozenset(
    ["of", "in", "total", "all", "overall", "entire", "whole", "among", "to", "by", "from"]
)


def _of_columns(scope: Scope, trigger: Trigger) -> Iterator[Made]:
    """One column as a part of another: "the spent amount as a share of the planned one"."""
    named = scope.named_amounts()
    said = [word.folded for word in scope.question.words]
    if trigger.last + 1 >= len(said) or "of" not in said[trigger.last : trigger.last + 2]:
        return
    for part in named:
        for whole in named:
            apart = part.mask.bit_length() <= trigger.first and whole.first > trigger.last
            if apart and part.col != whole.col:
                one, two = Agg("sum", scope.rows, part.col), Agg("sum", scope.rows, whole.col)
                told = [("share_told", 1.0), *part.features, *whole.features]
                yield Arith("%", one, two), trigger.mask | part.mask | whole.mask, told


def _of_money(scope: Scope, trigger: Trigger) -> bool:
    """Whether the share is one of the cost or the like, of which a column tells."""
    asked, named = lexicon().money_asked, lexicon().money_named
    words = scope.question.words
    after = [i for i in range(trigger.last + 1, len(words)) if not scope.taken >> i & 1]
    said = any(
        words[i].stem in asked or (words[i].stem in named and not scope.row_words >> i & 1)
        for i in after
    )
    return said and any(c.numeric and holds_money(c) for c in scope.data.columns)


def _shared(scope: Scope, trigger: Trigger) -> Rows | None:
    """The rows that a share is of: all, or those told before the verb: "what part of the orders
    from Peru were paid". None where that is not told.
    """
    if _is_owned(scope, trigger):
        return _owned(scope, trigger)
    if len(scope.conditions.node) == 1:
        return All()
    words = enumerate(scope.question.words)
    verb = next((i for i, w in words if i > trigger.last and w.folded in _VERBS), None)
    places = [scope.place_of(cond) for cond in scope.conditions.node]
    if verb is None or any(place is None for place in places):
        return None
    pairs = list(zip(scope.conditions.node, places, strict=True))
    before = tuple(cond for cond, place in pairs if place is not None and place < verb)
    if len(before) == len(pairs):
        return None
    return Where(All(), before) if before else All()


_VERBS = frozenset(
    ["is", "are", "was", "were", "has", "have", "had", "do", "does", "did", "went", "go", "goes"]
)


def _is_owned(scope: Scope, trigger: Trigger) -> bool:
    """Whether the share is one of what somebody has: "what share of its trips did Ada cancel"."""
    words = [word.folded for word in scope.question.words[trigger.last + 1 :]]
    return next((w for w in words if w not in _BEFORE_OWNER), "") in _OWNERS


def _owned(scope: Scope, trigger: Trigger) -> Rows | None:
    """The rows of whom "its" or "their" stands for: named after a "did", or after what is said of
    them with "were". None where that leaves no part.
    """
    words = enumerate(scope.question.words)
    verb, said = next(
        ((i, w.folded) for i, w in words if i > trigger.last and w.folded in _VERBS), (None, "")
    )
    conds = scope.conditions.node
    after = [(place, cond) for cond in conds if (place := scope.place_of(cond)) is not None]
    after = sorted((told for told in after if told[0] > (verb or 0)), key=lambda told: told[0])
    if verb is None or not after:
        return All() if len(conds) == 1 else None
    doing = said in _DOING
    owners = [cond for place, cond in after if place <= verb + 2] if doing else []
    owners = owners[:1] if doing else [cond for _, cond in after[1:]]
    if len(owners) == len(conds) or (len(conds) > 1 and not owners):
        return None
    return Where(All(), tuple(owners)) if owners else All()


_OWNERS = frozenset(["its", "their", "his", "her"])
_BEFORE_OWNER = frozenset(["of", "all"])
_DOING = frozenset(["has", "have", "had", "do", "does", "did"])
