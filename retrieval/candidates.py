"""Rows worth a close look: where a question's words stand in cells, or in the heads above them.

Takes a `Lookup`; gives row numbers. Three ways lead to a row: enough of the question's rare words
in its cells; a whole cell of function words; and, in the tables whose heads say most of the
question, any word in its cells or a comparison that its cells satisfy ("2 wins", "over 20 laps").
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from retrieval import bm25
from retrieval.bounds import rows_meeting
from retrieval.hashing import Ints
from retrieval.lookup import Lookup
from retrieval.namings import all_named
from retrieval.postings import Postings
from retrieval.table import Table
from retrieval.word_matches import ascending

_HEADED_TABLES = 40
_HEADED_ROWS = 5_000
"""Rows of so many tables, and so many in all, are taken for the words of their heads."""

_HEADED_SHARE = 0.6
"""Tables whose heads hold less than this share of the idf of the best one are not among them."""


def candidates(lookup: Lookup, tables: Collection[str] | None) -> Ints:
    """Rows to rank, ascending, in `tables` (ids) only where given."""
    found = bm25.candidates(lookup.postings, lookup.terms)
    others = [rows for rows in (_named(lookup, tables), _headed(lookup, tables)) if len(rows)]
    return ascending((found, *others)) if others else found


def _named(lookup: Lookup, tables: Collection[str] | None) -> Ints:
    """Rows named by a span to whose cell no token leads.

    It has function words alone ("The Who"), is cut otherwise ("336 465"), or is a date.
    """
    postings, dates = lookup.postings, lookup.question.dates
    leading = {i for i, match in enumerate(lookup.matches) if match.terms[0].rows.ids.size}
    found = [np.zeros(0, np.int64)]
    for span, cells in lookup.spans:
        words = lookup.said(span)
        if words and leading.issuperset(words) and span not in dates:
            continue
        blocks = np.searchsorted(postings.column_starts, cells.ids, side="right") - 1
        for block in np.unique(blocks).tolist():
            if tables is None or postings.key(block) in tables:
                table = postings.item(block)
                named = all_named(table, lookup.namings(block))
                found.append(np.flatnonzero(named) + postings.row_starts[block])
    return np.concatenate(found)


def _headed(lookup: Lookup, tables: Collection[str] | None) -> Ints:
    """Rows of the tables whose heads say most, by any word in their cells or a bound they meet."""
    blocks = _best_headed(lookup, tables)
    postings, found = lookup.postings, [np.zeros(0, np.int64)]
    if not len(blocks):
        return found[0]
    inside = bm25.inside(postings, lookup.terms, blocks.tolist())
    found.extend(term.rows.ids.astype(np.int64) for term in inside)
    for block in blocks.tolist() if lookup.bounds else ():
        table = postings.item(block)
        everywhere = np.arange(table.row_count)
        tests = [rows_meeting(b, lookup.question, table, everywhere) for b in lookup.bounds]
        held = [flags for flags in tests if flags is not None]
        if held:
            found.append(everywhere[np.logical_and.reduce(held)] + postings.row_starts[block])
    return np.concatenate(found)


def _best_headed(lookup: Lookup, tables: Collection[str] | None) -> Ints:
    """The blocks whose heads hold most of the question's idf, ascending."""
    headed = [term for term in lookup.terms if len(term.heads.ids)]
    known, key = lookup.postings.best_headed, tuple(term.token for term in headed)
    some = tables is not None and not lookup.postings.are_all(tables)
    if some or not headed:
        return _most_headed(lookup.postings, headed, tables)
    if key not in known:
        found = _most_headed(lookup.postings, headed, None)
        if len(known) >= bm25.KEPT:
            return found
        known[key] = found
    return known[key]


def _most_headed(
    postings: Postings[Table], headed: Sequence[bm25.Term], tables: Collection[str] | None
) -> Ints:
    if tables is None:
        blocks = np.arange(len(postings.alive_blocks))
        mass = np.zeros(len(blocks))
        for term in headed:
            mass[term.heads.ids] += term.idf
    else:
        blocks = np.array(sorted({postings.block(key) for key in tables if key in postings}), int)
        mass = np.zeros(len(blocks))
        for term in headed:
            mass += term.idf * bm25.member(blocks, term.heads.ids)
    best = np.flatnonzero((mass > 0) & (mass >= _HEADED_SHARE * mass.max(initial=0.0)))
    best = blocks[best[np.lexsort((best, -mass[best]))[:_HEADED_TABLES]]]
    rows = postings.row_starts[best + 1] - postings.row_starts[best]
    return np.sort(best[(rows > 0) & (np.cumsum(rows) <= _HEADED_ROWS)])
