"""What the words of a question may mean before any table is seen: numbers, time, operators.

Takes a question and today's date; gives a `Question` with its mentions. Mentions may overlap and
contradict each other; choosing among them is the composer's and the ranker's work.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Protocol

from sql_engine.magnitudes import scale_of
from sql_engine.offline.lexicon import Lexicon, Sense, lexicon, says_little
from sql_engine.offline.periods import Period, periods
from sql_engine.offline.quarters import quarters_said
from sql_engine.offline.unit_words import attached_unit, said_unit
from sql_engine.words import Word, in_capitals, words

_COUNTLESS = frozenset(["time", "kind", "type", "sort", "entri", "valu", "data", "use"])
"""Stems that after "how many" name nothing: "how many times", "how many kinds of …"."""
_JOINING = frozenset(["and", "or", "nor"])
_BEFORE_MONTHS = frozenset(["in", "during", "of", "since", "until", "last", "this", "next"])
_PRONOUNS = frozenset(["us", "it"])
BEING = frozenset(["is", "are", "was", "were", "aged", "who", "that", "be"])
"""Words between a noun and what is told of it."""
"""Pronouns that are names in capitals; none follows an article."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of words, both ends included."""

    first: int
    last: int

    @property
    def mask(self) -> int:
        """A bit for each word."""
        return (1 << (self.last + 1)) - (1 << self.first)


class Said(Protocol):
    """What words say."""

    @property
    def mask(self) -> int:
        """A bit for each word."""


def covering(said: Iterable[Said]) -> int:
    """Mask of the words of any of them: stretches may share words, so that masks do not add up."""
    mask = 0
    for one in said:
        mask |= one.mask
    return mask


@dataclass(frozen=True, slots=True)
class ColumnMention(Mention):
    """Names a column; `score` is 1 for the whole name as it stands."""

    column: int
    score: float
    scattered: int = 0
    """The mask, where the words do not stand together."""

    @property
    def mask(self) -> int:
        """A bit for each word."""
        return self.scattered or (1 << (self.last + 1)) - (1 << self.first)


@dataclass(frozen=True, slots=True)
class ValueMention(Mention):
    """Names cells of a column; `score` is 1 for whole cells."""

    column: int
    texts: tuple[str, ...]
    score: float
    scattered: int = 0
    """The mask, where the words do not stand together."""

    @property
    def mask(self) -> int:
        """A bit for each word."""
        return self.scattered or (1 << (self.last + 1)) - (1 << self.first)

    @property
    def exact(self) -> bool:
        """Whether the words are the whole cell."""
        return self.score >= 0.9


