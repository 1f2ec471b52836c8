"""The rows at the end of each group: "the largest batch of each style", "the top 2 by brewer".

Takes what `top_rows` makes of the whole; gives the same of each value of a column that "of each" or
"within each" names, with that column shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sql_engine.offline.question import Trigger
from sql_engine.offline.scope import Key, Made, Scope
from sql_engine.offline.shapes.extremes import top_rows
from sql_engine.offline.shapes.groups import group_keys
from sql_engine.offline.tree import Col, Top, Tree, Values

_EACH = frozenset(["each", "every", "per"])


def tops_of_each(scope: Scope) -> Iterator[Made]:
    """Cells of the rows with the largest or smallest value in each group."""
    keys = [key for key in group_keys(scope) if _is_of_each(scope, key)]
    if not keys or scope.nth:
        return
    for tree, mask, features in top_rows(scope):
        for col, key_mask, told in keys:
            made = _within(scope, tree, col)
            if made is not None and not mask & key_mask:
                yield made, mask | key_mask, [*features, *told, ("top_of_each", 1.0)]


def _is_of_each(scope: Scope, key: Key) -> bool:
    """Whether words say that one of each is meant, and the column parts the rows at all."""
    col, mask, _ = key
    each = any(trigger.mask & mask and _says_each(scope, trigger) for trigger in scope.of("group"))
    return each and not scope.column(col).encoded(col.facet).unique


def _says_each(scope: Scope, trigger: Trigger) -> bool:
    return scope.question.words[trigger.last].folded in _EACH


def _within(scope: Scope, tree: Tree, group: Col) -> Values | None:
    """A tree over the rows at an end as one over those at the end of each group; None where what
    it shows or ranks by is the group itself.
    """
    if not isinstance(tree, Values) or not isinstance(tree.rows, Top) or tree.rows.single:
        return None
    top = tree.rows
    if group in (top.key, *tree.cols) or tree.cols == (top.key,):
        return None
    cols = tree.cols
    if cols:
        cols = (group, *cols, *([] if top.key in cols else [top.key]))
    return replace(tree, rows=replace(top, within=group), cols=cols)
