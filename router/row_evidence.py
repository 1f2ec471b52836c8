"""The best row for a question, weighed: what it names of it, and what it leaves open.

Takes the rows found, with the tables and paragraphs around them; gives the best row with a
confidence and what speaks for and against it. Decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from retrieval.cell_choice import CellChoice, choose_cell
from retrieval.hits import MatchingRows, ParagraphHit, RowHit, RowHits, TableHit
from retrieval.table import NUMERIC, TEMPORAL, Column, Table
from router.amounts import holds_amounts, is_amount, numbers_what_is_counted
from router.asked_cell import HALF_NAMED, asked_cell, named_columns
from router.coverage import (
    Stems,
    literally_in,
    named_share,
    open_words,
    stems_of,
    strict_confidence,
    with_synonyms,
)
from router.cues import bound_by, denials, limits, rates
from router.evidence_words import VEILED, groupings, title_stems, titles, veiled_words
from router.question_forms import asks_for_rows, asks_for_whole_rows, asks_of_a_row
from router.twins import alike, words_of_others
from sql_engine.catalog import Catalog
from sql_engine.offline.lexicon import lexicon
from sql_engine.words import fold, name_words, words

if TYPE_CHECKING:
    from retrieval.index import Index

WIDEN_SHARE = 0.6
"""Above this share of body rows, the whole table is better evidence than its rows."""
FEW_ROWS = 2
"""As many rows are still a look-up; more are a filter, or the table."""
_KIND_WORDS = stems_of(["amount", "figure", "number", "value"])
"""What any cell with a number in it may be called."""
SYNONYM = 0.95
"""Of the confidence in evidence some of whose words are only synonyms of those asked."""
IMPLIED = 0.9
"""Of the confidence in a row some of whose words only the rest of its document says."""
UNNAMED = 0.75
"""Of the confidence in a row of which the question names no whole cell."""
LOOSE = 0.5
"""The same, where even the words are not those of the cells."""
NO_COLUMN = 0.45
"""Of the confidence in a row where more than the row is asked for, and no column is named."""
_PARENTHESES = re.compile(r"\([^()]*\)")
_NUMBER = re.compile(r"[^\w\s]{0,3}\s?\d")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass(frozen=True)
class RowEvidence:
    """The best row."""

    hit: RowHit
    confidence: float
    open_words: tuple[str, ...]
    """Words of the question that the row leaves open."""
    matching_rows: Callable[[], MatchingRows]
    """Finds the rows of its table that the question is about."""
    cell: CellChoice | None
    """Its cell that the question asks for, where the words name its column."""
    guess: CellChoice | None
    """The likeliest cell, named or not."""
    key_named: bool
    """The question names it by a cell that tells it from all others."""
    label_named: bool
    """The question has half the words of such a cell, and a smaller share of any other row's."""
    named_by_key: bool
    """The question names it by the table's key, a word and no date or number."""
    named_in_full: bool
    """The question names the row by its table's key and the cell by its whole header."""
    among_amounts: bool
    """Cells of the asked column hold amounts, so that it may state what is counted."""
    bound: tuple[str, ...]
    """Words that make the row a bound of what is asked: "before", "larger than"."""
    like_it: tuple[RowHit, ...]
    """Other rows of its table, found for the same words of the question."""
    grouping: tuple[str, ...]
    """Words that ask for a figure of each of what a header of its table says: "by zone"."""

    @cached_property
    def matching(self) -> MatchingRows:
        """The rows of its table that the question is about; not looked for where nobody asks."""
        return self.matching_rows()

    @property
    def tied(self) -> bool:
        """Whether it is one of several alike, which are not known to be all of them."""
        return bool(self.like_it) and self.hit.row_position not in self.matching.rows

    @property
    def label_texts(self) -> tuple[str, ...]:
        """The cells that have words of the question."""
        asked = stems_of(self.hit.coverage.cell_words)
        return tuple(t for t in self.hit.cells.values() if asked & stems_of([t]))

    @property
    def pinned(self) -> bool:
        """One published cell answers: its row and its column are named, nothing is open."""
        return self.key_named and self.cell is not None and not self.open_words and not self.bound

    @property
    def stated(self) -> bool:
        """One row's label and one column's header are named: what is asked may be a stated number.

        A sum or mean over one number is that number, and nobody counts a single row.
        """
        named = self.label_named and self.cell is not None and not self.bound
        return named and self.cell_is_number

    @property
    def cell_is_number(self) -> bool:
        """The asked cell is a number, as "40", "$659" and "7 days" are."""
        return self.cell is not None and _NUMBER.match(self.cell.text) is not None

    @property
    def is_of_a_measure(self) -> bool:
        """The asked cell is a number under a year: its row is a measure and no record."""
        of_year = self.cell is not None and _YEAR.search(self.cell.header) is not None
        return of_year and self.cell_is_number

    @property
    def tells_amount(self) -> bool:
        """It is named by a whole cell, and the likeliest cell asked for is an amount."""
        return bool(self.hit.named) and self.guess is not None and is_amount(self.guess.text)

    @property
    def is_filtered(self) -> bool:
        """One number is asked for by what its row holds, not by the name of a record alone.

        Several rows that match are shown as they are: a query would tell equal numbers once.
        """
        by_name = self.named_by_key and len(self.hit.named) == 1
        number = self.cell is not None and is_amount(self.cell.text)
        named = number and bool(self.hit.named) and not by_name
        return named and len(self.matching.rows) <= 1

    @property
    def widened(self) -> bool:
        """Most rows of its table match: the table is the better evidence.

        Not where a cell is named whole that some rows lack: the others are not asked for.
        """
        most = len(self.matching.rows) > FEW_ROWS and self.matching.share > WIDEN_SHARE
        return most and (not self.hit.named or self.matching.share == 1.0)


