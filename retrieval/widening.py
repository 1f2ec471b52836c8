"""Which rows of one table a question is about: the ground for one row, several, or the whole table.

A row is in if no other row matches all its words and more ("floor lamp and desk lamp" is about
both, and not about every lamp). Takes the postings and a `Question`; gives `MatchingRows`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrieval.hits import MatchingRows
from retrieval.lookup import Lookup
from retrieval.namings import Naming, rows_named
from retrieval.postings import Postings
from retrieval.question import Question
from retrieval.segments import Ints
from retrieval.serialize import entity
from retrieval.table import Table
from retrieval.tokenize import tokens
from retrieval.word_matches import Flags

WIDE_SHARE = 0.6
"""A word that more than this share of a table's rows hold tells no row from another."""

_MOST_BITS = 60
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
    in_cells = lookup.in_rows(np.arange(first, end))
    in_heads = lookup.in_heads(np.array([block]))[:, 0]
    chosen = _distinguished(table, lookup, in_cells, in_heads, lookup.namings(block))
    body = chosen[np.isin(chosen, table.data_rows)]
    chosen = body if len(body) else chosen
    held = np.array([flags[chosen].any() for flags in in_cells], bool)
    return MatchingRows(table_id, chosen, len(table.data_rows), lookup.coverage(held, in_heads))


def _distinguished(
    table: Table, lookup: Lookup, in_cells: Flags, in_heads: Flags, namings: Sequence[Naming]
) -> Ints:
    """Positions of the rows that match a set of words that no other row's set contains.

    Words of the table's own heads speak of its columns, not of its rows.
    """
    positions = np.arange(table.row_count)
    telling = zip(lookup.masses.tolist(), in_cells, in_heads.tolist(), strict=True)
    found = [(mass, held) for mass, held, heading in telling if not heading]
    for span in dict.fromkeys(naming.span for naming in namings):
        held = rows_named(table, positions, [n for n in namings if n.span == span])
        found.append((float(lookup.masses[lookup.said(span)].sum()), held))
    found = [(mass, held) for mass, held in found if held.any()]
    found = [(mass, held) for mass, held in found if held.mean() <= WIDE_SHARE] or found
    masks = np.zeros(len(positions), np.int64)
    for bit, (_, held) in enumerate(sorted(found, key=lambda pair: -pair[0])[:_MOST_BITS]):
        masks |= held.astype(np.int64) << bit
    keyed = [naming for naming in namings if naming.column == table.key]
    if keyed:
        masks[~rows_named(table, positions, keyed)] = 0
    distinct = [mask for mask in np.unique(masks).tolist() if mask]
    maximal = [m for m in distinct if not any(m != other and m & other == m for other in distinct)]
    chosen = positions[np.isin(masks, maximal)]
    return chosen if namings or _tells_rows(table, lookup, in_heads, chosen) else chosen[:0]


def _tells_rows(table: Table, lookup: Lookup, in_heads: Flags, chosen: Ints) -> bool:
    """Whether the words found are what the question is about, and not met by the way.

    They are where they stand in the rows' names, or are most of what the question says beside the
    table's own words ("show the whole list" is not about the row that says "a listed firm").
    """
    if not len(chosen):
        return False
    names = {token for row in chosen[:_NAMES_READ].tolist() for token in tokens(entity(table, row))}
    if any(names.issuperset(match.word.tokens) for match in lookup.matches):
        return True
    first = lookup.postings.row_starts[lookup.postings.block(table.table_id)]
    held = lookup.in_rows(chosen + first).any(axis=1)
    own = lookup.masses * ~in_heads
    return bool(own @ held >= own.sum() / 2)
