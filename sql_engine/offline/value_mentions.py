"""Cells that the words of a question name: whole, in part, or nearly.

Takes a `Question` and a table; gives `ValueMention`s. Whole cells win over parts; words that no
cell holds are tried as misspellings of words that some cells do hold.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from retrieval.table import Kind
from retrieval.word_forms import DENYING, misspelt, says_otherwise
from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.offline.columns import table_data
from sql_engine.offline.foreign import foreign_values
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.question import Question, ValueMention, covering
from sql_engine.offline.sexes import sex_mentions
from sql_engine.value_index import MAX_TEXT, ValueIndex, text_stems, value_index
from sql_engine.words import Word, fold, folded_words

MAX_WORDS = 12
"""Words of a cell that is looked up as a whole."""
MAX_TEXTS = 60
"""A partial match of more distinct texts than this says nothing about any of them."""
LISTED = 0.95
"""The score of a whole thing of which a cell holds several."""
MAX_LABELS = 300
"""Columns of more distinct texts are not searched for cells by scattered words."""
MAX_STATES = 20
"""In columns of more distinct texts than this, "out" and the like are words, not states."""
MAX_VOCABULARY = 4000
"""Columns of more distinct words are not searched for misspellings."""


def value_mentions(question: Question, table: CatalogTable, named: int) -> Iterator[ValueMention]:
    """Cells that the question names; `named` masks words that are whole column names."""
    held = table_data(table).columns
    searches = [
        _ColumnSearch(
            question, index, value_index(column.source), column.source.texts, held[index].items
        )
        for index, column in enumerate(table.columns)
        if column.kind is Kind.TEXT
    ]
    whole = [list(search.listed() or search.whole()) for search in searches]
    if table.table.totals:
        whole = _of_records_first(question, whole, table)
    said = named
    for found in whole:
        for mention in found:
            said |= mention.mask
    translated = tuple(foreign_values(question, table, said))
    said |= covering(translated)
    yield from (*sex_mentions(question, table), *translated)
    for search, exact in zip(searches, whole, strict=True):
        yield from exact
        for mention in (*search.parts(said), *search.scattered()):
            if not any(e.mask & mention.mask == mention.mask for e in exact):
                yield mention


def _of_records_first(
    question: Question, whole: Sequence[Sequence[ValueMention]], table: CatalogTable
) -> list[list[ValueMention]]:
    """The mentions without those of cells that totals rows alone hold, where records hold the
    same words in another column (the subtotal "North" under stations of the region North), or the
    words ask for a sum: a totals row is no record.
    """
    held = {id(m): _in_records(m, table.columns[m.column]) for ms in whole for m in ms}
    told = {m.mask for mentions in whole for m in mentions if held[id(m)]}
    told |= {trigger.mask for trigger in question.of("sum")}
    return [[m for m in mentions if held[id(m)] or m.mask not in told] for mentions in whole]


def _in_records(mention: ValueMention, column: CatalogColumn) -> bool:
    records = column.records
    if len(records.texts) > MAX_LABELS:
        return True
    counts = dict(zip(records.texts, records.counts.tolist(), strict=True))
    return any(counts.get(text) for text in mention.texts)


def veiled_values(question: Question, table: CatalogTable) -> int:
    """Mask of the small words that stand where a cell would: "people in it", with a cell "IT".

    Their case does not tell which is meant, so they may restrict.
    """
    function, mask = lexicon().function, 0
    for i, word in enumerate(question.words[1:], 1):
        after = question.words[i + 1 : i + 2]
        ends = word.folded in _OBJECTS or not after or after[0].folded in function
        placed = question.words[i - 1].folded in _PLACING and ends
        if word.folded in function and placed and not question.capitals >> i & 1:
            texts = (c.source for c in table.columns if c.kind is Kind.TEXT)
            mask |= any(value_index(source).equal((word.stem,)) for source in texts) << i
    return mask


_PLACING = frozenset(
    ["all", "and", "at", "by", "every", "for", "from", "in", "many", "of", "or", "the", "which"]
)
_OBJECTS = frozenset(["it", "me", "us"])


class _ColumnSearch:
    """Looks for a question's words in one column."""

    def __init__(
        self,
        question: Question,
        index: int,
        known: ValueIndex,
        texts: Sequence[str],
        items: Mapping[tuple[str, ...], tuple[str, ...]],
    ) -> None:
        self._question = question
        self._index = index
        self._known = known
        self._texts = texts
        self._items = items
        self._stems = [word.stem for word in question.words]
        function = lexicon().function
        self._operators = sum({1 << t.first for t in question.triggers if t.first == t.last})
        known_states = lexicon().states if len(texts) <= MAX_STATES else frozenset()
        grouping = covering(question.of("group"))
        self._states = [
            word.folded in known_states and not grouping >> i & 1
            for i, word in enumerate(question.words)
        ]
        small = function | {"or", "by", "per"}
        self._small = [word.folded in small for word in question.words]

    def listed(self) -> list[ValueMention]:
        """Things that the cells hold several of: "egg", of which "milk, egg" is a cell."""
        found: list[ValueMention] = []
        longest = max(map(len, self._items), default=0)
        for first in range(len(self._stems) if longest else 0):
            for last in range(min(first + longest, len(self._stems)) - 1, first - 1, -1):
                texts = self._items.get(tuple(self._stems[first : last + 1]))
                if texts and not (first == last and self._small[first]):
                    found.append(ValueMention(first, last, self._index, texts, LISTED))
                    break
        return found

    def whole(self) -> Iterator[ValueMention]:
        """Stretches of words that are cells as they stand, or up to their endings."""
        ends = self._ends_of_known_words()
        for first, end in enumerate(ends):
            for last in range(min(end, first + MAX_WORDS) - 1, first - 1, -1):
                small = first == last and self._small[first] and not self._states[first]
                if small and not self._question.capitals >> first & 1:
                    continue
                codes = self._known.equal(tuple(self._stems[first : last + 1]))
                if small:
                    written = self._question.words[first].text
                    names = {written, written.upper(), written.capitalize()}
                    codes = tuple(c for c in codes if self._texts[c].strip() in names)
                if codes:
                    yield self._equal(first, last, [self._texts[c] for c in codes])

    def _ends_of_known_words(self) -> list[int]:
        """For each word, where the stretch of words that some cell holds ends; no cell goes on."""
        ends: list[int] = []
        for place in range(len(self._stems) - 1, -1, -1):
            after = ends[-1] if ends else len(self._stems)
            known = len(self._known.holding(self._stems[place])) > 0
            ends.append(after if known else place)
        return ends[::-1]

    def _equal(self, first: int, last: int, held: list[str]) -> ValueMention:
        words = self._question.words[first : last + 1]
        said = tuple(word.folded for word in words)
        same = [text for text in held if folded_words(text) == said]
        chosen = _as_written(self._question.text, words[0].start, words[-1].end, same or held)
        score = 1.0 if same else 0.92
        return ValueMention(first, last, self._index, tuple(chosen), score)

    def parts(self, said: int) -> Iterator[ValueMention]:
        """The longest runs of words that some cells hold together."""
        for first, last, codes in self._runs(self._stems):
            if first == last and self._operators >> first & 1:
                continue
            yield self._part(first, last, codes, 1.0)
        mended = self._mended(said)
        if mended != self._stems:
            for first, last, codes in self._runs(mended):
                if mended[first : last + 1] != self._stems[first : last + 1]:
                    yield self._part(first, last, codes, 0.85)

    def scattered(self) -> Iterator[ValueMention]:
        """The cells that share most words with the question, though not side by side."""
        if self._items or not 1 < len(self._texts) <= MAX_LABELS:
            return
        asked = {s for i, s in enumerate(self._stems) if not self._small[i]}
        scored = []
        for text in self._sharing(asked):
            stems = set(text_stems(text))
            shared = stems & asked
            if len(shared) >= 2:
                weight = sum(map(self._rarity, shared)) / sum(map(self._rarity, stems))
                scored.append((weight, text, shared))
        for weight, text, shared in sorted(scored, reverse=True, key=lambda s: s[0])[:2]:
            if weight >= 0.5:
                bits = sum(1 << i for i, s in enumerate(self._stems) if s in shared)
                first = (bits & -bits).bit_length() - 1
                last = bits.bit_length() - 1
                yield ValueMention(first, last, self._index, (text,), 0.8 * weight, bits)

    def _sharing(self, asked: set[str]) -> Iterator[str]:
        """The texts that hold two of some stems, and those whose words are not indexed."""
        held = np.zeros(len(self._texts), np.int64)
        for stem in asked:
            held[self._known.holding(stem)] += 1
        for code, text in enumerate(self._texts):
            if held[code] >= 2 or len(text) > MAX_TEXT:
                yield text

    def _rarity(self, stem: str) -> float:
        """How much a word tells cells of the column apart."""
        return 0.2 + math.log(1 + len(self._texts) / (1 + len(self._known.holding(stem))))

    def _part(self, first: int, last: int, codes: Sequence[int], trust: float) -> ValueMention:
        held = tuple(self._texts[c] for c in codes)
        share = (last - first + 1) / min(len(text.split()) or 1 for text in held)
        score = trust * min(0.85, 0.3 + 0.5 * min(1.0, share))
        return ValueMention(first, last, self._index, held, score)

    def _runs(self, stems: Sequence[str]) -> Iterable[tuple[int, int, list[int]]]:
        first = 0
        while first < len(stems):
            if self._small[first]:
                first += 1
                continue
            codes, last = self._known.holding(stems[first]), first
            while len(codes) and last + 1 < len(stems):
                both = np.intersect1d(codes, self._known.holding(stems[last + 1]))
                if not len(both):
                    break
                codes, last = both, last + 1
            end = last
            while end > first and self._small[end]:
                end -= 1
            if 0 < len(codes) <= MAX_TEXTS and (told := self._not_denied(first, codes.tolist())):
                yield first, end, told
            first = last + 1

    def _not_denied(self, first: int, codes: list[int]) -> list[int]:
        """Those of some cells that do not deny the word: "taxable" is not part of "non-taxable"."""
        if first and self._question.words[first - 1].folded in DENYING:
            return codes
        stem = self._stems[first]
        return [code for code in codes if not _denies(self._texts[code], stem)]

    def _mended(self, said: int) -> list[str]:
        """The stems, with the nearest word of the column for those that no cell holds."""
        light = self._question.light | said
        mended = list(self._stems)
        for i, stem in enumerate(self._stems):
            if self._small[i] or light >> i & 1 or len(stem) < 4 or not stem.isalpha():
                continue
            if not len(self._known.holding(stem)):
                mended[i] = self._nearest(self._question.words[i]) or stem
        return mended

    def _nearest(self, word: Word) -> str | None:
        if self._known.word_count > MAX_VOCABULARY:
            return None
        vocabulary = self._known.vocabulary
        if len(vocabulary) > MAX_VOCABULARY:
            return None
        return nearest_word(word, vocabulary)


