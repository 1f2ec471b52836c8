"""Computes trees over a table's arrays, sharing what trees have in common.

Takes a `TableData` and trees; gives denotations: rows of plain values. What SQL would say of the
same tree is the same; `to_sql.py` is the other half of that promise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sql_engine.offline.columns import Encoded, TableData, Value, as_float
from sql_engine.offline.tree import (
    Against,
    Agg,
    All,
    AnyOf,
    Arith,
    Beyond,
    Cmp,
    Col,
    Cond,
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
    Within,
)

Cell = Value | None
Positions = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Group = tuple[tuple[Cell, ...], tuple[Cell, ...]]
"""The key and the measures of one group."""

MAX_SHOWN = 2000
"""Rows of a denotation that are made into values; `count` tells how many there are."""


@dataclass(frozen=True)
class Denotation:
    """What a tree gives: rows of values (at most `MAX_SHOWN`), and how many rows there are."""

    rows: tuple[tuple[Cell, ...], ...]
    count: int

    @property
    def empty(self) -> bool:
        """No row, or one row of no value."""
        return self.count == 0 or (self.count == 1 and all(c is None for c in self.rows[0]))

    def key(self) -> tuple[object, ...]:
        """Equal for denotations that say the same, in any row order."""
        return (self.count, *sorted(map(_row_key, self.rows), key=repr))


def _row_key(row: tuple[Cell, ...]) -> tuple[object, ...]:
    return tuple(round(c, 6) if isinstance(c, float) else c for c in row)


class Evaluator:
    """Evaluates trees over one table."""

    def __init__(self, data: TableData) -> None:
        self.data = data
        self._masks: dict[Cond, Mask] = {}
        self._rows: dict[Rows, Positions] = {}
        self._scalars: dict[Scalar, float | None] = {}

    def run(self, tree: Tree) -> Denotation:
        """The denotation of a tree."""
        if isinstance(tree, Values):
            return self._values(tree)
        if isinstance(tree, Grouped):
            return self._grouped(tree)
        if isinstance(tree, Holds):
            right = tree.right if isinstance(tree.right, float) else self.scalar(tree.right)
            left = self.scalar(tree.left)
            truth = None if left is None or right is None else bool(_COMPARE[tree.op](left, right))
            return Denotation(((truth,),), 1)
        if isinstance(tree, Tally):
            return Denotation(((self._grouped(tree.groups).count,),), 1)
        if isinstance(tree, Agg) and tree.fn in ("max", "min"):
            return Denotation(((self._extreme(tree),),), 1)
        return Denotation(((self.scalar(tree),),), 1)

    def rows(self, node: Rows) -> Positions:
        """The positions of a row set, in table order."""
        found = self._rows.get(node)
        if found is None:
            found = self._rows[node] = self._compute_rows(node)
        return found

    def _compute_rows(self, node: Rows) -> Positions:
        if isinstance(node, All):
            return np.arange(self.data.row_count)
        base = self.rows(node.rows)
        if isinstance(node, Where):
            for cond in node.conds:
                base = base[self.mask(cond)[base]]
            return base
        if isinstance(node, Top):
            return self._top(node, base)
        if isinstance(node, Slice):
            return _slice(node, base)
        if isinstance(node, Once):
            first, _ = _numbered([self.encoded(key) for key in node.keys], base)
            return np.sort(first)
        moved = np.setdiff1d(base + node.by, base)
        return moved[(moved >= 0) & (moved < self.data.row_count)]

    def mask(self, cond: Cond) -> Mask:
        """Which rows of the table satisfy a condition."""
        found = self._masks.get(cond)
        if found is None:
            found = self._masks[cond] = self._compute_mask(cond)
        return found

    def _compute_mask(self, cond: Cond) -> Mask:
        if isinstance(cond, Not):
            return ~self.mask(cond.cond)
        if isinstance(cond, AnyOf):
            return np.asarray(np.logical_or.reduce([self.mask(c) for c in cond.conds]), bool)
        if isinstance(cond, NoneOf):
            codes = self.encoded(cond.key).codes
            return (codes >= 0) & ~np.isin(codes, codes[self.mask(cond.cond)])
        if isinstance(cond, In):
            column = self.data.columns[cond.col.index]
            flags = np.zeros(len(column.texts) + 1, bool)
            flags[column.codes_of(cond.texts)] = True
            return flags[column.codes]
        encoded = self.encoded(cond.col)
        if isinstance(cond, Shares):
            rows = self.rows(cond.rows)
            held = encoded.codes[rows]
            shared: Mask = np.isin(encoded.codes, held[held >= 0])
            if cond.others:
                shared[rows] = False
            return shared
        if isinstance(cond, Against):
            held = _COMPARE[cond.op](encoded.row_floats, self.encoded(cond.other).row_floats)
            return np.asarray(held, bool)
        if isinstance(cond, Beyond):
            bound = self.scalar(cond.bound)
            cond = Cmp(cond.col, cond.op, float("nan") if bound is None else bound)
        if isinstance(cond, Filled):
            return encoded.codes >= 0
        flags = np.append(_holds(cond, encoded), False)
        return flags[encoded.codes]

    def encoded(self, col: Col) -> Encoded:
        """The encoding of a column's facet."""
        return self.data.columns[col.index].encoded(col.facet)

    def _top(self, node: Top, base: Positions) -> Positions:
        keys = self.encoded(node.key).row_floats[base]
        filled = ~np.isnan(keys)
        base, keys = base[filled], keys[filled]
        signed = -keys if node.largest else keys
        if node.within is not None:
            return self._top_of_each(node, node.within, base, signed)
        if node.single:
            places = np.unique(signed)
            return base[signed == places[node.n - 1]] if len(places) >= node.n else base[:0]
        if len(base) <= node.n:
            return base
        cut = np.partition(signed, node.n - 1)[node.n - 1]
        best: Positions = base[signed <= cut]
        return best

    def _top_of_each(
        self, node: Top, within: Col, base: Positions, signed: npt.NDArray[np.float64]
    ) -> Positions:
        """The rows at the end of each group, in table order; rows of no group are at none."""
        groups = self.encoded(within).codes[base]
        kept = np.zeros(len(base), bool)
        for group in np.unique(groups[groups >= 0]).tolist():
            inside = np.flatnonzero(groups == group)
            cut = np.sort(signed[inside])[min(node.n, len(inside)) - 1]
            kept[inside[signed[inside] <= cut]] = True
        return base[kept]

    def _values(self, tree: Values) -> Denotation:
        rows = self.rows(tree.rows)
        cols = tree.cols or tuple(Col(i) for i in range(len(self.data.columns)))
        if tree.order is not None:
            keys = self.encoded(tree.order).row_ranks[rows]
            keys = np.where(keys < 0, np.iinfo(np.int64).max, -keys if tree.descending else keys)
            rows = rows[np.argsort(keys, kind="stable")]
        if not tree.distinct:
            shown = rows[:MAX_SHOWN]
            columns = [self._cells(self.encoded(col), shown) for col in cols]
            return Denotation(tuple(zip(*columns, strict=True)), len(rows))
        if len(cols) == 1:
            return self._distinct_values(self.encoded(cols[0]), rows)
        columns = [self._cells(self.encoded(col), rows) for col in cols]
        unique = dict.fromkeys(zip(*columns, strict=True))
        return Denotation(tuple(unique)[:MAX_SHOWN], len(unique))

    @staticmethod
    def _distinct_values(encoded: Encoded, rows: Positions) -> Denotation:
        present = np.bincount(encoded.codes[rows] + 1, minlength=1).nonzero()[0] - 1
        values = (*encoded.values, None)
        shown = tuple((values[code],) for code in present[:MAX_SHOWN].tolist())
        return Denotation(shown, len(present))

    @staticmethod
    def _cells(encoded: Encoded, rows: Positions) -> list[Cell]:
        values = (*encoded.values, None)
        return [values[code] for code in encoded.codes[rows].tolist()]

    def scalar(self, node: Scalar) -> float | None:
        """A number, or None where there is none."""
        if node not in self._scalars:
            self._scalars[node] = self._compute_scalar(node)
        return self._scalars[node]

    def _compute_scalar(self, node: Scalar) -> float | None:
        if isinstance(node, Number):
            return node.value
        if isinstance(node, Values):
            floats = self.encoded(node.cols[0]).row_floats[self.rows(node.rows)]
            return float(floats[0]) if len(floats) == 1 and floats[0] == floats[0] else None
        if isinstance(node, Arith):
            left, right = self.scalar(node.left), self.scalar(node.right)
            return None if left is None or right is None else _arith(node.op, left, right)
        if node.fn in ("max", "min"):
            value = as_float(self._extreme(node))
            return None if value != value else value
        return self._aggregate(node.fn, node.col, self.rows(node.rows))

    def _extreme(self, node: Agg) -> Cell:
        assert node.col is not None
        encoded = self.encoded(node.col)
        codes = encoded.codes[self.rows(node.rows)]
        codes = np.unique(codes[codes >= 0])
        if not len(codes):
            return None
        floats = encoded.floats[codes]
        if np.isnan(floats).all():
            return None
        pick = int(np.nanargmax(floats) if node.fn == "max" else np.nanargmin(floats))
        return encoded.values[int(codes[pick])]

    def _aggregate(self, fn: str, col: Col | None, rows: Positions) -> float | None:
        if col is None:
            return len(rows)
        encoded = self.encoded(col)
        if fn in ("distinct", "filled"):
            codes = encoded.codes[rows]
            codes = codes[codes >= 0]
            return _different(codes, len(encoded.values)) if fn == "distinct" else len(codes)
        floats = encoded.row_floats[rows]
        floats = floats[~np.isnan(floats)]
        if not len(floats):
            return None
        return as_float(_AGGREGATES[fn](floats))

    def _grouped(self, tree: Grouped) -> Denotation:
        groups = self._groups(tree)
        bounds = list(enumerate(tree.having))
        kept = [g for g in groups if all(_meets(g[1][i], op, n) for i, (op, n) in bounds)]
        if tree.largest is not None:
            if tree.n is not None:
                kept = [g for g in kept if g[1][0] is not None]
            kept.sort(key=lambda g: _rank(g[1][0], down=bool(tree.largest)))
            if tree.n is not None and len(kept) > tree.n:
                cut = kept[tree.n - 1][1][0]
                kept = kept[: tree.n] + [g for g in kept[tree.n :] if g[1][0] == cut]
        rows = tuple(
            (*(key if tree.show_keys else ()), *(rest if tree.show else ())) for key, rest in kept
        )
        return Denotation(rows[:MAX_SHOWN], len(rows))

    def _groups(self, tree: Grouped) -> list[Group]:
        rows = self.rows(tree.rows)
        encodings = [self.encoded(key) for key in tree.keys]
        if len(tree.keys) == 1:
            filled = encodings[0].codes[rows] >= 0 if tree.of_filled else None
            rows = rows if filled is None else rows[filled]
        if not tree.keys:
            one = np.zeros(len(rows), np.int64)
            return [((), tuple(self._measure(m, rows, one, 1)[0] for m in tree.measures))]
        first, inverse = _numbered(encodings, rows)
        measures = [self._measure(m, rows, inverse, len(first)) for m in tree.measures]
        cut = len(first) > MAX_SHOWN and not tree.having
        if cut and tree.n is not None and tree.largest is not None:
            kept = _at_end(measures[0], tree.n, largest=tree.largest)
            measures = [[cells[i] for i in kept] for cells in measures]
            first = first[kept]
        keys = [self._cells(encoding, first) for encoding in encodings]
        return [
            (tuple(key), tuple(m[i] for m in measures))
            for i, key in enumerate(zip(*keys, strict=True))
        ]

    def _measure(
        self, measure: Measure, rows: Positions, inverse: Positions, groups: int
    ) -> list[Cell]:
        if measure.fn == "share":
            part = replace(measure, fn="count" if measure.col is None else "sum")
            amounts = [as_float(v) for v in self._measure(part, rows, inverse, groups)]
            whole = float(np.nansum(amounts))
            return [None if a != a or not whole else 100.0 * a / whole for a in amounts]
        if measure.col is None:
            return list(np.bincount(inverse, minlength=groups).tolist())
        if measure.fn in ("sum", "mean"):
            return self._group_sums(measure, rows, inverse, groups)
        order = np.argsort(inverse, kind="stable")
        bounds = np.searchsorted(inverse[order], np.arange(1, groups))
        parts = np.split(rows[order], bounds)
        if measure.fn in ("max", "min"):
            return [self._group_extreme(measure, part) for part in parts]
        return [self._aggregate(measure.fn, measure.col, part) for part in parts]

    def _group_sums(
        self, measure: Measure, rows: Positions, inverse: Positions, groups: int
    ) -> list[Cell]:
        assert measure.col is not None
        floats = self.encoded(measure.col).row_floats[rows]
        filled = ~np.isnan(floats)
        counts = np.bincount(inverse[filled], minlength=groups).tolist()
        sums = np.bincount(inverse[filled], floats[filled], minlength=groups).tolist()
        share = measure.fn == "mean"
        pairs = zip(sums, counts, strict=True)
        return [(s / c if share else s) if c else None for s, c in pairs]

    def _group_extreme(self, measure: Measure, rows: Positions) -> Cell:
        assert measure.col is not None
        encoded = self.encoded(measure.col)
        codes = encoded.codes[rows]
        codes = codes[codes >= 0]
        if not len(codes) or not encoded.ordered:
            return None
        floats = encoded.floats[codes]
        pick = int(np.nanargmax(floats) if measure.fn == "max" else np.nanargmin(floats))
        return encoded.values[int(codes[pick])]


