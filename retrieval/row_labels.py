"""What the labels of rows tell: totals, balances, figures, and groups that are closed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.table import EMPTY, NUMERIC, TEMPORAL, Column, Kind
from retrieval.total_labels import (
    group_of,
    is_balance,
    is_carried,
    is_total,
    names_things,
    speaks_of_mean,
    speaks_of_total,
    states_balance,
    statistic,
)

LONGEST_LABEL = 160
"""A text of this many characters or more is prose: it names no row."""

_WORD = re.compile(r"[^\W\d_]{3}")


def open_labels(columns: Sequence[Column], labels: Sequence[int]) -> set[int]:
    """Rows that leave the last of several label columns open which most rows fill: as subtotals
    do whose group's name stands in a column before.
    """
    texts = [index for index in labels if columns[index].type.kind is Kind.TEXT]
    if len(texts) < 2:
        return set()
    codes = columns[texts[-1]].codes
    rows = np.flatnonzero(codes == EMPTY)
    return set(rows.tolist()) if len(rows) * 2 < len(codes) else set()


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
class Begun:
    """How the texts of each column that may name rows begin, to pass over most columns at once."""

    columns: Sequence[Column]
    heads: Mapping[int, set[str]]

    @staticmethod
    def of(columns: Sequence[Column], labels: Sequence[int]) -> Begun:
        """Look at the first letters of these columns."""
        heads = {index: {text[:4] for text in columns[index].texts} for index in labels}
        return Begun(columns, {i: {head.casefold() for head in h} for i, h in heads.items()})

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
    return {row for row in rows if is_bare(columns, row, index)}


def words_out_of_kind(columns: Sequence[Column], labels: Sequence[int]) -> set[int]:
    """Rows that say little but words in a column of dates or numbers."""
    rows: set[int] = set()
    for index in labels:
        if columns[index].type.kind is not Kind.TEXT:
            words = _label_rows(columns, index, [code for code, _ in _label_texts(columns[index])])
            rows |= {row for row in words if is_bare(columns, row, index)}
    return rows


def is_bare(columns: Sequence[Column], row: int, label: int, *, shown: bool = False) -> bool:
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


def balances_among(
    columns: Sequence[Column], labels: Sequence[int], named: Collection[int]
) -> set[int]:
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
        found |= {row for row in carried_rows if is_bare(columns, row, index)}
        if column.type.kind is Kind.TEXT:
            ends = {row for row in rows if closes_table(columns, row, {*rows, *named})}
            plain = {row for row in rows if states_balance(column.text_at(row))}
            plain = {row for row in plain if _is_dated(columns, row)}
            few = len(plain) * 4 <= len(column.codes)
            found |= plain if few else plain & ends
            found |= {row for row in ends if is_bare(columns, row, index, shown=True)}
        else:
            found |= {row for row in rows if is_bare(columns, row, index)}
    return found


def _is_dated(columns: Sequence[Column], row: int) -> bool:
    return any(c.type.kind in TEMPORAL and c.canonical_at(row) is not None for c in columns)


def closes_table(columns: Sequence[Column], row: int, totals: set[int]) -> bool:
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


def figures_named(columns: Sequence[Column], labels: Sequence[int]) -> dict[int, str]:
    """Rows that are called by the figure that they state, with its name.

    A row that has a name beside it is a record: a telescope of the category Media.
    """
    rows: dict[int, str] = {}
    for index in labels:
        column = columns[index]
        for code, text in _label_texts(column):
            if name := statistic(text):
                called = _label_rows(columns, index, [code])
                rows |= {row: name for row in called if is_bare(columns, row, index)}
    return rows


def ends_called_mean(columns: Sequence[Column], labels: Sequence[int]) -> set[int]:
    """Bare rows at an end of the table whose label holds a word for a mean: "Class average"."""
    found: set[int] = set()
    for index in labels:
        codes = [code for code, text in _label_texts(columns[index]) if speaks_of_mean(text)]
        rows = _label_rows(columns, index, codes)
        found |= {row for row in rows if is_bare(columns, row, index)}
    return {row for row in found if closes_table(columns, row, found)}


def named_like_things(columns: Sequence[Column], row: int) -> bool:
    """Whether a cell of a row names a thing, not a figure."""
    return any(names_things(column.text_at(row)) for column in columns if not column.derived)


def closed_groups(columns: Sequence[Column], rows: Iterable[int]) -> dict[int, int]:
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


def labelled_rows(columns: Sequence[Column], labels: Sequence[int]) -> dict[int, bool]:
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
                    sure = plain or (among_values and is_bare(columns, row, index))
                    found[row] = found.get(row, False) or sure
    return found


def _is_all(text: str, header: str) -> bool:
    """Whether a label says "all" of what its header names: "All regions" under "Region"."""
    word, _, rest = text.strip(" -–:").casefold().partition(" ")
    stem = header.rpartition(" ")[2].casefold().rstrip("sy:")
    return word == "all" and len(stem) > 2 and rest.startswith(stem) and " " not in rest


def row_without_label(columns: Sequence[Column], labels: Sequence[int]) -> int | None:
    """The last row, where it alone has no label at all."""
    labels = [index for index in labels if columns[index].type.kind is Kind.TEXT]
    if not labels:
        return None
    empty = np.logical_and.reduce([columns[index].codes == EMPTY for index in labels])
    last = len(empty) - 1
    return last if last > 1 and empty[last] and empty.sum() == 1 else None
