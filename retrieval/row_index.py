"""Finds the rows of tables that a question is about.

Takes the postings of tables and a `Question`, gives `RowHits`. Rows are ranked by BM25 over
header-injected text, and by how much of the question they account for: each word found in the row
or its table's head, each cell named in full, and each header said beside a cell of its column.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from retrieval import bm25, dense
from retrieval.candidates import candidates
from retrieval.closer_look import Glance, Ranked, RankedRow, bounds_met
from retrieval.hashing import Ints
from retrieval.hits import Coverage, Match, RowHit, RowHits
from retrieval.lookup import Lookup
from retrieval.namings import Naming, rows_named
from retrieval.postings import Postings
from retrieval.question import Question
from retrieval.segments import Block, Field
from retrieval.serialize import row_text
from retrieval.table import Table
from retrieval.word_matches import WordMatch

_CANDIDATES = 200
"""Rows that a closer look may rank, at least; beyond them BM25 decides alone."""


def table_block(table: Table) -> Block[Table]:
    """A table as the postings index it."""
    fields = [Field(column.codes, column.texts) for column in table.columns]
    if any(row >= 0 for note in table.notes for row, _ in note.cells):
        fields.append(_notes_field(table))
    said = (table.summary,) if table.summary else ()
    return Block(table.table_id, table, head_texts(table), table.row_count, fields, said)


def head_texts(table: Table) -> list[str]:
    """What every row of a table has: title, headings, name, headers, unit, header notes, and what
    its document's name says beside.
    """
    texts = [*dict.fromkeys((*table.heading_path, table.title, table.name))]
    texts.extend(filter(None, [table.document_words]))
    texts.extend(column.name for column in table.columns)
    if table.unit:
        texts.append(table.unit)
    texts.extend(n.text for n in table.notes if not n.cells or any(r < 0 for r, _ in n.cells))
    return texts


def _notes_field(table: Table) -> Field:
    """The footnotes, for the rows whose cells carry them."""
    by_row: dict[int, list[str]] = {}
    for note in table.notes:
        for row in {row for row, _ in note.cells if row >= 0}:
            by_row.setdefault(row, []).append(note.text)
    codes = np.full(table.row_count, -1, np.int32)
    codes[list(by_row)] = np.arange(len(by_row))
    return Field(codes, ["\n".join(texts) for texts in by_row.values()], cells=False)


@dataclass(frozen=True, eq=False)
class Ranking:
    """The rows that a question is about, ranked; `of` makes one."""

    rows: Ints
    """All that are worth ranking."""
    glance: Glance
    best: Ranked
    """So many as were wanted."""
    wanted: int

    @classmethod
    def of(
        cls,
        postings: Postings[Table],
        question: Question,
        k: int,
        *,
        tables: Collection[str] | None = None,
    ) -> Ranking:
        """Rank the best `k` rows, in `tables` (ids) only where given."""
        lookup = Lookup.of(postings, question, tables)
        rows = candidates(lookup, tables)
        counts = bm25.counts(lookup.terms, rows)
        scores = bm25.scores(postings, lookup.terms, rows, counts)
        best = np.lexsort((rows, -scores))[: max(_CANDIDATES, k)]
        glance = Glance.of(lookup, rows[best], scores[best], counts[:, best] > 0)
        return cls(rows, *glance.best(k), k)

    @property
    def lookup(self) -> Lookup:
        """The question, looked up."""
        return self.glance.lookup

    def of_same(self, postings: Postings[Table], question: Question, k: int) -> Ranking | None:
        """It with the best `k` rows, where it is that of a question; else None."""
        own = self.lookup
        if own.postings is not postings or own.question != question:
            return None
        if k <= self.wanted:
            return self
        known = self.glance.size
        return Ranking(self.rows, *self.glance.best(k), k) if k <= max(known, _CANDIDATES) else None

    def hits(self, k: int) -> RowHits:
        """The best `k` rows."""
        if k < 1 or not len(self.best):
            return RowHits()
        found = [self.best.at(place) for place in range(min(k, len(self.best)))]
        hits = tuple(_hit(self.lookup, one) for one in found)
        total = _as_good(self.lookup, found[0], self.rows)
        return RowHits(hits, total, total > len(hits))

    def block_scores(self, k: int) -> dict[int, float]:
        """By block: the score of its best row, among the best `k` rows."""
        found: dict[int, float] = {}
        best = zip(self.best.blocks[:k].tolist(), self.best.scores[:k].tolist(), strict=True)
        for block, score in best:
            found.setdefault(block, score)
        return found


def rows_by_meaning(postings: Postings[Table], question: Question, k: int) -> RowHits:
    """The best `k` rows by cosine + 0.2 x coverage; all of them "near". Raises MissingExtra."""
    rows, cosines = dense.nearest(postings, question, _CANDIDATES)
    lookup = Lookup.of(postings, question)
    blocks = postings.blocks_of_rows(rows)
    in_cells, in_heads = lookup.in_rows(rows), lookup.in_heads(blocks)
    found = []
    for i, (row, block) in enumerate(zip(rows.tolist(), blocks.tolist(), strict=True)):
        share = lookup.coverage(in_cells[:, i], in_heads[:, i]).share
        score = float(cosines[i]) + dense.COVERAGE_WEIGHT * share
        found.append(RankedRow(row, block, score, in_cells[:, i], in_heads[:, i]))
    best = sorted(found, key=lambda one: (-one.score, one.row))[:k]
    hits = tuple(replace(_hit(lookup, one), match="near") for one in best)
    return RowHits(hits, len(hits), truncated=False)


def rows_as_scored(
    postings: Postings[Table], question: Question, rows: Ints, scores: bm25.Floats, k: int
) -> RowHits:
    """The best `k` of rows that another engine scored, best first: those with a word in a cell."""
    lookup = Lookup.of(postings, question)
    in_cells = lookup.in_rows(rows)
    held = np.flatnonzero(in_cells.any(axis=0))
    blocks = postings.blocks_of_rows(rows)
    in_heads = lookup.in_heads(blocks)
    best = [
        RankedRow(int(rows[i]), int(blocks[i]), float(scores[i]), in_cells[:, i], in_heads[:, i])
        for i in held[:k].tolist()
    ]
    hits = tuple(_hit(lookup, one) for one in best)
    total = int(np.count_nonzero(scores[held] == scores[held[:1]]))
    return RowHits(hits, total, total > len(hits))


def table_coverage(postings: Postings[Table], question: Question, table_id: str) -> Coverage:
    """How much of the question the words of one table, and any of its cells, account for."""
    lookup = Lookup.of(postings, question, [table_id])
    in_cells = np.array([match.anywhere for match in lookup.matches], bool)
    in_heads = lookup.in_heads(np.array([postings.block(table_id)]))[:, 0]
    return lookup.coverage(in_cells, in_heads)


def _held(lookup: Lookup, found: RankedRow) -> list[Naming]:
    """The namings that a row's cells bear out."""
    table = lookup.postings.item(found.block)
    position = found.row - int(lookup.postings.row_starts[found.block])
    namings = lookup.namings(found.block)
    return [n for n in namings if table.columns[n.column].codes[position] == n.code]


