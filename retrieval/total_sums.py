"""Rows whose numbers sum those of the rows next to them, to more digits than chance allows.

Takes the table's numbers and what labels tell; sums of sums are followed. No label is read here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from retrieval.total_numbers import Numbers

LONGEST_RUN = 400
"""Rows that one total is tried against."""

_PLAIN_BITS = 3.0
"""Decimal digits of agreement asked of an unlabelled row, beyond what the number of tries asks."""

_LABELLED_BITS = 0.3

CERTAIN_BITS = 15.0
"""Agreement in columns that do not depend on each other, past which no record adds up by chance."""


@dataclass(frozen=True)
class Labels:
    """What the rows' labels tell of totals."""

    named: Mapping[int, bool]
    """Rows whose label speaks of one; True where it says little else."""
    groups: Mapping[int, int] = field(default_factory=dict)
    """Rows that close a group, with its first row."""


def all_sums(
    numbers: Numbers, labels: Labels, known: set[int], everywhere: bool
) -> dict[int, float]:
    """Rows that sum the rows above, and of the others those that sum the rows below."""
    sums: dict[int, float] = {}
    for below in (False, True):
        sums |= _sums(numbers, labels, {*known, *sums}, below, everywhere)
    return sums


def heads_over(numbers: Numbers, totals: Sequence[int], known: Collection[int]) -> dict[int, float]:
    """Rows that sum those right below them, where they leave no row out and the one of `totals`
    sums them all: as in a pivot table that sets the groups above their rows.
    """
    whole = [row for row in totals if row not in known]
    rows = [r for r in range(len(numbers.values)) if r not in known and r not in totals]
    if len(whole) != 1 or len(rows) < 4 or len(rows) > LONGEST_RUN:
        return {}
    heads = _covering(numbers, rows)
    target = numbers.values[whole[0]]
    told = ~np.isnan(target)
    sums = np.nansum(numbers.values[heads][:, told], axis=0) if heads else np.zeros(told.sum())
    slack = numbers.slack[[*heads, whole[0]]][:, told].sum(axis=0) + 1e-9
    if len(heads) < 2 or not told.any() or (np.abs(sums - target[told]) > slack).any():
        return {}
    return dict.fromkeys((*heads, whole[0]), CERTAIN_BITS)


def _covering(numbers: Numbers, rows: Sequence[int]) -> list[int]:
    """The heads of runs that cover all rows, each the sum of the rest of its run; [] if none do."""
    values = np.nan_to_num(numbers.values[list(rows)])
    slack = numbers.slack[list(rows)]
    after: dict[int, list[int] | None] = {len(rows): []}
    for place in range(len(rows) - 2, -1, -1):
        sums = np.cumsum(values[place + 1 :], axis=0)
        bound = np.cumsum(slack[place + 1 :], axis=0) + slack[place] + 1e-9
        fits = np.flatnonzero((np.abs(sums - values[place]) <= bound).all(axis=1))
        ends = [place + 2 + int(length) for length in fits]
        rest = next((after[end] for end in ends if after.get(end) is not None), None)
        after[place] = None if rest is None else [rows[place], *rest]
    return after.get(0) or []


def _sums(
    numbers: Numbers, labels: Labels, known: set[int], below: bool, everywhere: bool
) -> dict[int, float]:
    """Rows that sum the rows above them (or `below` them), with the digits that agree.

    Walks the rows with a stack of those that no total has taken in yet: a total takes its run off
    the stack and stands for it. One that closes a group takes that, whether it adds up or not.
    """
    count = len(numbers.values)
    order = range(count - 1, -1, -1) if below else range(count)
    stack: list[int] = []
    found: dict[int, float] = {}
    for row in order:
        if row in known:
            continue
        named = row in labels.named
        if everywhere or named:
            run, bits = matching_run(numbers, row, stack[-LONGEST_RUN:][::-1], named)
            if row in labels.groups and not below:
                members = sum(member >= labels.groups[row] for member in stack)
                if members == 1 and _equal(numbers, row, stack[-1]):
                    bits = _LABELLED_BITS
                run = members
            if bits:
                found[row] = bits
            if run:
                del stack[-run:]
        stack.append(row)
    return found


def _equal(numbers: Numbers, row: int, other: int) -> bool:
    told = ~np.isnan(numbers.values[row])
    return bool(told.any() and (numbers.values[row] == numbers.values[other])[told].all())


def matching_run(
    numbers: Numbers, row: int, run: Sequence[int], labelled: bool
) -> tuple[int, float]:
    """How many rows of `run`, from its first on, `row` sums, and in how many digits; 0 if none.

    `labelled`: the row's label speaks of a total.
    """
    target = numbers.values[row]
    told = ~np.isnan(target)
    if len(run) < 2 or not told.any():
        return 0, 0.0
    rows = list(run)
    values = numbers.values[rows][:, told]
    sums = np.cumsum(np.nan_to_num(values), axis=0)
    addends = np.cumsum((values != 0) & ~np.isnan(values), axis=0)
    slack = np.cumsum(numbers.slack[rows][:, told], axis=0) + numbers.slack[row][told]
    slack = np.minimum(slack, 0.005 * np.abs(target[told]) + numbers.slack[row][told] * 2.5)
    fits = (np.abs(sums - target[told]) <= slack + 1e-9) & (addends > 1)
    span = np.log10(np.maximum(np.abs(target[told]), 1e-12) / np.maximum(slack, 1e-12))
    digits = np.clip(span, 0, numbers.digits[row][told])
    bits = np.where(fits, digits, 0).sum(axis=1)
    comparable = (addends > 1).sum(axis=1)
    enough = fits.sum(axis=1) * 2 >= comparable if labelled else fits.sum(axis=1) * 2 > comparable
    asked = _LABELLED_BITS if labelled else _PLAIN_BITS + np.log10(len(rows))
    good = np.flatnonzero(enough & (bits >= asked))
    if not len(good):
        return 0, 0.0
    length = int(good[np.argmax(bits[good])]) + 1
    whole = np.where(sums[length - 1] == 0, 1, sums[length - 1])
    own = _independent(np.nan_to_num(values[:length]) / whole, fits[length - 1])
    agreed = float(digits[length - 1][own].sum())
    return (length, agreed) if agreed >= asked else (0, 0.0)


def _independent(
    shares: npt.NDArray[np.float64], fits: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int64]:
    """The matching columns whose addends are not those of another one times a factor."""
    kept: list[int] = []
    for column in np.flatnonzero(fits).tolist():
        if all(np.abs(shares[:, column] - shares[:, other]).max() > 1e-3 for other in kept):
            kept.append(column)
    return np.array(kept, np.int64)
