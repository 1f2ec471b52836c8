"""64-bit hashes of texts that are the same in every process, many at a time.

Takes texts, or spans of a buffer of bytes; gives one number each. Every eight bytes of a text are
mixed in by the finaliser of MurmurHash3; long texts go to BLAKE2. Not meant to keep secrets.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]

PADDING = 8
"""Bytes that a buffer has to have after its last span."""

_LONG = 256
"""Spans of more bytes than this go to BLAKE2, so that one long text costs no round for all."""

_SHIFT = np.uint64(33)
_FACTORS = (np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53))
_PLAIN_FACTORS = tuple(int(factor) for factor in _FACTORS)
_LENGTH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)
"""By number of bytes: what to keep of a word that starts with so many."""


_FEW = 12
"""So few texts are hashed one by one as fast as together; many are known from before."""

_WHOLE = (1 << 64) - 1


def question_hashes(texts: Sequence[str]) -> Hashes:
    """As `hashes`, of texts that are few and come again: the words of questions."""
    if len(texts) > _FEW:
        return hashes(texts)
    return np.array([_hash(text) for text in texts], np.uint64)


@lru_cache(maxsize=1 << 14)
def _hash(text: str) -> int:
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > _LONG:
        return int(hashes([text])[0])
    hashed = len(data) * int(_LENGTH_FACTOR) & _WHOLE
    for at in range(0, len(data), 8):
        hashed ^= int.from_bytes(data[at : at + 8], "little")
        for factor in _PLAIN_FACTORS:
            hashed = (hashed ^ hashed >> 33) * factor & _WHOLE
        hashed ^= hashed >> 33
    return hashed


def hashes(texts: Collection[str]) -> Hashes:
    """The hash of each text, in order."""
    joined = "".join(texts)
    if joined.isascii():
        sizes = np.fromiter(map(len, texts), np.int64, len(texts))
        return hash_row(joined.encode(), sizes)
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    sizes = np.fromiter(map(len, encoded), np.int64, len(encoded))
    return hash_row(b"".join(encoded), sizes)


def hash_row(data: bytes, sizes: Ints) -> Hashes:
    """The hash of each of the spans of these sizes that stand in `data` one after the other."""
    return hash_spans(np.frombuffer(data + bytes(PADDING), np.uint8), sizes.cumsum() - sizes, sizes)


def hash_spans(buffer: Bytes, first: Ints, sizes: Ints) -> Hashes:
    """The hash of each span of `buffer`, given where it starts and its size; see `PADDING`."""
    words = np.ndarray(max(0, len(buffer) - 7), "<u8", buffer, strides=(1,))
    hashed = sizes.astype(np.uint64) * _LENGTH_FACTOR
    longest = int(sizes.max(initial=0))
    shortest = int(sizes.min(initial=longest))
    for done in range(0, min(longest, _LONG), 8):
        # All spans at once as long as all go on: most texts are short and alike.
        going = slice(None) if done < shortest else (sizes > done).nonzero()[0]
        word = words[first[going] + done] & _MASKS[np.minimum(sizes[going] - done, 8)]
        hashed[going] = _mixed(hashed[going] ^ word)
    for place in np.flatnonzero(sizes > _LONG).tolist() if longest > _LONG else ():
        span = buffer[first[place] : first[place] + sizes[place]]
        digest = hashlib.blake2b(span.tobytes(), digest_size=8).digest()
        hashed[place] = int.from_bytes(digest, "little")
    return hashed


def _mixed(values: Hashes) -> Hashes:
    for factor in _FACTORS:
        values = (values ^ (values >> _SHIFT)) * factor
    return values ^ (values >> _SHIFT)