def _as_good(lookup: Lookup, best: RankedRow, rows: Ints) -> int:
    """How many rows hold every word that the best one holds, and are named as well.

    Comparisons that the best one satisfies, they satisfy. `rows` are those to look among where no
    word leads to them.

    Words whose cells have to be read come last, when few rows are left.
    """
    here = np.array([best.row])
    flagged = zip(lookup.matches, best.in_cells.tolist(), strict=True)
    held = [match for match, flag in flagged if flag and match.in_postings(here)[0]]
    held.sort(key=lambda match: len(match.likely))
    if held:
        rows = held[0].likely.astype(np.int64)
        if len(rows) == 1:
            return 1
    for match in held[1:] if held and held[0].plain else held:
        rows = rows[match.in_postings(rows)]
    named = _held(lookup, best)
    if named and not _hold_one_cell(lookup, named, held, rows):
        rows = _named_as_well(lookup, named, rows)
    for match in held:
        rows = rows[match.in_rows(rows)] if match.passing else rows
    if lookup.bounds and not best.fails:
        met, failed = bounds_met(lookup, rows)
        rows = rows[(met > 0) & (failed == 0)] if best.meets else rows[failed == 0]
    return len(rows)


def _hold_one_cell(
    lookup: Lookup, named: Sequence[Naming], held: Sequence[WordMatch], rows: Ints
) -> bool:
    """Whether one cell is named, and `rows`, which hold its words, are as many as hold the cell:
    then no row need be read to know that each of them does.
    """
    spans = {naming.span for naming in named}
    if len(spans) > 1 or not held or not len(rows):
        return False
    span = spans.pop()
    inside = {lookup.matches[i].word.text for i in lookup.said(span)}
    first, last = lookup.postings.blocks_of_rows(rows[[0, -1]]).tolist()
    if first != last or not inside.issuperset(match.word.text for match in held):
        return False
    here = [naming for naming in lookup.namings(first) if naming.span == span]
    if len(here) != 1:
        return False
    counts = lookup.postings.item(first).columns[here[0].column].counts
    return int(counts[here[0].code]) == len(rows)


def _named_as_well(lookup: Lookup, named: Sequence[Naming], rows: Ints) -> Ints:
    """Those of `rows` that hold a cell named by each span that named the best row's cells."""
    wanted = {naming.span for naming in named}
    kept = np.zeros(len(rows), bool)
    parts = list(lookup.postings.by_block(rows))
    naming = set(lookup.naming_blocks([block for block, _, _ in parts]))
    for block, where, positions in parts:
        if block not in naming:
            continue
        table, namings = lookup.postings.item(block), lookup.namings(block)
        held = np.ones(len(where), bool)
        for span in wanted:
            held &= rows_named(table, positions, [n for n in namings if n.span == span])
        kept[where] = held
    return rows[kept]


def _match(table: Table, named: tuple[Naming, ...], coverage: Coverage) -> Match:
    """Exact where all content words are found, or a named cell stands alone in its column."""
    if not coverage.missing_words:
        return "exact"
    for naming in named:
        column = table.columns[naming.column]
        if naming.column == table.key or column.counts[naming.code] == 1:
            return "exact"
    return "near"


def _hit(lookup: Lookup, found: RankedRow) -> RowHit:
    table = lookup.postings.item(found.block)
    position = found.row - int(lookup.postings.row_starts[found.block])
    cells = table.row(position)
    coverage = lookup.coverage(found.in_cells, found.in_heads)
    namings = tuple(_held(lookup, found))
    named = tuple(table.columns[n.column] for n in namings)
    return RowHit(
        document=table.document,
        table_id=table.table_id,
        table=table.name,
        row_position=position,
        cells=dict(zip(table.headers, cells, strict=True)),
        score=found.score,
        match="near" if found.fails else _match(table, namings, coverage),
        text=row_text(table, position, cells=cells),
        coverage=coverage,
        named=tuple((column.name, column.text_at(position)) for column in named),
        total=position in table.totals,
        version=table.version,
        title=table.title,
        heading_path=table.heading_path,
        page=table.page_of(position),
        line=table.line_of(position),
    )
