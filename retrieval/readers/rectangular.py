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
_THREADS = 2

_NEWLINE = 10
_MASKS = np.array([(1 << (8 * n)) - 1 for n in range(8)] + [2**64 - 1], np.uint64)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)

Words = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]


def rectangular_strips(data: bytes, delimiter: str) -> tuple[Strip, ...] | None:
    """The columns of UTF-8 bytes; None where a quote, an empty line or a ragged line stands."""
    if b'"' in data or b"\x00" in data:
        return None
    data = data.replace(b"\r\n", b"\n")
    if b"\r" in data:
        return None
    if not data.endswith(b"\n"):
        data += b"\n"
    padded = np.frombuffer(data + bytes(8), np.uint8)
    cuts = _cuts(padded[: len(data)], ord(delimiter))
    if cuts is None:
        return None
    starts = np.concatenate([[0], cuts.ravel()[:-1] + 1]).reshape(cuts.shape)

    def strip_of(column: int) -> Strip | None:
        return _strip(padded, starts[:, column].copy(), cuts[:, column].copy())

    with ThreadPoolExecutor(_THREADS) as pool:  # the arrays' work holds no lock
        strips = list(pool.map(strip_of, range(cuts.shape[1])))
    kept = tuple(strip for strip in strips if strip is not None)
    return kept if len(kept) == len(strips) else None


def _cuts(data: npt.NDArray[np.uint8], delimiter: int) -> Places | None:
    """Where each cell ends, shape (lines, cells); None where lines differ."""
    newlines = int((data == _NEWLINE).sum())
    cuts = np.flatnonzero((data == delimiter) | (data == _NEWLINE))
    if newlines == 0 or len(cuts) % newlines or len(cuts) == newlines:
        return None
    grid = cuts.reshape(newlines, -1)
    is_end = data[grid] == _NEWLINE
    return grid if is_end[:, -1].all() and int(is_end.sum()) == newlines else None


def _strip(padded: npt.NDArray[np.uint8], starts: Places, ends: Places) -> Strip | None:
    """One column; None where a cell is too long, or two cells share a hash."""
    lengths = ends - starts
    longest = int(lengths.max())
    if longest > LONGEST_CELL:
        return None
    words = _words(padded, starts, lengths, longest)
    codes, firsts = encode_keys(_keys(words))
    if len(words) > 1 and not all((word == word[firsts][codes]).all() for word in words):
        return None
    return stripped(Strip(codes, _texts(padded, starts[firsts], lengths[firsts])))


def _words(
    padded: npt.NDArray[np.uint8], starts: Places, lengths: Places, longest: int
) -> list[Words]:
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


def _texts(padded: npt.NDArray[np.uint8], starts: Places, lengths: Places) -> tuple[str, ...]:
    """The texts at these places: their bytes are gathered with a line break after each."""
    ends = np.cumsum(lengths + 1)
    places = np.repeat(starts - ends + lengths + 1, lengths + 1) + np.arange(int(ends[-1]))
    gathered = padded[places]
    gathered[ends - 1] = _NEWLINE
    return tuple(gathered[:-1].tobytes().decode("utf-8").split("\n"))
