"""Says a tree in one plain sentence, so that a person sees a misreading at once."""

from __future__ import annotations

import calendar
import datetime as dt

from sql_engine.offline.relation import Relation
from sql_engine.offline.tree import (
    Against,
    Agg,
    All,
    AnyOf,
    Beyond,
    Bound,
    Cmp,
    Col,
    Cond,
    Facet,
    Filled,
    Grouped,
    Holds,
    In,
    Measure,
    NoneOf,
    Not,
    Number,
    Once,
    Rows,
    Scalar,
    Shares,
    Slice,
    Tally,
    Top,
    Tree,
    Values,
    Where,
)

MAX_TEXTS = 4


def reading(tree: Tree, relation: Relation) -> str:
    """The sentence for a tree over a relation."""
    said = _Speaker(relation).tree(tree)
    return said[:1].upper() + said[1:] + "."


class _Speaker:
    def __init__(self, relation: Relation) -> None:
        self._relation = relation

    def tree(self, tree: Tree) -> str:
        if isinstance(tree, Values):
            return self._values(tree)
        if isinstance(tree, Grouped):
            return self._grouped(tree)
        if isinstance(tree, Tally):
            return f"how many groups there are of {self._grouped(tree.groups)}"
        if isinstance(tree, Holds):
            right = (
                _bound(tree.right) if isinstance(tree.right, float) else self._scalar(tree.right)
            )
            return f"whether {self._scalar(tree.left)} {_SIGNS[tree.op]} {right}"
        return self._scalar(tree)

    def col(self, col: Col) -> str:
        name = self._relation.names[col.index]
        return name if col.facet is Facet.VALUE else f"{col.facet} of {name}"

    def _values(self, tree: Values) -> str:
        what = ", ".join(map(self.col, tree.cols)) or "all columns"
        different = "different " if tree.distinct else ""
        order = ""
        if tree.order is not None:
            order = f", by {self.col(tree.order)}{' descending' if tree.descending else ''}"
        return f"{different}{what} of {self.rows(tree.rows)}{order}"

    def _grouped(self, tree: Grouped) -> str:
        measures = " and ".join(self._measure(m) for m in tree.measures)
        keys = " and ".join(map(self.col, tree.keys))
        by = f" by {keys}," if keys else ","
        said = f"{measures}{by} over {self.rows(tree.rows)}"
        if tree.keys_down:
            said += ", from the last to the first"
        if tree.largest is not None and tree.n is None:
            said += f", the {'largest' if tree.largest else 'smallest'} first"
        elif tree.largest is not None:
            side = "largest" if tree.largest else "smallest"
            count = f"{tree.n} " if tree.n and tree.n > 1 else ""
            said = f"the {count}{keys} with the {side} {measures}, over {self.rows(tree.rows)}"
        if not tree.show_keys:
            said += ", the number alone"
        for (op, bound), measure in zip(tree.having, tree.measures, strict=False):
            which = "it" if len(tree.having) == 1 else self._measure(measure)
            said += f", where {which} {_SIGNS[op]} {_bound(bound)}"
        return said

    def _measure(self, measure: Measure) -> str:
        if measure.col is None:
            return "share of the rows in percent" if measure.fn == "share" else "number of rows"
        return f"{_FUNCTIONS[measure.fn]} {self.col(measure.col)}"

    def _scalar(self, node: Scalar) -> str:
        if isinstance(node, Number):
            return _bound(node.value)
        if isinstance(node, Values):
            return self._values(node)
        if isinstance(node, Agg):
            rows = self.rows(node.rows)
            if node.col is None:  # "the number of rows of the rows" says it twice
                rows = rows.removeprefix("all rows of ").removeprefix("the rows of ")
            return f"{self._measure(Measure(node.fn, node.col))} of {rows}"
        left, right = self._scalar(node.left), self._scalar(node.right)
        if node.op == "%":
            return f"{left}, as a percentage of {right}"
        return f"{_ARITHMETIC[node.op]} {left} and {right}"

    def rows(self, node: Rows) -> str:
        if isinstance(node, All):
            return f"all rows of {self._relation.name}"
        if isinstance(node, Where):
            conds = " and ".join(map(self.cond, node.conds))
            base = f"the rows of {self._relation.name}"
            return f"{base if isinstance(node.rows, All) else self.rows(node.rows)} where {conds}"
        if isinstance(node, Top):
            side = "largest" if node.largest else "smallest"
            which = f"the {node.n if node.n > 1 else 'row'} with the {side} {self.col(node.key)}"
            if node.within is not None:
                return f"{which} of each {self.col(node.within)}, among {self.rows(node.rows)}"
            if node.single:
                which = f"number {node.n} from the {side} {self.col(node.key)}"
            return f"{which} among {self.rows(node.rows)}"
        if isinstance(node, Slice):
            side = "last" if node.from_end else "first"
            which = (
                f"number {node.n} from the {'end' if node.from_end else 'start'}"
                if node.single
                else f"the {side} {node.n}"
            )
            return f"{which} of {self.rows(node.rows)}"
        if isinstance(node, Once):
            each = " and ".join(map(self.col, node.keys))
            return f"{self.rows(node.rows)}, each {each} once"
        place = "after" if node.by > 0 else "before"
        return f"the row {abs(node.by)} {place} {self.rows(node.rows)}"

    def cond(self, cond: Cond) -> str:
        if isinstance(cond, Not):
            return f"not ({self.cond(cond.cond)})"
        if isinstance(cond, NoneOf):
            return f"no row of the same {self.col(cond.key)} has {self.cond(cond.cond)}"
        if isinstance(cond, AnyOf):
            return "(" + " or ".join(map(self.cond, cond.conds)) + ")"
        if isinstance(cond, Filled):
            return f"{self.col(cond.col)} is given"
        if isinstance(cond, In):
            return f"{self.col(cond.col)} is {_texts(cond.texts)}"
        if isinstance(cond, Shares):
            which = "also that of" if cond.others else "among those of"
            return f"{self.col(cond.col)} is {which} {self.rows(cond.rows)}"
        if isinstance(cond, Against):
            return f"{self.col(cond.col)} {_SIGNS[cond.op]} {self.col(cond.other)}"
        if isinstance(cond, Beyond):
            return f"{self.col(cond.col)} {_SIGNS[cond.op]} the {self._scalar(cond.bound)}"
        if isinstance(cond, Cmp):
            return f"{self.col(cond.col)} {_SIGNS[cond.op]} {_said_bound(cond.col, cond.bound)}"
        if cond.closed:
            low, high = (_said_bound(cond.col, bound) for bound in (cond.low, cond.high))
            return f"{self.col(cond.col)} is between {low} and {high}"
        return (
            f"{self.col(cond.col)} is from {_bound(cond.low)} to {_bound(_day_before(cond.high))}"
        )


