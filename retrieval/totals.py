"""Which rows sum others: found by arithmetic and label together.

A row is a total where its numbers are the sums of the rows next to it, above or below, in more
columns and to more digits than chance allows; a label that says "total" lowers what is asked. Sums
of sums are followed: rows that one total took in count through it in the next. A label may stand in
a column of any kind: words in the date column of a bank statement are one. A row that states a
balance ("Closing balance") is no record either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import gcd
from typing import Any

import numpy as np
import numpy.typing as npt

from retrieval.table import EMPTY, NUMERIC, TEMPORAL, Column, Kind
from retrieval.total_labels import (
    BALANCE_START,
    STATISTIC_START,
    TOTAL_SIGNS,
    TOTAL_START,
    beside_total,
    group_of,
    is_balance,
    is_carried,
    is_total,
    names_things,
    speaks_of_total,
    states_balance,
    statistic,
)

LONGEST_LABEL = 160
"""A text of this many characters or more is prose: it names no row."""

_WORD = re.compile(r"[^\W\d_]{3}")

LARGEST = 3_000
"""Tables of more rows are searched for labelled totals alone."""

LONGEST_RUN = 400
"""Rows that one total is tried against."""

_LONGEST_TAIL = 6
"""Lines of net, tax and gross that an invoice may end with."""

_FEWEST_ROUNDED = 4
"""Distinct whole numbers that are not all multiples of five by chance."""

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
    balance: bool = False
    """Whether it states a balance, a bound, a part of a total or its change, and sums no rows."""


@dataclass(frozen=True)
class _Numbers:
    """The additive columns as arrays of shape (rows, columns); missing cells are NaN."""

    values: npt.NDArray[np.float64]
    places: npt.NDArray[np.float64]
    """Half of each cell's last printed place."""
    slack: npt.NDArray[np.float64]
    """What rounding may add to each cell: that, or half of what its column is rounded to."""
    digits: npt.NDArray[np.float64]
    """Significant digits of each cell: 2 for 25,000."""


def find_totals(
    columns: Sequence[Column], labels: Sequence[int], *, records: bool = False
) -> list[TotalRow]:
    """The rows that sum others or state a balance.

    Args:
        columns: the table's columns, typed.
        labels: the columns whose words may name a total: text, and dates or numbers that are mixed
            with words.
        records: the rows are records of a database or the like: only a label makes one a total.
    """
    numeric = [c for c in columns if c.type.kind in NUMERIC and not _years(c)]
    times = [] if numeric else [c for c in columns if c.type.kind is Kind.TIME]
    if not numeric and not times:
        return []
    begun = _Begun.of(columns, labels)
    named = _labelled(columns, begun.like(TOTAL_START, TOTAL_SIGNS))
    unnamed = _unnamed(columns, labels)
    if unnamed is not None and not records:
        named.setdefault(unnamed, False)
    rows = len(columns[0].codes)
    everywhere = rows <= LARGEST and not records and not times
    balances = _balances(columns, begun.like(BALANCE_START, "target"), named.keys())
    if not everywhere and not named and not balances:
        return []
    numbers = _numbers(numeric or times, rows)
    groups = _groups(columns, range(rows) if everywhere else named)
    tail = _open_tail(columns, numbers) if everywhere else set()
    named |= dict.fromkeys(groups, True) | dict.fromkeys(tail, True)
    figures = _figures(columns, begun.like(STATISTIC_START))
    called_mean = [row for row, name in figures.items() if name == "mean"]
    middle = _means(called_mean, figures, named, numbers)
    ends = {*middle, *named, *balances}
    plain_words = {row for row in called_mean if not _named_like_things(columns, row)}
    means = {
        row: right
        for row, right in middle.items()
        if right or (row in plain_words and _closes(columns, row, ends))
    }
    means |= _beside(figures, {*means, *named}, numbers)
    known = {*means, *balances} - groups.keys()
    sums = _all_sums(numbers, _Labels(named, groups), known, everywhere)
    open_rows = _open_labels(columns, labels) - known - named.keys() if everywhere else set()
    if len(open_rows) > 1:
        wider = {**dict.fromkeys(open_rows, False), **named}
        trial = _all_sums(numbers, _Labels(wider, groups), known, everywhere)
        if open_rows <= trial.keys():
            named, sums = wider, trial
    if everywhere:
        sure = [row for row, plain in named.items() if plain]
        sums |= _heads(numbers, sure, known | (sums.keys() & named.keys() - set(sure)))
    found = {*means, *sums}
    plain = {row for row in sums.keys() - named.keys() if sums[row] < _CERTAIN_BITS}
    found -= {row for row in plain if _is_record(columns, row, found)}
    exact = {row for row, plain in named.items() if plain}
    out_of_kind = _out_of_kind(columns, labels)
    loose = {
        row
        for row in exact
        if row in out_of_kind or _closes(columns, row, exact | found | balances)
    }
    loose |= means.keys() | groups.keys() | tail
    checked = found - {row for row, right in means.items() if not right}
    closing = (checked & sums.keys() - groups.keys()) | (exact & loose)
    known = found | loose | balances
    after = set[int]() if records else _after_totals(columns, labels, closing, known)
    told = (balances | after) - checked
    return [TotalRow(row, row in checked, balance=row in told) for row in sorted(known | after)]


