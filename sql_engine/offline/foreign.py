"""Tables in another language than the question: what their headers and cells say in English.

Takes a question and a table; gives the columns and cells that English words name, where headers or
cells are of a language that `foreign.toml` knows. A table is in a language where two words of its
headers are, or one that English letters do not spell.
"""

from __future__ import annotations

import calendar
import itertools
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from retrieval.table import Kind
from retrieval.word_forms import MONTH_OF, WEEKDAYS_BY_LANGUAGE
from sql_engine.catalog import CatalogTable
from sql_engine.offline.lexicon import Phrase
from sql_engine.offline.periods import WEEKDAYS
from sql_engine.offline.question import ColumnMention, Mention, Question, ValueMention
from sql_engine.offline.table_words import WHOLE_NAME, table_words, without_unit
from sql_engine.words import fold, folded_words, split_name, stem

AS_SAID = 0.95
"""How well a translated word names a column."""
TRANSLATED = 0.92
"""How well it names a cell: as one that differs in its endings."""
MAX_LABELS = 300
"""Columns of more distinct texts hold no words that are translated."""
MAX_WAYS = 8
MAX_CELL = 4
"""Words of a cell that is translated."""
_SHORTEST_PART = 3
_TELLING = 2
"""Words of a language that tell that a table is in it."""


@dataclass(frozen=True)
class Language:
    """The words of one language."""

    english: dict[str, frozenset[Phrase]]
    """Folded word to the stems of what it says in English."""
    shared: frozenset[str]
    """Folded words that English has as well."""
    small: frozenset[str]
    """Folded words that say nothing of their own in a header."""
    joints: tuple[str, ...]
    """What stands between the parts of a compound; empty where there are none."""
    longest: int
    """Letters of its longest word: a token past two of them and a joint is no compound."""

    def said(self, word: str) -> frozenset[Phrase]:
        """What a folded word says in English: as listed, or as a compound of two that are."""
        found = self.english.get(word, frozenset())
        return found or (self._parts(word) if self.joints else frozenset())

    def _parts(self, word: str) -> frozenset[Phrase]:
        if len(word) > 2 * self.longest + max(map(len, self.joints)):
            return frozenset()
        for cut in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
            last = self.english.get(word[cut:])
            first = next(filter(None, map(self.english.get, self._stems(word[:cut]))), None)
            if first and last:
                return frozenset(one + two for one in first for two in last)
        return frozenset()

    def _stems(self, part: str) -> Iterator[str]:
        """The words that the first part of a compound may be of: "Miet-" of "Miete"."""
        yield part
        yield from (part.removesuffix(joint) for joint in self.joints if part.endswith(joint))
        yield from (part + ending for ending in ("e", "en"))


@cache
def languages() -> tuple[Language, ...]:
    """The languages that ship with the package."""
    text = files("sql_engine.offline").joinpath("foreign.toml").read_text(encoding="utf-8")
    return tuple(_language(told) for told in tomllib.loads(text).values())


def _language(told: dict[str, str]) -> Language:
    english: dict[str, set[Phrase]] = {}
    for line in told["words"].strip().splitlines():
        said, words = line.split(": ", 1)
        ways = [tuple(map(stem, way.split())) for way in said.split(", ")]
        for word in words.split():
            english.setdefault(fold(word), set()).update(ways)
    return Language(
        {word: frozenset(ways) for word, ways in english.items()},
        frozenset(map(fold, told["shared"].split())),
        frozenset(map(fold, told["small"].split())),
        tuple(told["joints"].split()),
        max(map(len, english)),
    )


@lru_cache(maxsize=1024)
def language_of(names: tuple[str, ...]) -> Language | None:
    """The language that two headers are in, or one that English letters do not spell."""
    tokens = {word for name in names for word in _tokens(name)}
    counts = [
        sum(1 if word.isascii() else _TELLING for word in tokens if _tells(language, fold(word)))
        for language in languages()
    ]
    most = max(counts)
    only = counts.count(most) == 1 and most >= _TELLING
    return languages()[counts.index(most)] if only else None


def _tells(language: Language, word: str) -> bool:
    return word not in language.shared and bool(language.said(word))


def _tokens(name: str) -> list[str]:
    return [word.strip(".,:;()/") for word in " ".join(split_name(name)).split()]


def foreign_columns(
    question: Question, table: CatalogTable, named: Sequence[ColumnMention]
) -> Iterator[ColumnMention]:
    """The columns that English words name by what their headers say in another language."""
    language = language_of(tuple(column.name for column in table.columns))
    if language is None:
        return
    taken = [m.mask for m in named if m.score >= WHOLE_NAME]
    for index, column in enumerate(table.columns):
        for way in _header_ways(language, without_unit(column.source.path[-1])):
            for place in _places(question, way):
                if all(place.mask & ~mask for mask in taken):
                    yield ColumnMention(place.first, place.last, index, AS_SAID)


