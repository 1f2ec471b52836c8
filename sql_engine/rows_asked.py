"""The rows that a query is about where it uses a column, as a query of their own.

Takes the column's place in the tree; gives its SELECT without what makes a result of the rows
(groups, order, limits), and without the conditions on the column itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

_SHAPING = ("where", "group", "having", "qualify", "order", "limit", "offset", "distinct")
"""What makes of the rows that a query is about its result."""


def rows_asked(node: exp.Column) -> exp.Select | None:
    """The SELECT over these rows, its columns still to be chosen; None where there is none."""
    from sqlglot import exp

    select = node.find_ancestor(exp.Select)
    if select is None:
        return None
    probing = select.copy()
    for part in _SHAPING:
        probing.set(part, None)
    for condition in conditions(select):
        if not mentions(condition, node):
            probing = probing.where(condition.copy())
    return probing


def conditions(select: exp.Select) -> list[exp.Expr]:
    """The conditions that all rows of a SELECT fulfil."""
    from sqlglot import exp

    where = select.args.get("where")
    if where is None:
        return []
    return list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]


def mentions(condition: exp.Expr, node: exp.Column) -> bool:
    """Whether a condition speaks of a column of this name."""
    from sqlglot import exp

    return any(found.name == node.name for found in condition.find_all(exp.Column))
