"""Rows looked at closely: what of a question their cells name, and how they rank by it.

Takes a `Lookup` with rows that BM25 scored; gives the best of them `Ranked`. What the postings tell
says how high a row may come at most; tables are read in that order, and no further than it takes to
be sure of as many rows as are wanted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from retrieval import bm25
from retrieval.bounds import rows_meeting
from retrieval.hashing import Ints
from retrieval.lookup import Lookup
from retrieval.namings import rows_named
from retrieval.serialize import entity
from retrieval.tokenize import STOP_WORDS, tokens
from retrieval.word_matches import Flags

_COVERED_WEIGHT = 2.0
"""What a word found in the row or its table's head adds to the score, in units of its idf."""

_NAMED_WEIGHT = 1.5
"""What the words of a cell named in full add, in units of their idf."""

_PAIRED_WEIGHT = 1.0
"""What the words of a column's header add where the question names one of its cells, in idf."""

_BESIDE_WEIGHT = 3.0
"""What they add beside that where they are said close to the cell."""

_BOUND_WEIGHT = 1.3
"""What a comparison that holds adds, and one that fails takes away, in idf of a rare word."""

_NAME_WEIGHT = 0.1
"""What a row's name adds where the question says all of it, in idf of the words said: little, so
that it only decides between rows that match alike ("Operating revenue", "Other operating revenue").
"""

_NAMES_READ = 30
"""Rows whose names are looked at."""

_LEFT_OUT = STOP_WORDS | {"total"}
"""Words of a row's name that a question may leave out."""

_PARENTHESES = re.compile(r"\([^()]*\)")
"""So is what a name has in them: its unit."""

_LOOKED_AT = 16
"""So many rows of several tables are looked at before it is asked whether more have to be."""


