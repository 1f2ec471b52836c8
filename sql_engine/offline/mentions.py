"""What the words of a question may mean, for one table: columns, cells, numbers, time, operators.

Takes a question, today's date and a table; gives `Mentions`. Mentions may overlap and contradict
each other; choosing among them is the composer's and the ranker's work.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from rapidfuzz import fuzz

from retrieval.table import Kind
from sql_engine.catalog import CatalogTable
from sql_engine.offline.lexicon import Lexicon, Sense, lexicon
from sql_engine.offline.periods import Period, periods
from sql_engine.value_index import value_index
from sql_engine.words import Word, fold, folded_words, name_words, words

MAX_VALUE_WORDS = 12
MAX_TEXTS = 60
"""A partial match of more distinct texts than this says nothing about any of them."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of words, both ends included."""

    first: int
    last: int

    @property
    def mask(self) -> int:
        """A bit for each word."""
        return (1 << (self.last + 1)) - (1 << self.first)


@dataclass(frozen=True, slots=True)
class ColumnMention(Mention):
    """Names a column; `score` is 1 for the whole name as it stands."""

    column: int
    score: float


@dataclass(frozen=True, slots=True)
class ValueMention(Mention):
    """Names cells of a column; `score` is 1 for whole cells."""

    column: int
    texts: tuple[str, ...]
    score: float

    @property
    def exact(self) -> bool:
        """Whether the words are the whole cell."""
        return self.score >= 0.9


@dataclass(frozen=True, slots=True)
class NumberMention(Mention):
    """A number; `ordinal` for "third", `percent` where a sign or word says so."""

    value: float
    ordinal: bool = False
    percent: bool = False


@dataclass(frozen=True, slots=True)
class PeriodMention(Mention):
    """A date or stretch of time."""

    period: Period


@dataclass(frozen=True, slots=True)
class Trigger(Mention):
    """A phrase that names an operation."""

    sense: Sense


@dataclass(frozen=True)
class Question:
    """A question cut into words, with what holds for every table."""

    text: str
    words: tuple[Word, ...]
    today: dt.date
    triggers: tuple[Trigger, ...]
    numbers: tuple[NumberMention, ...]
    periods: tuple[PeriodMention, ...]
    quoted: tuple[Mention, ...] = ()
    """Stretches in quotation marks."""

    @cached_property
    def content(self) -> int:
        """Mask of the words that must mean something."""
        known = lexicon()
        return sum(1 << i for i, word in enumerate(self.words) if word.folded not in known.function)

    @cached_property
    def light(self) -> int:
        """Mask of the words that say little: "placed", "made"."""
        light = lexicon().light
        return sum(1 << i for i, word in enumerate(self.words) if word.stem in light)

    def of(self, operator: str) -> list[Trigger]:
        """The triggers of one operator, in order."""
        return [t for t in self.triggers if t.sense.operator == operator]

    def text_of(self, mask: int) -> tuple[str, ...]:
        """The words of a mask."""
        return tuple(w.text for i, w in enumerate(self.words) if mask >> i & 1)


@dataclass(frozen=True)
class Mentions:
    """Everything the question may say about one table."""

    columns: tuple[ColumnMention, ...]
    values: tuple[ValueMention, ...]
    rows: int
    """Mask of the words that name the rows of this table: "orders", "records"."""
    table_words: int = 0
    """Mask of the words of the table's own name."""
    unplaced: int = field(default=0)


def read_question(text: str, today: dt.date) -> Question:
    """Cut a question into words and find what does not depend on a table."""
    found = words(text)
    known = lexicon()
    spans = tuple(_period_mentions(text, found, today))
    return Question(
        text,
        found,
        today,
        tuple(_triggers(found, known)),
        tuple(_numbers(found, spans)),
        spans,
        tuple(_quoted(text, found)),
    )


def _triggers(found: Sequence[Word], known: Lexicon) -> Iterable[Trigger]:
    folded = [word.folded for word in found]
    for first in range(len(found)):
        seen: set[str] = set()
        for last in range(min(len(found), first + known.longest) - 1, first - 1, -1):
            for sense in known.senses.get(tuple(folded[first : last + 1]), ()):
                if sense.operator not in seen:
                    seen.add(sense.operator)
                    yield Trigger(first, last, sense)


_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
_UNITS += " fifteen sixteen seventeen eighteen nineteen twenty"
NUMBER_WORDS = {word: float(i) for i, word in enumerate(_UNITS.split())}
NUMBER_WORDS |= {"thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "dozen": 12}
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth"
ORDINAL_WORDS = {word: float(i + 1) for i, word in enumerate(_ORDINALS.split())}
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "k": 1e3, "m": 1e6, "bn": 1e9}
_CURRENCY = frozenset("$€£₹¥")


