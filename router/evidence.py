"""What was found for a question, weighed: the best row, table and paragraph with a confidence each.

Searches and links; decides nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from retrieval.cell_choice import CellChoice, choose_cell
from retrieval.cells import is_year
from retrieval.hits import Coverage, MatchingRows, ParagraphHit, RowHit, RowHits, TableHit
from retrieval.table import NUMERIC, TEMPORAL, Column, Kind, Table
from router.amounts import is_amount, numbers_rows
from router.coverage import (
    Stems,
    lenient_confidence,
    literally_in,
    named_share,
    names_whole,
    open_words,
    stems_of,
    strict_confidence,
    telling_stems,
    with_synonyms,
    without_date,
)
from router.cues import (
    asked_kind,
    asks_for_an_amount,
    asks_for_rows,
    asks_for_whole_rows,
    asks_of_a_row,
    bound_by,
    denials,
    grouping,
    limits,
    rates,
)
from router.twins import alike, words_of_others
from sql_engine.catalog import Catalog
from sql_engine.linking import link
from sql_engine.links import Links
from sql_engine.offline.lexicon import lexicon
from sql_engine.offline.question import NUMBER_WORDS
from sql_engine.offline.value_mentions import veiled_values
from sql_engine.words import fold, folded_words, name_words, split_name, words

if TYPE_CHECKING:
    from retrieval.index import Index

SEARCHED_TABLES = 12
SEARCHED_PARAGRAPHS = 5
LINKED_TABLES = 40
"""In a larger catalog, only the tables found are searched for columns and cells."""
WIDEN_SHARE = 0.6
"""Above this share of body rows, the whole table is better evidence than its rows."""
FEW_ROWS = 2
"""As many rows are still a look-up; more are a filter, or the table."""
NAMED_IN_FULL = 0.9
"""Score of a link from which a column counts as named."""
_KIND_WORDS = stems_of(["amount", "figure", "number", "value"])
"""What any cell with a number in it may be called."""
FORMS = 3
"""Letters that an ending adds to a word of the same meaning."""
VEILED = 0.4
"""Of the confidence where a small word may be a cell that the evidence does not account for."""
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
SURE_OF_CELL = 0.5
"""Confidence of a cell choice from which a column half named counts."""
HALF_NAMED = 0.5
_CASE = re.compile(r"(?<=\s)(?:if|when)\s", re.IGNORECASE)
"""Opens the case that a rule is asked for: what it denies is no part of the answer."""
_PARENTHESES = re.compile(r"\([^()]*\)")
_NUMBER = re.compile(r"[^\w\s]{0,3}\s?\d")


@dataclass(frozen=True)
class RowEvidence:
    """The best row."""

    hit: RowHit
    confidence: float
    open_words: tuple[str, ...]
    """Words of the question that the row leaves open."""
    matching: MatchingRows
    """The rows of its table that the question is about."""
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
    tied: bool
    """Another row of its table has the same words of the question."""
    grouping: tuple[str, ...]
    """Words that ask for a figure of each of what a header of its table says: "by zone"."""

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
    def is_filtered(self) -> bool:
        """One number is asked for by what its row holds, not by the name of a record alone.

        Several rows that match are shown as they are: a query would tell equal numbers once.
        """
        by_name = self.named_by_key and len(self.hit.named) == 1
        number = self.cell is not None and is_amount(self.cell.text)
        alone = len(self.matching.rows) <= 1
        return number and alone and bool(self.hit.named) and not by_name

    @property
    def widened(self) -> bool:
        """Most rows of its table match: the table is the better evidence.

        Not where a cell is named whole that some rows lack: the others are not asked for.
        """
        most = len(self.matching.rows) > FEW_ROWS and self.matching.share > WIDEN_SHARE
        return most and (not self.hit.named or self.matching.share == 1.0)


@dataclass(frozen=True)
class TableEvidence:
    """The table whose title and headers the question covers best."""

    hit: TableHit
    confidence: float
    open_words: tuple[str, ...]
    repeated_column: str | None
    """A column that the question names and whose values repeat, so that it names no rows."""
    grouping: tuple[str, ...]
    """Words that ask for a figure of each of what one of its headers says: "by zone"."""


@dataclass(frozen=True)
class TextEvidence:
    """The paragraph that the question covers best."""

    hit: ParagraphHit
    confidence: float
    open_words: tuple[str, ...]


@dataclass(frozen=True)
class Evidence:
    """What was found for a question."""

    rows: RowHits = field(default_factory=RowHits)
    tables: tuple[TableHit, ...] = ()
    links: Links = field(default_factory=Links)
    row: RowEvidence | None = None
    table: TableEvidence | None = None
    text: TextEvidence | None = None


def gather(question: str, index: Index, catalog: Catalog, *, rows: int) -> Evidence:
    """Search rows, tables and paragraphs, and link the question's words to the catalog."""
    hits = index.search_rows(question, k=rows, by_words=True)
    tables = index.search_tables(question, k=SEARCHED_TABLES)
    paragraphs = index.search_paragraphs(question, k=SEARCHED_PARAGRAPHS)
    links = link(question, _linkable(catalog, tables))
    return Evidence(
        rows=hits,
        tables=tables,
        links=links,
        row=_row(question, index, catalog, hits, tables, paragraphs) if _worded(hits) else None,
        table=_table(question, index, catalog, links, tables),
        text=_text(question, paragraphs),
    )


