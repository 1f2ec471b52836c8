"""What the rows are called of a table that has no name of its own: "export_3", "Sheet1".

Takes a question with what it names of such a table; gives the mask of the nouns that can mean
nothing but its rows: "how many schools have over 500 pupils" counts the rows with over 500 pupils,
and the last "game in May" is the last row in May.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sql_engine.catalog import CatalogTable
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.question import Mention, Question, covering
from sql_engine.offline.table_words import table_words


def is_unnamed(table: CatalogTable) -> bool:
    """Whether neither the table's name nor its title says what its rows are."""
    known = lexicon()
    said = (word.strip(_DIGITS) for word in table_words(table))
    return all(len(word) <= 1 or word in known.listings | known.unnamed for word in said)


_DIGITS = "0123456789"


def rows_told(question: Question, table: CatalogTable, named: Iterable[Mention]) -> int:
    """Mask of the nouns that name nothing of an unnamed table where nouns for its rows stand: right
    after "how many", "the first", "next" or "the only". Other words of the question must be of the
    table: they say that it is asked of this one.
    """
    said = 0
    for mention in named:
        said |= mention.mask
    mask = sum(1 << i for i in _counted(question) if not said >> i & 1)
    mask |= sum(1 << i for i in _single(question, said) if not said >> i & 1)
    tied = said & question.content & ~question.light & ~mask
    return mask if mask and (tied or question.listing) and is_unnamed(table) else 0


def _counted(question: Question) -> Iterator[int]:
    """The places of plurals that are counted: "how many of these schools"."""
    words = question.words
    for trigger in question.of("count"):
        place = trigger.last + 1
        while place < len(words) and words[place].folded in _OF_THESE:
            place += 1
        if place < len(words) and _is_plural(question, place):
            yield place


_OF_THESE = frozenset(["of", "the", "these", "those"])


def _is_plural(question: Question, place: int) -> bool:
    word, known = question.words[place], lexicon()
    plural = word.folded.endswith("s") and not word.folded.endswith("ss")
    return (plural or word.stem in known.people) and not question.function >> place & 1


def _single(question: Question, said: int) -> Iterator[int]:
    """The places of nouns right after a word for one of the rows, which no other noun follows."""
    words = question.words
    small = said | question.function | question.light
    small |= covering(question.triggers)
    before = {t.last for t in question.of("first", "last", "next", "previous")}
    before |= {i for i in range(1, len(words)) if _is_only(words[i - 1].folded, words[i].folded)}
    for place in sorted(i + 1 for i in before):
        alone = place < len(words) and words[place].folded.isalpha() and not small >> place & 1
        if alone and (place + 1 == len(words) or small >> (place + 1) & 1):
            yield place


def _is_only(before: str, word: str) -> bool:
    return before == "the" and word == "only"
