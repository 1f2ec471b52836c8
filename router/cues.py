"""What a question's own words ask for: the operations it names, and whether it asks for a rule.

Reads the phrases of the offline writer's lexicon, so that router and writer agree on what
"number of" or "at least" means. Knows nothing of the tables.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from sql_engine.offline.lexicon import Sense, lexicon
from sql_engine.words import words

_OPERATORS = """
    count sum mean median maximum minimum distinct share difference most least superlative
    first last compare_number compare_number_after
"""
COMPUTING = frozenset(_OPERATORS.split())
"""Operators that no single cell answers, unless a header says the same words."""
RESTRICTING = frozenset(["negation", "compare_number", "compare_number_after"])
"""Operators that leave some rows out."""
_RULE = re.compile(
    r"(?:can|may|must|should|do|does|am|is it|are we|what happens|why"
    r"|how (?:can|do|does|soon|often|must)|what (?:if|should)|who pays|until when|am i)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"(?:(?:which|what)(?: are| were)?(?: the| all)*|how many|all|name the)"
    r"\s+(?:\S+\s)?(?P<noun>[^\W\d]{2,}s|people|men|women|children)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"how (?:much|many|long|high|large|far|big|heavy)\b", re.IGNORECASE)
_KIND = re.compile(r"(who|whom|whose|where|why|when|how long|how often)\b", re.IGNORECASE)
_OF_A_ROW = re.compile(
    r"(?:when|where|whose|why|how|who(?:m)?(?!\s+(?:is|are|was|were)\b))\b", re.IGNORECASE
)
_WHETHER = re.compile(
    r"(?:(?:and|but|so)\s+)?(?:is|are|was|were|do|does|did|has|have|had)\b", re.IGNORECASE
)
_OF_ALL = re.compile(
    r"\b(?:all|every|everyone|everybody|everything|each|only|always|never|both)\b", re.IGNORECASE
)
_DETAILS = re.compile(
    r"\b(?:details?|information|info|record|everything|all about|tell me about)\b", re.IGNORECASE
)
_ASKING = re.compile(
    r"(?:what|which|who|whom|whose|when|where|how|why|is|are|was|were|do|does|did|can|could|may|has"
    r"|have|from|in|on|at|to|for|by|of|above|below|over|under)\b",
    re.IGNORECASE,
)
_SHOW = re.compile(
    r"(?:(?:please|i['’]d like|i would like|i want|could you|can you|let me|to)\s+)*"
    r"(?:show|list|display|print|give|see)\b"
    r"|(?:what|which)\b.*\b(?:are there|exist|available|offered)",
    re.IGNORECASE,
)


_DENIALS = frozenset(["none", "neither", "nor", "nobody", "nothing", "nowhere"])
"""Words that deny beside the negations of the lexicon."""


@dataclass(frozen=True)
class Cue:
    """An operation that the question names."""

    operator: str
    phrase: tuple[str, ...]
    """Folded words."""


def operations(question: str) -> tuple[Cue, ...]:
    """The computing operations named in the question, longest phrase first at each place."""
    return _cues(question, COMPUTING)


def restrictions(question: str) -> tuple[str, ...]:
    """The negations, comparisons and numbers of the question, which leave some rows out."""
    found = [" ".join(cue.phrase) for cue in _cues(question, RESTRICTING)]
    numbers = [word.text for word in words(question) if any(map(str.isdigit, word.text))]
    return (*found, *numbers)


def _cues(question: str, operators: frozenset[str]) -> tuple[Cue, ...]:
    table = lexicon()
    folded = [word.folded for word in words(question)]
    found: list[Cue] = []
    start = 0
    while start < len(folded):
        phrase, senses = _longest(folded, start, table.senses, table.longest)
        found += [
            Cue(sense.operator, phrase)
            for sense in senses
            if sense.operator in operators and _applies(sense, folded, start, len(phrase))
        ]
        start += max(1, len(phrase))
    return tuple(found)


def denials(question: str, *, texts: Iterable[str] = ()) -> tuple[str, ...]:
    """The denying words of a question that no text says itself, as asked.

    A text says one that stands in it beside the same word as in the question: the cell "Not
    started", the header "Order no".
    """
    asked = words(question)
    folded = [word.folded for word in asked]
    places = list(_denials(folded))
    pairs = {pair for text in texts for pair in _pairs(text)} if places else set()
    return tuple(
        asked[i].text.lower()
        for first, last in places
        if not pairs
        & {*pairwise(folded[max(0, first - 1) : first + 1]), *pairwise(folded[last : last + 2])}
        for i in range(first, last + 1)
    )


def _denials(folded: list[str]) -> Iterator[tuple[int, int]]:
    """First and last word of each; "no 12" is a number, and "no more than" a bound."""
    table, start = lexicon(), 0
    while start < len(folded):
        phrase, senses = _longest(folded, start, table.senses, table.longest)
        last = start + max(1, len(phrase)) - 1
        word, after = folded[start], folded[last + 1 : last + 2]
        told = any(sense.operator == "negation" for sense in senses)
        told = told or word in _DENIALS or word.endswith("n't")
        if told and not (word == "no" and after and any(map(str.isdigit, after[0]))):
            yield start, last
        start = last + 1


def limits(question: str, *, texts: Iterable[str]) -> tuple[str, ...]:
    """The small words of a question that leave rows out, and that no text says itself.

    "Below their limit", "sold out": comparisons without a number and states, which stand among the
    function words and yet are no mere carriers of the sentence.
    """
    table = lexicon()
    asked = [word.folded for word in words(question)]
    said = {word.folded for text in texts for word in words(text)}
    found: list[str] = []
    start = 0
    while start < len(asked):
        phrase, senses = _longest(asked, start, table.senses, table.longest)
        compares = any(_limits(sense, asked, start, len(phrase)) for sense in senses)
        state = start > 0 and (asked[start] in table.states or asked[start] == "than")
        if compares or state:
            found += phrase or asked[start : start + 1]
        start += max(1, len(phrase))
    return tuple(word for word in found if word not in said | table.spanning | _COURTEOUS)


def _limits(sense: Sense, asked: list[str], start: int, length: int) -> bool:
    """Whether a phrase places rows before, after or beyond something that is no number."""
    if sense.operator == "compare_number":
        return not _applies(sense, asked, start, length)
    return sense.operator in ("next", "previous")


_COURTEOUS = frozenset(["following", "through", "up", "down", "current", "or"])
"""Words of such phrases that more often carry a sentence: "the following", "set up"."""


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


def _of_each(question: str, texts: Iterable[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each phrase of grouping with the stem of the word after it, where no text has the two."""
    table = lexicon()
    asked = words(question)
    folded = [word.folded for word in asked]
    said = {pair for text in texts for pair in _pairs(text)}
    said |= {("per", word) for small, word in said if small in _PER}
    for start in range(len(folded)):
        phrase, senses = _longest(folded, start, table.senses, table.longest)
        if phrase not in _EACH and any(sense.operator == "group" for sense in senses):
            after = start + len(phrase)
            while after < len(folded) - 1 and folded[after] in table.function:
                after += 1
            if after < len(folded) and (phrase[-1], folded[after]) not in said:
                yield phrase, asked[after].stem