def _after_totals(
    columns: Sequence[Column],
    labels: Sequence[int],
    totals: Collection[int],
    known: Collection[int],
) -> set[int]:
    """Rows below a total that tell a part of it or how it compares, by their label; and the few
    rows below the last total that leave what describes a record open.
    """
    label = next((i for i in labels if columns[i].type.kind is Kind.TEXT), None)
    first_records = [row for row in range(len(columns[0].codes)) if row not in known][:2]
    totals = {row for row in totals if len(first_records) > 1 and row > first_records[1]}
    if label is None or not totals:
        return set()
    found: set[int] = set()
    for row in range(1, len(columns[0].codes)):
        below = row - 1 in found or row - 1 in totals
        if below and row not in known and beside_total(columns[label].text_at(row)):
            found.add(row)
    tail = range(max(totals) + 1, len(columns[0].codes))
    if len(tail) <= _LONGEST_TAIL and all(_is_bare(columns, r, label, shown=True) for r in tail):
        found |= {row for row in tail if row not in known}
    return found


@dataclass(frozen=True)
class _Labels:
    """What the rows' labels tell of totals."""

    named: Mapping[int, bool]
    """Rows whose label speaks of one; True where it says little else."""
    groups: Mapping[int, int] = field(default_factory=dict)
    """Rows that close a group, with its first row."""


def _all_sums(
    numbers: _Numbers, labels: _Labels, known: set[int], everywhere: bool
) -> dict[int, float]:
    """Rows that sum the rows above, and of the others those that sum the rows below."""
    sums: dict[int, float] = {}
    for below in (False, True):
        sums |= _sums(numbers, labels, {*known, *sums}, below, everywhere)
    return sums


def _heads(numbers: _Numbers, totals: Sequence[int], known: Collection[int]) -> dict[int, float]:
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
    return dict.fromkeys((*heads, whole[0]), _CERTAIN_BITS)


def _covering(numbers: _Numbers, rows: Sequence[int]) -> list[int]:
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


def _open_labels(columns: Sequence[Column], labels: Sequence[int]) -> set[int]:
    """Rows that leave the last of several label columns open which most rows fill: as subtotals
    do whose group's name stands in a column before.
    """
    texts = [index for index in labels if columns[index].type.kind is Kind.TEXT]
    if len(texts) < 2:
        return set()
    codes = columns[texts[-1]].codes
    rows = np.flatnonzero(codes == EMPTY)
    return set(rows.tolist()) if len(rows) * 2 < len(codes) else set()


def find_strays(columns: Sequence[Column], totals: set[int]) -> list[int]:
    """First and last rows that hold a word where all others have a date or a number, and nothing
    in the other descriptive columns: likely a summary that is called by a word unknown here.

    Args:
        columns: the table's columns, typed.
        totals: rows known to be no records.
    """
    if not columns or not columns[0].type.mixed:
        return []
    rows = [row for row in range(len(columns[0].codes)) if row not in totals]
    words = _out_of_kind(columns, [0]) - totals
    if len(rows) < 3 or not words <= {rows[0], rows[-1]}:
        return []
    return sorted(words)


def _label_texts(column: Column) -> list[tuple[int, str]]:
    """Code and text of each cell that may name its row: of dates and numbers, the words alone."""
    if column.type.kind is Kind.TEXT:
        return [(code, text) for code, text in enumerate(column.texts) if len(text) < LONGEST_LABEL]
    if not column.type.mixed or column.canonical is None:
        return []
    missing = column.type.missing
    return [
        (code, text)
        for code, (text, form) in enumerate(zip(column.texts, column.canonical, strict=True))
        if form is None and text not in missing and len(text) < LONGEST_LABEL
        if _WORD.match(text) or speaks_of_total(text)
    ]