@dataclass(frozen=True, slots=True)
class NumberMention(Mention):
    """A number; `ordinal` for "third"."""

    value: float
    ordinal: bool = False
    unit: frozenset[str] = frozenset()
    """The units that the sign before it or the word after it may mean; none where none is said."""
    attached: bool = False
    """Whether the unit is in the number's own word: "20kg"."""
    clock: dt.time | None = None
    """The time of day that it says: "23:30", "3 pm"."""
    scale: float = 1.0
    """What a word of magnitude multiplied it by: 1e6 in "5 million"."""

    @property
    def counts(self) -> bool:
        """Whether it may say how many rows or groups: no "50 %", no "20kg"."""
        return not self.attached and lexicon().units["%"].isdisjoint(self.unit)


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
        return ((1 << len(self.words)) - 1) & ~self.function

    @cached_property
    def function(self) -> int:
        """Mask of the words that restrict nothing; "IT" and "US" in capitals are names."""
        function, mask = lexicon().function, 0
        for i, word in enumerate(self.words):
            name = len(word.text) <= 2 and self.capitals >> i & 1
            mask |= (word.folded in function and not name) << i
        return mask & ~self._may

    @cached_property
    def capitals(self) -> int:
        """Mask of the short words in capitals that may be cells; an "OR" between two joins them.
        After an article a pronoun is such a name in any case: "the us".
        """
        mask = in_capitals(self.words, self.text) | self._may
        for i, (before, word) in enumerate(itertools.pairwise(self.words), 1):
            mask |= (before.folded == "the" and word.folded in _PRONOUNS) << i
        for i, word in enumerate(self.words):
            if i and word.folded in _JOINING:
                before = self.words[i - 1]
                parted = self.text[before.end : word.start].strip()
                mask &= -1 if parted or not before.text[:1].isupper() else ~(1 << i)
        return mask

    @property
    def _may(self) -> int:
        """Mask of "May" the month, and no verb: with a capital inside the question, or after what
        a time stands after.
        """
        mask = 0
        for i, (before, word) in enumerate(itertools.pairwise(self.words), 1):
            written = word.text == "May" or before.folded in _BEFORE_MONTHS
            mask |= (word.folded == "may" and written) << i
        return mask

    @cached_property
    def light(self) -> int:
        """Mask of the words that say little: "placed", "made"."""
        said = sum(1 << i for i, w in enumerate(self.words) if says_little(w.folded, w.stem))
        names = self.attributes | self.capitals | self.changes
        said |= self._transitive | self.listing | self._joining
        return said & ~names & ~self._counted & ~self._day_asked

    @property
    def _joining(self) -> int:
        """Mask of the "but" that joins two conditions: "over 130 members but only 6 seats"."""
        folded = [word.folded for word in self.words]
        pairs = enumerate(itertools.pairwise(folded))
        return sum(1 << i for i, (one, two) in pairs if one == "but" and two in _CONTRASTED)

    @cached_property
    def listing(self) -> int:
        """Mask of the "chart" of "on this chart", which says where all rows are."""
        words, known = self.words, lexicon().listings
        folded = [word.folded for word in words]
        return sum(
            1 << i
            for i in range(2, len(words))
            if folded[i] in known and folded[i - 1] in _POINTING and folded[i - 2] in _INSIDE
        )

    @cached_property
    def changes(self) -> int:
        """Mask of what asks how far something went: "how much did it grow", "go up", "the fall in
        sales". Elsewhere those words say little: "was grown", "falls on a Monday".
        """
        folded = [word.folded for word in self.words]
        asked = _CHANGE_ASKED.search(" ".join(folded)) is not None
        mask = 0
        for i, word in enumerate(self.words):
            after = folded[i + 1] if i + 1 < len(folded) else ""
            moved = word.stem in _CHANGES or (word.folded in _GOING and after in _WAYS)
            noun = i and folded[i - 1] in ("the", "a") and after in ("in", "of", "from", "between")
            mask |= bool(moved and (asked or noun)) << i
        return mask

    def place_told_of(self, mention: Mention) -> int:
        """The place of the first word after a mention and an "is"."""
        after = mention.last + 1
        while after < len(self.words) and self.words[after].folded in BEING:
            after += 1
        return after

    @property
    def _day_asked(self) -> int:
        """Mask of the "day" of "which day", which asks for one."""
        words = self.words
        asked = (i for i in range(1, len(words)) if words[i - 1].folded in ("which", "what"))
        return sum(1 << i for i in asked if words[i].stem == "day")

    @property
    def _counted(self) -> int:
        """Mask of the noun right after "how many", which is never beside the point."""
        mask = 0
        for trigger in self.of("count"):
            after = trigger.last + 1
            if after < len(self.words) and self.words[after].stem not in _COUNTLESS:
                mask |= 1 << after
        return mask

    @property
    def _transitive(self) -> int:
        """Mask of the verbs that say little before their object: "answered" before "yes"."""
        known, mask = lexicon().transitive, 0
        for i, word in enumerate(self.words):
            if word.folded in known:
                after = range(i + 1, min(i + 5, len(self.words)))
                mask |= any(not self.function >> j & 1 for j in after) << i
        return mask

    @cached_property
    def attributes(self) -> int:
        """Mask of the words in -ing that say of what kind the next is: "selling price"."""
        mask = 0
        for i, word in enumerate(self.words[:-1]):
            parted = self.text[word.end : self.words[i + 1].start].strip()
            ranked = i and self.words[i - 1].folded in ("best", "top", "worst")
            if word.folded.endswith("ing") and len(word.folded) > 5 and not (parted or ranked):
                mask |= 0 if self.function >> (i + 1) & 1 else 1 << i
        return mask

    @cached_property
    def date_words(self) -> int:
        """Mask of "date" and "day": light words that still name a column of dates."""
        words = enumerate(self.words)
        return sum(1 << i for i, word in words if word.stem in ("date", "day"))

    def of(self, *operators: str) -> list[Trigger]:
        """The triggers of some operators, in order."""
        return [t for t in self.triggers if t.sense.operator in operators]

    def apart(self, *operators: str) -> list[Trigger]:
        """The triggers of some operators with something told between them: "count the number of"
        is one, not two.
        """
        told: list[Trigger] = []
        for trigger in sorted(_longest(self.of(*operators)), key=lambda t: t.first):
            gap = range(told[-1].last + 1, trigger.first) if told else ()
            if not told or any(not self.function >> i & 1 for i in gap):
                told.append(trigger)
        return told

    def text_of(self, mask: int) -> tuple[str, ...]:
        """The words of a mask."""
        return tuple(w.text for i, w in enumerate(self.words) if mask >> i & 1)


