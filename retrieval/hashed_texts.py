"""What the index holds of texts, as hashes: their tokens, and their keys as whole cells.

Takes distinct texts; gives `HashedTexts`. Texts that differ in nothing but digits (codes, numbered
names) are cut alike, so one of them is analysed and its cuts are made in all of them at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retrieval.hashing import PADDING, Bytes, Hashes, Ints, hash_spans, hashes
from retrieval.tokenize import analyse, words

_DIGIT = "7"
"""Stands for every digit of a shape. No zero: zeros at the end of a number are left out."""
_SHAPE = bytes.maketrans(b"0123456789", _DIGIT.encode() * 10)
_ZEROS = str.maketrans("123456789", "0" * 9)
_BETWEEN = "\x1e"
"""Parts texts that are looked at as one: the separator of records in ASCII."""
_FEWEST_ALIKE = 16
"""From so many texts of one shape on, cutting them at once is faster than one by one."""


@dataclass(frozen=True)
class HashedTexts:
    """The hashes of some texts, in their order."""

    tokens: Hashes
    """Those of the first text, then those of the second, and so on."""
    counts: Ints
    """Tokens of each text."""
    keys: Hashes
    """One per text, under which it is the same as another cell."""
    keyed: npt.NDArray[np.bool_]
    """Whether a text has a key: punctuation alone has none."""


def hashed_texts(texts: Sequence[str]) -> HashedTexts:
    """The hashes of `texts`."""
    shaped = list(_shaped(texts))
    counts = np.zeros(len(texts), np.int64)
    for shape, places in shaped:
        counts[places] = len(shape.tokens)
    alone = np.ones(len(texts), bool)
    alone[[place for _, places in shaped for place in places]] = False
    others = [texts[place] for place in np.flatnonzero(alone).tolist()]
    found, sizes, keys = _analysed(others)
    counts[alone] = sizes
    hashed = HashedTexts(
        np.zeros(int(counts.sum()), np.uint64),
        counts,
        np.zeros(len(texts), np.uint64),
        np.ones(len(texts), bool),
    )
    hashed.tokens[np.repeat(alone, counts)] = hashes(found)
    hashed.keys[alone] = hashes(keys)
    hashed.keyed[alone] = [bool(key) for key in keys]
    first = counts.cumsum() - counts
    for shape, places in shaped:
        _fill(hashed, first[places], shape, [texts[place] for place in places], places)
    return hashed


def _analysed(texts: Iterable[str]) -> tuple[list[str], list[int], list[str]]:
    """The tokens of all texts, how many each has, and each one's key."""
    found, sizes, keys = list[str](), list[int](), list[str]()
    for text in texts:
        tokens, key = analyse(text)
        found.extend(tokens)
        sizes.append(len(tokens))
        keys.append(key)
    return found, sizes, keys


@dataclass(frozen=True)
class _Part:
    """A token or key of all texts of a shape."""

    text: str
    """With `_DIGIT` for every digit."""
    first: int
    """Its digits are those of the text from this one on."""

    def of(self, digits: str) -> str:
        """It in the text with these digits."""
        left = iter(digits[self.first :])
        return "".join(next(left, "") if char == _DIGIT else char for char in self.text)

    def hashed(self, digits: Bytes) -> Hashes:
        """Its hash in each text; `digits` has shape (texts, digits)."""
        template = np.frombuffer(self.text.encode(), np.uint8)
        places = np.flatnonzero(template == ord(_DIGIT))
        count = len(digits) if len(places) else 1
        filled = np.zeros(count * len(template) + PADDING, np.uint8)
        rows = filled[: count * len(template)].reshape(count, len(template))
        rows[:] = template
        if len(places):
            rows[:, places] = digits[:, self.first : self.first + len(places)]
        sizes = np.full(count, len(template), np.int64)
        return hash_spans(filled, sizes.cumsum() - sizes, sizes)


@dataclass(frozen=True)
class _Shape:
    """How texts that differ in digits alone are cut."""

    tokens: tuple[_Part, ...]
    key: _Part

    @classmethod
    def of(cls, text: str) -> _Shape:
        """The shape of a text whose digits are all `_DIGIT`."""
        parts, first = list[_Part](), 0
        for word in words(text):
            at = first
            for token in word.tokens:
                parts.append(_Part(token, at))
                at += token.count(_DIGIT)
            if word.whole:
                parts.append(_Part(word.whole, first))
            first = at
        return cls(tuple(parts), _Part(analyse(text)[1], 0))

    def fits(self, text: str) -> bool:
        """Whether `text` is cut so."""
        digits = "".join(char for char in text if char.isdecimal())
        cut = [part.of(digits) for part in self.tokens]
        return (cut, self.key.of(digits)) == analyse(text)


def _shaped(texts: Sequence[str]) -> Iterator[tuple[_Shape, list[int]]]:
    """Shapes with the places of their texts, of which there are many.

    Only where the cuts do not hang on what the digits are: "1.50" is the number 1.5.
    """
    written = _BETWEEN.join(texts).encode("utf-8", "surrogatepass").translate(_SHAPE)
    shapes = written.split(_BETWEEN.encode())
    if len(shapes) != len(texts):
        return
    common = {shape for shape, count in Counter(shapes).items() if count >= _FEWEST_ALIKE}
    by_shape: dict[bytes, list[int]] = {shape: [] for shape in common}
    for place, one in enumerate(shapes) if common else ():
        if one in common:
            by_shape[one].append(place)
    for one, places in by_shape.items():
        shape = _Shape.of(one.decode()) if one.isascii() else None
        if shape and shape.fits(texts[places[0]].translate(_ZEROS)):
            yield shape, places


def _fill(
    hashed: HashedTexts, first: Ints, shape: _Shape, texts: Sequence[str], places: Sequence[int]
) -> None:
    """Write the hashes of the texts of one shape; `first` is where the tokens of each start."""
    letters = np.frombuffer("".join(texts).encode(), np.uint8).reshape(len(texts), -1)
    digits = letters[:, [i for i, char in enumerate(texts[0]) if char.isdecimal()]]
    for number, part in enumerate(shape.tokens):
        hashed.tokens[first + number] = part.hashed(digits)
    hashed.keys[places] = shape.key.hashed(digits)
    hashed.keyed[places] = bool(shape.key.text)