_PER = frozenset(["a", "an", "each", "every"])
"""What says "per" in a header: "Price a month"."""
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
    table = lexicon()
    asked = [word.folded for word in words(question)]
    named = {word.folded for cell in cells for word in words(cell)}
    said = {pair for text in texts for pair in _pairs(text)}
    passed = table.function | {word.folded for name in headers for word in words(name)}
    for start in range(len(asked)):
        phrase, senses = _longest(asked, start, table.senses, table.longest)
        if asked[start] == "than":
            phrase = ("than",)
        elif not any(_bounds(sense, phrase) for sense in senses):
            continue
        after = start + len(phrase)
        while after < len(asked) and asked[after] in passed - named:
            after += 1
        if after < len(asked) and asked[after] in named and (phrase[-1], asked[after]) not in said:
            return phrase
    return ()


def _bounds(sense: Sense, phrase: tuple[str, ...]) -> bool:
    """Whether a phrase compares with the cell after it; "over" and "under" need a number."""
    return sense.operator in ("next", "previous", "compare_number") and phrase[-1] in _BOUNDS


_BOUNDS = frozenset(["than", "before", "after", "since", "until", "following", "preceding", "to"])
"""Last words of phrases that compare with a row or a date, not only with a number."""


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    folded = [word.folded for word in words(text)]
    return pairwise(folded)


def asks_for_a_rule(question: str) -> bool:
    """Whether the question is worded as one about what is allowed or what happens."""
    return _RULE.match(question.strip()) is not None


def asks_for_rows(question: str) -> bool:
    """Whether the rows themselves are asked for: "show …", "details of …", or a bare name."""
    text = question.strip()
    return asks_for_whole_rows(text) or _ASKING.match(text) is None


def asks_for_whole_rows(question: str) -> bool:
    """Whether a listing or the details are asked for in so many words."""
    return asks_to_show(question) or _DETAILS.search(question) is not None


def asks_of_a_row(question: str) -> bool:
    """Whether something of a row is asked for, whatever else the question names: "who approved"."""
    return _OF_A_ROW.match(question.strip()) is not None


def asks_for_an_amount(question: str) -> bool:
    """Whether a number is asked for: "how much", "how many days", "how long"."""
    return _AMOUNT.match(question.strip()) is not None


def asked_kind(question: str) -> str:
    """The question word, where only some kinds of cell answer it: "who", "where", "why", "when",
    "how long", "how often"; else "".
    """
    asked = _KIND.match(question.strip())
    return "" if asked is None else asked[1].lower()


def asks_for_several(question: str) -> bool:
    """Whether more than one thing is asked for: "which plays …", "how many …", "list the …"."""
    text = question.strip()
    asked = _SEVERAL.match(text)
    return asks_to_show(text) or (asked is not None and not asked["noun"].endswith("ss"))


def asks_whether(question: str) -> bool:
    """Whether the answer is yes or no: "is …", "did …"."""
    return _WHETHER.match(question.strip()) is not None


def asks_of_all(question: str) -> bool:
    """Whether something is asked of all of them: "are all …", "did everyone …"."""
    return asks_whether(question) and _OF_ALL.search(question) is not None


def asks_to_show(question: str) -> bool:
    """Whether the question asks for a listing."""
    return _SHOW.match(question.strip()) is not None


def _longest(
    folded: list[str], start: int, senses: dict[tuple[str, ...], tuple[Sense, ...]], longest: int
) -> tuple[tuple[str, ...], tuple[Sense, ...]]:
    for length in range(min(longest, len(folded) - start), 0, -1):
        phrase = tuple(folded[start : start + length])
        if phrase in senses:
            return phrase, senses[phrase]
    return (), ()


def _applies(sense: Sense, folded: list[str], start: int, length: int) -> bool:
    """A comparison compares only with a number: "above 100", "5 or more"."""
    if sense.operator == "compare_number":
        after = folded[start + length : start + length + 3]
        return any(word[0].isdigit() for word in after)
    if sense.operator == "compare_number_after":
        return any(word[0].isdigit() for word in folded[max(0, start - 2) : start])
    return True
