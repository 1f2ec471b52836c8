"""Cells of the rows that the conditions select, or of the rows that stand beside them."""

from __future__ import annotations

from collections.abc import Iterator

from sql_engine.offline.question import PeriodMention, Trigger, covering
from sql_engine.offline.scope import Made, Scope, Slot
from sql_engine.offline.shapes.ordering import REACH, Ordering, ordering, sort_keys
from sql_engine.offline.tree import All, Col, Shift, Values


def projections(scope: Scope) -> Iterator[Made]:
    """One column, the columns named, or whole rows."""
    distinct = scope.of("distinct")
    told = covering(distinct[:1])
    mark = [("distinct_told" if distinct else "distinct_untold", 1.0)]
    if isinstance(scope.rows, All):
        mark.append(("distinct_all_rows", 1.0))
    for slot in scope.any_column():
        if scope.opens_with_rows and scope.conditions.node and _says_no_output(scope, slot):
            continue
        mask = slot.mask | scope.every(slot.mask)
        yield Values(scope.rows, (slot.col,)), mask, [*slot.features]
        features = [*slot.features, *mark]
        yield Values(scope.rows, (slot.col,), distinct=True), mask | told, features
    yield from _several_columns(scope)
    yield from _whole_rows(scope)


def _whole_rows(scope: Scope) -> Iterator[Made]:
    details = scope.of("details")
    mask = covering(details[:1])
    features = [("whole_rows", 1.0), *scope.rows_named]
    if details:
        features.append(("details_told", 1.0))
    if isinstance(scope.rows, All):
        features.append(("whole_table", 1.0))
    yield Values(scope.rows, ()), mask, features


def _several_columns(scope: Scope) -> Iterator[Made]:
    for chosen in scope.listings():
        if len(chosen) >= 2:
            yield from _listed(scope, chosen)


def _listed(scope: Scope, chosen: list[Slot]) -> Iterator[Made]:
    mask = covering(chosen)
    features = [("columns_named", float(len(chosen)))]
    features += [feature for slot in chosen for feature in slot.features]
    yield Values(scope.rows, tuple(slot.col for slot in chosen)), mask, features
    distinct = scope.of("distinct")
    if distinct:
        tree = Values(scope.rows, tuple(slot.col for slot in chosen), distinct=True)
        yield tree, mask | distinct[0].mask, [*features, ("distinct_told", 1.0)]


def sortings(scope: Scope) -> Iterator[Made]:
    """Rows, or columns of them, in the order of a column."""
    told = ordering(scope)
    if told is None:
        return
    for key in sort_keys(scope, told):
        if key.mask & told.mask:
            continue
        grouped = not told.by_name and _is_group(scope, key)
        mask = told.mask | key.mask | scope.by(key.mask)
        features = [("order_told", 1.0), *key.features]
        if told.last >= 0 and 0 < key.first - told.last <= REACH:
            features.append(("key_after_order", 1.0))
        for cols, more, out in (*scope.outputs(mask, key.col), ((), 0, scope.rows_named)):
            tree = Values(scope.rows, cols, order=key.col, descending=told.descending)
            if grouped and (not scope.row_words or _are_amounts(scope, cols, key)):
                continue
            yield tree, mask | more, [*features, *out]
        if grouped:
            continue
        both = Values(scope.rows, (key.col,), order=key.col, descending=told.descending)
        yield both, mask, [*features, ("order_itself", 1.0)]
        apart = mask if told.last >= 0 else 0  # "names by age" lists no ages
        for chosen in scope.listings(apart):
            if len(chosen) > 1 and key.col in {slot.col for slot in chosen}:
                yield _in_order(scope, told, key, chosen)


def _is_group(scope: Scope, key: Slot) -> bool:
    """Whether "by boat" names groups, ordered: "total by boat, descending"."""
    column = scope.column(key.col)
    if column.measured or column.temporal or column.encoded().unique:
        return False
    return any(scope.names_at(key.col, t.last + 1) for t in scope.of("group"))


def _are_amounts(scope: Scope, cols: tuple[Col, ...], key: Slot) -> bool:
    """Whether nothing but amounts would be listed: they are asked for each group."""
    return bool(cols) and all(c == key.col or scope.column(c).measured for c in cols)


def _in_order(scope: Scope, told: Ordering, key: Slot, chosen: list[Slot]) -> Made:
    """Several columns listed, the key among them: "names and birth dates, by name"."""
    tree = Values(
        scope.rows, tuple(s.col for s in chosen), order=key.col, descending=told.descending
    )
    mask = told.mask | covering(chosen) | key.mask | scope.by(key.mask)
    features = [("order_told", 1.0), ("columns_named", float(len(chosen)))]
    return tree, mask, [*features, *(f for s in chosen for f in s.out())]


def neighbours(scope: Scope) -> Iterator[Made]:
    """Cells of the row right after or before the selected one, in table order."""
    if isinstance(scope.rows, All):
        return
    for trigger in scope.of("next", "previous"):
        if any(_bounds_time(trigger, period) for period in scope.question.periods):
            continue
        if _follows_deed(scope, trigger) or _is_of_days(scope, trigger):
            continue
        if _bounds_number(scope, trigger):
            continue
        by = 1 if trigger.sense.operator == "next" else -1
        if _asks_what_follows(scope, trigger):
            by = -by  # "Ada comes before whom" asks for the row after hers
        rows, told = Shift(scope.rows, by), trigger.mask | _said_twice(scope, trigger)
        for slot in scope.any_column(told):
            features = [("shift", 1.0), *slot.features]
            yield Values(rows, (slot.col,)), told | slot.mask, features


def _said_twice(scope: Scope, trigger: Trigger) -> int:
    """Mask of the "next" of "who was next after Ada", and of the "after"."""
    again = scope.of(trigger.sense.operator)
    return covering(t for t in again if not t.mask & trigger.mask)


def _asks_what_follows(scope: Scope, trigger: Trigger) -> bool:
    """Whether the asking word stands after "before", and what is named ahead of it."""
    after = scope.question.words[trigger.last + 1 : trigger.last + 2]
    return bool(after) and trigger.first > 0 and after[0].folded in _ASKED


_ASKED = frozenset(["who", "whom", "what", "which", "whose"])


def _is_of_days(scope: Scope, trigger: Trigger) -> bool:
    """Whether "the day after" steps in time, and not to the next row."""
    before = scope.question.words[trigger.first - 1].stem if trigger.first else ""
    return before in ("day", "week", "month", "night", "year", "hour")


def _follows_deed(scope: Scope, trigger: Trigger) -> bool:
    """Whether "after" stands behind a deed that a column of dates tells: "joined after Ada"."""
    dated = any(column.temporal for column in scope.data.columns)
    before = scope.question.words[trigger.first - 1].folded if trigger.first else ""
    return dated and before.endswith("ed")


def _bounds_number(scope: Scope, trigger: Trigger) -> bool:
    """Whether "before" stands before a number that is no whole cell: "made before 1870"."""
    numbers = (n for n in scope.question.numbers if 0 < n.first - trigger.last <= 2)
    return any(not scope.is_cell(number) for number in numbers)


def _says_no_output(scope: Scope, slot: Slot) -> bool:
    """Whether no word asks for the column: none names it, or a participle does ("grants awarded
    to Peru").
    """
    last = slot.mask.bit_length() - 1
    return not slot.mask or scope.question.words[last].folded.endswith("ed")


def _bounds_time(trigger: Trigger, period: PeriodMention) -> bool:
    """Whether "before" stands right before a stretch of time: it bounds one, and names no row."""
    return not period.period.year_only and 0 < period.first - trigger.last <= 2
