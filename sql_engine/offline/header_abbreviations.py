"""Headers that abbreviate what a question spells out: "GD" for goal difference, "dob" for the date
of birth, the W, D and L of a league's table.

Takes a question and a table; gives `ColumnMention`s, where one header alone fits the words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sql_engine.catalog import CatalogTable
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.question import ColumnMention, Question
from sql_engine.offline.table_words import IDENTIFIERS, without_unit
from sql_engine.words import Word, fold, stem

SPELT_OUT = 0.8
"""How well words name the column whose header abbreviates them."""
MAX_INITIALS, FEWEST_CAPITALS = 4, 3
"""Letters of a header of initials; headers in capitals that make two letters one."""


def abbreviation_mentions(
    question: Question, table: CatalogTable, named: Sequence[ColumnMention]
) -> Iterator[ColumnMention]:
    """The columns that words name by what their headers abbreviate, where no header says them."""
    said = [mention.mask for mention in named if mention.score >= SPELT_OUT]
    heads = {i: without_unit(c.name).strip(".") for i, c in enumerate(table.columns)}
    short = {i: h for i, h in heads.items() if h.isalpha() and fold(h) not in IDENTIFIERS}
    outcomes = list(_by_outcomes(question, short))
    alone = {m.first for m in (*named, *outcomes) if m.first == m.last and m.score >= SPELT_OUT}
    initials = [m for m in _by_initials(question.words, short) if m.last not in alone]
    found = [*initials, *outcomes]
    for mention in found:
        rivals = {other.column for other in found if not mention.mask & ~other.mask}
        if len(rivals) == 1 and all(mention.mask & ~mask for mask in said):
            yield mention


def _by_initials(words: Sequence[Word], heads: dict[int, str]) -> Iterator[ColumnMention]:
    """Words side by side whose first letters are a header: "goal difference", "date of birth"."""
    capitals = [h for h in heads.values() if h.isupper() and len(h) <= MAX_INITIALS]
    for index, head in heads.items():
        size, upper = len(head), head.isupper()
        if not 2 <= size <= MAX_INITIALS or (size == 2 and len(capitals) < FEWEST_CAPITALS):
            continue
        if not upper and size == 2:
            continue
        for first in range(len(words) - size + 1):
            told = words[first : first + size]
            if "".join(w.folded[0] for w in told) == fold(head) and _are_words(told):
                yield ColumnMention(first, first + size - 1, index, SPELT_OUT)


def _are_words(told: Sequence[Word]) -> bool:
    """Whether words may be abbreviated: both ends carry meaning, and all are spelt out."""
    ends = (told[0].folded, told[-1].folded)
    spelt = all(w.folded.isalpha() and len(w.folded) > 1 for w in told)
    return spelt and lexicon().function.isdisjoint(ends)


def _by_outcomes(question: Question, heads: dict[int, str]) -> Iterator[ColumnMention]:
    """The outcomes that a standing tells by a letter each, those won beside those lost; the
    "biggest win" is none of how many.
    """
    words = question.words
    ranked = {trigger.last + 1 for trigger in question.of("superlative", "first", "last")}
    letters = {fold(head): index for index, head in heads.items() if len(head) == 1}
    if not {"w", "l"} <= letters.keys():
        return
    known = lexicon()
    outcomes = {"w": known.won, "l": known.lost, "d": _LEVEL, "t": _LEVEL}
    for i, word in enumerate(words):
        if i in ranked and not word.folded.endswith("s"):
            continue
        for letter in outcomes.keys() & letters.keys():
            if word.stem in outcomes[letter] or word.folded in outcomes[letter]:
                yield ColumnMention(i, i, letters[letter], SPELT_OUT)
                yield from _with_games(words, i, letters[letter])


def _with_games(words: Sequence[Word], place: int, index: int) -> Iterator[ColumnMention]:
    """The outcome with what it is of: "games … won"."""
    for i, word in enumerate(words):
        if word.stem in _GAMES:
            mask = 1 << i | 1 << place
            yield ColumnMention(min(i, place), max(i, place), index, SPELT_OUT, mask)


_GAMES = frozenset(map(stem, ["game", "match", "fixture"]))

_LEVEL = frozenset([*map(stem, ["draw", "drawn", "tie", "tied"]), "drew"])
