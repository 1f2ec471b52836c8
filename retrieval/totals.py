"""Which rows sum others: found by arithmetic and label together.

A row is a total where its numbers are the sums of the rows next to it, above or below, in more
columns and to more digits than chance allows; a label that says "total" lowers what is asked. Sums
of sums are followed: rows that one total took in count through it in the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from retrieval.table import EMPTY, NUMERIC, TEMPORAL, Column, Kind

_ALL = (
    r"(?:sub-?\s?|grand\s+)?totals?|sum|overall|all|gesamt|summe|insgesamt|totaux|totale|celkem"
    r"|итого|всего|合计|总计|小计|合計|小計"
)
_TOTAL = re.compile(_ALL, re.I)
_SET_OFF = re.compile(r"^totals?\s*[,:(]|,\s*totals?$", re.I)
_ANY = re.compile(_ALL, re.I)
_MEAN = re.compile(r"(?:overall\s+)?(?:averages?|avg|means?|medians?|durchschnitt)", re.I)
_MARKS = re.compile(r"\s*(?:\\\d|\(\w\)|\[\w+\]|[*†‡:.\d]+)+$")
"""Footnote marks after a label."""

_TOTAL_WITHIN = re.compile(
    r"\b(?:sub-?\s?)?(?:totals?|итого|всего)\b|合计|总计|小计|合計|小計", re.I
)

LARGEST = 3_000
"""Tables of more rows are searched for labelled totals alone."""

LONGEST_RUN = 400
"""Rows that one total is tried against."""

_PLAIN_BITS = 3.0
"""Decimal digits of agreement asked of an unlabelled row, beyond what the number of tries asks."""

_LABELLED_BITS = 0.3

_CERTAIN_BITS = 15.0
"""Agreement in columns that do not depend on each other, past which no record adds up by chance."""


@dataclass(frozen=True)
class TotalRow:
    """A row that sums others."""

    row: int
    checked: bool
    """Whether its numbers add up; else its label alone says so."""


@dataclass(frozen=True)
class _Numbers:
    """The additive columns as arrays of shape (rows, columns); missing cells are NaN."""

    values: npt.NDArray[np.float64]
    slack: npt.NDArray[np.float64]
    """What rounding may add to each cell: half of its last printed place."""
    digits: npt.NDArray[np.float64]
    """Significant digits of each cell: 2 for 25,000."""


def find_totals(
    columns: Sequence[Column], labels: Sequence[int], *, records: bool = False
) -> list[TotalRow]:
    """The rows that sum others.

    Args:
        columns: the table's columns, typed.
        labels: the columns whose text may name a total.
        records: the rows are records of a database or the like: only a label makes one a total.
    """
    numeric = [c for c in columns if c.type.kind in NUMERIC and not _years(c)]
    if not numeric:
        return []
    named = _labelled(columns, labels)
    unnamed = _unnamed(columns, labels)
    if unnamed is not None and not records:
        named[unnamed] = False
    rows = len(columns[0].codes)
    everywhere = rows <= LARGEST and not records
    if not everywhere and not named:
        return []
    numbers = _numbers(numeric, rows)
    middle = _means(_rows_named(columns, labels, _MEAN), named, numbers)
    ends = {*middle, *named}
    means = {row: right for row, right in middle.items() if right or _closes(columns, row, ends)}
    sums: dict[int, float] = {}
    for below in (False, True):
        sums |= _sums(numbers, named, {*means, *sums}, below, everywhere)
    found = {*means, *sums}
    plain = {row for row in sums.keys() - named.keys() if sums[row] < _CERTAIN_BITS}
    found -= {row for row in plain if _is_record(columns, row, found)}
    exact = {row for row, plain in named.items() if plain}
    loose = {row for row in exact if _closes(columns, row, exact | found)} | means.keys()
    checked = found - {row for row, right in means.items() if not right}
    return [TotalRow(row, row in checked) for row in sorted(found | loose)]


def _closes(columns: Sequence[Column], row: int, totals: set[int]) -> bool:
    """Whether a row opens or closes the table or its section, beside other totals if any: a
    product that is called "Total" stands anywhere.
    """
    count = len(columns[0].codes)
    sections = [column.codes for column in columns if column.derived]

    def reaches_end(step: int) -> bool:
        place = row
        while 0 <= place + step < count and place + step in totals:
            place += step
        beyond = place + step
        return not 0 <= beyond < count or any(c[beyond] != c[place] for c in sections)

    return reaches_end(1) or reaches_end(-1)


def _means(rows: Sequence[int], named: Mapping[int, bool], numbers: _Numbers) -> dict[int, bool]:
    """Whether each of these rows is the mean or median of the rows that are no totals."""
    found: dict[int, bool] = {}
    others = np.delete(numbers.values, sorted({*rows, *named}), axis=0)
    for row in rows:
        told = ~np.isnan(numbers.values[row]) & (~np.isnan(others)).any(axis=0)
        if not told.any():
            continue
        slack = numbers.slack[row][told] + 1e-9
        near = [
            np.abs(middle(others[:, told], axis=0) - numbers.values[row][told]) <= slack
            for middle in (np.nanmean, np.nanmedian)
        ]
        found[row] = bool((near[0] | near[1]).mean() > 0.5)
    return found


def _rows_named(
    columns: Sequence[Column], labels: Sequence[int], pattern: re.Pattern[str]
) -> list[int]:
    """Rows whose label is nothing but what the pattern tells."""
    rows: set[int] = set()
    for index in labels:
        column = columns[index]
        for code, text in enumerate(column.texts):
            if pattern.fullmatch(_MARKS.sub("", text).strip(" -–:")):
                rows |= set(np.flatnonzero(column.codes == code).tolist())
    return sorted(rows)


def _is_record(columns: Sequence[Column], row: int, found: set[int]) -> bool:
    """Whether a row says of itself what a record does: its number, its moment, all its words.

    Columns that depend on each other (quantity and amount) add up together by chance; a total has
    no order number, and shares no word with other rows but its label with other totals.
    """
    words = [c for c in columns if c.type.kind not in NUMERIC and not c.derived]
    in_sections = any(c.derived for c in columns)
    repeated = any(_is_repeated(c, row, found) for c in (words[1:] if in_sections else words))
    if repeated and all(c.codes[row] != EMPTY for c in words):
        return True
    return any(c.codes[row] != EMPTY and _tells_records_apart(c) for c in columns)


def _is_repeated(column: Column, row: int, found: set[int]) -> bool:
    """Whether rows that sum nothing hold the row's text too."""
    code = int(column.codes[row])
    return code != EMPTY and not set(np.flatnonzero(column.codes == code).tolist()) <= found


