"""The numbers of a table as arrays, with how exactly each of them is printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import gcd

import numpy as np
import numpy.typing as npt

from retrieval.table import NUMERIC, Column

_FEWEST_ROUNDED = 4
"""Distinct whole numbers that are not all multiples of five by chance."""


@dataclass(frozen=True)
class Numbers:
    """The additive columns as arrays of shape (rows, columns); missing cells are NaN."""

    values: npt.NDArray[np.float64]
    places: npt.NDArray[np.float64]
    """Half of each cell's last printed place."""
    slack: npt.NDArray[np.float64]
    """What rounding may add to each cell: that, or half of what its column is rounded to."""
    digits: npt.NDArray[np.float64]
    """Significant digits of each cell: 2 for 25,000."""


def numbers_of(columns: Sequence[Column], rows: int) -> Numbers:
    """The numbers of these columns of so many rows."""
    arrays = [np.full((rows, len(columns)), np.nan) for _ in range(4)]
    for index, column in enumerate(columns):
        forms = column.texts if column.canonical is None else column.canonical
        told = [form for form in forms if form is not None]
        finest = max((len(_decimals(form).rstrip("0")) for form in told), default=0)
        whole = finest == 0 and column.type.kind in NUMERIC
        places = partial(_half_place, finest=finest)
        slack = partial(_half_place, finest=finest, step=_step(told) if whole else 1)
        measures: tuple[Callable[[str], float], ...] = (_amount, places, slack, _significant)
        for array, measure in zip(arrays, measures, strict=True):
            of_text = [np.nan if form is None else measure(form) for form in forms]
            array[:, index] = np.array([*of_text, np.nan])[column.codes]
    return Numbers(arrays[0], *map(np.nan_to_num, arrays[1:]))


def _amount(form: str) -> float:
    """A canonical number; a time of day as its seconds."""
    if ":" not in form:
        return float(form)
    hours, minutes, seconds = form.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def _decimals(form: str) -> str:
    return form.partition("e")[0].partition(".")[2]


def _step(forms: Sequence[str]) -> int:
    """What all whole numbers of a column are rounded to: 5, 10, 1000; 1 where they are not."""
    numbers = [abs(int(form.partition(".")[0])) for form in forms if "e" not in form]
    step = gcd(*numbers)
    return step if step % 5 == 0 and len(numbers) >= _FEWEST_ROUNDED else 1


def _half_place(form: str, finest: int, step: int = 1) -> float:
    """Half of the last place printed, of the finest place that the column uses, or of what all its
    numbers are rounded to.
    """
    if step > 1:
        return step / 2
    places = min(len(_decimals(form)), finest)
    if "e" in form or places > 9:
        return abs(float(form)) * 1e-9
    return 0.5 * 10.0**-places


def _significant(form: str) -> int:
    return len(form.partition("e")[0].lstrip("-0.").replace(".", "").rstrip("0"))