def best_row(
    question: str,
    index: Index,
    catalog: Catalog,
    hits: RowHits,
    tables: tuple[TableHit, ...],
    paragraphs: tuple[ParagraphHit, ...],
) -> RowEvidence:
    """The first of the rows found, with what speaks for and against it.

    Args:
        question: as asked.
        index: holds the rows' tables.
        catalog: the same tables as SQL reads them.
        hits: rows found, best first; at least one.
        tables: tables found; those of the row's document say what its words are about.
        paragraphs: paragraphs found, for the same.
    """
    hit = hits[0]
    table = index.table(hit.table_id)
    guess, named = choose_cell(question, table, hit.row_position), named_columns(table, hit)
    cell = asked_cell(question, table, hit, guess)
    others = [index.table(other.table_id) for other in tables if other.document == hit.document]
    context = _context(table, paragraphs, others)
    left, confidence = _weighed(question, table, hit, cell, context)
    if veiled := veiled_words(question, catalog, hit.table_id):
        left, confidence = (*left, *veiled), confidence * VEILED
    return RowEvidence(
        hit=hit,
        confidence=confidence * _share_of_naming(question, hit, cell, named),
        open_words=left,
        matching_rows=index.rows_to_match(question, hit.table_id),
        cell=cell,
        guess=guess,
        key_named=any(_tells_rows_apart(table, column) for column in named),
        label_named=_names_label(question, table, hits),
        named_by_key=_is_name(table, named),
        named_in_full=_names_in_full(question, table, named, cell),
        among_amounts=cell is not None and _may_count(question, table.columns[cell.column]),
        bound=bound_by(
            question,
            cells=hit.coverage.cell_words,
            headers=hit.coverage.header_words,
            texts=tuple(hit.cells.values()),
        ),
        like_it=_like(hits),
        grouping=groupings(question, table, hit),
    )


def _weighed(
    question: str, table: Table, hit: RowHit, cell: CellChoice | None, context: Stems
) -> tuple[tuple[str, ...], float]:
    """The words that the row leaves open, and the confidence in it by its words alone."""
    names = title_stems(table)
    if cell is not None and _is_number(table, cell):
        names |= _KIND_WORDS
    denied, coverage = _denied(question, table, hit, cell), hit.coverage
    own = {*coverage.cell_words, *coverage.header_words}
    if len(stems_of(coverage.missing_words) & context - names) > len(own):
        context = frozenset()  # prose that says most of a question makes no row its answer
    by_words = strict_confidence(coverage, question, denied=denied)
    by_synonyms = strict_confidence(coverage, question, names=names, denied=denied)
    implied = strict_confidence(coverage, question, names=names, context=context, denied=denied)
    return (
        open_words(coverage, question, names=names, context=context, denied=denied),
        max(by_words, by_synonyms * SYNONYM, implied * IMPLIED),
    )


def _denied(question: str, table: Table, hit: RowHit, cell: CellChoice | None) -> tuple[str, ...]:
    """Words that leave rows out or make the asked cell another thing, and that no text says."""
    said = (*hit.cells.values(), *titles(table))
    header = name_words(cell.header) if cell is not None else ()
    return (
        *denials(question, texts=said),
        *limits(question, texts=said),
        *rates(question, names=header, texts=said),
        *(compounds(question, table, cell.header) if cell is not None else ()),
    )


