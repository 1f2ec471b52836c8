"""Which rows of one table a question is about: the ground for one row, several, or the whole table.

A row is in if no other row matches all its words and more ("floor lamp and desk lamp" is about
both, and not about every lamp). Takes the postings and a `Question`; gives `MatchingRows`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrieval.hashing import Ints
from retrieval.hits import MatchingRows
from retrieval.lookup import Lookup
from retrieval.namings import Naming, all_named
from retrieval.postings import Postings
from retrieval.question import Question
from retrieval.serialize import entity
from retrieval.table import Table
from retrieval.tokenize import tokens
from retrieval.word_matches import Flags

WIDE_SHARE = 0.6
"""A word that more than this share of a table's rows hold tells no row from another."""

_MANY_SETS = 256
"""With so many sets of words, those that no row has are left out before the next word."""

_NAMES_READ = 100


def matching_rows(postings: Postings[Table], question: Question, table_id: str) -> MatchingRows:
    """The rows of one table that `question` is about. Raises KeyError if the table is unknown.

    Words that most rows hold count only where there are no others; where cells of the key column
    are named, rows that name none are out.
    """
    block = postings.block(table_id)
    table = postings.item(block)
    lookup = Lookup.of(postings, question, [table_id])
    first, end = postings.row_starts[block : block + 2].tolist()
    in_cells = [match.within(first, end) for match in lookup.matches]
    in_heads = lookup.in_heads(np.array([block]))[:, 0]
    chosen = _distinguished(table, lookup, in_cells, in_heads, lookup.namings(block))
    body = chosen[~np.isin(chosen, list(table.totals))] if table.totals else chosen
    chosen = body if len(body) else chosen
    held = np.array([flags.any() and flags[chosen].any() for flags in in_cells], bool)
    body_rows = table.row_count - len(table.totals)
    return MatchingRows(table_id, chosen, body_rows, lookup.coverage(held, in_heads))


def _distinguished(
    table: Table,
    lookup: Lookup,
    in_cells: Sequence[Flags],
    in_heads: Flags,
    namings: Sequence[Naming],
) -> Ints:
    """Positions of the rows that match a set of words that no other row's set contains.

    Words of the table's own heads speak of its columns, not of its rows.
    """
    pairs = zip(in_cells, in_heads.tolist(), strict=True)
    found = [held for held, heading in pairs if not heading and held.any()]
    spans = dict.fromkeys(naming.span for naming in namings)
    named = [all_named(table, [n for n in namings if n.span == span]) for span in spans]
    found += [flags for flags in named if not any(np.array_equal(flags, held) for held in found)]
    widest = WIDE_SHARE * table.row_count
    found = [held for held in found if np.count_nonzero(held) <= widest] or found
    keyed = [naming for naming in namings if naming.column == table.key]
    if keyed:
        found = [held & all_named(table, keyed) for held in found]
    chosen = _maximal(found)
    told = bool(namings) or _tells_rows(table, lookup, in_cells, in_heads, chosen)
    return chosen if told else chosen[:0]


def _maximal(found: Sequence[Flags]) -> Ints:
    """Positions of the rows that hold a set of words, one at least, that no other set contains."""
    if not found:
        return np.zeros(0, np.int64)
    rows = np.flatnonzero(np.logical_or.reduce(found))
    numbers, sets = np.zeros(len(rows), np.uint32), [0]
    """Each row has the number of its set; a set has a bit a word."""
    for bit, held in enumerate(found if len(found) > 1 else ()):
        numbers += held[rows] * np.uint32(len(sets))
        sets += [one | 1 << bit for one in sets]
        if len(sets) > _MANY_SETS or bit == len(found) - 1:
            used = np.flatnonzero(np.bincount(numbers, minlength=len(sets)))
            renumbered = np.zeros(len(sets), np.uint32)
            renumbered[used] = np.arange(len(used))
            numbers, sets = renumbered[numbers], [sets[i] for i in used.tolist()]
    maximal = [not any(one != other and one & other == one for other in sets) for one in sets]
    chosen: Ints = rows[np.array(maximal, bool)[numbers]]
    return chosen


def _tells_rows(
    table: Table, lookup: Lookup, in_cells: Sequence[Flags], in_heads: Flags, chosen: Ints
) -> bool:
    """Whether the words found are what the question is about, and not met by the way.

    They are where they stand in the rows' names, or are most of what the question says beside the
    table's own words ("show the whole list" is not about the row that says "a listed firm").
    """
    if not len(chosen):
        return False
    names = {token for row in chosen[:_NAMES_READ].tolist() for token in tokens(entity(table, row))}
    if any(names.issuperset(match.word.tokens) for match in lookup.matches):
        return True
    held = np.array([flags[chosen].any() for flags in in_cells], bool)
    own = lookup.masses * ~in_heads
    return bool(own @ held >= own.sum() / 2)