def _day_before(bound: Bound) -> Bound:
    return bound - dt.timedelta(days=1) if isinstance(bound, dt.date) else bound


def _said_bound(col: Col, bound: Bound) -> str:
    if col.facet is Facet.MONTH_OF_YEAR and isinstance(bound, float):
        return calendar.month_name[int(bound)]
    if col.facet is Facet.DAY_OF_WEEK and isinstance(bound, float):
        return calendar.day_name[int(bound) - 1]
    return _bound(bound)


def _texts(texts: tuple[str, ...]) -> str:
    shown = " or ".join(repr(text)[1:-1] for text in texts[:MAX_TEXTS])
    more = len(texts) - MAX_TEXTS
    return f"{shown} or {more} more like it" if more > 0 else shown


def _bound(bound: Bound) -> str:
    if isinstance(bound, float):
        return f"{bound:,.10g}" if abs(bound) >= 10000 else f"{bound:.10g}"
    return bound.isoformat() if isinstance(bound, dt.date) else str(bound)


_SIGNS = {
    "=": "is",
    "!=": "is not",
    "<": "is less than",
    "<=": "is at most",
    ">": "is more than",
    ">=": "is at least",
}
_FUNCTIONS = {
    "sum": "total",
    "mean": "average",
    "median": "median",
    "max": "highest",
    "min": "lowest",
    "distinct": "number of different",
    "filled": "number of filled",
    "share": "share in percent of",
}
_ARITHMETIC = {
    "-": "the difference between",
    "|-|": "the difference between",
    "+": "the sum of",
    "/": "the ratio of",
}
