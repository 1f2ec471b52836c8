"""What a row says of itself that only records do: its number, its moment, words of others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrieval.table import EMPTY, NUMERIC, TEMPORAL, Column, Kind


def is_record(columns: Sequence[Column], row: int, found: set[int]) -> bool:
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


def are_years(column: Column) -> bool:
    """Whether every text is a year."""
    return all(
        len(text) == 4 and text.isdigit() and text[:2] in ("18", "19", "20", "21")
        for text in column.texts
    )