@dataclass(frozen=True)
class _Begun:
    """How the texts of each column that may name rows begin, to pass over most columns at once."""

    columns: Sequence[Column]
    heads: Mapping[int, set[str]]

    @staticmethod
    def of(columns: Sequence[Column], labels: Sequence[int]) -> _Begun:
        heads = {index: {text[:4] for text in columns[index].texts} for index in labels}
        return _Begun(columns, {i: {head.casefold() for head in h} for i, h in heads.items()})

    def like(self, starts: str, signs: str = "") -> list[int]:
        """The columns with a text that begins like one of these, or holds one of `signs`; and
        those of numbers or dates among words, which are few.
        """
        begins = (*starts.split(), *" -–:")
        return [
            index
            for index, heads in self.heads.items()
            if self.columns[index].type.kind is not Kind.TEXT
            or any(head.startswith(begins) for head in heads)
            or _holds(self.columns[index], signs.split())
        ]


def _holds(column: Column, signs: Sequence[str]) -> bool:
    """Whether any text holds one of these."""
    joined = "\n".join(column.texts).casefold() if signs else ""
    return any(sign in joined for sign in signs)


def _label_rows(columns: Sequence[Column], index: int, codes: Sequence[int]) -> set[int]:
    """Rows of these labels. A word among numbers ("All" channels) names no row that has a name."""
    column = columns[index]
    rows = set(np.flatnonzero(np.isin(column.codes, codes)).tolist()) if codes else set()
    if column.type.kind is Kind.TEXT or index == 0:
        return rows
    return {row for row in rows if _is_bare(columns, row, index)}


def _out_of_kind(columns: Sequence[Column], labels: Sequence[int]) -> set[int]:
    """Rows that say little but words in a column of dates or numbers."""
    rows: set[int] = set()
    for index in labels:
        if columns[index].type.kind is not Kind.TEXT:
            words = _label_rows(columns, index, [code for code, _ in _label_texts(columns[index])])
            rows |= {row for row in words if _is_bare(columns, row, index)}
    return rows


def _is_bare(columns: Sequence[Column], row: int, label: int, *, shown: bool = False) -> bool:
    """Whether a row leaves most descriptive columns but its label's empty.

    A column that most rows leave empty says nothing; one before the label describes, whatever it
    holds. `shown`: there have to be such columns.
    """
    others = [
        column.codes[row] == EMPTY
        for index, column in enumerate(columns)
        if index != label
        and (column.type.kind not in NUMERIC or index < label)
        and not column.derived
        and (column.codes != EMPTY).mean() >= 0.5
    ]
    return sum(others) * 2 > len(others) if others else label == 0 and not shown


def _balances(columns: Sequence[Column], labels: Sequence[int], named: Collection[int]) -> set[int]:
    """Rows that state a balance: its word stands for a date or number, or heads or closes the
    table, beside the rows `named` totals if any, and the row says little else.

    A dated line that says which balance it states ("Opening balance") may have a type as well, and
    stand anywhere, as long as such lines are few.
    """
    found: set[int] = set()
    for index in labels:
        column = columns[index]
        codes = [code for code, text in _label_texts(column) if is_balance(text)]
        rows = _label_rows(columns, index, codes)
        carried = [code for code, text in _label_texts(column) if is_carried(text)]
        carried_rows = _label_rows(columns, index, carried)
        found |= {row for row in carried_rows if _is_bare(columns, row, index)}
        if column.type.kind is Kind.TEXT:
            ends = {row for row in rows if _closes(columns, row, {*rows, *named})}
            plain = {row for row in rows if states_balance(column.text_at(row))}
            plain = {row for row in plain if _is_dated(columns, row)}
            few = len(plain) * 4 <= len(column.codes)
            found |= plain if few else plain & ends
            found |= {row for row in ends if _is_bare(columns, row, index, shown=True)}
        else:
            found |= {row for row in rows if _is_bare(columns, row, index)}
    return found


def _is_dated(columns: Sequence[Column], row: int) -> bool:
    return any(c.type.kind in TEMPORAL and c.canonical_at(row) is not None for c in columns)


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


def _figures(columns: Sequence[Column], labels: Sequence[int]) -> dict[int, str]:
    """Rows that are called by the figure that they state, with its name.

    A row that has a name beside it is a record: a telescope of the category Media.
    """
    rows: dict[int, str] = {}
    for index in labels:
        column = columns[index]
        for code, text in _label_texts(column):
            if name := statistic(text):
                called = _label_rows(columns, index, [code])
                rows |= {row: name for row in called if _is_bare(columns, row, index)}
    return rows