def _share_of_naming(
    question: str, hit: RowHit, cell: CellChoice | None, named: list[Column]
) -> float:
    """What is left of the confidence where the question names no whole cell, or no column."""
    share = 1.0 if named else UNNAMED if _is_literal(hit) else LOOSE
    return share * NO_COLUMN if cell is None and _asks_for_more(question, hit) else share


def compounds(question: str, table: Table, header: str) -> tuple[str, ...]:
    """A "value" that a header's word makes another thing: "stock value" is no stock.

    Only where the table has prices that could make it one, and the column itself is no money.
    """
    stems = set(name_words(header))
    if "valu" in stems or _is_money(table.column(header)):
        return ()
    if not any(_is_money(column) for column in table.columns):
        return ()
    pairs = pairwise(words(question))
    return tuple(b.text for a, b in pairs if b.stem == "valu" and a.stem in stems)


def _is_money(column: Column) -> bool:
    currencies, unit = lexicon().currencies, column.type.unit
    return unit is not None and any(fold(part) in currencies for part in unit.split())


def _like(hits: RowHits) -> tuple[RowHit, ...]:
    best = hits[0]
    wanted = {*best.coverage.cell_words, *best.coverage.header_words}
    return tuple(
        hit
        for hit in hits[1:]
        if hit.table_id == best.table_id
        and wanted <= {*hit.coverage.cell_words, *hit.coverage.header_words}
        and len(hit.named) >= len(best.named)
    )


def _names_label(question: str, table: Table, hits: RowHits) -> bool:
    asked = with_synonyms(stems_of([question]))
    labels = [column for column in table.columns if _tells_rows_apart(table, column)]
    shares = [
        max((named_share(c.text_at(hit.row_position), asked) for c in labels), default=0.0)
        for hit in hits
        if hit.table_id == table.table_id
    ]
    return shares[0] >= HALF_NAMED and shares[0] > max(shares[1:], default=0.0)


def _is_name(table: Table, named: list[Column]) -> bool:
    key = table.columns[table.key or 0]
    return key in named and key.type.kind not in NUMERIC | TEMPORAL


def _names_in_full(
    question: str, table: Table, named: list[Column], cell: CellChoice | None
) -> bool:
    key = table.columns[table.key or 0]
    asked = stems_of([question])
    return cell is not None and key in named and named_share(_bare(cell.header), asked) == 1.0


def _bare(header: str) -> str:
    """A header without what stands in parentheses: its unit."""
    return _PARENTHESES.sub(" ", header)


def _may_count(question: str, column: Column) -> bool:
    return holds_amounts(column) and not numbers_what_is_counted(question, column)


def _is_literal(hit: RowHit) -> bool:
    cells = tuple(hit.cells.values())
    return all(literally_in(word, cells) for word in hit.coverage.cell_words)


def _asks_for_more(question: str, hit: RowHit) -> bool:
    """Whether the question asks for more than the row that its words name."""
    if asks_for_rows(question):
        return not asks_for_whole_rows(question) and bool(hit.coverage.header_words)
    return asks_of_a_row(question) or bool(hit.coverage.header_words or hit.coverage.missing_words)


def _is_number(table: Table, cell: CellChoice) -> bool:
    return table.columns[cell.column].type.kind in NUMERIC or any(map(str.isdigit, cell.text))


def _tells_rows_apart(table: Table, column: Column) -> bool:
    if table.key is not None and table.columns[table.key] is column:
        return True
    measures = column.type.kind in NUMERIC | TEMPORAL
    return not measures and int(column.counts.max(initial=0)) == 1


def _context(
    table: Table,
    paragraphs: tuple[ParagraphHit, ...],
    others: list[Table],
) -> Stems:
    """What the rest of a document speaks of, as far as the question does: its prose.

    A word of another table's title speaks of that table, unless the prose above this one has it; it
    never speaks of this one where the other has the same shape.
    """
    prose = [hit for hit in paragraphs if hit.document == table.document]
    above = stems_of(w for hit in prose if _is_above(hit, table) for w in hit.coverage.cell_words)
    beside = stems_of(word for hit in prose for word in hit.coverage.cell_words)
    twins = [other for other in others if alike(other, table)]
    return (above | beside - words_of_others(table, others)) - words_of_others(table, twins)


def _is_above(hit: ParagraphHit, table: Table) -> bool:
    """Whether the headings over a paragraph are over the table as well."""
    return hit.heading_path == table.heading_path[: len(hit.heading_path)]