def _worded(hits: RowHits) -> bool:
    """Whether a cell of the best row says something of the question, not only meets a bound."""
    return bool(hits) and bool(hits[0].coverage.cell_words or hits[0].named)


def _row(
    question: str,
    index: Index,
    catalog: Catalog,
    hits: RowHits,
    tables: tuple[TableHit, ...],
    paragraphs: tuple[ParagraphHit, ...],
) -> RowEvidence:
    hit = hits[0]
    table = index.table(hit.table_id)
    cell = _cell(question, table, hit)
    names = _names(table) | (_KIND_WORDS if cell is not None and _is_number(table, cell) else set())
    others = [index.table(o.table_id) for o in tables if o.document == hit.document]
    context = _context(table, paragraphs, others)
    said = (*hit.cells.values(), *titles(table))
    header = name_words(cell.header) if cell is not None else ()
    denied = (
        *denials(question, texts=said),
        *limits(question, texts=said),
        *rates(question, names=header, texts=said),
        *(compounds(question, table, cell.header) if cell is not None else ()),
    )
    left = open_words(hit.coverage, question, names=names, context=context, denied=denied)
    named = _named_columns(table, hit)
    matching = index.matching_rows(question, hit.table_id)
    confidence = max(
        strict_confidence(hit.coverage, question, denied=denied),
        strict_confidence(hit.coverage, question, names=names, denied=denied) * SYNONYM,
        strict_confidence(hit.coverage, question, names=names, context=context, denied=denied)
        * IMPLIED,
    )
    if veiled := _veiled(question, catalog, hit.table_id):
        left, confidence = (*left, *veiled), confidence * VEILED
    if not named:
        confidence *= UNNAMED if _is_literal(hit) else LOOSE
    if cell is None and _asks_for_more(question, hit):
        confidence *= NO_COLUMN
    return RowEvidence(
        hit=hit,
        confidence=confidence,
        open_words=left,
        matching=matching,
        cell=cell,
        guess=choose_cell(question, table, hit.row_position),
        key_named=any(_tells_rows_apart(table, column) for column in named),
        label_named=_names_label(question, table, hits),
        named_by_key=_is_name(table, named),
        named_in_full=_names_in_full(question, table, named, cell),
        among_amounts=cell is not None and _holds_amounts(table.columns[cell.column]),
        bound=bound_by(
            question,
            cells=hit.coverage.cell_words,
            headers=hit.coverage.header_words,
            texts=tuple(hit.cells.values()),
        ),
        tied=_is_tied(hits, matching),
        grouping=_grouping(question, table, hit),
    )


def _grouping(question: str, table: Table, hit: RowHit | None = None) -> tuple[str, ...]:
    """Words that group by what a header says; beside a totals row, by what its cells say too.

    A header that has more words of the question names what is asked for: "free rides a year".
    """
    labels = tuple(hit.cells.values()) if hit is not None else ()
    asked = stems_of([question])
    headers = map(telling_stems, table.headers)
    names = frozenset(one for header in headers for one in header if not (header - {one}) & asked)
    if hit is not None and hit.row_position in table.totals:
        names |= stems_of(hit.coverage.cell_words)
    return grouping(question, names=names, texts=(*labels, *titles(table)))


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


def _is_form_of(word: str, names: tuple[str, ...]) -> bool:
    """Whether a word is a form of one of the names' words: "departments" is none of "departs"."""
    stem = stems_of([word])
    forms = (form for name in names for form in folded_words(" ".join(split_name(name))))
    return any(stems_of([form]) == stem and abs(len(form) - len(word)) <= FORMS for form in forms)


def _is_tied(hits: RowHits, matching: MatchingRows) -> bool:
    """Whether the best row is one of several alike, which are not known to be all of them."""
    best = hits[0]
    if best.row_position in matching.rows:
        return False
    wanted = {*best.coverage.cell_words, *best.coverage.header_words}
    return any(
        hit.table_id == best.table_id
        and wanted <= {*hit.coverage.cell_words, *hit.coverage.header_words}
        and len(hit.named) >= len(best.named)
        for hit in hits[1:]
    )


