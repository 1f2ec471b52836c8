"""Rows called by a figure (mean, highest, count) that state it of the other rows to the digit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.total_numbers import Numbers


def means_among(
    rows: Sequence[int], figures: Collection[int], named: Collection[int], numbers: Numbers
) -> dict[int, bool]:
    """Whether each of these rows is the mean or median of the rows that state no figure."""
    others = (
        np.delete(numbers.values, sorted({*without, *named}), axis=0) for without in (rows, figures)
    )
    found: dict[int, bool] = {}
    for values in others:
        for row in rows:
            right = [_states(numbers, row, values, middle) for middle in (np.nanmean, np.nanmedian)]
            found[row] = found.get(row, False) or any(right)
    return found


def beside_means(
    figures: Mapping[int, str], known: Collection[int], numbers: Numbers
) -> dict[int, bool]:
    """Rows next to a mean or total that state the highest, the lowest, the deviation or the count
    of the rows above, to the digit: a record may well be called Max.
    """
    others = np.delete(numbers.values, sorted({*figures, *known}), axis=0)
    reached, found = set(known), dict[int, bool]()
    while True:
        near = [
            row
            for row in figures.keys() - reached
            if reached & {row - 1, row + 1}
            and any(_states(numbers, row, others, figure) for figure in _FIGURES[figures[row]])
        ]
        if not near:
            return found
        reached |= set(near)
        found |= dict.fromkeys(near, True)


def alone_at_end(
    figures: Mapping[int, str], known: Collection[int], numbers: Numbers
) -> dict[int, bool]:
    """Rows that end a table and state the highest, the lowest, the deviation or the count of the
    others without a mean beside them: in several columns, and no one row's own numbers, as a
    record that is called Max and leads its table would.
    """
    others = np.delete(numbers.values, sorted({*figures, *known}), axis=0)
    return {
        row: True
        for row, name in figures.items()
        if row not in known
        and any(_states(numbers, row, others, figure) for figure in _FIGURES[name])
        and np.sum(~np.isnan(numbers.values[row])) > 1
        and not _holds_row(others, numbers.values[row])
    }


def _holds_row(others: npt.NDArray[np.float64], row: npt.NDArray[np.float64]) -> bool:
    """Whether one of the rows has all the numbers of `row`."""
    return bool((np.isclose(others, row) | np.isnan(row)).all(axis=1).any())


def _count(values: npt.NDArray[np.float64], axis: int) -> npt.NDArray[np.float64]:
    counts: npt.NDArray[np.float64] = np.sum(~np.isnan(values), axis=axis, dtype=np.float64)
    return counts


_Figure = Callable[..., Any]
_FIGURES: Mapping[str, tuple[_Figure, ...]] = {
    "mean": (),
    "max": (np.nanmax,),
    "min": (np.nanmin,),
    "deviation": (np.nanstd, partial(np.nanstd, ddof=1)),
    "count": (_count,),
}


def states_any(numbers: Numbers, row: int, rows: Sequence[int]) -> bool:
    """Whether a row's numbers are the sum, the mean or another figure of these rows."""
    others = numbers.values[list(rows)]
    figures: tuple[_Figure, ...] = (
        np.nansum,
        np.nanmean,
        np.nanmedian,
        *(f for fs in _FIGURES.values() for f in fs),
    )
    return len(others) > 0 and any(_states(numbers, row, others, figure) for figure in figures)


def _states(numbers: Numbers, row: int, others: npt.NDArray[np.float64], figure: _Figure) -> bool:
    """Whether a row's numbers are the figure of the others, in more than half of its columns."""
    told = ~np.isnan(numbers.values[row]) & ((~np.isnan(others)).sum(axis=0) > 1)
    if not told.any():
        return False
    slack = numbers.places[row][told] + 1e-9
    near = np.abs(figure(others[:, told], axis=0) - numbers.values[row][told]) <= slack
    return bool(near.mean() > 0.5)