def _tells_records_apart(column: Column) -> bool:
    """Dates, running numbers, or codes that are each there once."""
    if column.type.kind in TEMPORAL:
        return True
    if column.type.kind is Kind.INTEGER:
        return _runs(column)
    codes = (" " not in text and any(c.isdigit() for c in text) for text in column.texts)
    return column.type.kind is Kind.TEXT and int(column.counts.max(initial=0)) == 1 and all(codes)


def _runs(column: Column) -> bool:
    """Whole numbers in even steps."""
    forms = column.texts if column.canonical is None else column.canonical
    told = [int(form) for code in column.codes.tolist() if code != EMPTY and (form := forms[code])]
    steps = set(np.diff(told).tolist())
    return len(told) > 2 and len(steps) == 1 and steps != {0}


def _years(column: Column) -> bool:
    return all(
        len(text) == 4 and text.isdigit() and text[:2] in ("18", "19", "20", "21")
        for text in column.texts
    )


def _labelled(columns: Sequence[Column], labels: Sequence[int]) -> dict[int, bool]:
    """Rows whose label speaks of a total: True where it says little else ("Total", "US, total")."""
    found: dict[int, bool] = {}
    for index in labels:
        column = columns[index]
        if _ANY.search("\n".join(column.texts)) is None:
            continue
        for code, text in enumerate(column.texts):
            label = _MARKS.sub("", text).strip(" -–:")
            plain = _TOTAL.fullmatch(label) is not None or _SET_OFF.search(label) is not None
            if plain or _TOTAL_WITHIN.search(label):
                for row in np.flatnonzero(column.codes == code).tolist():
                    found[row] = found.get(row, False) or plain
    return found


def _unnamed(columns: Sequence[Column], labels: Sequence[int]) -> int | None:
    """The last row, where it alone has no label at all."""
    if not labels:
        return None
    empty = np.logical_and.reduce([columns[index].codes == EMPTY for index in labels])
    last = len(empty) - 1
    return last if last > 1 and empty[last] and empty.sum() == 1 else None


def _numbers(columns: Sequence[Column], rows: int) -> _Numbers:
    arrays = [np.full((rows, len(columns)), np.nan) for _ in range(3)]
    for index, column in enumerate(columns):
        forms = column.texts if column.canonical is None else column.canonical
        told = [form for form in forms if form is not None]
        finest = max((len(_decimals(form).rstrip("0")) for form in told), default=0)
        slack = partial(_half_place, finest=finest)
        measures: tuple[Callable[[str], float], ...] = (float, slack, _significant)
        for array, measure in zip(arrays, measures, strict=True):
            of_text = [np.nan if form is None else measure(form) for form in forms]
            array[:, index] = np.array([*of_text, np.nan])[column.codes]
    return _Numbers(arrays[0], np.nan_to_num(arrays[1]), np.nan_to_num(arrays[2]))


def _decimals(form: str) -> str:
    return form.partition("e")[0].partition(".")[2]


def _half_place(form: str, finest: int) -> float:
    """Half of the last place printed, or of the finest place that the column uses."""
    places = min(len(_decimals(form)), finest)
    if "e" in form or places > 9:
        return abs(float(form)) * 1e-9
    return 0.5 * 10.0**-places


def _significant(form: str) -> int:
    return len(form.partition("e")[0].lstrip("-0.").replace(".", "").rstrip("0"))


def _sums(
    numbers: _Numbers, named: Mapping[int, bool], known: set[int], below: bool, everywhere: bool
) -> dict[int, float]:
    """Rows that sum the rows above them (or `below` them), with the digits that agree.

    Walks the rows with a stack of those that no total has taken in yet: a total takes its run off
    the stack and stands for it.
    """
    count = len(numbers.values)
    order = range(count - 1, -1, -1) if below else range(count)
    stack: list[int] = []
    found: dict[int, float] = {}
    for row in order:
        if row in known:
            continue
        if everywhere or row in named:
            run, bits = _matching_run(numbers, row, stack[-LONGEST_RUN:][::-1], row in named)
            if run:
                found[row] = bits
                del stack[-run:]
        stack.append(row)
    return found


def _matching_run(
    numbers: _Numbers, row: int, run: Sequence[int], labelled: bool
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