def nearest_word(word: Word, known: Iterable[str]) -> str | None:
    """The one of some stems that a word is a misspelling or another form of: "economist" where
    "economics" is asked for. None where none is, or several are. A name in capitals has no other
    forms, but what is of it: "Martina" is not Martin, "Australian" is of Australia.
    """
    known, stem = tuple(known), word.stem
    longer = [w for w in known if w[:_BEGINNING] == stem[:_BEGINNING] and len(w) >= _BEGINNING]
    if word.text[:1].isupper():
        longer = [w for w in longer if stem.removeprefix(w) in _OF_A_PLACE]
    slip = misspelt(stem, known, letters=len(word.folded)) or misspelt(word.folded, known)
    return slip or (longer[0] if len(longer) == 1 else None)


def _denies(text: str, stem: str) -> bool:
    """Whether a cell has a word only where it denies it: "Did not qualify" of "qualified"."""
    if says_otherwise(fold(text), stem):
        return True
    folded, stems = folded_words(text), text_stems(text)
    places = [i for i, one in enumerate(stems) if one == stem] if len(folded) == len(stems) else []
    return bool(places) and all(i and folded[i - 1] in DENYING for i in places)


_OF_A_PLACE = frozenset(["n", "an", "ian", "es", "ish"])
"""Endings of the stems of "Australian", "Japanese"."""
_BEGINNING = 6
"""Letters that two forms of one word share."""


def _as_written(question: str, start: int, end: int, held: list[str]) -> list[str]:
    """Of cells that differ in signs alone, those that the question writes out the longest."""
    folded = fold(question)
    if len(held) == 1 or len(folded) != len(question):
        return held
    reach = {text: _written_length(folded, start, end, fold(text.strip())) for text in held}
    longest = max(reach.values())
    return [text for text in held if reach[text] == longest] if longest else held


def _written_length(question: str, start: int, end: int, text: str) -> int:
    at = question.find(text, max(0, start - len(text)))
    covers = at >= 0 and at <= start and at + len(text) >= end
    return len(text) if covers else 0
