"""Answers computed from groups or from several columns: how many groups reach a bound, the largest
measure of a group, a mean per group, columns added up or held against each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sql_engine.offline.question import Trigger, covering
from sql_engine.offline.scope import Made, Scope, Slot
from sql_engine.offline.sense import adds_up_to_nothing, numbers_things
from sql_engine.offline.shapes.extremes import top_groups
from sql_engine.offline.shapes.groups import having
from sql_engine.offline.tree import (
    Agg,
    All,
    Arith,
    Grouped,
    Measure,
    Scalar,
    Shares,
    Tally,
    Tree,
    Values,
    Where,
)
from sql_engine.words import name_words

MAX_ADDED = 8
"""Columns that are added up."""


def tallies(scope: Scope) -> Iterator[Made]:
    """How many groups reach a bound: "how many albums have more than 3 songs"."""
    for trigger in scope.of("count")[:1]:
        for tree, mask, features in having(scope):
            if isinstance(tree, Grouped) and not tree.show and not mask & trigger.mask:
                told = [f for f in features if f[0] != "group_hidden"]
                yield Tally(tree), mask | trigger.mask, [*told, ("tally", 1.0)]


def top_measures(scope: Scope) -> Iterator[Made]:
    """The largest or smallest measure itself: "the most goals that a club scored"."""
    for tree, mask, features in () if scope.figure else top_groups(scope):
        if isinstance(tree, Grouped) and tree.show and tree.n == 1:
            if tree.measures[0].col is None and not _asks_for_number_of_rows(scope):
                continue
            alone = replace(tree, show_keys=False)
            yield alone, mask, [*features, ("measure_alone", 1.0)]


def _asks_for_number_of_rows(scope: Scope) -> bool:
    """Whether "the most loans" or "how many" asks for a number; "most borrowed book" is a book."""
    if scope.of("count") or scope.question.words[0].folded == "how":
        return True
    ends = [t.last for t in scope.of("most", "least", "maximum", "minimum", "superlative")]
    return any(scope.row_words >> (end + 1) & 3 for end in ends)


def means_per_group(scope: Scope) -> Iterator[Made]:
    """How many rows there are on average for each value of a column, or the mean of an amount in
    each: "the average number of moves by opening".
    """
    for mean in scope.of("mean")[:1]:
        for per in scope.of("group"):
            for key in scope.named():
                if not 0 < key.first - per.last <= 2:
                    continue
                told = mean.mask | per.mask | key.mask
                features = [("mean_per_group", 1.0), *key.features]
                groups = Agg("distinct", scope.rows, key.col)
                counting = covering(scope.of("count")[:1])
                amounts = list(_amounts_between(scope, mean, per))
                for slot in amounts:
                    tree = Grouped(scope.rows, (key.col,), (Measure("mean", slot.col),))
                    yield tree, told | counting | slot.mask, [*features, *slot.features]
                if amounts and scope.question.words[per.last].folded != "per":
                    continue  # "per" may also part the total by the number of groups
                rows = Agg("count", scope.filled(key.col))
                yield Arith("/", rows, groups), told | counting, [*features, *scope.rows_named]


def _amounts_between(scope: Scope, mean: Trigger, per: Trigger) -> Iterator[Slot]:
    """The amounts that are named between an "average number of" and a "by"."""
    for slot in scope.named_amounts():
        between = slot.first > mean.last and not slot.mask >> per.first
        column = scope.column(slot.col)
        if between and not numbers_things(column) and adds_up_to_nothing(column) is None:
            yield slot


def column_differences(scope: Scope) -> Iterator[Made]:
    """How the totals of two columns differ: "more wins than losses"."""
    if scope.pair() is not None:
        return  # two things differ, and no two columns of both together
    named = sorted(scope.named_amounts(), key=lambda slot: slot.first)
    for trigger in scope.of("difference"):
        told = scope.of("count", "sum", "count_in_all")
        counting = covering(each for each in told if each.first > trigger.last)
        for left, right in _pairs(named, trigger):
            one, two = Agg("sum", scope.rows, left.col), Agg("sum", scope.rows, right.col)
            features = [*left.features, *right.out(), ("columns_differ", 1.0)]
            mask = trigger.mask | counting | left.mask | right.mask
            yield Arith(scope.differing(trigger), one, two), mask, features


def _pairs(named: list[Slot], trigger: Trigger) -> Iterator[tuple[Slot, Slot]]:
    for left in named:
        for right in named:
            apart = not left.mask & right.mask and not (left.mask | right.mask) & trigger.mask
            if left.first < right.first and apart and left.col != right.col:
                yield left, right


def column_sums(scope: Scope) -> Iterator[Made]:
    """Several named columns added up over the rows, or the columns of a run of years."""
    told = scope.of("sum")
    if not told and not scope.of("count"):
        return  # "the values of 2023 and 2024" are one of each
    base = told[0].mask if told else 0
    features = [("columns_added", 1.0), ("sum_told" if told else "sum_untold", 1.0)]
    chosen = [s for s in scope.listed(base) if scope.column(s.col).measured]
    if 2 <= len(chosen) <= MAX_ADDED:
        mask = base | covering(chosen)
        slots = [f for slot in chosen for f in slot.features]
        yield _added(scope, chosen), mask, [*features, *slots]
    years = _years(scope)
    numbers = [n for n in scope.question.numbers if not n.mask & scope.taken]
    for low in numbers:
        for high in numbers:
            run = [Slot(scope.col(i)) for y, i in years.items() if low.value <= y <= high.value]
            if low.last < high.first <= low.last + 3 and 2 <= len(run) <= MAX_ADDED:
                mask = base | low.mask | high.mask
                yield _added(scope, run), mask, [*features, ("run_of_years", 1.0)]


def _years(scope: Scope) -> dict[float, int]:
    """Columns that are called by a year."""
    found: dict[float, int] = {}
    for i, column in enumerate(scope.data.columns):
        names = [name for name in name_words(column.name) if name.isdigit() and len(name) == 4]
        if len(names) == 1 and column.measured:
            found.setdefault(float(names[0]), i)
    return dict(sorted(found.items()))


def _added(scope: Scope, slots: list[Slot]) -> Tree:
    total: Scalar = Agg("sum", scope.rows, slots[0].col)
    for slot in slots[1:]:
        total = Arith("+", total, Agg("sum", scope.rows, slot.col))
    assert isinstance(total, Arith)
    return total


def _has_both(scope: Scope, slot: Slot) -> bool:
    """Whether a "that have" stands after what is asked for: "the kinds of A and B" are each one's
    own.
    """
    after = scope.question.words[slot.mask.bit_length() :]
    return any(word.folded in _HAVING for word in after)


_HAVING = frozenset(
    ["have", "has", "had", "with", "that", "which", "who", "common", "shared", "share", "shares"]
)


def in_common(scope: Scope) -> Iterator[Made]:
    """What two kinds of rows share: "the cities that have both a port and a station"."""
    pair = scope.pair()
    words = enumerate(scope.question.words)
    both = sum(1 << i for i, word in words if word.folded == "both")
    if pair is None or scope.question.of("or"):
        return  # "fair or good": one of the two will do
    left, right, named = pair
    for slot in scope.labels(floating=bool(both)):
        if slot.col == named or not (both or _has_both(scope, slot)):
            continue
        conds = tuple(Shares(slot.col, rows, others=False) for rows in (left, right))
        rows = Where(All(), conds)
        features = [*slot.features, ("in_common", 1.0), ("both_told", float(bool(both)))]
        yield Values(rows, (slot.col,), distinct=True), both | slot.mask, features
        for trigger in scope.of("count")[:1]:
            told = [*features, ("count_told", 1.0)]
            yield Agg("distinct", rows, slot.col), both | slot.mask | trigger.mask, told
