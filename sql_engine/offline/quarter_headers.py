"""Columns of a quarter each: "2024 Quarters > 1", "Q1 2024", "2nd quarter".

Takes a question, a table and what its words name so far; gives the mentions where quarters name
such columns, and nothing else does. A year beside them holds where headers tell years.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sql_engine.catalog import CatalogTable
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.quarters import NOUN, NUMBERS, SHORT, QuarterSaid, quarters_said
from sql_engine.offline.question import ColumnMention, Question, covering
from sql_engine.words import words

NAMED = 0.95
"""How well a quarter with all else that its header says names its column."""
PARTLY = 0.65
"""Without anything of what else it says; a year left open where headers tell several is as much."""
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class _Header:
    """What a header of a quarter says."""

    number: int
    year: str | None
    rest: frozenset[str]
    """Stems of all else."""


def quarter_mentions(
    question: Question, table: CatalogTable, named: Sequence[ColumnMention]
) -> tuple[ColumnMention, ...]:
    """The mentions of columns, where those of quarters are named as quarters alone."""
    headers = enumerate(table.columns)
    held = {i: told for i, c in headers if (told := _header(c.source.path))}
    said = quarters_said(question.words) if held else ()
    if not said:
        return tuple(named)
    found = []
    for index, header in held.items():
        for each in said:
            if each.number == header.number:
                found += _named(question, index, header, said, each)
    taken = covering(found)
    others = (m for m in named if m.column not in held and m.mask & ~taken)
    return (*others, *found)


def _named(
    question: Question,
    index: int,
    header: _Header,
    quarters: Sequence[QuarterSaid],
    said: QuarterSaid,
) -> list[ColumnMention]:
    """The mention of one column; none where another year is said. A year is the last quarter's, any
    other word that of the quarter it stands before: "power in Q3 than in Q1".
    """
    asked = question.words
    years = {w.folded: 1 << i for i, w in enumerate(asked) if _YEAR.fullmatch(w.folded)}
    if header.year and years and header.year not in years:
        return []
    mask = said.mask | (years.get(header.year or "", 0) if said is quarters[-1] else 0)
    found = {w.stem: 1 << i for i, w in reversed(list(enumerate(asked))) if w.stem in header.rest}
    ends = [quarter.mask for quarter in quarters if quarter.mask < said.mask]
    after = max(ends, default=0)  # the words behind the quarter before
    mask |= sum(b for b in found.values() if b > after) & ~covering(question.of("sum"))
    share = len(found) / len(header.rest) if header.rest else float(bool(years or not header.year))
    first = (mask & -mask).bit_length() - 1
    score = PARTLY + (NAMED - PARTLY) * share
    return [ColumnMention(first, mask.bit_length() - 1, index, score, mask)]


def _header(path: Sequence[str]) -> _Header | None:
    """What a header says, if it names one quarter."""
    said = [word for part in path for word in words(part)]
    folded = [word.folded for word in said]
    years = [word for word in folded if _YEAR.fullmatch(word)]
    numbers = [NUMBERS[word] for word in folded if word in SHORT]
    if not numbers and not NOUN.isdisjoint(folded):
        numbers = [NUMBERS[word] for word in folded if word in NUMBERS]
    if len(numbers) != 1 or len(years) > 1:
        return None
    small = {*years, *NOUN, *NUMBERS, *lexicon().function, "year", "years"}
    rest = frozenset(word.stem for word in said if word.folded not in small)
    return _Header(numbers[0], years[0] if years else None, rest)
