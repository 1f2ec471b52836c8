"""The order that the question asks its output in: "highest first", "alphabetically", "by date,
newest first".

Takes a scope; gives an `Ordering`, which the shapes of lists and of groups ask for their keys.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from retrieval.table import Kind
from sql_engine.offline.columns import ColumnData
from sql_engine.offline.features import question_word
from sql_engine.offline.question import Trigger, covering
from sql_engine.offline.scope import Made, Scope, Slot
from sql_engine.offline.tree import Facet, Grouped

_BY_NAME = frozenset(["alphabetical", "alphabetically", "alphabetic", "lexicographical", "z"])
_BY_TIME = frozenset(
    ["newest", "latest", "recent", "oldest", "earliest", "chronological", "chronologically"]
)
REACH = 3
"""Words after "sorted by" among which the key stands."""


@dataclass(frozen=True, slots=True)
class Ordering:
    """Words that order the output."""

    mask: int
    last: int
    """The last word of the phrase that a key may follow; -1 where only a direction is said."""
    descending: bool
    by_name: bool
    by_time: bool


def ordering(scope: Scope) -> Ordering | None:
    """The order that the words ask for; None where they ask for none."""
    down, up = scope.of("descending"), scope.of("ascending")
    order = [t for t in scope.of("order") if down or up or not scope.tells_deed(t)]
    order += _listed_by(scope)
    if not (order or down or up):
        return None
    mask = covering((*order, *down, *up))
    said = {word.folded for i, word in enumerate(scope.question.words) if mask >> i & 1}
    order += [t for t in (*down, *up) if _leads_to_key(scope, t)]
    last = max((t.last for t in order), default=-1)
    ranked = "ranked" in said and not up
    return Ordering(mask, last, bool(down) or ranked, bool(said & _BY_NAME), bool(said & _BY_TIME))


def _leads_to_key(scope: Scope, trigger: Trigger) -> bool:
    """Whether the key follows a direction: "in ascending order of age"."""
    words = scope.question.words
    after = words[trigger.last + 1].folded if trigger.last + 1 < len(words) else ""
    ordered = words[trigger.last].folded == "order"
    return after in ("of", "by") and (ordered or after == "by")


def _listed_by(scope: Scope) -> list[Trigger]:
    """The "by" of "list the employees by start date", where an amount or a date follows it and
    nothing is computed.
    """
    if question_word(scope.question) != "list" or scope.of(*_COMPUTED):
        return []
    by = [t for t in scope.of("group") if scope.question.words[t.last].folded == "by"]
    named = [s for s in scope.named() if _has_order(scope.column(s.col))]
    return [t for t in by if any(0 < s.first - t.last <= 2 for s in named)]


def _has_order(column: ColumnData) -> bool:
    return column.measured or column.temporal or column.kind is Kind.TIME


_COMPUTED = ("count", "sum", "mean", "median", "maximum", "minimum", "share", "superlative", "most")


def sort_keys(scope: Scope, told: Ordering) -> list[Slot]:
    """The columns that a list may be sorted by: where one is named right after the words that sort,
    that one.
    """
    named = scope.named()
    after = scope.named_from(told.last + 1, REACH) if told.last >= 0 else []
    if after and not (told.by_name or told.by_time):
        return after
    if told.by_name:
        texts = [s for s in named if scope.column(s.col).kind is Kind.TEXT]
        labels = [s for s in scope.any_column() if scope.column(s.col).kind is Kind.TEXT]
        return texts or labels[:1]
    if told.by_time:
        dated = [s for s in scope.ordered() if scope.column(s.col).temporal]
        told_which = [s for s in dated if s.mask]
        return told_which or (dated if len(dated) == 1 else [] if dated else named)
    return named


def in_order(scope: Scope, made: Made) -> Made | None:
    """Groups in the order that the words ask for; None where they ask for none."""
    tree, mask, features = made
    told = ordering(scope)
    if told is None or not isinstance(tree, Grouped) or not tree.keys or mask & told.mask:
        return None
    used = mask | told.mask
    for trigger in scope.of("sum", "count"):
        used |= trigger.mask if trigger.first > told.last >= 0 else 0
    more = [*features, ("order_told", 1.0)]
    if _by_key(scope, told, tree):
        return replace(tree, keys_down=told.descending), used, more
    return replace(tree, largest=told.descending), used, more


def _by_key(scope: Scope, told: Ordering, tree: Grouped) -> bool:
    key = tree.keys[0]
    if told.by_name:
        return True
    if told.by_time and (key.facet is not Facet.VALUE or scope.column(key).temporal):
        return True
    after = range(told.last + 1, told.last + 1 + REACH) if told.last >= 0 else range(0)
    return any(scope.names_at(key, place) for place in after)
