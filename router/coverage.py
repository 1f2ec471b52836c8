"""How much of a question a piece of evidence accounts for, and which words it leaves open.

Takes the `Coverage` that retrieval computed and the words around the evidence; gives the open words
and a confidence. Words that only carry the sentence ("take", "bring", "every") leave nothing open;
the offline writer's reviewed lexicon tells them. Any other word may change the answer.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from functools import lru_cache

from retrieval.hits import Coverage
from retrieval.tokenize import words
from sql_engine.offline.lexicon import Lexicon, lexicon, says_little
from sql_engine.offline.question import Question, read_question
from sql_engine.words import fold, name_words, stem

Stems = frozenset[str]
KEPT = 64
"""Questions whose own reading is kept: it is the same for every piece of evidence."""

_MANNER = frozenset(
    ["big", "far", "high", "large", "late", "long", "many", "much", "often", "soon"]
)
"""Words that after "how" ask for a value instead of naming one."""
_EACH = frozenset(["all", "each", "every", "per"])
MIN_PROSE_SHARE = 0.6
"""A paragraph that holds less of the question's weight than this only shares words with it."""


def stems_of(names: Iterable[str]) -> Stems:
    """The stems of some names or texts."""
    return frozenset(stem_ for name in names for stem_ in name_words(name))


def telling_stems(text: str) -> Stems:
    """The stems of a text's words, function words aside."""
    function = lexicon().function
    return frozenset(word for word in name_words(text) if word not in function)


def with_synonyms(stems: Stems) -> Stems:
    """The stems and what may stand for them."""
    synonyms = lexicon().synonyms
    return stems.union(*(synonyms.get(word, frozenset()) for word in stems))


def open_words(
    coverage: Coverage,
    question: str,
    *,
    names: Stems = frozenset(),
    context: Stems = frozenset(),
    denied: tuple[str, ...] = (),
) -> tuple[str, ...]:
    """The words of the question that the evidence leaves open, as asked.

    Args:
        coverage: of the question by the evidence.
        question: as asked.
        names: stems of the evidence's headers and titles; a synonym of one accounts for a word.
        context: stems of the prose of the same document; a word of it is what the table is about.
        denied: words that deny and that the evidence does not say: always open.
    """
    lexical, told = lexicon(), _told_words(question)
    capitals, attributes = _names_in_capitals(question), _attributes(question) - names
    changes = _changes(question)
    left = tuple(
        word
        for word in coverage.missing_words
        if word in capitals
        or word in changes
        or stem(fold(word)) in attributes
        or (word not in told and not _accounted(word, lexical, names, context))
    )
    found = {*coverage.cell_words, *coverage.header_words, *left}
    unsought = (*_stop_word_months(question), *changes)
    left += tuple(word for word in unsought if word not in found)
    return (*left, *(word for word in denied if word not in left))


def strict_confidence(
    coverage: Coverage,
    question: str,
    *,
    names: Stems = frozenset(),
    context: Stems = frozenset(),
    denied: tuple[str, ...] = (),
) -> float:
    """1 where nothing is left open; else under one half: a row about another thing is no answer."""
    left = open_words(coverage, question, names=names, context=context, denied=denied)
    share = _share(coverage, left)
    return share if not left else share / 2


def lenient_confidence(
    coverage: Coverage, question: str, *, names: Stems = frozenset(), denied: tuple[str, ...] = ()
) -> float:
    """For prose that is quoted whole: a word in five may be worded differently, none denied."""
    left = open_words(coverage, question, names=names, denied=denied)
    confidence = _share(coverage, left) ** 2
    whole = coverage.share >= MIN_PROSE_SHARE and not denied
    return confidence if whole else confidence / 2


def literally_in(word: str, cells: tuple[str, ...]) -> bool:
    """Whether a cell holds the word itself, plural aside: "parks" for "park", not "parking"."""
    singular = _singular(word)
    return any(_singular(found.text) == singular for cell in cells for found in words(cell))


def names_whole(asked: tuple[str, ...], cell: str) -> bool:
    """Whether the words asked for hold every word of the cell, plural aside."""
    singulars = {_singular(word) for word in asked}
    wanted = [_singular(found.text) for found in words(cell)]
    return bool(wanted) and all(word in singulars for word in wanted)


def named_share(name: str, question: Stems) -> float:
    """The share of a name's telling words that the question has, synonyms counted."""
    wanted = telling_stems(name) or stems_of([name])
    return len(wanted & question) / len(wanted) if wanted else 0.0


def _accounted(word: str, lexical: Lexicon, names: Stems, context: Stems) -> bool:
    """Whether a missing word changes nothing.

    A noun that may name a column ("cost", "date") counts only where a header says its synonym.
    """
    root = stem(fold(word))
    synonyms = lexical.synonyms.get(root, frozenset())
    if names & (synonyms | {root}):
        return True
    if root.isalpha() and root in context:
        return True
    if fold(word) in lexical.function or root in lexical.people | lexical.rows:
        return True
    return says_little(fold(word), root) and not synonyms


def _share(coverage: Coverage, left: tuple[str, ...]) -> float:
    found = len(coverage.cell_words) + len(coverage.header_words)
    return found / (found + len(left)) if found else 0.0


@lru_cache(maxsize=KEPT)
def _told_words(question: str) -> Stems:
    """Words that ask for nothing more, whatever the evidence."""
    return frozenset(_manner_words(question) | _courtesies(question) | _EACH)


@lru_cache(maxsize=KEPT)
def _names_in_capitals(question: str) -> Stems:
    """Function words that in capitals are names: "IT", "US"."""
    read = without_date(question)
    function = lexicon().function
    return function & {w.folded for i, w in enumerate(read.words) if read.content >> i & 1}


@lru_cache(maxsize=KEPT)
def without_date(question: str) -> Question:
    """The question read as the offline writer reads it, relative dates aside."""
    return read_question(question, dt.date.min)


def _attributes(question: str) -> Stems:
    """Stems of the words that say of what kind the next one is: "selling price"."""
    read = read_question(question, dt.date.min)
    return frozenset(w.stem for i, w in enumerate(read.words) if read.attributes >> i & 1)


def _changes(question: str) -> tuple[str, ...]:
    """The words that ask how far something went, which no cell as it stands tells."""
    read = without_date(question)
    return read.text_of(read.changes)


def _stop_word_months(question: str) -> tuple[str, ...]:
    """The month "May", which no index holds: "totals in May", "in May 2024"."""
    read = read_question(question, dt.date(2000, 1, 1))
    dated = (p for p in read.periods if p.first or p.first < p.last)
    named = dict.fromkeys(i for p in dated for i in range(p.first, p.last + 1))
    return tuple(w.folded for i in named if (w := read.words[i]).text == "May")


def _manner_words(question: str) -> set[str]:
    asked = [word.text for word in words(question)]
    return {asked[i] for i in range(1, len(asked)) if asked[i - 1] == "how"} & _MANNER


def _courtesies(question: str) -> set[str]:
    """The words of "I'd like" and the like, which ask for nothing."""
    asked = [word.text for word in words(question)]
    folded = tuple(map(fold, asked))
    found: set[str] = set()
    for phrase, senses in lexicon().senses.items():
        if any(sense.operator == "courtesy" for sense in senses):
            for start in range(len(folded) - len(phrase) + 1):
                if folded[start : start + len(phrase)] == phrase:
                    found.update(asked[start : start + len(phrase)])
    return found


def _singular(word: str) -> str:
    for ending in ("es", "s"):
        if len(word) > len(ending) + 2 and word.endswith(ending):
            return word.removesuffix(ending)
    return word