_POINTING = frozenset(["the", "this", "that"])
_CONTRASTED = frozenset(
    ["only", "at", "more", "less", "fewer", "over", "under", "has", "have", "had"]
)
_INSIDE = frozenset(["in", "on", "from", "of"])
_CHANGES = frozenset(["grow", "fall", "fell", "grew", "grown", "fallen", "growth"])
_GOING = frozenset(["go", "goes", "gone", "went", "come", "came", "moved", "move"])
_WAYS = frozenset(["up", "down", "higher", "lower"])
_CHANGE_ASKED = re.compile(
    r"\bhow (?:much|far|strongly|fast) (?:more |less |further )?"
    r"(?:did|does|do|has|have|had|will|is|was)\b|\b(?:by|in) (?:how|what)\b"
)


@lru_cache(maxsize=256)
def read_question(text: str, today: dt.date) -> Question:
    """Cut a question into words and find what does not depend on a table."""
    found = words(text)
    known = lexicon()
    spans = tuple(_period_mentions(text, found, today))
    read = _whole(list(_triggers(found, known)))
    triggers = [trigger for trigger in read if not _is_in_brackets(text, found, trigger)]
    ordering = _ordering(triggers)
    clocks = tuple(_clocks(text, found))
    told = covering(clocks)
    lengths = tuple(_lengths(text, found))
    told += covering(lengths)
    plain = (n for n in _numbers(text, found, spans) if not n.mask & (ordering | told))
    numbers = (*plain, *clocks, *lengths)
    triggers = [t for t in triggers if t.sense.operator in _ORDERING or not t.mask & ordering]
    triggers = [t for t in triggers if not _is_of_period(t, spans, found)]
    triggers = [t for t in triggers if not _leads_nowhere(t, found)]
    triggers = [t for t in triggers if not _only_places(t, found, numbers)]
    triggers = [_once(t, triggers, numbers) for t in triggers]
    return Question(
        text,
        found,
        today,
        tuple(_outside_comparisons(found, triggers, (*numbers, *spans))),
        numbers,
        spans,
        tuple(_quoted(text, found)),
    )


def _whole(found: Sequence[Trigger]) -> list[Trigger]:
    """The triggers without a "most" that belongs to an adjective: "most expensive"."""
    adjectives = [t for t in found if t.sense.operator == "superlative" and t.first < t.last]
    return [
        t
        for t in found
        if t.sense.operator not in ("most", "least") or not any(t.mask & a.mask for a in adjectives)
    ]


def _triggers(found: Sequence[Word], known: Lexicon) -> Iterable[Trigger]:
    folded = [word.folded for word in found]
    for first in range(len(found)):
        seen: set[str] = set()
        for last in range(min(len(found), first + known.longest) - 1, first - 1, -1):
            for sense in known.said(folded, first, last):
                if sense.operator not in seen:
                    seen.add(sense.operator)
                    yield Trigger(first, last, sense)


