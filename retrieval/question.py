"""A question as the index sees it: its words, which of them carry content, and its spans.

Takes the question's text; gives a `Question`. Knows nothing of any table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from retrieval.dates import read_moment
from retrieval.tokenize import STOP_WORDS, Word, fold, words

_LONGEST_SPAN = 12


class Span(NamedTuple):
    """Neighbouring words of a question that may be one whole cell; a tuple, as dozens are made of
    every question.
    """

    start: int
    """Index of the first word."""
    stop: int
    """Index after the last word."""
    key: str
    """The form under which whole cells compare."""

    def holds(self, other: Span) -> bool:
        """Whether `other` is a part of this span, and shorter."""
        inside = self.start <= other.start and other.stop <= self.stop
        return inside and (self.start, self.stop) != (other.start, other.stop)


@dataclass(frozen=True)
class Question:
    """A question's words; `of` makes one."""

    text: str
    words: tuple[Word, ...]
    """All of them, in order."""
    content: tuple[int, ...]
    """Indices of the words that carry content; all words where there are only function words.
    "IT" and "US" in capitals, in a question that is not, are names.
    The bound of a comparison ("more than 20") is none, as the rows meant are those that differ;
    nor is the verb that opens a request ("name the …")."""

    @classmethod
    def of(cls, text: str) -> Question:
        """Read `text` as a question; rows, tables and cells are sought for the same one."""
        return _read(text)

    @cached_property
    def content_words(self) -> tuple[Word, ...]:
        """The distinct words that carry content, in order."""
        distinct = {self.words[i].text: self.words[i] for i in reversed(self.content)}
        return tuple(reversed(distinct.values()))

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The distinct tokens of the content words."""
        found: dict[str, None] = {}
        for word in self.content_words:
            found.update(dict.fromkeys(word.tokens))
            if word.whole:
                found[word.whole] = None
        return tuple(found)

    @cached_property
    def dates(self) -> tuple[Span, ...]:
        """Dates told with the name of a month, under the key of the same date in digits."""
        found = []
        for start in range(len(self.words) - 2):
            stop = start + 3
            if not any(word.text[0].isdecimal() for word in self.words[start:stop]):
                continue
            told = " ".join(word.text for word in self.words[start:stop])
            moment = read_moment(told) if any(map(str.isalpha, told)) else None
            if moment is not None and moment.year and (day := moment.date_text(False)):
                found.append(Span(start, stop, day.replace("-", "")))
        return tuple(found)

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Every run of words that holds a content word, up to a whole cell's usual length."""
        joined = [word.joined for word in self.words]
        found = []
        for start, key in enumerate(joined):
            if start in self.content or (start and self._is_titled(start)):
                found.append(Span(start, start + 1, key))
            for stop in range(start + 2, min(len(joined), start + _LONGEST_SPAN) + 1):
                key += joined[stop - 1]
                found.append(Span(start, stop, key))
        return (*found, *self.dates)

    def _is_titled(self, index: int) -> bool:
        """Whether a word is written like a name ("the year of Her"), where the text tells it."""
        at = self.words[index].start
        return len(fold(self.text)) == len(self.text) and self.text[at : at + 1].isupper()


@lru_cache(maxsize=64)
def _read(text: str) -> Question:
    found = tuple(words(text))
    names = _in_capitals(text, found)
    telling = [i for i, w in enumerate(found) if w.text not in STOP_WORDS or i in names]
    content = [i for i in telling if not (_is_bound(found, i) or _is_command(found, i))]
    return Question(text, found, tuple(content or telling or range(len(found))))


_BOUNDS = frozenset({"than", "over", "under", "above", "below", "exceeding"})


def _is_bound(found: tuple[Word, ...], index: int) -> bool:
    """Whether a word is part of a comparison: its number, or the word before "than"."""
    if index + 1 < len(found) and found[index + 1].text == "than":
        return True
    return index > 0 and found[index - 1].text in _BOUNDS and found[index].text[0].isdecimal()


_COMMANDS = frozenset({"name", "list", "find", "identify", "state", "display", "get"})


def _is_command(found: tuple[Word, ...], index: int) -> bool:
    """Whether a word opens a request rather than names something."""
    return index == 0 and len(found) > 2 and found[0].text in _COMMANDS


def _in_capitals(text: str, found: tuple[Word, ...]) -> set[int]:
    """The words of one or two letters written in capitals where the question is not.

    No article or pronoun: a letter that opens the question or stands in a title, an "I" before
    its verb.
    """
    if len(fold(text)) != len(text) or (len(found) > 1 and text == text.upper()):
        return set()
    titled = sum(text[word.start].isupper() for word in found) * 2 > len(found) > 3
    names = set()
    for i, word in enumerate(found):
        written = text[word.start : word.start + len(word.text)]
        if not (written.isalpha() and written.isupper() and len(written) <= 2):
            continue
        opens = len(written) == 1 and (not i or titled)
        if not opens and not (written == "I" and i + 1 < len(found)):
            names.add(i)
    return names
