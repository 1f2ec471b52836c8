"""Finds the rows of tables that a question is about.

Holds tables and their postings; takes a `Question`, gives `RowHits` or the `MatchingRows` of one
table. Rows are ranked by BM25 over header-injected text, then by what the question names in full:
a whole cell counts as its words once more, and the longest naming wins ("desk lamp XL" is not also
"desk lamp"). Never changes: adding or removing tables gives a new index.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval import bm25
from retrieval.hits import Coverage, Match, MatchingRows, RowHit, RowHits
from retrieval.postings import Block, Field, Found, Ints, Postings
from retrieval.question import Question, Span
from retrieval.serialize import row_text
from retrieval.table import Table
from retrieval.tokenize import tokens, words
from retrieval.word_matches import Flags, WordMatch, cover, word_matches

_RERANKED = 200
"""Rows looked at closely, at least; beyond them BM25 decides alone."""

_NAMED_WEIGHT = 1.5
"""What the words of a cell named in full add to the score, in units of their idf."""

_COVERED_WEIGHT = 2.0
"""What a word found in the row or its table's head adds, in units of its idf."""

_PAIRED_WEIGHT = 1.0
"""What the words of a column's header add where the question names one of its cells, in idf."""

_WIDE_SHARE = 0.6
"""A word that more than this share of a table's rows hold tells no row from another."""


def table_block(table: Table) -> Block[Table]:
    """A table as the postings index it."""
    fields = [Field(column.codes, column.texts) for column in table.columns]
    if any(row >= 0 for note in table.notes for row, _ in note.cells):
        fields.append(_notes_field(table))
    return Block(table.table_id, table, head_texts(table), table.row_count, fields)


def head_texts(table: Table) -> list[str]:
    """What every row of a table has: title, headings, name, headers, unit, header notes."""
    texts = [*dict.fromkeys((*table.heading_path, table.title, table.name))]
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


@dataclass(frozen=True)
class _Naming:
    """A span of the question that is a whole cell of one column."""

    span: Span
    column: int
    code: int


@dataclass(frozen=True)
class _Ranked:
    """A row with all that was found of the question in it."""

    table: Table
    row: int
    """Numbered through the index."""
    position: int
    block: int
    score: float
    in_cells: Flags
    """One per word match."""
    in_heads: Flags
    named: tuple[_Naming, ...]


@dataclass(frozen=True)
class _Search:
    """A question looked up in the postings; the steps of one search share it."""

    question: Question
    terms: tuple[bm25.Term, ...]
    matches: tuple[WordMatch, ...]
    spans: tuple[tuple[Span, Found], ...]
    """Spans of the question that are whole cells somewhere, with the columns and codes."""

    @property
    def masses(self) -> bm25.Floats:
        """The idf of each word match."""
        return np.array([match.mass for match in self.matches])

    def named_mass(self, named: Iterable[_Naming]) -> float:
        """The idf of the content words that stand in the namings."""
        inside = {i for n in named for i in range(n.span.start, n.span.stop)}
        texts = {self.question.words[i].text for i in inside.intersection(self.question.content)}
        return sum(match.mass for match in self.matches if match.word.text in texts)

    def paired_mass(self, table: Table, named: Iterable[_Naming]) -> float:
        """The idf of the question's words that head the columns of the named cells."""
        heads = {token for n in named for token in tokens(table.columns[n.column].name)}
        return sum(match.mass for match in self.matches if heads.issuperset(match.word.tokens))