def _named_like_things(columns: Sequence[Column], row: int) -> bool:
    return any(names_things(column.text_at(row)) for column in columns if not column.derived)


def _means(
    rows: Sequence[int], figures: Collection[int], named: Collection[int], numbers: _Numbers
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


def _beside(
    figures: Mapping[int, str], known: Collection[int], numbers: _Numbers
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


def _states(numbers: _Numbers, row: int, others: npt.NDArray[np.float64], figure: _Figure) -> bool:
    """Whether a row's numbers are the figure of the others, in more than half of its columns."""
    told = ~np.isnan(numbers.values[row]) & ((~np.isnan(others)).sum(axis=0) > 1)
    if not told.any():
        return False
    slack = numbers.places[row][told] + 1e-9
    near = np.abs(figure(others[:, told], axis=0) - numbers.values[row][told]) <= slack
    return bool(near.mean() > 0.5)


def _groups(columns: Sequence[Column], rows: Iterable[int]) -> dict[int, int]:
    """Rows that close the group which their label names, with the first row of the group: those
    above that hold its name, or nothing below it, in one column.
    """
    words = [column for column in columns if column.type.kind is Kind.TEXT or column.type.mixed]
    found: dict[int, int] = {}
    for row in rows:
        for label in (column.text_at(row) for column in words if not column.derived):
            group = group_of(label).casefold() if label and len(label) < LONGEST_LABEL else ""
            starts = [_group_start(column, row, group) for column in words] if group else []
            if told := [start for start in starts if start is not None]:
                found[row] = min(told)
    return found


def _group_start(column: Column, row: int, group: str) -> int | None:
    start, first = None, row - 1
    while first >= 0 and (text := column.text_at(first).strip(" :").casefold()) in ("", group):
        start = first if text else start
        first -= 1
    return start


def _open_tail(columns: Sequence[Column], numbers: _Numbers) -> set[int]:
    """The last rows, where they leave half of the columns open that all others fill, and one of
    them sums the others: net, tax and gross under the lines of an invoice.
    """
    codes = np.array([column.codes for column in columns if not column.derived])
    count = codes.shape[1]
    for length in range(1, min(_LONGEST_TAIL, count - 2) + 1):
        full = (codes[:, : count - length] != EMPTY).all(axis=1)
        tail = codes[full, count - length :] == EMPTY
        if full.sum() < 3 or not (tail.sum(axis=0) * 2 >= full.sum()).all():
            continue
        above, rows = range(count - length)[::-1], range(count - length, count)
        if any(_matching_run(numbers, row, above, True)[0] == len(above) for row in rows):
            return set(rows)
    return set()


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
    return any(c.canonical_at(row) is not None and _tells_records_apart(c) for c in columns)


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
        among_values = column.type.kind is not Kind.TEXT
        for code, text in _label_texts(column):
            plain = is_total(text)
            all_of_them = _is_all(text, column.name)
            if plain or all_of_them or speaks_of_total(text, among_values=among_values):
                for row in sorted(_label_rows(columns, index, [code])):
                    sure = plain or (among_values and _is_bare(columns, row, index))
                    found[row] = found.get(row, False) or sure
    return found


def _is_all(text: str, header: str) -> bool:
    """Whether a label says "all" of what its header names: "All regions" under "Region"."""
    word, _, rest = text.strip(" -–:").casefold().partition(" ")
    stem = header.rpartition(" ")[2].casefold().rstrip("sy:")
    return word == "all" and len(stem) > 2 and rest.startswith(stem) and " " not in rest


def _unnamed(columns: Sequence[Column], labels: Sequence[int]) -> int | None:
    """The last row, where it alone has no label at all."""
    labels = [index for index in labels if columns[index].type.kind is Kind.TEXT]
    if not labels:
        return None
    empty = np.logical_and.reduce([columns[index].codes == EMPTY for index in labels])
    last = len(empty) - 1
    return last if last > 1 and empty[last] and empty.sum() == 1 else None


def _numbers(columns: Sequence[Column], rows: int) -> _Numbers:
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
    return _Numbers(arrays[0], *map(np.nan_to_num, arrays[1:]))


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


def _sums(
    numbers: _Numbers, labels: _Labels, known: set[int], below: bool, everywhere: bool
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
            run, bits = _matching_run(numbers, row, stack[-LONGEST_RUN:][::-1], named)
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


def _equal(numbers: _Numbers, row: int, other: int) -> bool:
    told = ~np.isnan(numbers.values[row])
    return bool(told.any() and (numbers.values[row] == numbers.values[other])[told].all())


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