def foreign_nouns(table: CatalogTable) -> frozenset[str]:
    """The stems of what the table's name and title call its rows, in English: "deliveries"."""
    language = language_of(tuple(column.name for column in table.columns))
    if language is None:
        return frozenset()
    ways = (way for word in table_words(table) for way in language.said(word))
    return frozenset(way[0] for way in ways if len(way) == 1)


def in_english(header: str, headers: tuple[str, ...]) -> tuple[Phrase, ...]:
    """The stems of what one of a table's headers says in English; none where it is no other
    language's.
    """
    language = language_of(headers)
    return (
        ()
        if language is None
        else tuple(_header_ways(language, without_unit(header.split(" > ")[-1])))
    )


def _header_ways(language: Language, header: str) -> Iterator[Phrase]:
    """What a header says in English, and in its own language without its small words and the sign
    of a unit: the "l" of "Preis/l".
    """
    first, *others = folded_words(" ".join(split_name(header))) or ("",)
    words = [w for w in (first, *(o for o in others if len(o) > 1)) if w not in language.small]
    said = [language.said(word) for word in words]
    if not any(said):
        return
    options = [sorted(ways) or [(stem(word),)] for ways, word in zip(said, words, strict=True)]
    for parts in itertools.islice(itertools.product(*options), MAX_WAYS):
        yield tuple(itertools.chain(*parts))
    yield tuple(map(stem, words))


def foreign_values(question: Question, table: CatalogTable, taken: int) -> Iterator[ValueMention]:
    """The cells that English words name by what they say in another language.

    `taken` masks the words that are headers or cells as they stand.
    """
    told = language_of(tuple(column.name for column in table.columns))
    for index, column in enumerate(table.columns):
        texts = column.source.texts
        if column.kind is not Kind.TEXT or len(texts) > MAX_LABELS:
            continue
        held: dict[Mention, list[str]] = {}
        for text, ways in _translated(told, texts):
            for place in dict.fromkeys(p for way in ways for p in _places(question, way)):
                held.setdefault(place, []).append(text)
        for place, found in held.items():
            if place.mask & ~taken:
                yield ValueMention(place.first, place.last, index, tuple(found), TRANSLATED)


def _translated(
    told: Language | None, texts: Sequence[str]
) -> Iterable[tuple[str, frozenset[Phrase]]]:
    """Texts with what they say in English: of the table's language, or of one that two are in."""
    split = {text: folded_words(text) for text in texts}
    for language in (told,) if told else languages():
        found = {text: _cell_ways(language, words) for text, words in split.items()}
        telling = [
            text
            for text, ways in found.items()
            if ways and not language.shared.issuperset(split[text])
        ]
        if told or len(telling) >= _TELLING:
            return [(text, ways) for text, ways in found.items() if ways]
    return ()


def _cell_ways(language: Language, words: Sequence[str]) -> frozenset[Phrase]:
    if not 0 < len(words) <= MAX_CELL:
        return frozenset()
    said = [language.said(word) or _calendar(word) for word in words]
    if not all(said):
        return frozenset()
    parts = itertools.islice(itertools.product(*map(sorted, said)), MAX_WAYS)
    return frozenset(tuple(itertools.chain(*way)) for way in parts)


def _calendar(word: str) -> frozenset[Phrase]:
    """The English month or weekday that a folded word names."""
    if month := MONTH_OF.get(word):
        return frozenset({(_MONTHS[month - 1],)})
    day = _DAYS.get(word)
    return frozenset({(stem(day),)}) if day else frozenset()


_MONTHS = tuple(stem(name.lower()) for name in calendar.month_name if name)
_DAYS = {
    fold(name): day.lower()
    for names in WEEKDAYS_BY_LANGUAGE[1:]
    for name, day in zip(names.split(), WEEKDAYS, strict=True)
}


def _places(question: Question, way: Phrase) -> Iterator[Mention]:
    """Where the words of a phrase stand side by side."""
    stems = [word.stem for word in question.words]
    for first in range(len(stems) - len(way) + 1):
        if tuple(stems[first : first + len(way)]) == way:
            last = first + len(way) - 1
            counts = way == (_NUMBER,) and question.words[last + 1 : last + 2]
            small = first == last and question.function >> first & 1
            if not small and not (counts and counts[0].folded == "of"):
                yield Mention(first, last)


_NUMBER = stem("number")