def _veiled(question: str, catalog: Catalog, table_id: str) -> tuple[str, ...]:
    """The small words that may be a cell of a table but for their case: "people in it"."""
    entry = catalog.by_id(table_id)
    read = without_date(question)
    return () if entry is None else read.text_of(veiled_values(read, entry))


def _cell(question: str, table: Table, hit: RowHit) -> CellChoice | None:
    """The cell asked for, where the question's words name its column well enough."""
    asked = with_synonyms(stems_of([question]))
    choice = choose_cell(question, table, hit.row_position)
    spent = _spent_headers(question, table, hit)
    if choice is not None and choice.header not in spent:
        share = max(named_share(choice.header, asked), _told_share(table, choice.column, asked))
        sure = choice.confidence >= SURE_OF_CELL
        if share == 1.0 or (share >= HALF_NAMED and sure):
            unfit = not _fits(question, table.columns[choice.column])
            return (
                None if unfit or _another_is_named(question, table, hit, choice.header) else choice
            )
    found = _implied(question, table, hit, spent)
    if (
        found is None
        or not _fits(question, table.columns[found.column])
        or _another_is_named(question, table, hit, found.header)
    ):
        return None
    return found


def years(cells: Iterable[object]) -> bool:
    """Whether cells may be years: 2019, "1998"."""
    return all(is_year(str(cell)) for cell in cells)


def _fits(question: str, column: Column) -> bool:
    """Whether a column's cells can be what is asked for: a date is no person, place or reason, and
    no number but a year is a time.
    """
    kind = asked_kind(question)
    if kind == "when":
        return column.type.kind not in NUMERIC or years(column.texts)
    if kind in ("how long", "how often"):
        return column.type.kind not in (Kind.DATE, Kind.TIMESTAMP)
    return not kind or column.type.kind not in NUMERIC | TEMPORAL


def _implied(question: str, table: Table, hit: RowHit, spent: frozenset[str]) -> CellChoice | None:
    """The one cell beside those that name the row whose column the words left over speak of."""
    naming = {column.name for column in _named_columns(table, hit)}
    free = [(i, c.name) for i, c in enumerate(table.columns) if c.name not in naming | spent]
    plain = stems_of([question])
    told = [i for i, name in free if named_share(name, plain) == 1.0]
    left = with_synonyms(stems_of(hit.coverage.missing_words))
    implied = told or [i for i, name in free if left & stems_of([name])]
    if len(implied) != 1:
        return None
    column = table.columns[implied[0]]
    return CellChoice(implied[0], column.name, column.text_at(hit.row_position), SURE_OF_CELL)