def _numbers(found: Sequence[Word], spans: Sequence[PeriodMention]) -> Iterable[NumberMention]:
    taken = sum(p.mask for p in spans if not p.period.year_only)
    for i, word in enumerate(found):
        value = _number(word.folded)
        ordinal = value is None
        if value is None:
            value = _ordinal(word.folded)
        if value is None or taken >> i & 1:
            continue
        last = i
        after = found[i + 1].folded if i + 1 < len(found) else ""
        if after in _SCALES and not ordinal:
            value, last = value * _SCALES[after], i + 1
        percent = after in ("%", "percent")
        first = i - 1 if i and found[i - 1].folded in _CURRENCY else i
        yield NumberMention(first, last, value, ordinal, percent)


def _number(folded: str) -> float | None:
    if folded in NUMBER_WORDS:
        return NUMBER_WORDS[folded]
    if folded[:1].isdigit() and not (folded[:1] == "0" and folded[1:].isdigit()):
        digits, scale = folded.replace(",", ""), 1.0
        if digits[-1] in "kmb" and len(digits) > 1:
            digits, scale = digits[:-1], {"k": 1e3, "m": 1e6, "b": 1e9}[digits[-1]]
        try:
            return float(digits) * scale
        except ValueError:
            return None
    return None


def _ordinal(folded: str) -> float | None:
    if folded in ORDINAL_WORDS:
        return ORDINAL_WORDS[folded]
    if folded[-2:] in ("st", "nd", "rd", "th") and folded[:-2].isdigit():
        return float(folded[:-2])
    return None


def _period_mentions(text: str, found: Sequence[Word], today: dt.date) -> Iterable[PeriodMention]:
    for period in periods(text, today):
        inside = [i for i, w in enumerate(found) if w.start < period.end and period.start < w.end]
        if inside:
            yield PeriodMention(inside[0], inside[-1], period)


def _quoted(text: str, found: Sequence[Word]) -> Iterable[Mention]:
    for opening, closing in ('""', "“”", "''", "‘’"):
        start = text.find(opening)
        while start >= 0:
            end = text.find(closing, start + 1)
            inside = [i for i, w in enumerate(found) if w.start > start and w.end <= end]
            before = text[start - 1] if start else " "
            if end > 0 and inside and not before.isalnum():
                yield Mention(inside[0], inside[-1])
                start = text.find(opening, end + 1)
            else:
                start = text.find(opening, start + 1)


# ---------------------------------------------------------------- against one table


def mentions(question: Question, table: CatalogTable) -> Mentions:
    """What the question may say about one table."""
    columns = tuple(_column_mentions(question, table))
    values = tuple(_value_mentions(question, table))
    rows, named = _row_words(question, table)
    light = question.light
    columns = tuple(_unless_small(_unless_small(m, rows, 0.5), light, 0.65) for m in columns)
    return Mentions(columns, values, rows, named)


def _unless_small(mention: ColumnMention, small: int, factor: float) -> ColumnMention:
    """A part of a column name that also names the rows, or says little, hardly names the column."""
    if mention.score >= 0.95 or mention.mask & ~small:
        return mention
    return replace(mention, score=mention.score * factor)


def column_stems(table: CatalogTable) -> list[tuple[tuple[str, ...], ...]]:
    """For each column, the ways its name may be said: the whole path, and its last part."""
    ways = []
    for column in table.columns:
        parts = [name_words(part) for part in (*column.source.path, column.name)]
        joined = tuple(stem for part in parts[:-1] for stem in part)
        options = dict.fromkeys(p for p in (joined, parts[-2], parts[-1]) if p)
        ways.append(tuple(options))
    return ways


def _column_mentions(question: Question, table: CatalogTable) -> Iterable[ColumnMention]:
    function = lexicon().function
    for index, (column, ways) in enumerate(zip(table.columns, column_stems(table), strict=True)):
        best: dict[tuple[int, int], float] = {}
        for way in ways:
            for first, last, score in _name_matches(question.words, way, function):
                best[first, last] = max(best.get((first, last), 0.0), score)
        for (first, last), score in best.items():
            if first == last and _hardly_names(question.words[first].folded, column.name, score):
                continue
            yield ColumnMention(first, last, index, score)


def _hardly_names(folded: str, name: str, score: float) -> bool:
    """A "no" that is half a name, or a participle that is not all of it ("measured_at")."""
    if folded == "no":
        return score < 0.95
    return folded in lexicon().participles and fold(name) != folded and "date" not in name.lower()


def _name_matches(
    found: Sequence[Word], way: tuple[str, ...], function: frozenset[str]
) -> Iterable[tuple[int, int, float]]:
    """Stretches of the question that say a column name, with how well they do."""
    names = [stem for stem in way if stem not in function] or list(way)
    likeness = [_best_name(word, names, function) for word in found]
    first = 0
    while first < len(found):
        if likeness[first][1] <= 0:
            first += 1
            continue
        used, total, last, probe = {likeness[first][0]}, likeness[first][1], first, first + 1
        while probe < len(found) and probe - last <= 2:
            name, score = likeness[probe]
            if score > 0 and name not in used:
                used.add(name)
                total += score
                last = probe
            elif score > 0 or found[probe].folded not in function:
                break
            probe += 1
        share = total / len(names)
        yield first, last, share if share >= 0.99 else 0.4 + 0.5 * share
        first = last + 1


