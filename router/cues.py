"""What a question's own words ask for: the operations it names, and the words that leave rows out.

Reads the phrases of the offline writer's lexicon, so that router and writer agree on what
"number of" or "at least" means. Knows nothing of the tables but the texts that it is given.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from sql_engine.offline.blanks import has_some
from sql_engine.offline.lexicon import Phrase, Sense, lexicon
from sql_engine.offline.opposites import predicates
from sql_engine.words import words

_OPERATORS = """
    count sum mean median maximum minimum distinct share difference most least superlative
    first last compare_number compare_number_after
"""
COMPUTING = frozenset(_OPERATORS.split())
"""Operators that no single cell answers, unless a header says the same words."""
RESTRICTING = frozenset(["negation", "compare_number", "compare_number_after"])
"""Operators that leave some rows out."""


@dataclass(frozen=True)
class Cue:
    """An operation that the question names."""

    operator: str
    phrase: tuple[str, ...]
    """Folded words."""


@dataclass(frozen=True)
class _Found:
    """What stands at a place of a question: a phrase of the lexicon, or none for a plain word."""

    start: int
    phrase: Phrase
    senses: tuple[Sense, ...]

    @property
    def after(self) -> int:
        """The place after it."""
        return self.start + max(1, len(self.phrase))

    def has(self, *operators: str) -> bool:
        """Whether it may name one of these operators."""
        return any(sense.operator in operators for sense in self.senses)


def operations(question: str) -> tuple[Cue, ...]:
    """The computing operations named in the question, longest phrase first at each place."""
    return _cues(question, COMPUTING)


def restrictions(question: str) -> tuple[str, ...]:
    """The negations, comparisons and numbers of the question, which leave some rows out."""
    found = [" ".join(cue.phrase) for cue in _cues(question, RESTRICTING)]
    numbers = [word.text for word in words(question) if any(map(str.isdigit, word.text))]
    return (*found, *numbers)


def _cues(question: str, operators: frozenset[str]) -> tuple[Cue, ...]:
    folded = [word.folded for word in words(question)]
    return tuple(
        Cue(sense.operator, found.phrase)
        for found in _apart(folded)
        for sense in found.senses
        if sense.operator in operators and _applies(sense, folded, found)
    )


def denials(question: str, *, texts: Iterable[str] = ()) -> tuple[str, ...]:
    """The denying words of a question that no text says itself, as asked.

    A text says one that stands in it beside the same word as in the question: the cell "Not
    started", the header "Order no".
    """
    asked = words(question)
    folded = [word.folded for word in asked]
    places = [found for found in _apart(folded) if _denies(found, folded)]
    said = _pairs(texts) if places else set()
    return tuple(
        asked[i].text.lower()
        for found in places
        if not said
        & {
            *pairwise(folded[max(0, found.start - 1) : found.start + 1]),
            *pairwise(folded[found.after - 1 : found.after + 1]),
        }
        for i in range(found.start, found.after)
    )


def _denies(found: _Found, folded: list[str]) -> bool:
    """Whether it denies; "no 12" is a number, and "no more than" a bound."""
    word, after = folded[found.start], folded[found.after : found.after + 1]
    told = found.has("negation") or word in lexicon().denials or word.endswith("n't")
    return told and not (word == "no" and after and any(map(str.isdigit, after[0])))


def asks_for_some(question: str) -> bool:
    """Whether rows that have something are asked for: "with a note"."""
    folded = [word.folded for word in words(question)]
    return any(has_some(folded, place) for place in range(len(folded)))


def limits(question: str, *, texts: Iterable[str]) -> tuple[str, ...]:
    """The small words of a question that leave rows out, and that no text says itself.

    "Below their limit", "sold out", "are let": comparisons without a number and states, which stand
    among the function words and yet are no mere carriers of the sentence.
    """
    table = lexicon()
    folded = [word.folded for word in words(question)]
    said = {word.folded for text in texts for word in words(text)}
    harmless = said | table.spanning | table.carrying
    told = [
        word
        for found in _apart(folded)
        if _limits(found, folded)
        for word in folded[found.start : found.after]
    ]
    told += [folded[place] for place in predicates(folded, table.had)]
    return tuple(word for word in dict.fromkeys(told) if word not in harmless)


def _limits(found: _Found, folded: list[str]) -> bool:
    """Whether it places rows before, after or beyond something that is no number, or in a state."""
    word = folded[found.start]
    if found.start > 0 and (word in lexicon().states or word == "than"):
        return True
    return found.has("next", "previous") or any(
        sense.operator == "compare_number" and not _applies(sense, folded, found)
        for sense in found.senses
    )


def grouping(question: str, *, names: Container[str], texts: Iterable[str]) -> tuple[str, ...]:
    """Words that ask for a figure of each: "by zone", "per operator"; none where a text says them.

    Args:
        question: as asked.
        names: stems of what the rows may be grouped by.
        texts: headers, titles and labels: "Price per month" is a name.
    """
    return next((phrase for phrase, after in _of_each(question, texts) if after in names), ())


def rates(question: str, *, names: Container[str], texts: Iterable[str]) -> tuple[str, ...]:
    """The "per" of a rate that is in no text: "price per kg", where a column says the price alone.

    Args:
        question: as asked.
        names: stems of the header that is asked for: "Monthly fee" says "per month".
        texts: headers, titles and labels.
    """
    found = _of_each(question, texts)
    return tuple(p[0] for p, after in found if p == ("per",) and after not in names)


def _of_each(question: str, texts: Iterable[str]) -> Iterator[tuple[Phrase, str]]:
    """Each phrase of grouping with the stem of the word after it, where no text has the two."""
    table = lexicon()
    asked = words(question)
    folded = [word.folded for word in asked]
    said = _pairs(texts)
    said |= {("per", word) for small, word in said if small in table.rating}
    for found in _anywhere(folded):
        if found.has("group") and found.phrase not in _EACH:
            after = found.after
            while after < len(folded) - 1 and folded[after] in table.function:
                after += 1
            if after < len(folded) and (found.phrase[-1], folded[after]) not in said:
                yield found.phrase, asked[after].stem


_EACH = frozenset([("each",), ("every",), ("of", "each")])
"""Of these, "the income of every department" asks for the rows as they are."""


def bound_by(
    question: str, *, cells: Iterable[str], headers: Iterable[str], texts: Iterable[str]
) -> tuple[str, ...]:
    """Words that make some cells a bound of what is asked: "before 1989", "larger than Chad".

    Args:
        question: as asked.
        cells: words of the question that are cells of one row.
        headers: words of the question that are headers; they may stand before the cell.
        texts: those cells; a bound that one of them says itself ("More than 5 kg") is its name.
    """
    folded = [word.folded for word in words(question)]
    named = {word.folded for cell in cells for word in words(cell)}
    said = _pairs(texts)
    passed = lexicon().function | {word.folded for name in headers for word in words(name)}
    for found in _anywhere(folded):
        if not _bounds(found, folded):
            continue
        phrase = ("than",) if folded[found.start] == "than" else found.phrase
        after = found.start + len(phrase)
        while after < len(folded) and folded[after] in passed - named:
            after += 1
        beside = folded[after : after + 1]
        if beside and beside[0] in named and (phrase[-1], beside[0]) not in said:
            return phrase
    return ()


def _bounds(found: _Found, folded: list[str]) -> bool:
    """Whether it compares with the cell after it; "over" and "under" need a number."""
    if folded[found.start] == "than":
        return True
    compares = found.has("next", "previous", "compare_number")
    return compares and found.phrase[-1] in lexicon().bounding


def _pairs(texts: Iterable[str]) -> set[tuple[str, str]]:
    """The words that stand side by side in some texts."""
    return {pair for text in texts for pair in pairwise(word.folded for word in words(text))}


def _apart(folded: list[str]) -> Iterator[_Found]:
    """The phrases of a question one after the other, the longest at each place."""
    start = 0
    while start < len(folded):
        found = _at(folded, start)
        yield found
        start = found.after


def _anywhere(folded: list[str]) -> Iterator[_Found]:
    """The longest phrase from each word on, also inside a longer one."""
    return (_at(folded, start) for start in range(len(folded)))


def _at(folded: list[str], start: int) -> _Found:
    table = lexicon()
    for length in range(min(table.longest, len(folded) - start), 0, -1):
        if senses := table.said(folded, start, start + length - 1):
            return _Found(start, tuple(folded[start : start + length]), senses)
    return _Found(start, (), ())


def _applies(sense: Sense, folded: list[str], found: _Found) -> bool:
    """A comparison compares only with a number: "above 100", "5 or more"."""
    if sense.operator == "compare_number":
        return any(word[0].isdigit() for word in folded[found.after : found.after + 3])
    if sense.operator == "compare_number_after":
        return any(word[0].isdigit() for word in folded[max(0, found.start - 2) : found.start])
    return True
