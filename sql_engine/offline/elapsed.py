"""How long things took: the days from one date of a row to another, as a column of their own.

"How long did the repair take", "the longest loan", "orders shipped within 3 days" ask for an amount
that no column holds, where a table tells when a thing began and when it ended. Takes a question, a
table and what the words name in it; gives `Elapsed` columns, which a relation shows beside the
table's own, so that every form of question reads them as it reads any number. Where a column tells
how long already, or it cannot be told which two dates are meant, there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from retrieval.kept import kept_together
from retrieval.table import EMPTY, Column, ColumnType, Kind
from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.offline.columns import ColumnData, table_data
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.mentions import Mentions
from sql_engine.offline.parts import NAMED
from sql_engine.offline.present import names_an_end
from sql_engine.offline.question import ColumnMention, Question, Trigger, covering
from sql_engine.offline.relation import Elapsed, Relation
from sql_engine.offline.unit_words import tells_how_long
from sql_engine.words import name_words

UNIT = "days"
IN_ORDER = 0.95
"""The share of rows in which the one date must not come after the other."""
FEWEST = 2
SCORE = 0.95
"""How well the words for a length of time name the column."""


def elapsed(question: Question, table: CatalogTable, found: Mentions) -> Elapsed | None:
    """The column of the lengths of time that the question speaks of; None where there is none."""
    data = table_data(table).columns
    dated = [i for i, column in enumerate(data) if column.kind is Kind.DATE]
    told = asks_how_long(question) or _ranks_what_was_done(question, found, dated)
    if len(dated) < 2 or not (told or _ranks_rows(question, found)):
        return None
    pair = None if any(map(_tells_length, data)) else _pair(table, found, dated)
    if pair is None or not (told or names_an_end(data[pair[1]].name)):
        return None
    first, last = (table.columns[index].name for index in pair)
    return Elapsed(first, last, _lengths(table, *pair))


def asks_how_long(question: Question) -> int:
    """Mask of the words that ask how long something took: "how long", "within 3 days", "kept"."""
    words = [word.folded for word in question.words]
    known = lexicon()
    mask = sum(1 << i for i, word in enumerate(words) if word in known.lasting)
    for i in range(1, len(words)):
        if words[i] == "long" and words[i - 1] == "how":
            mask |= 1 << i
        numbered = any(number.last == i - 1 for number in question.numbers)
        if words[i] in _DAYS and (numbered or words[i - 1] in _MEASURING):
            mask |= 1 << i
        if words[i] in _CONVERTED and numbered:
            mask |= 1 << i
        if words[i] == "time" and words[i + 1 : i + 2] and words[i + 1] in _SPANNING:
            mask |= 1 << i
    return mask


_DAYS = frozenset(["day", "days"])
_CONVERTED = frozenset(["week", "weeks"])
"""Beside a number they bound days; nothing is told in them."""
_SPANNING = frozenset(["from", "between", "to", "taken", "it", "needed", "until", "till"])


_MEASURING = frozenset(["many", "in", "of"])
"""Before "days" they say that days are counted: "how many days", "number of days"."""


def _adjectives(question: Question) -> list[Trigger]:
    """The "longest", "slowest" and the like."""
    operators = ("superlative", "compare", "compare_less", "compare_number")
    words = question.words
    return [
        trigger
        for trigger in question.of(*operators)
        if any(w.folded in _LENGTHY for w in words[trigger.first : trigger.last + 1])
    ]


def _ranks_what_was_done(question: Question, found: Mentions, dated: Sequence[int]) -> bool:
    """Whether an adjective ranks how long a deed took: "took longest to package", "pays fastest",
    "the longest time", "the fastest shipped order"; no "longest title".
    """
    words, function = question.words, question.function
    for trigger in _adjectives(question):
        before = words[trigger.first - 1].folded if trigger.first else "the"
        after = trigger.last + 1
        if after < len(words) and not function >> after & 1:
            deeds = (m for m in found.columns if m.column in dated and m.first == after)
            if words[after].stem in lexicon().lengths or any(deeds):
                return True
        elif before not in _OF_THINGS:
            return True
    return False


_OF_THINGS = frozenset(["the", "is", "was", "are", "were", "its", "their"])
"""Before an adjective that ends a clause they say how a thing is: "which bridge is longest"."""


def _ranks_rows(question: Question, found: Mentions) -> bool:
    """Whether an adjective is said of the rows, which may last: "the longest loan"; no people."""
    for trigger in _adjectives(question):
        after = trigger.last + 1
        noun = question.words[after].stem if after < len(question.words) else ""
        people = noun in lexicon().people or noun in lexicon().who
        if found.rows >> after & 1 and not people:
            return True
    return False


_LENGTHY = {"longest", "shortest", "quickest", "fastest", "slowest"}
_LENGTHY |= {"longer", "shorter", "quicker", "faster", "slower"}


def _tells_length(column: ColumnData) -> bool:
    """Whether a column says itself how long something is or took, or how fast."""
    named = set(name_words(column.name)) & lexicon().lengths
    return (
        column.kind is Kind.TIME
        or (column.measured and (tells_how_long(column.unit) or bool(named)))
        or (column.kind is Kind.TEXT and bool(named))
    )


def _pair(table: CatalogTable, found: Mentions, dated: Sequence[int]) -> tuple[int, int] | None:
    """The two dates between which the time is meant, the earlier first."""
    data = table_data(table).columns
    told = sorted({m.column for m in found.columns if m.column in dated and m.score >= NAMED})
    unplanned = [i for i in dated if not set(name_words(data[i].name)) & lexicon().planned]
    if len(told) == 1 and told[0] not in unplanned:
        return None
    chosen = told if len(told) > 1 else sorted({*unplanned, *told})
    pairs = [pair for pair in _both_ways(chosen) if _follow(data, *pair)]
    pairs = [pair for pair in pairs if set(told) <= set(pair)]
    return pairs[0] if len(pairs) == 1 else None


def _both_ways(columns: Sequence[int]) -> Iterator[tuple[int, int]]:
    for one, two in combinations(columns, 2):
        yield one, two
        yield two, one


def _follow(data: Sequence[ColumnData], first: int, last: int) -> bool:
    """Whether a date hardly ever comes before another one of its row, and mostly after it."""
    one, two = (data[i].encoded().row_floats for i in (first, last))
    both = ~(np.isnan(one) | np.isnan(two))
    if both.sum() < FEWEST:
        return False
    steps = two[both] - one[both]
    return bool((steps >= 0).mean() >= IN_ORDER and (steps > 0).any())


@kept_together(lambda table, first, last: ((table,), (first, last)), size=64)
def _lengths(table: CatalogTable, first: int, last: int) -> CatalogColumn:
    """The days from one date to the other, by row; none where either is missing."""
    data = table_data(table).columns
    one, two = (data[i].encoded().row_floats for i in (first, last))
    days = two - one
    known = ~np.isnan(days)
    lengths, codes = np.unique(days[known], return_inverse=True)
    of_rows = np.full(len(days), EMPTY, np.int32)
    of_rows[known] = codes
    whole = np.full(table.table.row_count, EMPTY, np.int32)
    whole[table.table.data_rows] = of_rows
    name = f"Duration in days from {table.columns[first].name} to {table.columns[last].name}"
    texts = tuple(str(int(length)) for length in lengths)
    kind = ColumnType(Kind.INTEGER, unit=UNIT)
    source = Column(name, (name,), whole, texts, kind, derived=True)
    return CatalogColumn(name, "BIGINT", source)


def elapsed_mentions(question: Question, found: Mentions, relation: Relation) -> Mentions:
    """Mentions with the words for the length of time, and those for the dates at its ends, as the
    name of its column.
    """
    assert relation.elapsed is not None
    assert relation.computed_index is not None
    names = (relation.elapsed.start, relation.elapsed.end)
    ends = [i for i, column in enumerate(relation.tables[0].columns) if column.name in names]
    at_ends = [m for m in found.columns if m.column in ends and m.score >= NAMED]
    mask = covering(at_ends) | asks_how_long(question)
    columns = tuple(m for m in found.columns if m not in at_ends)
    if mask:
        first, last = (mask & -mask).bit_length() - 1, mask.bit_length() - 1
        columns += (ColumnMention(first, last, relation.computed_index, SCORE, mask),)
    return replace(found, columns=columns)