@dataclass(frozen=True)
class RankedRow:
    """A row with all that was found of the question in it."""

    row: int
    """Numbered through the index."""
    block: int
    score: float
    in_cells: Flags
    """One per word match."""
    in_heads: Flags
    meets: bool = False
    """A comparison of the question holds for it."""
    fails: bool = False
    """One does not."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """Rows with what was found in each: one value a row, shape (words, rows) of the flags."""

    rows: Ints
    blocks: Ints
    scores: bm25.Floats
    in_cells: Flags
    in_heads: Flags
    meets: Flags
    fails: Flags

    def __len__(self) -> int:
        return len(self.rows)

    def at(self, place: int) -> RankedRow:
        """One of them."""
        return RankedRow(
            row=int(self.rows[place]),
            block=int(self.blocks[place]),
            score=float(self.scores[place]),
            in_cells=self.in_cells[:, place],
            in_heads=self.in_heads[:, place],
            meets=bool(self.meets[place]),
            fails=bool(self.fails[place]),
        )

    def taken(self, places: Ints | slice) -> Ranked:
        """Those at `places`, in that order."""
        return Ranked(
            self.rows[places],
            self.blocks[places],
            self.scores[places],
            self.in_cells[:, places],
            self.in_heads[:, places],
            self.meets[places],
            self.fails[places],
        )

    def scored(self, scores: bm25.Floats) -> Ranked:
        """The same with other scores."""
        return Ranked(
            self.rows, self.blocks, scores, self.in_cells, self.in_heads, self.meets, self.fails
        )

    def and_those(self, others: Ranked) -> Ranked:
        """These, then the others."""
        return Ranked(
            np.concatenate((self.rows, others.rows)),
            np.concatenate((self.blocks, others.blocks)),
            np.concatenate((self.scores, others.scores)),
            np.concatenate((self.in_cells, others.in_cells), axis=1),
            np.concatenate((self.in_heads, others.in_heads), axis=1),
            np.concatenate((self.meets, others.meets)),
            np.concatenate((self.fails, others.fails)),
        )


@dataclass(frozen=True, eq=False)
class Glance:
    """What the postings tell of some rows, and how far it was looked closer; `of` makes one."""

    lookup: Lookup
    seen: Ranked
    """Likeliest first, by `most`; their scores are those of the words in cells and heads."""
    most: bm25.Floats
    """What each may score at most."""
    step: int
    """So many rows are looked at before it is asked whether more have to be."""
    looked: Ranked | None
    """So many of them as were looked at closely so far, with the scores they have then."""

    @classmethod
    def of(cls, lookup: Lookup, rows: Ints, scores: bm25.Floats, held: Flags) -> Glance:
        """Of rows with their BM25 scores; `held` has shape (terms, rows)."""
        blocks = lookup.postings.blocks_of_rows(rows)
        in_cells, in_heads = lookup.in_rows(rows, held), lookup.in_heads(blocks)
        none = np.zeros(len(rows), bool)
        seen = Ranked(rows, blocks, scores, in_cells, in_heads, none, none)
        if len(rows) <= _LOOKED_AT or (blocks == blocks[0]).all():
            # Rows of one table are all looked at as fast as a few.
            return cls(lookup, seen, scores, len(rows), None)
        most = _at_most(lookup, seen)
        order = np.lexsort((rows, -most))
        seen = seen.taken(order)
        return cls(lookup, seen, most[order], _LOOKED_AT, None)

    @property
    def size(self) -> int:
        """Rows of which something is known."""
        return len(self.seen)

    def looking(self, count: int) -> Ranked:
        """So many rows looked at closely that no row left out may be among the best `count`."""
        looked = self.looked or _closely(self.lookup, self._next(0))
        while not self._is_enough(looked, count):
            looked = looked.and_those(_closely(self.lookup, self._next(len(looked))))
        return looked

    def _next(self, done: int) -> Ranked:
        """The rows to look at after so many."""
        all_of_them = not done and self.step >= self.size
        return self.seen if all_of_them else self.seen.taken(slice(done, done + self.step))

    def _is_enough(self, looked: Ranked, count: int) -> bool:
        if len(looked) == self.size:
            return True
        left = self.most[len(looked)]
        if left < bm25.FLOOR * looked.scores.max():
            return True
        return int(np.count_nonzero(looked.scores > left)) >= count

    def best(self, count: int) -> tuple[Glance, Ranked]:
        """The best `count` rows; ties in table order, then row order."""
        looked = self.looking(max(count, _NAMES_READ))
        glance = Glance(self.lookup, self.seen, self.most, self.step, looked)
        scores = _with_names(self.lookup, looked)
        order = np.lexsort((looked.rows, -scores))
        floor = bm25.FLOOR * float(scores.max(initial=0.0))
        shown = (scores > 0) & (scores >= floor)
        return glance, looked.scored(scores).taken(order[shown[order]][:count])


def _at_most(lookup: Lookup, seen: Ranked) -> bm25.Floats:
    """What rows may score at most, whichever of their tables' cells that are named is theirs."""
    counts = _cells_named(lookup, seen)
    named, beside = np.zeros_like(seen.in_cells), np.zeros(len(seen))
    wordless = np.zeros(len(seen), bool)
    for (span, _), cells in zip(lookup.spans, counts, strict=True):
        words, near = lookup.said(span), lookup.heard(span)
        named[words] |= cells > 0
        if not words:
            wordless |= cells > 0
        beside += cells * (lookup.masses[near] @ seen.in_heads[near])
    paired = seen.in_heads & counts.any(axis=0)
    most = seen.scores + _worth(lookup, seen, named, paired) + _BESIDE_WEIGHT * beside
    most += lookup.rare_mass * (_NAMED_WEIGHT * wordless + _BOUND_WEIGHT * len(lookup.bounds))
    return most


def _cells_named(lookup: Lookup, seen: Ranked) -> Ints:
    """Shape (spans, rows): how many cells of each row each span may be.

    They are among those of its table. Where the table's cells have all words of the span, the row's
    have to; where they have not, the cell is cut into words otherwise. Codes and dates are.
    """
    counts, present = lookup.cells_named(seen.blocks), lookup.in_blocks(seen.blocks)
    for (span, _), cells in zip(lookup.spans, counts, strict=True):
        words = lookup.said(span)
        plain = all(lookup.matches[word].plain for word in words)
        if words and plain and span not in lookup.question.dates:
            cells[present[words].all(axis=0) & ~seen.in_cells[words].all(axis=0)] = 0
    return counts


def _worth(lookup: Lookup, seen: Ranked, named: Flags, paired: Flags) -> bm25.Floats:
    """What words add that are found in a row or its table's head, in cells named, beside them."""
    weights = _COVERED_WEIGHT * (seen.in_cells | seen.in_heads | named) + _NAMED_WEIGHT * named
    weights = weights + _PAIRED_WEIGHT * paired
    weights[lookup.compared] = 0
    # Added word after word: a row scores the same beside any others, which `@` does not promise.
    worth: bm25.Floats = (lookup.masses[:, None] * weights).sum(axis=0)
    return worth


