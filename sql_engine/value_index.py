"""Finds the cells that words of a question name, in one column.

An index holds sorted hashes: of each distinct text as a whole and of each word in it. Twelve bytes
an entry, so a column of a million distinct texts stays small; hits are verified on the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retrieval.kept import kept
from retrieval.table import Column, Kind, Table
from sql_engine.words import stems

MAX_TEXT = 200
"""Longer texts are prose: their words are not indexed."""


class ValueIndex:
    """The distinct texts of a column, by whole text and by word."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        whole: list[int] = []
        parts: list[int] = []
        owners: list[int] = []
        for code, text in enumerate(texts):
            said = text_stems(text)
            whole.append(hash(said))
            if len(text) <= MAX_TEXT:
                distinct = set(said)
                parts.extend(map(hash, distinct))
                owners.extend([code] * len(distinct))
        self._whole, self._whole_codes = _sorted(whole, range(len(texts)))
        self._parts, self._part_codes = _sorted(parts, owners)

    @cached_property
    def word_count(self) -> int:
        """How many different stems the index holds; known without reading the texts again."""
        return int(np.count_nonzero(self._parts[1:] != self._parts[:-1])) + bool(len(self._parts))

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """The distinct stems of all texts."""
        return tuple(dict.fromkeys(s for text in self._texts for s in text_stems(text[:MAX_TEXT])))

    def equal(self, said: tuple[str, ...]) -> tuple[int, ...]:
        """Codes of the texts that are these words and nothing else."""
        found = _lookup(self._whole, self._whole_codes, hash(said))
        return tuple(c for c in found.tolist() if text_stems(self._texts[c]) == said)

    def holding(self, word: str) -> npt.NDArray[np.int64]:
        """Codes of the texts that hold this stem, ascending."""
        return np.sort(_lookup(self._parts, self._part_codes, hash(word)))


def text_stems(text: str) -> tuple[str, ...]:
    """The stems of a cell's words."""
    return stems(text[: MAX_TEXT * 2])


def _sorted(
    keys: Sequence[int], codes: Sequence[int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    order = np.argsort(np.array(keys, np.int64), kind="stable")
    return np.array(keys, np.int64)[order], np.array(codes, np.int64)[order]


def _lookup(
    keys: npt.NDArray[np.int64], codes: npt.NDArray[np.int64], key: int
) -> npt.NDArray[np.int64]:
    low, high = np.searchsorted(keys, key, "left"), np.searchsorted(keys, key, "right")
    return codes[low:high]


@kept
def value_index(column: Column) -> ValueIndex:
    """The index of a column, made on first use and dropped with the column."""
    return ValueIndex(column.texts)


def index_values(table: Table) -> None:
    """Make the indexes of a table's text columns now, as part of a load."""
    for column in table.columns:
        if column.type.kind is Kind.TEXT:
            value_index(column)
