"""Which words of the question a reading leaves out, and how much that matters.

A word left out is light ("placed"), plain ("customer"), or restrictive: a number, a negation, a
comparison, a name, a cell of the table. A reading that leaves out a restrictive word answers
another question than the one asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.opposites import predicates
from sql_engine.offline.question import NUMBER_WORDS, Question, Trigger, covering

_RESTRICTIVE = frozenset(
    [
        "count",
        "sum",
        "mean",
        "median",
        "maximum",
        "minimum",
        "distinct",
        "share",
        "difference",
        "negation",
        "superlative",
        "most",
        "least",
        "compare_number",
        "compare_number_after",
        "first",
        "last",
    ]
)


_SAYING_STATE = frozenset(["still", "currently", "go", "goes", "going", "went", "gone"])
"""Before a small word they make it say how the rows are, or what became of them: "still out"."""
_OUT = frozenset(["sold", "booked", "rented", "hired", "let", "lent", "checked", "taken", "given"])
"""Before an "out" that says how the rows are."""
_UNITS = frozenset(["day", "week", "weekday", "month", "quarter", "year"])


@dataclass(frozen=True)
class Coverage:
    """Masks of the words that a reading leaves out."""

    explained: int
    light: int
    plain: int
    restrictive: int
    unused: int
    """How many operators of the question the reading does not use."""
    elsewhere: int = 0
    """Of the restrictive, what a joined table has a place for."""
    near: int = 0
    """Of what it does not leave out, the words that are read by names near in meaning."""


class Coverer:
    """Tells what readings of one question over one table leave out."""

    def __init__(self, question: Question, found: Mentions, elsewhere: int = 0) -> None:
        """Prepare; `elsewhere` masks the words that joined tables have a place for."""
        self._question = question
        self._found = found
        self._elsewhere = elsewhere

    @cached_property
    def _restrictive(self) -> int:
        asked = self._question
        mask = covering((*asked.numbers, *asked.periods, *asked.quoted))
        mask |= covering(
            trigger
            for trigger in asked.triggers
            if trigger.sense.operator in _RESTRICTIVE and not self._idle(trigger)
        )
        mask |= covering(value for value in self._found.values if value.exact)
        mask |= covering(self._found.opposed)
        words = self._question.words
        mask |= sum(1 << i for i, w in enumerate(words) if i and w.text[:1].isupper())
        return (mask | self._elsewhere) & self._question.content | self._states

    @cached_property
    def _states(self) -> int:
        """Mask of the small words that a cell says: "out", "IT"."""
        known, mask = lexicon().states, self._found.veiled | self._found.present
        for value in self._found.values:
            if value.exact and value.first == value.last:
                state = self._question.words[value.first].folded in known
                mask |= value.mask if state else value.mask & self._question.capitals
        words = self._question.words
        for i, word in enumerate(words[1:], 1):
            if word.folded in known and words[i - 1].folded in _SAYING_STATE:
                mask |= 1 << i
            if word.folded == "out" and words[i - 1].folded in _OUT:
                mask |= 1 << i  # "sold out" is not "sold"
            told = i > 1 and words[i - 1].folded == "only" and words[i - 2].folded != "the"
            if told and (word.folded in NUMBER_WORDS or word.folded == "once"):
                mask |= 1 << i  # "had only one show"
        mask |= covering(self._found.opposed)
        return mask | sum(1 << i for i in predicates([w.folded for w in words], ("let",)))

    def _idle(self, trigger: Trigger) -> bool:
        """Whether it is an "over" or "from" that no number or time follows."""
        if not trigger.sense.operator.startswith("compare_number"):
            return False
        amounts = (*self._question.numbers, *self._question.periods)
        return not any(-3 <= amount.first - trigger.last <= 4 for amount in amounts)

    def _must_be_used(self, trigger: Trigger) -> bool:
        if trigger.sense.operator == "group":
            words = self._question.words[trigger.first : trigger.last + 1]
            after = self._question.words[trigger.last + 1 : trigger.last + 2]
            timed = words[-1].folded in ("each", "every") and any(w.stem in _UNITS for w in after)
            return timed or any(word.folded in ("per", "for") for word in words)
        return trigger.sense.operator in ("count", "share", "negation", "difference")

    def of(self, explained: int) -> Coverage:
        """What is left out by a reading that explains these words."""
        left = (self._question.content | self._states) & ~explained
        restrictive = left & self._restrictive
        light = left & self._question.light & ~restrictive
        unused = sum(
            1
            for trigger in self._question.triggers
            if self._must_be_used(trigger) and not trigger.mask & explained
        )
        known = explained & self._question.content & ~self._question.light
        beside = restrictive & self._elsewhere
        plain = left & ~restrictive & ~light
        near = explained & self._found.near
        return Coverage(known, light, plain, restrictive, unused, beside, near)
