"""A workbook's stored values as texts, a column at a time.

Takes the Python values that the library gives for a column; gives the column dictionary-encoded,
each text as its cell shows it. Columns of one kind are turned in bulk: numbers as an array.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import cast

import numpy as np
import numpy.typing as npt

from retrieval.grid import Strip, encode_keys, encode_values, recoded, stripped
from retrieval.readers.records import duration_text
from retrieval.table import EMPTY

_LONGEST_LEAD = 10
"""So many cells above its numbers may a column of numbers have: titles and headers."""

_EXACT = 2.0**53

Floats = npt.NDArray[np.float64]


def column_strip(values: Sequence[object]) -> Strip:
    """A column's stored values as texts; each distinct value is turned once."""
    lead = next((n for n, v in enumerate(values[:_LONGEST_LEAD]) if type(v) is float), 0)
    body = values[lead:] if lead else values
    kinds = set(map(type, body))
    numbers = _numbers(body, kinds)
    if numbers is not None:
        return _below(column_strip(values[:lead]), _strip_of_numbers(numbers))
    if kinds == {str} and not lead:
        return _strip_of_texts(cast(Sequence[str], values))
    return _strip_of_values(values)


def _numbers(values: Sequence[object], kinds: AbstractSet[type]) -> Floats | None:
    """The values as an array, empty cells as NaN; None where others than numbers are among them."""
    if kinds == {float}:
        return np.array(values, np.float64)
    if kinds == {float, str} and not any(v for v in values if type(v) is str):
        return np.array([np.nan if type(v) is str else v for v in values], np.float64)
    return None


def _strip_of_numbers(numbers: Floats) -> Strip:
    empty = np.isnan(numbers)
    keys = numbers[~empty] + 0.0  # so that -0.0 has the bits of 0.0
    codes = np.full(len(numbers), EMPTY, np.int32)
    if not len(keys):
        return Strip(codes, ())
    codes[~empty], firsts = encode_keys(keys.view(np.uint64))
    return Strip(codes, tuple(_number_texts(keys[firsts])))


def _number_texts(numbers: Floats) -> list[str]:
    """The numbers as texts, whole ones without their point."""
    if (np.abs(numbers) < _EXACT).all() and (numbers == np.floor(numbers)).all():
        return list(map(str, numbers.astype(np.int64).tolist()))
    lines = "\n".join(map(repr, numbers.tolist())) + "\n"
    return lines.replace(".0\n", "\n").split("\n")[:-1]


def _below(head: Strip, body: Strip) -> Strip:
    """Two parts of one column."""
    if any(text in body.texts for text in head.texts):
        texts = (*head.texts, *body.texts)
        return recoded(_shifted(head, body), texts)
    return Strip(_shifted(head, body), head.texts + body.texts)


def _shifted(head: Strip, body: Strip) -> npt.NDArray[np.int32]:
    moved = np.where(body.codes == EMPTY, EMPTY, body.codes + len(head.texts))
    return np.concatenate([head.codes, moved]).astype(np.int32)


def _strip_of_texts(values: Sequence[str]) -> Strip:
    codes, distinct = encode_values(values)
    return stripped(Strip(codes, tuple(cast(Sequence[str], distinct))))


def _strip_of_values(values: Sequence[object]) -> Strip:
    if bool in set(map(type, values)):
        values = [cell_text(value) for value in values]  # True equals 1
    codes, distinct = encode_values(values)
    return recoded(codes, [cell_text(value).strip() for value in distinct])


def cell_text(value: object) -> str:
    """A stored value as its cell shows it; whole floats without their point."""
    if isinstance(value, str):
        return value
    if type(value) is float:
        return _number_texts(np.array([value]))[0]
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, dt.datetime):
        return str(value.date() if value.time() == dt.time() else value)
    if isinstance(value, dt.timedelta):
        return duration_text(value)
    return "" if value is None else str(value)