def _different(codes: npt.NDArray[np.int32], values: int) -> int:
    """How many different codes there are: many are marked in a list of all, few are compared."""
    if 4 * len(codes) < values:
        return len(np.unique(codes))
    return int(np.count_nonzero(np.bincount(codes, minlength=1)))


def _at_end(measured: list[Cell], n: int, *, largest: bool) -> list[int]:
    """The groups that may be among the first `n`, with all that tie at the cut, in their order."""
    numbers = np.array([np.nan if cell is None else as_float(cell) for cell in measured])
    signed = np.where(np.isnan(numbers), np.inf, -numbers if largest else numbers)
    kept = signed <= np.partition(signed, min(n, len(signed)) - 1)[min(n, len(signed)) - 1]
    return np.flatnonzero(kept).tolist()


def _numbered(encodings: Sequence[Encoded], rows: Positions) -> tuple[Positions, Positions]:
    """For each group a row of it, and for each row its group's number."""
    code = np.zeros(len(rows), np.int64)
    size = 1
    for encoding in encodings:
        code = code * (len(encoding.values) + 1) + encoding.codes[rows] + 1
        size *= len(encoding.values) + 1
    if size > 4 * len(rows) + 1000:
        _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
        return rows[first], inverse
    row_of = np.full(size, -1, np.int64)
    row_of[code[::-1]] = rows[::-1]
    present = (row_of >= 0).nonzero()[0]
    number = np.zeros(size, np.int64)
    number[present] = np.arange(len(present))
    return row_of[present], number[code]


