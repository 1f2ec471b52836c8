"""Which rows sum others: found by arithmetic and label together.

A row is a total where its numbers are the sums of the rows next to it, above or below, in more
columns and to more digits than chance allows; a label that says "total" lowers what is asked. Sums
of sums are followed: rows that one total took in count through it in the next. A label may stand in
a column of any kind: words in the date column of a bank statement are one. A row that states a
balance ("Closing balance") is no record either.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.record_signs import are_years, is_record
from retrieval.row_labels import (
    Begun,
    balances_among,
    closed_groups,
    closes_table,
    ends_called_mean,
    figures_named,
    is_bare,
    labelled_rows,
    named_like_things,
    open_labels,
    row_without_label,
    words_out_of_kind,
)
from retrieval.statistic_rows import alone_at_end, beside_means, means_among
from retrieval.table import EMPTY, NUMERIC, Column, Kind
from retrieval.total_labels import (
    BALANCE_START,
    MEAN_SIGNS,
    STATISTIC_START,
    TOTAL_SIGNS,
    TOTAL_START,
    beside_total,
)
from retrieval.total_numbers import Numbers, numbers_of
from retrieval.total_sums import CERTAIN_BITS, Labels, all_sums, heads_over, matching_run

LARGEST = 3_000
"""Tables of more rows are searched for labelled totals alone."""

_LONGEST_TAIL = 6
"""Lines of net, tax and gross that an invoice may end with."""


@dataclass(frozen=True)
class TotalRow:
    """A row that sums others."""

    row: int
    checked: bool
    """Whether its numbers add up; else its label alone says so."""
    balance: bool = False
    """Whether it states a balance, a bound, a part of a total or its change, and sums no rows."""


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
    numeric = [c for c in columns if c.type.kind in NUMERIC and not are_years(c)]
    times = [] if numeric else [c for c in columns if c.type.kind is Kind.TIME]
    if not numeric and not times:
        return []
    begun = Begun.of(columns, labels)
    named = labelled_rows(columns, begun.like(TOTAL_START, TOTAL_SIGNS))
    unnamed = row_without_label(columns, labels)
    if unnamed is not None and not records:
        named.setdefault(unnamed, False)
    rows = len(columns[0].codes)
    everywhere = rows <= LARGEST and not records and not times
    balances = balances_among(columns, begun.like(BALANCE_START, "target"), named.keys())
    if not everywhere and not named and not balances:
        return []
    numbers = numbers_of(numeric or times, rows)
    groups = closed_groups(columns, range(rows) if everywhere else named)
    tail = _open_tail(columns, numbers) if everywhere else set()
    named |= dict.fromkeys(groups, True) | dict.fromkeys(tail, True)
    figures = figures_named(columns, begun.like(STATISTIC_START))
    called_mean = [row for row, name in figures.items() if name == "mean"]
    loosely = set[int]()
    if everywhere:
        loosely = ends_called_mean(columns, begun.like("", MEAN_SIGNS)) - {*figures, *named}
    figures |= dict.fromkeys(loosely, "mean")
    middle = means_among([*called_mean, *loosely], figures, named, numbers)
    ends = {*middle, *named, *balances}
    plain_words = {row for row in called_mean if not named_like_things(columns, row)}
    means = {
        row: right
        for row, right in middle.items()
        if right or (row in plain_words and closes_table(columns, row, ends))
    }
    means |= beside_means(figures, {*means, *named}, numbers)
    at_end = {r for r in figures.keys() - ends if closes_table(columns, r, {*ends, *figures})}
    means |= alone_at_end({r: figures[r] for r in at_end}, {*means, *named}, numbers)
    known = {*means, *balances} - groups.keys()
    sums = all_sums(numbers, Labels(named, groups), known, everywhere)
    open_rows = open_labels(columns, labels) - known - named.keys() if everywhere else set()
    if len(open_rows) > 1:
        wider = {**dict.fromkeys(open_rows, False), **named}
        trial = all_sums(numbers, Labels(wider, groups), known, everywhere)
        if open_rows <= trial.keys():
            named, sums = wider, trial
    if everywhere:
        sure = [row for row, plain in named.items() if plain]
        sums |= heads_over(numbers, sure, known | (sums.keys() & named.keys() - set(sure)))
    found = {*means, *sums}
    plain = {row for row in sums.keys() - named.keys() if sums[row] < CERTAIN_BITS}
    found -= {row for row in plain if is_record(columns, row, found)}
    exact = {row for row, plain in named.items() if plain}
    out_of_kind = words_out_of_kind(columns, labels)
    loose = {
        row
        for row in exact
        if row in out_of_kind or closes_table(columns, row, exact | found | balances)
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
    if len(tail) <= _LONGEST_TAIL and all(is_bare(columns, r, label, shown=True) for r in tail):
        found |= {row for row in tail if row not in known}
    return found


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
    words = words_out_of_kind(columns, [0]) - totals
    if len(rows) < 3 or not words <= {rows[0], rows[-1]}:
        return []
    return sorted(words)


def _open_tail(columns: Sequence[Column], numbers: Numbers) -> set[int]:
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
        if any(matching_run(numbers, row, above, True)[0] == len(above) for row in rows):
            return set(rows)
    return set()