def _is_in_brackets(text: str, found: Sequence[Word], trigger: Trigger) -> bool:
    """Whether nothing else stands in its brackets: "(min)" after a name is minutes, no minimum."""
    before, after = text[: found[trigger.first].start], text[found[trigger.last].end :]
    return before.endswith("(") and after.startswith(")")


def _is_of_period(trigger: Trigger, spans: Sequence[PeriodMention], found: Sequence[Word]) -> bool:
    """Whether a "last" is told from today: "last month", but not "the last month" of the table; or
    a "first" tells a quarter of the year.
    """
    if trigger.sense.operator not in ("first", "last", "next", "previous"):
        return False
    if any(trigger.mask & quarter.mask for quarter in quarters_said(found)):
        return True
    inside = (p for p in spans if p.period.relative and not trigger.mask & ~p.mask)
    before = found[trigger.first - 1].folded if trigger.first else ""
    return before != "the" and any(inside)


def _leads_nowhere(trigger: Trigger, found: Sequence[Word]) -> bool:
    """Whether nothing comes after an "each", or a date after a "starting in": it neither groups nor
    orders. What comes after "in all" is where it is: "in all shops" adds nothing up.
    """
    last = trigger.last + 1 == len(found)
    if [word.folded for word in found[trigger.first : trigger.last + 1]] == ["in", "all"]:
        return not last and found[trigger.last + 1].folded not in lexicon().function
    if trigger.sense.operator == "group":
        return last and found[trigger.first].folded in ("each", "every")
    starts = trigger.sense.operator == "first" and found[trigger.last].folded == "starting"
    return starts and (last or found[trigger.last + 1].folded in _STARTED)


_STARTED = frozenset(["in", "on", "at", "from", "before", "after", "between", "during", "since"])


def _only_places(trigger: Trigger, found: Sequence[Word], numbers: Sequence[NumberMention]) -> bool:
    """Whether "within" says where or when, and bounds no amount with its unit: "within 3 days"."""
    after = trigger.last + 1
    amount = next((n for n in numbers if n.first == after and n.unit and not n.ordinal), None)
    return found[trigger.first].folded == "within" and amount is None


def _once(trigger: Trigger, found: Sequence[Trigger], numbers: Sequence[NumberMention]) -> Trigger:
    """The trigger; a "top" that only says what the superlative after its number says restricts
    nothing: "top 5 longest".
    """
    if trigger.sense.operator != "superlative" or trigger.sense.hints:
        return trigger
    after = {n.last + 1 for n in numbers if n.first == trigger.last + 1 and not n.ordinal}
    again = any(t.first in after and t.sense.hints for t in found)
    return replace(trigger, sense=Sense("courtesy")) if again else trigger


_ORDERING = frozenset(["ascending", "descending", "order"])


def _ordering(found: Sequence[Trigger]) -> int:
    """Mask of the phrases that order the output: "highest first" holds no superlative and no 1."""
    phrases = (t for t in found if t.sense.operator in _ORDERING and t.first < t.last)
    return covering(_longest(phrases))


def _longest(found: Iterable[Trigger]) -> list[Trigger]:
    """The phrases that share no word, the longest of those that do."""
    kept: list[Trigger] = []
    for trigger in sorted(found, key=lambda t: t.first - t.last):
        if not any(trigger.mask & other.mask for other in kept):
            kept.append(trigger)
    return kept


def _outside_comparisons(
    said: Sequence[Word], found: Sequence[Trigger], amounts: Sequence[Mention]
) -> Iterable[Trigger]:
    """The triggers without those inside a comparison with an amount, or that are its unit.

    No "least" in "at least", whatever comes after; no share in "below 85 %".
    """
    taken = 0
    for trigger in found:
        compares = trigger.sense.operator == "compare_number" and trigger.first < trigger.last
        bounds = compares and said[trigger.first].folded == "at"
        if bounds or (compares and any(0 < amount.first - trigger.last <= 2 for amount in amounts)):
            taken |= trigger.mask
    after = {n.last + 1 for n in amounts if isinstance(n, NumberMention) and not n.ordinal}
    for trigger in found:
        if trigger.sense.operator == "share" and trigger.first in after:
            continue
        if said[trigger.first].folded == "only" and said[trigger.first - 1].folded == "the":
            continue  # "the only one that sails" is no bound
        inside = taken and not trigger.mask & ~taken
        if not inside or trigger.sense.operator.startswith("compare_number"):
            yield trigger