def _slice(node: Slice, base: Positions) -> Positions:
    if node.single:
        if len(base) < node.n:
            return base[:0]
        at = len(base) - node.n if node.from_end else node.n - 1
        return base[at : at + 1]
    return base[max(0, len(base) - node.n) :] if node.from_end else base[: node.n]


def _holds(cond: Cmp | Within, encoded: Encoded) -> Mask:
    if isinstance(cond, Within):
        low, high = as_float(cond.low), as_float(cond.high)
        top = encoded.floats <= high if cond.closed else encoded.floats < high
        return (encoded.floats >= low) & top
    if isinstance(cond.bound, str):
        equal = np.array([value == cond.bound for value in encoded.values], bool)
        return equal if cond.op == "=" else ~equal
    return np.asarray(_COMPARE[cond.op](encoded.floats, as_float(cond.bound)), bool)


def _rank(value: Cell, *, down: bool) -> tuple[bool, float]:
    """The place of a measure in a ranking; a group without one comes last."""
    number = 0.0 if value is None else as_float(value)
    return value is None, -number if down else number


def _meets(value: Cell, op: str, bound: float) -> bool:
    return value is not None and bool(_COMPARE[op](as_float(value), bound))


def _arith(op: str, left: float, right: float) -> float | None:
    if op in ("/", "%"):
        return None if right == 0 else left / right * (100.0 if op == "%" else 1.0)
    return {"-": left - right, "|-|": abs(left - right), "+": left + right}[op]


_COMPARE = {
    "=": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
_AGGREGATES: dict[str, Callable[[npt.NDArray[np.float64]], object]] = {
    "sum": np.sum,
    "mean": np.mean,
    "median": np.median,
}
