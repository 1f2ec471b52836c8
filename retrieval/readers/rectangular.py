"""Large delimited files without quotes and with as many cells on every line: cut by arrays.

Takes the bytes of such a file and gives its columns, dictionary-encoded; None where the file is not
of this kind, and a parser must read it. The cells are never made into Python objects one by one:
each is compared by its bytes, as 64-bit words, and the distinct ones alone become texts.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from retrieval.grid import Strip, encode_keys, stripped

LONGEST_CELL = 64
_MOST_COLUMNS = 5_000
_THREADS = 2
_BLOCK = 1 << 20
"""Bytes looked at in one go: what is made of them stays in the processor's cache."""

_NEWLINE = 10
_MASKS = np.array([(1 << (8 * n)) - 1 for n in range(8)] + [2**64 - 1], np.uint64)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]


def rectangular_strips(data: bytes, delimiter: str) -> tuple[Strip, ...] | None:
    """The columns of UTF-8 bytes; None where a quote, an empty line or a ragged line stands."""
    if b'"' in data or b"\x00" in data:
        return None
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
        if b"\r" in data:
            return None
    end = b"" if data.endswith(b"\n") else b"\n"
    padded = np.frombuffer(b"".join((data, end, bytes(8))), np.uint8)
    with ThreadPoolExecutor(_THREADS) as pool:  # the arrays' work holds no lock
        cuts = _cuts(padded[:-8], ord(delimiter), pool)
        if cuts is None or cuts.shape[1] > _MOST_COLUMNS:
            return None

        def strip_of(column: int) -> Strip | None:
            return _strip(padded, *_cells_of(cuts, column))

        strips = list(pool.map(strip_of, range(cuts.shape[1])))
    kept = tuple(strip for strip in strips if strip is not None)
    return kept if len(kept) == len(strips) else None


def _cuts(data: Bytes, delimiter: int, pool: ThreadPoolExecutor) -> Places | None:
    """Where each cell ends, shape (lines, cells); None where lines differ."""

    def ends(start: int) -> tuple[Places, int]:
        block = data[start : start + _BLOCK]
        is_line = block == _NEWLINE
        return np.flatnonzero((block == delimiter) | is_line) + start, int(is_line.sum())

    found = list(pool.map(ends, range(0, len(data), _BLOCK)))
    lines = sum(count for _, count in found)
    cuts = np.concatenate([places for places, _ in found])
    if lines == 0 or len(cuts) % lines or len(cuts) == lines:
        return None
    grid = cuts.reshape(lines, -1)
    # as many line ends as lines: no other cell than the last ones can end at one
    return grid if (data[grid[:, -1]] == _NEWLINE).all() else None


def _cells_of(cuts: Places, column: int) -> tuple[Places, Places]:
    """Where the cells of a column start and end."""
    if column:
        return cuts[:, column - 1] + 1, cuts[:, column].copy()
    return np.concatenate([[0], cuts[:-1, -1] + 1]), cuts[:, 0].copy()


def _strip(padded: Bytes, starts: Places, ends: Places) -> Strip | None:
    """One column; None where a cell is too long, or two cells share a hash."""
    lengths = ends - starts
    longest = int(lengths.max())
    if longest > LONGEST_CELL:
        return None
    words = _words(padded, starts, lengths, longest)
    codes, firsts = encode_keys(_keys(words))
    if len(words) > 1 and not all((word == word[firsts][codes]).all() for word in words):
        return None
    return stripped(Strip(codes, _texts([word[firsts] for word in words])))


def _words(padded: Bytes, starts: Places, lengths: Places, longest: int) -> list[Words]:
    """Each cell's bytes as words, the last one filled up with zeros."""
    view: Words = np.ndarray((len(padded) - 7,), "<u8", padded.data, strides=(1,))
    last = len(view) - 1
    words = []
    for offset in range(0, max(longest, 1), 8):
        left = np.clip(lengths - offset, 0, 8)
        words.append(view[np.minimum(starts + offset, last)] & _MASKS[left])
    return words


def _keys(words: list[Words]) -> Words:
    """A cell's single word, or a hash of its words."""
    keys = words[0]
    for word in words[1:]:
        keys = (keys ^ (keys >> _SHIFT)) * _FACTOR ^ word
    return keys


def _texts(words: list[Words]) -> tuple[str, ...]:
    """The texts of cells told by their words: no cell holds a zero, so those only fill up."""
    table = np.empty((len(words[0]), 8 * len(words) + 1), np.uint8)
    for place, word in enumerate(words):
        table[:, 8 * place : 8 * place + 8] = word.astype("<u8").view(np.uint8).reshape(-1, 8)
    table[:, -1] = _NEWLINE
    gathered = table[table != 0]
    return tuple(gathered[:-1].tobytes().decode("utf-8").split("\n"))