_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
_UNITS += " fifteen sixteen seventeen eighteen nineteen twenty"
NUMBER_WORDS = {word: float(i) for i, word in enumerate(_UNITS.split())}
NUMBER_WORDS |= {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70}
NUMBER_WORDS |= {"twice": 2, "thrice": 3}
NUMBER_WORDS |= {"eighty": 80, "ninety": 90, "hundred": 100, "dozen": 12}
_TENS = frozenset(range(20, 100, 10))
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth"
ORDINAL_WORDS = {word: float(i + 1) for i, word in enumerate(_ORDINALS.split())}
_LETTERS = {"k": 1e3, "m": 1e6, "b": 1e9}
"""Scales where a currency stands before the number; else "300 m" may be metres."""
CURRENCY = frozenset("$€£₹¥")


def _numbers(
    text: str, found: Sequence[Word], spans: Sequence[PeriodMention]
) -> Iterable[NumberMention]:
    taken = covering(p for p in spans if not p.period.year_only)
    done = 0
    for i, word in enumerate(found):
        if taken >> i & 1 or (i and _tens_and_unit(found[i - 1].folded, word.folded)):
            continue
        attached = attached_unit(word.folded)
        if attached is not None:
            number: NumberMention | None
            number = NumberMention(i, i, attached[0], unit=attached[1], attached=True)
        else:
            number = _number_at(text, found, i)
        if number is not None and number.first >= done:
            done = number.last + 1
            yield _signed(text, found, number)


def is_negative(text: str, start: int) -> bool:
    """Whether a minus sign stands before a number, which no name or range leads up to: "-3"."""
    return _MINUS.search(text[:start]) is not None


_MINUS = re.compile(r"(?:^|[\s(\[])[-\u2212\u2013][$€£₹¥]?$")


def _signed(text: str, found: Sequence[Word], number: NumberMention) -> NumberMention:
    """The number with the sign that is written or said before it: "minus 3"."""
    if number.ordinal:
        return number
    said = number.first > 0 and found[number.first - 1].folded in _NEGATIVE
    if said and (number.first < 2 or found[number.first - 2].folded in _BEFORE_SIGNS):
        return replace(number, first=number.first - 1, value=-number.value)
    if is_negative(text, found[number.first].start):
        return replace(number, value=-number.value)
    return number


_NEGATIVE = frozenset(["minus", "negative"])
_BEFORE_SIGNS = frozenset(
    ["than", "of", "is", "was", "to", "and", "from", "below", "above", "under", "over", "at", "by"]
)


def _number_at(text: str, found: Sequence[Word], i: int) -> NumberMention | None:
    """The number that begins at a word, with what stands around it: "$5 million", "12 kg"."""
    sign = found[i - 1].folded if i and found[i - 1].folded in CURRENCY else ""
    read = _number(found[i].folded, money=bool(sign)) or _one(found, i)
    if read is None:
        ordinal = _ordinal(found[i].folded)
        return None if ordinal is None else NumberMention(i - bool(sign), i, ordinal, True)
    value, scale = read
    last = _last_group(text, found, i)
    if last > i:
        value = float("".join(word.folded for word in found[i : last + 1]))
    after = _folded_at(found, last + 1)
    if _tens_and_unit(found[i].folded, after):
        value, last = value + NUMBER_WORDS[after], i + 1
        after = _folded_at(found, i + 2)
    told = scale_of(after) or (_LETTERS.get(after) if sign else None)
    if told:
        value, scale, last = value * told, told, last + 1
        after = _folded_at(found, last + 1)
    unit = said_unit(sign) if sign else said_unit(after)
    return NumberMention(i - bool(sign), last, value, False, unit, scale=scale)