def _best_name(word: Word, names: Sequence[str], function: frozenset[str]) -> tuple[int, float]:
    best = (-1, 0.0)
    for position, name in enumerate(names):
        score = likeness(word, name)
        if word.folded in function and score < 1:
            score = 0.0
        if score > best[1]:
            best = (position, score)
    return best


def likeness(word: Word, name: str) -> float:
    """How well a word of the question says a word of a name: 0 to 1."""
    if word.stem == name or word.folded == name:
        return 1.0
    if name in lexicon().synonyms.get(word.stem, ()):
        return 0.8
    if len(word.folded) >= 4 and len(name) >= 4 and not word.folded.isdigit():
        if word.stem.startswith(name) or name.startswith(word.stem):
            return 0.85 if abs(len(name) - len(word.stem)) <= 3 else 0.7
        if len(name) >= 5 and fuzz.ratio(word.stem, name) >= 85:
            return 0.8
    return 0.0


def _row_words(question: Question, table: CatalogTable) -> tuple[int, int]:
    known = lexicon()
    names = set(name_words(table.name)) | set(name_words(table.table.title))
    names = {n for n in names if not n.isdigit()} - known.function
    names |= {s for n in names for s in known.synonyms.get(n, ())}
    keys = _key_words(table)
    people = known.people if _about_people(table) else frozenset()
    rows = named = 0
    for i, word in enumerate(question.words):
        if word.stem in names:
            named |= 1 << i
        if (
            word.stem in names
            or word.stem in keys
            or word.stem in known.rows
            or word.stem in people
        ):
            rows |= 1 << i
    return rows, named


def _key_words(table: CatalogTable) -> set[str]:
    """Words of the columns that name each row ("order_id" says the rows are orders)."""
    found: set[str] = set()
    for column in table.columns[:3]:
        used = len(column.source.texts) == table.table.row_count
        name = set(name_words(column.name))
        if used and name & _IDENTIFIERS and len(name) > 1:
            found |= name - _IDENTIFIERS
    return found


_IDENTIFIERS = {"id", "no", "number", "code", "name", "key", "ref", "num", "nr", "#"}


def _about_people(table: CatalogTable) -> bool:
    people = lexicon().people
    told = set(name_words(table.name))
    heads = {stem for column in table.columns for stem in name_words(column.name)}
    return bool(told & people) or bool(
        heads & {"salari", "surnam", "hire", "employe"} | heads & people
    )


def _value_mentions(question: Question, table: CatalogTable) -> Iterable[ValueMention]:
    for index, column in enumerate(table.columns):
        if column.kind is not Kind.TEXT:
            continue
        found = list(_values_of(question, index, value_index(column.source), column.source.texts))
        exact = [v for v in found if v.exact]
        yield from exact
        for value in found:
            if not value.exact and not any(e.mask & value.mask == value.mask for e in exact):
                yield value


def _values_of(question, index, known, texts) -> Iterable[ValueMention]:  # type: ignore[no-untyped-def]
    stems = [word.stem for word in question.words]
    function = lexicon().function
    for first in range(len(stems)):
        for last in range(min(len(stems), first + MAX_VALUE_WORDS) - 1, first - 1, -1):
            if first == last and question.words[first].folded in function:
                continue
            codes = known.equal(tuple(stems[first : last + 1]))
            if codes:
                said = tuple(word.folded for word in question.words[first : last + 1])
                held = tuple(texts[c] for c in codes)
                same = tuple(text for text in held if folded_words(text) == said)
                yield ValueMention(first, last, index, same or held, 1.0 if same else 0.92)
    yield from _partial(question, index, known, texts, stems, function)


def _partial(question, index, known, texts, stems, function) -> Iterable[ValueMention]:  # type: ignore[no-untyped-def]
    """The longest runs of words that some cells hold together."""
    first = 0
    while first < len(stems):
        if question.words[first].folded in function:
            first += 1
            continue
        codes, last = known.holding(stems[first]), first
        while len(codes) and last + 1 < len(stems):
            both = np.intersect1d(codes, known.holding(stems[last + 1]))
            if not len(both):
                break
            codes, last = both, last + 1
        while last > first and question.words[last].folded in function:
            last -= 1
        if 0 < len(codes) <= MAX_TEXTS:
            held = tuple(texts[c] for c in codes.tolist())
            share = (last - first + 1) / min(len(text.split()) or 1 for text in held)
            yield ValueMention(first, last, index, held, min(0.85, 0.3 + 0.5 * min(1.0, share)))
        first = last + 1