def _closely(lookup: Lookup, seen: Ranked) -> Ranked:
    """The same rows with their cells looked at, and scored by that."""
    said = _named_words(lookup, seen.rows, seen.blocks)
    met, failed = bounds_met(lookup, seen.rows)
    in_cells = seen.in_cells | said.named
    scores = seen.scores + _worth(lookup, seen, said.named, said.paired)
    scores += _BESIDE_WEIGHT * said.beside
    # Function words weigh nothing; a cell that is nothing else ("The Who") weighs as a rare word,
    # and so does a comparison.
    rare = _NAMED_WEIGHT * (said.holding & ~said.named.any(axis=0)) + _BOUND_WEIGHT * (met - failed)
    scores += rare * lookup.rare_mass
    scores = np.where(in_cells.any(axis=0) | said.holding | (met > 0), scores, 0.0)
    rows, blocks, in_heads = seen.rows, seen.blocks, seen.in_heads
    return Ranked(rows, blocks, scores, in_cells, in_heads, met > 0, failed > 0)


def bounds_met(lookup: Lookup, rows: Ints) -> tuple[Ints, Ints]:
    """How many comparisons of the question each row satisfies, and how many it fails."""
    met, failed = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    for block, where, positions in lookup.postings.by_block(rows) if lookup.bounds else ():
        for bound in lookup.bounds:
            flags = rows_meeting(bound, lookup.question, lookup.postings.item(block), positions)
            if flags is not None:
                met[where] += flags
                failed[where] += ~flags
    return met, failed


def _with_names(lookup: Lookup, looked: Ranked) -> bm25.Floats:
    """Scores, those of the best rows raised by the share of their names that the question says."""
    if np.count_nonzero(looked.scores > 0) < 2:
        return looked.scores
    raised = looked.scores.copy()
    best = np.lexsort((looked.rows, -looked.scores))[:_NAMES_READ]
    blocks = looked.blocks[best]
    positions = (looked.rows[best] - lookup.postings.row_starts[blocks]).tolist()
    for i, block, position in zip(best.tolist(), blocks.tolist(), positions, strict=True):
        name = set(tokens(_PARENTHESES.sub(" ", entity(lookup.postings.item(block), position))))
        name -= _LEFT_OUT
        found = [lookup.matches[word] for word in looked.in_cells[:, i].nonzero()[0].tolist()]
        held = [match for match in found if name.issuperset(match.word.tokens)]
        said = {token for match in held for token in match.word.tokens}
        if said and raised[i] > 0:
            mass = sum(match.mass for match in held)
            raised[i] += _NAME_WEIGHT * mass * len(said) / len(name)
    return raised


@dataclass(frozen=True)
class _Said:
    """Which words of the question name cells of each row, and which head those cells' columns."""

    named: Flags
    """Shape (words, rows)."""
    paired: Flags
    """Shape (words, rows): words of the header of a named cell."""
    beside: bm25.Floats
    """Per row: the idf of such header words said close to the cell, each by its share of the
    header."""
    holding: Flags
    """Per row: whether it holds a named cell at all."""


def _named_words(lookup: Lookup, rows: Ints, blocks: Ints) -> _Said:
    named = np.zeros((len(lookup.matches), len(rows)), bool)
    distinct = sorted(set(blocks.tolist()))
    by_block = {block: lookup.namings(block) for block in lookup.naming_blocks(distinct)}
    said = _Said(named, np.zeros_like(named), np.zeros(len(rows)), np.zeros(len(rows), bool))
    for block, where, positions in lookup.postings.by_block(rows):
        namings = by_block.get(block)
        if not namings:
            continue
        table = lookup.postings.item(block)
        for naming in namings:
            column = table.columns[naming.column]
            found = where[rows_named(table, positions, [naming])]
            if len(found):
                said.holding[found] = True
                if not lookup.is_compared(naming.span):
                    said.beside[found] += lookup.beside(naming.span, column.name)
                for word in lookup.said(naming.span):
                    said.named[word, found] = True
                for word in lookup.headed(column.name):
                    said.paired[word, found] = True
    return said
