"""Numbers that belong to a header: the 1 of "term 1 maths", "24/25" beside "2024/25 budget".

Takes a question, a table and what its words name so far; gives the mentions of columns where a year
that runs over two is said as a header says it or shorter, and tells which numbers are no amounts,
no cells and no counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from sql_engine.catalog import CatalogTable
from sql_engine.offline.question import ColumnMention, Question, covering
from sql_engine.offline.table_words import without_unit
from sql_engine.words import name_words, words
from sql_engine.years_over_two import YearOverTwo, years_over_two

LEAST = 0.7
"""How well words must name a column for a number among them to be its header's."""
NAMED, PARTLY = 0.95, 0.65
"""How well a year over two names its column, with all else that the header says and with none."""


def header_numbers(question: Question, table: CatalogTable, found: Iterable[ColumnMention]) -> int:
    """Mask of the numbers that stand in a part of a header, behind the same word as there."""
    mask, asked = 0, question.words
    counting = covering(question.of("superlative", "first", "last", "most", "least"))
    for mention in found:
        if mention.score < LEAST:
            continue
        for part in table.columns[mention.column].source.path:
            named = name_words(without_unit(part))
            for place, word in enumerate(asked[1:], 1):
                both = 3 << (place - 1)
                if not word.folded.isdigit() or mention.mask & both != both:
                    continue
                said = (asked[place - 1].stem, word.stem)
                if said in itertools.pairwise(named) and not counting >> place - 1 & 1:
                    mask |= 1 << place
    headed = _headed(table)
    for year in years_over_two(question.text):
        if year.slashed or year.first in headed.values():
            mask |= _mask(question, year)
    return mask


def _headed(table: CatalogTable) -> dict[int, int]:
    """The columns whose headers name one year over two, with the year it begins in."""
    return {
        index: years[0].first
        for index, column in enumerate(table.columns)
        if len(years := list(years_over_two(column.name))) == 1
    }


def year_mentions(
    question: Question, table: CatalogTable, named: Sequence[ColumnMention]
) -> tuple[ColumnMention, ...]:
    """The mentions of columns, where those of years over two are named by the year that is said."""
    held = _headed(table)
    said = years_over_two(question.text) if held else ()
    found = [
        _named(question, table, index, _mask(question, year))
        for year in said
        for index, first in held.items()
        if first == year.first
    ]
    if not found:
        return tuple(named)
    others = (m for m in named if m.column not in held)
    return (*others, *found)


def _named(question: Question, table: CatalogTable, index: int, year: int) -> ColumnMention:
    """A column named by its year, with the other words of its header that the question has."""
    header = words(without_unit(table.columns[index].name))
    rest = {word.stem for word in header if not word.folded.isdigit()}
    beside = {w.stem: 1 << i for i, w in reversed(list(enumerate(question.words)))}
    found = [beside[stem] for stem in rest if stem in beside]
    mask = year
    for one in found:
        mask |= one
    share = len(found) / len(rest) if rest else 1.0
    first, last = (mask & -mask).bit_length() - 1, mask.bit_length() - 1
    return ColumnMention(first, last, index, PARTLY + (NAMED - PARTLY) * share, mask)


def _mask(question: Question, year: YearOverTwo) -> int:
    """Mask of the words that say a year."""
    words_of = enumerate(question.words)
    return sum(1 << i for i, word in words_of if year.start <= word.start < year.end)