def _spent_headers(question: str, table: Table, hit: RowHit) -> frozenset[str]:
    """Headers all of whose words the question needs to name a column that tells the row.

    "Which team had an away team score of 7?" has "away" once, and that for the score.
    """
    asked = Counter(name_words(question))
    used: Counter[str] = Counter()
    for column in _named_columns(table, hit):
        header = name_words(column.name)
        if len(header) > 1 and all(asked[stem] for stem in header):
            used.update(header)
    left = asked - used
    return frozenset(
        column.name
        for column in table.columns
        if (stems := set(name_words(column.name))) & set(used) and not stems & set(left)
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


@lru_cache(maxsize=128)
def _holds_amounts(column: Column) -> bool:
    """Whether a column tells how many: no dates, no years, no numbering of the rows."""
    if column.type.kind in TEMPORAL:
        return False
    if column.type.kind in NUMERIC:
        return not numbers_rows(column)
    return 2 * sum(map(is_amount, column.texts)) >= len(column.texts)


def _told_share(table: Table, column: int, asked: Stems) -> float:
    """The share named of the header's words that no other header has ("2018" of a row of years)."""
    others = stems_of(c.name for i, c in enumerate(table.columns) if i != column)
    own = telling_stems(table.columns[column].name) - others
    return len(own & asked) / len(own) if own else 0.0


def names_column(question: str, table: Table, hit: RowHit, name: str) -> bool:
    """Whether the question names a column of a found row well enough, and no other beside it."""
    share = named_share(name, with_synonyms(stems_of([question])))
    return share >= HALF_NAMED and not _another_is_named(question, table, hit, name)


def _another_is_named(question: str, table: Table, hit: RowHit, name: str) -> bool:
    """Whether the question has a word of another column that neither this one nor the table has."""
    around = stems_of([table.title, table.name, hit.document, *table.heading_path])
    around |= stems_of(hit.coverage.cell_words)
    around |= stems_of(column.name for column in _named_columns(table, hit))
    chosen = with_synonyms(stems_of([name]))
    left = telling_stems(question) - around - chosen
    others = stems_of(column.name for column in table.columns if column.name != name)
    return bool(with_synonyms(left) & others)


def _named_columns(table: Table, hit: RowHit) -> list[Column]:
    """Columns whose cell in the row the question names whole, in the plural as well."""
    asked, named = hit.coverage.cell_words, dict(hit.named)
    return [
        column
        for column in table.columns
        if column.name in named or names_whole(asked, column.text_at(hit.row_position))
    ]


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


def _table(
    question: str,
    index: Index,
    catalog: Catalog,
    links: Links,
    hits: tuple[TableHit, ...],
) -> TableEvidence | None:
    found = []
    for hit in hits:
        table = index.table(hit.table_id)
        names = _names(table)
        card = _card(hit.coverage)
        denied = (
            *denials(question, texts=titles(table)),
            *limits(question, texts=titles(table)),
            *_periods(question, titles(table)),
        )
        confidence = max(
            strict_confidence(card, question, denied=denied),
            strict_confidence(card, question, names=names, denied=denied) * SYNONYM,
        )
        if not all(_is_form_of(word, titles(table)) for word in card.header_words):
            confidence *= NO_COLUMN
        left = open_words(card, question, names=names, denied=denied)
        if veiled := _veiled(question, catalog, hit.table_id):
            left, confidence = (*left, *veiled), confidence * VEILED
        repeated = _repeated(catalog, links, hit)
        if not _is_literal_card(hit, table):
            confidence *= SYNONYM
        found.append(TableEvidence(hit, confidence, left, repeated, _grouping(question, table)))
    return max(
        found,
        key=lambda e: (e.confidence, len(e.hit.coverage.header_words), e.hit.score),
        default=None,
    )


def _periods(question: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a stretch of time that no name says: "in May" is no verb."""
    read, said = without_date(question), stems_of(names)
    told = {i for p in read.periods for i in range(p.first, p.last + 1)}
    return tuple(w.text for i, w in enumerate(read.words) if i in told and w.stem not in said)


def _is_literal_card(hit: TableHit, table: Table) -> bool:
    """Whether the words found are those of the table's names, not only of the same stem."""
    names = titles(table)
    return all(literally_in(word, names) for word in hit.coverage.header_words)


def _card(coverage: Coverage) -> Coverage:
    """Only the words of the card: those of a row speak for the row."""
    missing = (*coverage.missing_words, *coverage.cell_words)
    return Coverage(coverage.share, (), coverage.header_words, missing)


def _repeated(catalog: Catalog, links: Links, hit: TableHit) -> str | None:
    entry = catalog.by_id(hit.table_id)
    if entry is None:
        return None
    for named in links.columns:
        column = entry.column(named.column)
        if named.table != entry.name or named.score < NAMED_IN_FULL or column is None:
            continue
        if column.source.counts.max(initial=0) > 1 and column.kind not in NUMERIC:
            return column.name
    return None


def _text(question: str, hits: tuple[ParagraphHit, ...]) -> TextEvidence | None:
    told = [hit for hit in hits if _numbers(question) <= _numbers(hit.text)]
    told = [hit for hit in told if not _periods(question, (hit.text, *hit.heading_path))]
    if asks_for_an_amount(question):
        told = [hit for hit in told if _tells_a_number(hit.text)]
    found = [_paragraph(question, hit) for hit in told]
    return max(found, key=lambda e: (e.confidence, e.hit.score), default=None)


def _tells_a_number(text: str) -> bool:
    told = {word.folded for word in words(text)}
    return any(map(str.isdigit, text)) or bool(told & NUMBER_WORDS.keys())


def _paragraph(question: str, hit: ParagraphHit) -> TextEvidence:
    names = _heading(hit)
    denied = denials(_CASE.split(question)[0], texts=(hit.text,))
    return TextEvidence(
        hit,
        lenient_confidence(hit.coverage, question, names=names, denied=denied),
        open_words(hit.coverage, question, names=names, denied=denied),
    )


def _linkable(catalog: Catalog, tables: tuple[TableHit, ...]) -> Catalog:
    if len(catalog) <= LINKED_TABLES:
        return catalog
    found = (catalog.by_id(hit.table_id) for hit in tables)
    return Catalog(tuple(entry for entry in found if entry is not None))


@lru_cache(maxsize=512)
def _names(table: Table) -> Stems:
    return stems_of(titles(table))


def titles(table: Table) -> tuple[str, ...]:
    """The names that a table goes by: its headers, title, name and headings."""
    return (*table.headers, table.title, table.name, *table.heading_path)


def _heading(hit: ParagraphHit) -> Stems:
    return stems_of(hit.heading_path)


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


def _numbers(text: str) -> set[str]:
    """The numbers of a text: a paragraph that lacks one of the question is about another case."""
    return set(re.findall(r"\d+", text))