@dataclass(frozen=True)
class RowIndex:
    """Tables with their postings."""

    postings: Postings[Table]

    def search(
        self, question: Question, k: int = 3, *, tables: Collection[str] | None = None
    ) -> RowHits:
        """The best `k` rows, best first; ties in table order, then row order."""
        search = self._look_up(question)
        rows = np.union1d(bm25.candidates(search.terms), self._named_only(search))
        if tables is not None:
            rows = self._inside(rows, tables)
        if not len(rows) or k < 1:
            return RowHits()
        scores = bm25.scores(self.postings, search.terms, rows)
        best = np.lexsort((rows, -scores))[: max(_RERANKED, k)]
        ranked = self._reranked(search, rows[best], scores[best])
        if not ranked:
            return RowHits()
        hits = tuple(_hit(search, found) for found in ranked[:k])
        total = self._as_good(search, ranked[0], rows)
        return RowHits(hits, total, total > len(hits))

    def matching(self, question: Question, table_id: str) -> MatchingRows:
        """The rows of one table that the question is about. Raises KeyError if it is unknown.

        A row is in if no other row matches all its words and more. Words that most rows hold
        count only where there are no others; where cells of the key column are named, rows that
        name none are out.
        """
        block = self.postings.block(table_id)
        table = self.postings.item(block)
        search = self._look_up(question)
        first, end = self.postings.row_starts[block : block + 2].tolist()
        rows = np.arange(first, end)
        in_cells = np.array([match.in_rows(rows) for match in search.matches])
        chosen = _distinguished(table, search, in_cells, self._namings(search, block))
        body = chosen[np.isin(chosen, table.data_rows)]
        chosen = body if len(body) else chosen
        in_heads = self._in_heads(search, block)
        held = np.array([flags[chosen].any() for flags in in_cells], bool)
        coverage = cover(search.matches, held, in_heads)
        return MatchingRows(table_id, chosen, len(table.data_rows), coverage)

    def table_coverage(self, question: Question, table_id: str) -> Coverage:
        """How much of the question the words of one table, and any of its cells, account for."""
        block = self.postings.block(table_id)
        search = self._look_up(question)
        rows = np.arange(*self.postings.row_starts[block : block + 2].tolist())
        in_cells = np.array([match.in_rows(rows).any() for match in search.matches], bool)
        in_heads = np.array(
            [match.in_heads(np.array([block]))[0] for match in search.matches], bool
        )
        return cover(search.matches, in_cells, in_heads)

    def _in_heads(self, search: _Search, block: int) -> Flags:
        blocks = np.array([block])
        return np.array([match.in_heads(blocks)[0] for match in search.matches], bool)

    def _look_up(self, question: Question) -> _Search:
        terms = bm25.terms(self.postings, question.tokens)
        matches = word_matches(question, terms)
        spans = question.spans
        found = self.postings.cells([span.key for span in spans])
        known = tuple((s, f) for s, f in zip(spans, found, strict=True) if len(f.ids))
        return _Search(question, tuple(terms), matches, known)

    def _inside(self, rows: Ints, tables: Collection[str]) -> Ints:
        blocks = [self.postings.block(key) for key in tables if key in self.postings]
        return rows[np.isin(self.postings.blocks_of_rows(rows), blocks)]

    def _named_only(self, search: _Search) -> Ints:
        """Rows named by a span of function words alone ("The Who"): no token leads to them."""
        content = set(search.question.content)
        found = [np.zeros(0, np.int64)]
        for span, cells in search.spans:
            if content.intersection(range(span.start, span.stop)):
                continue
            for column, code in zip(cells.ids.tolist(), cells.weights.tolist(), strict=True):
                block = int(np.searchsorted(self.postings.column_starts, column, "right")) - 1
                table = self.postings.item(block)
                inside = column - int(self.postings.column_starts[block])
                rows = np.flatnonzero(table.columns[inside].codes == code)
                found.append(rows + self.postings.row_starts[block])
        return np.unique(np.concatenate(found))

    def _namings(self, search: _Search, block: int) -> list[_Naming]:
        """The whole cells of one block that the question names."""
        table = self.postings.item(block)
        first, end = self.postings.column_starts[block : block + 2].tolist()
        found: list[_Naming] = []
        for span, cells in search.spans:
            low, high = np.searchsorted(cells.ids, (first, end)).tolist()
            namings = [
                _Naming(span, int(cells.ids[i]) - first, int(cells.weights[i]))
                for i in range(low, high)
            ]
            found.extend(_written_alike(search.question, table, namings))
        return found

    def _reranked(self, search: _Search, rows: Ints, scores: bm25.Floats) -> list[_Ranked]:
        blocks = self.postings.blocks_of_rows(rows)
        masses = search.masses
        in_cells = np.array([match.in_rows(rows) for match in search.matches])
        in_heads = np.array([match.in_heads(blocks) for match in search.matches])
        namings = {b: self._namings(search, b) for b in np.unique(blocks).tolist()}
        found = []
        for i, (row, block) in enumerate(zip(rows.tolist(), blocks.tolist(), strict=True)):
            position = row - int(self.postings.row_starts[block])
            table = self.postings.item(block)
            named = _named_by(table, position, namings[block])
            if not named and not in_cells[:, i].any():
                continue
            covered = float(masses @ (in_cells[:, i] | in_heads[:, i]))
            score = float(scores[i])
            score += _NAMED_WEIGHT * search.named_mass(named) + _COVERED_WEIGHT * covered
            score += _PAIRED_WEIGHT * search.paired_mass(table, named)
            found.append(
                _Ranked(table, row, position, block, score, in_cells[:, i], in_heads[:, i], named)
            )
        floor = bm25.FLOOR * max((r.score for r in found), default=0.0)
        return sorted((r for r in found if r.score >= floor), key=lambda r: (-r.score, r.row))

    def _as_good(self, search: _Search, best: _Ranked, rows: Ints) -> int:
        """How many of `rows` hold every word that the best one holds, and are named as well."""
        flags = np.ones(len(rows), bool)
        for match, held in zip(search.matches, best.in_cells.tolist(), strict=True):
            if held:
                flags &= match.in_rows(rows)
        rows = rows[flags]
        if not best.named:
            return len(rows)
        wanted = {naming.span for naming in best.named}
        blocks = self.postings.blocks_of_rows(rows)
        total = 0
        for block in np.unique(blocks).tolist():
            table = self.postings.item(block)
            positions = rows[blocks == block] - self.postings.row_starts[block]
            namings = self._namings(search, block)
            held = np.ones(len(positions), bool)
            for span in wanted:
                held &= _naming_rows(table, positions, [n for n in namings if n.span == span])
            total += int(held.sum())
        return total


