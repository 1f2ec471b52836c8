"""Totals that state more than the section they stand in: the total of all under the last one.

Takes the columns that the section rows became and the rows that are totals; gives the columns
without the names of sections that such a row stands under and does not sum. The numbers alone tell:
a row that states a figure of its section's rows is of the section.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from retrieval.statistic_rows import states_any
from retrieval.table import EMPTY, NUMERIC, Column
from retrieval.total_numbers import Numbers, numbers_of


def out_of_sections(
    columns: Sequence[Column], sections: Sequence[int], totals: Collection[int]
) -> tuple[Column, ...]:
    """The columns with each total under the sections that it sums.

    Args:
        columns: the table's columns, typed.
        sections: those of them that tell a row's section, outermost first.
        totals: rows that sum others.
    """
    numeric = [column for column in columns if column.type.kind in NUMERIC]
    if not sections or not totals or not numeric:
        return tuple(columns)
    numbers = numbers_of(numeric, len(columns[0].codes))
    records = [row for row in range(len(columns[0].codes)) if row not in totals]
    changed = list(columns)
    for row in sorted(totals):
        kept = _levels_summed(numbers, row, records, [columns[index] for index in sections])
        for index in sections[kept:]:
            codes = changed[index].codes.copy()
            codes[row] = EMPTY
            changed[index] = replace(changed[index], codes=codes)
    return tuple(changed)


def _levels_summed(
    numbers: Numbers, row: int, records: Sequence[int], levels: Sequence[Column]
) -> int:
    """How many levels of sections a row stands under: the most whose rows, and not those of fewer,
    give its numbers; all of them where no rows do.
    """
    for depth in range(len(levels), -1, -1):
        path = [level.codes[row] for level in levels[:depth]]
        inside = [r for r in records if [level.codes[r] for level in levels[:depth]] == path]
        if states_any(numbers, row, inside):
            return depth
    return len(levels)
