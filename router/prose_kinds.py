"""Whether a paragraph tells the kind of thing that is asked: how many of what, when, who, which.

Takes a question with a paragraph's text and headings; gives whether a sentence of it can be the
answer. A paragraph that only shares words with the question names other numbers, times and people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from router.coverage import Stems, stems_of, telling_stems
from router.cues import grouping, operations
from router.question_forms import asked_kind, asks_for_a_rule, asks_for_an_amount, asks_of_all
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.question import NUMBER_WORDS
from sql_engine.words import Word, name_words, stem, words

NEAR = 3
"""Words between a number and what it counts, at most: "three of the usual parking bays"."""
_WHICH = re.compile(r"which\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_HOW_MANY = re.compile(r"how many\s+(?P<noun>[^\W\d]+)", re.IGNORECASE)
_TIME = re.compile(
    r"\b(?:\d{1,2}[:.]\d{2}|\d{1,2}\s?(?:am|pm)|(?:1[5-9]|20)\d{2}"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|minutes|hours|days|weeks|months|quarters|years"
    r"|(?:every|each|per|once an?|twice an?|first|last|next|same|following|working|business)\s"
    r"(?:minute|hour|day|week|month|quarter|year|season)"
    r"|(?:in the|at|by|every|each)\s(?:morning|noon|afternoon|evening|night|midnight)"
    r"|(?:in|every|each)\s(?:spring|summer|autumn|winter)"
    r"|(?:half|quarter)\s(?:past|to)\s\w+|\w+\so'clock|sunrise|sunset|dawn|dusk"
    r"|daily|weekly|monthly|quarterly|yearly|annually|today|tomorrow|immediately|once|whenever"
    r"|when|after|before|until|as soon as|in advance)\b",
    re.IGNORECASE,
)


_LEGEND = re.compile(r"\w\)?\s*=\s*\w")
EXPLAINING = frozenset(map(stem, ["mean", "means", "meaning", "stand", "explain"]))
"""Stems of the words that ask what a sign says."""
_OF_ROWS = re.compile(
    r"(?:any(?:one|body)?|who|which|is|are|was|were|did|does|do|has|have)\b", re.IGNORECASE
)
"""Opens a question of which rows are so, or whether some are."""


def is_legend(text: str) -> bool:
    """Whether it explains a sign of the table ("DQ = disqualified"), which tells of no row."""
    return _LEGEND.search(text) is not None


def _asks_of_rows(question: str) -> bool:
    """Whether it asks which rows are so, or whether some are, and not what a sign means."""
    opens = _OF_ROWS.match(question.strip()) is not None
    return opens and not EXPLAINING & telling_stems(question)


def may_tell(question: str, text: str, headings: Iterable[str]) -> bool:
    """Whether the paragraph can hold what is asked for: a figure of each, what was so of all of
    them, and which of them comes first, no rule tells.
    """
    if _of_each(question, (text, *headings)) or (asks_of_all(question) and _PAST.match(question)):
        return False
    if _ranks(question, text) and not asks_for_a_rule(question):
        return False
    if _asks_of_rows(question) and all(map(is_legend, _about(question, text))):
        return False
    if counted := _HOW_MANY.match(question.strip()):
        return _counts(text, counted["noun"])
    if asks_for_an_amount(question) and not _tells_a_number(text):
        return False
    kind = asked_kind(question)
    if kind == "when":
        return any(map(tells_a_time, _about(question, text)))
    if kind in ("who", "whom", "whose") or _WHICH.match(question.strip()):
        return _says(question, stems_of([text, *headings]))
    return True


def _of_each(question: str, texts: Sequence[str]) -> bool:
    """Whether a figure of each is asked for ("honey by site") that the words do not say so."""
    if asks_for_a_rule(question) or asked_kind(question):
        return False
    return bool(grouping(question, names=stems_of(texts), texts=texts))


def _ranks(question: str, text: str) -> bool:
    """Whether the most or the like of things is asked for, of which the text says nothing."""
    said = {word.folded for word in words(text)}
    ranking = (cue for cue in operations(question) if cue.operator in _RANKING)
    return any(not said & set(cue.phrase) for cue in ranking)


_RANKING = frozenset(["superlative", "most", "least"])
_PAST = re.compile(r"\s*(?:was|were|did|had)\b", re.IGNORECASE)


def _says(question: str, said: Stems) -> bool:
    """Whether a text says what somebody does; a verb that says little may be another one, where
    more than one word is left.
    """
    asked = telling_stems(question)
    heavy = asked - lexicon().light
    return (heavy if len(heavy) > 1 else asked) <= said


def tells_a_time(text: str) -> bool:
    """Whether a text says when: a clock time, a weekday, "within a fortnight", "in 2031"."""
    return _TIME.search(text) is not None


def _about(question: str, text: str) -> list[str]:
    """The sentences with most words of the question."""
    asked = telling_stems(question)
    shares = {part: len(asked & stems_of([part])) for part in _SENTENCE.split(text)}
    most = max(shares.values(), default=0)
    return [part for part, share in shares.items() if share == most]


def _counts(text: str, noun: str) -> bool:
    """Whether a number stands right before a noun."""
    (wanted, *_) = name_words(noun)
    found = words(text)
    return any(
        _is_number(word.folded) and wanted in _stems_after(found, place)
        for place, word in enumerate(found)
    )


def _stems_after(found: Sequence[Word], place: int) -> Stems:
    """The stems of the words that a number may count: not beyond an article that opens something
    else ("after 60 days the plot"; "three of the plots" is all one).
    """
    near = list(found[place + 1 : place + 1 + NEAR])
    opens = (
        i
        for i, word in enumerate(near)
        if word.folded in _ARTICLES and not (i and near[i - 1].folded == "of")
    )
    return frozenset(word.stem for word in near[: next(opens, NEAR)])


_ARTICLES = frozenset(["the", "a", "an", "this", "that", "these", "those", "each", "every"])


def _tells_a_number(text: str) -> bool:
    return any(_is_number(word.folded) for word in words(text))


def _is_number(folded: str) -> bool:
    return any(map(str.isdigit, folded)) or folded in NUMBER_WORDS