def _written_alike(question: Question, table: Table, namings: list[_Naming]) -> list[_Naming]:
    """Of cells whose letters and digits a span names, those cut into the same words, if any.

    "SKU-4471-B" and "SKU-447-1B" are one string when joined; only one of them was asked for.
    """
    if len(namings) < 2:
        return namings
    span = namings[0].span
    asked = [t for word in question.words[span.start : span.stop] for t in word.tokens]
    alike = [
        n
        for n in namings
        if asked
        == [t for word in words(table.columns[n.column].texts[n.code]) for t in word.tokens]
    ]
    return alike or namings


def _naming_rows(table: Table, positions: Ints, namings: Iterable[_Naming]) -> Flags:
    """Which of `positions` hold one of the named cells."""
    flags = np.zeros(len(positions), bool)
    for naming in namings:
        flags |= table.columns[naming.column].codes[positions] == naming.code
    return flags


def _named_by(table: Table, position: int, namings: Iterable[_Naming]) -> tuple[_Naming, ...]:
    """The cells of one row that the question names; a naming inside a longer one is not told.

    The longer naming may be any row's: "desk lamp" does not name the row "Desk lamp" where the
    question says "desk lamp XL" and the table has that.
    """
    longest = _longest(namings)
    return tuple(n for n in longest if table.columns[n.column].codes[position] == n.code)


def _longest(namings: Iterable[_Naming]) -> list[_Naming]:
    found = list(namings)
    return [n for n in found if not any(other.span.holds(n.span) for other in found)]


def _distinguished(
    table: Table,
    search: _Search,
    in_cells: Flags,
    namings: Sequence[_Naming],
) -> Ints:
    """Positions of the rows that match a set of words that no other row's set contains."""
    positions = np.arange(table.row_count)
    longest = _longest(namings)
    flags = [(match.mass, held) for match, held in zip(search.matches, in_cells, strict=True)]
    for span in dict.fromkeys(naming.span for naming in longest):
        held = _naming_rows(table, positions, [n for n in longest if n.span == span])
        flags.append((search.named_mass([n for n in longest if n.span == span]), held))
    keyed = [n for n in longest if n.column == table.key]
    telling = [(m, f) for m, f in flags if f.any() and f.mean() <= _WIDE_SHARE]
    flags = telling or [(m, f) for m, f in flags if f.any()]
    if not flags:
        return positions[:0]
    flags = sorted(flags, key=lambda pair: -pair[0])[:60]
    masks = np.zeros(len(positions), np.int64)
    for bit, (_, held) in enumerate(flags):
        masks |= held.astype(np.int64) << bit
    if keyed:
        masks[~_naming_rows(table, positions, keyed)] = 0
    distinct = [mask for mask in np.unique(masks).tolist() if mask]
    maximal = [m for m in distinct if not any(m != o and m & o == m for o in distinct)]
    return positions[np.isin(masks, maximal)]


def _match(found: _Ranked, coverage: Coverage) -> Match:
    """Exact where all content words are found, or a named cell stands alone in its column."""
    if not coverage.missing_words:
        return "exact"
    for naming in found.named:
        column = found.table.columns[naming.column]
        if naming.column == found.table.key or column.counts[naming.code] == 1:
            return "exact"
    return "near"


def _hit(search: _Search, found: _Ranked) -> RowHit:
    table = found.table
    coverage = cover(search.matches, found.in_cells, found.in_heads)
    named = tuple(table.columns[n.column] for n in found.named)
    return RowHit(
        document=table.document,
        table_id=table.table_id,
        table=table.name,
        row_position=found.position,
        cells=dict(zip(table.headers, table.row(found.position), strict=True)),
        score=found.score,
        match=_match(found, coverage),
        text=row_text(table, found.position),
        coverage=coverage,
        named=tuple((column.name, column.text_at(found.position)) for column in named),
        total=found.position in table.totals,
        version=table.version,
        title=table.title,
        heading_path=table.heading_path,
        page=table.page_of(found.position),
        line=table.line_of(found.position),
    )