def _one(found: Sequence[Word], i: int) -> tuple[float, float] | None:
    """The one of "longer than an hour"."""
    article = found[i].folded in ("a", "an") and said_unit(_folded_at(found, i + 1))
    return (1.0, 1.0) if article and i and found[i - 1].folded in _BEFORE_SIGNS else None


def _last_group(text: str, found: Sequence[Word], i: int) -> int:
    """The last of the words that are one number in groups of three: "more than 10 000"."""
    last, opened = i, i and found[i - 1].folded in _BEFORE_SIGNS | CURRENCY
    while (
        opened
        and last + 1 < len(found)
        and _GROUP.fullmatch(found[last + 1].folded)
        and (last > i or (found[i].folded.isdigit() and len(found[i].folded) <= 3))
        and text[found[last].end : found[last + 1].start] in _SPACES
    ):
        last += 1
    return last


_GROUP = re.compile(r"\d{3}")
_SPACES = (" ", "\xa0", "\u202f", "\u2009")


def _folded_at(found: Sequence[Word], i: int) -> str:
    return found[i].folded if i < len(found) else ""


def _tens_and_unit(tens: str, unit: str) -> bool:
    """Whether two words are one number: "thirty-five"."""
    return NUMBER_WORDS.get(tens, 0) in _TENS and 0 < NUMBER_WORDS.get(unit, 0) < 10


def _number(folded: str, *, money: bool) -> tuple[float, float] | None:
    """The number a word says and its scale; "300m" without a currency is one of two: None."""
    if folded in NUMBER_WORDS:
        return NUMBER_WORDS[folded], 1.0
    if folded[:1].isdigit() and not (folded[:1] == "0" and folded[1:].isdigit()):
        digits, scale = folded.replace(",", ""), 1.0
        if digits[-1] in _LETTERS and len(digits) > 1 and (money or digits[-1] != "m"):
            digits, scale = digits[:-1], _LETTERS[digits[-1]]
        try:
            return float(digits) * scale, scale
        except ValueError:
            return None
    return None


def _ordinal(folded: str) -> float | None:
    if folded in ORDINAL_WORDS:
        return ORDINAL_WORDS[folded]
    if folded[-2:] in ("st", "nd", "rd", "th") and folded[:-2].isdigit():
        return float(folded[:-2])
    return None


_CLOCK = re.compile(
    r"(?<![\d:.])([01]?\d|2[0-3])(?:[:.]([0-5]\d))?\s*([ap])\.?m\b\.?"
    r"|(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?![:\d])",
    re.IGNORECASE,
)


def _clocks(text: str, found: Sequence[Word]) -> Iterable[NumberMention]:
    """Times of day: "before 23:30", "after 3 pm"."""
    for match in _CLOCK.finditer(text):
        inside = [i for i, w in enumerate(found) if w.start < match.end() and match.start() < w.end]
        hour, minute = int(match[1] or match[4]), int(match[2] or match[5] or 0)
        if match[3] and not 1 <= hour <= 12:
            continue
        hour = hour % 12 + 12 * (match[3].lower() == "p") if match[3] else hour
        if inside:
            time = dt.time(hour, minute)
            seconds = float(hour * 3600 + minute * 60)
            yield NumberMention(inside[0], inside[-1], seconds, attached=True, clock=time)


_LENGTH = re.compile(r"(?<![\d:.])(\d{1,3}):([0-5]\d):([0-5]\d)(?![:\d])")


def _lengths(text: str, found: Sequence[Word]) -> Iterable[NumberMention]:
    """Lengths of time that are written out: "under 2:30:00"."""
    for match in _LENGTH.finditer(text):
        inside = [i for i, w in enumerate(found) if w.start < match.end() and match.start() < w.end]
        hours, minutes, seconds = map(int, match.groups())
        value = float(hours * 3600 + minutes * 60 + seconds)
        yield NumberMention(inside[0], inside[-1], value, unit=said_unit("seconds"), attached=True)


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
