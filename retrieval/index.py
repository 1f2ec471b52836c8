"""The index over documents: add, remove, and search rows, tables and paragraphs.

`Index` is the one stateful object of retrieval. Each change builds a new immutable state beside
the old one and puts it in place at once, so searches in other threads keep answering.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal

from retrieval import dense, okapi, vectors
from retrieval.context import part_of_table
from retrieval.errors import UnknownDocument
from retrieval.hits import MatchingRows, ParagraphHit, RowHits, TableHit
from retrieval.memory import give_back
from retrieval.misspelt import Vocabulary, respelt, vocabulary
from retrieval.paragraph_index import (
    PlacedParagraph,
    paragraph_blocks,
    paragraph_key,
    search_paragraphs,
)
from retrieval.postings import Postings
from retrieval.question import Question
from retrieval.row_index import (
    Ranking,
    rows_as_scored,
    rows_by_meaning,
    table_block,
    table_coverage,
)
from retrieval.schema_index import SAMPLE_TEXTS, search_cards
from retrieval.store import Entry, open_documents, open_postings, save
from retrieval.store_codecs import PARAGRAPHS, TABLES
from retrieval.table import Document, Table
from retrieval.tokenize import cell_key
from retrieval.widening import matching_rows

_COVERED = 0.5
"""From this coverage on, the words of a question say enough: no search by meaning."""

_MANY_ROWS = 50_000
"""After so many rows have been indexed, freed memory is worth giving back."""

Engine = Literal["postings", "rank_bm25"]

_ROW_SHARE = 0.06
"""What a table's best row adds to the score of its card."""


def _tables() -> Postings[Table]:
    return Postings(sample_texts=SAMPLE_TEXTS)


@dataclass(frozen=True)
class State:
    """What is indexed at one moment."""

    tables: Postings[Table] = field(default_factory=_tables)
    paragraphs: Postings[PlacedParagraph] = field(default_factory=Postings)

    def without(self, documents: Mapping[str, Entry]) -> State:
        """This state without the tables and paragraphs of `documents`."""
        tables = {key for entry in documents.values() for key in entry.tables}
        paragraphs = {
            paragraph_key(name, number)
            for name, entry in documents.items()
            for number in range(entry.paragraphs)
        }
        return State(self.tables.without(tables), self.paragraphs.without(paragraphs))

    def having(self, documents: Iterable[Document]) -> State:
        """This state and the tables and paragraphs of `documents`."""
        return State(
            self.tables.with_blocks([table_block(t) for one in documents for t in one.tables]),
            self.paragraphs.with_blocks([b for one in documents for b in paragraph_blocks(one)]),
        )


class Index:
    """Documents, searchable by row, table and paragraph.

    With `dense`, a question whose words no row accounts for is searched by meaning as well; that
    needs the `dense` extra, and finds rows that are only "near". Left open, it is on where the
    extra is installed and the rows are few enough to be embedded at the first such question.

    With the engine "rank_bm25" rows are ranked by that library over their header-injected text, and
    by nothing else: slow, and there to compare with.
    """

    def __init__(self, *, dense: bool | None = None, engine: Engine = "postings") -> None:
        self._dense = dense
        self._engine = engine
        self._state = State()
        self._ranked: Ranking | None = None
        """Of the last question."""
        self._words: tuple[Postings[Table], Vocabulary] | None = None
        """Of all cells, made at the first question with a misspelt word."""
        self._known: dict[str, tuple[int, Entry]] | None = {}
        """By document: its place in the order of addition, and what it holds; None where they were
        not read yet from the folder that was opened, as no search needs them."""
        self._writing, self._reading = threading.Lock(), threading.Lock()
        self._saved_in: Path | None = None
        self._changed: set[str] = set()
        """Documents added or removed since the last save."""

    @classmethod
    def open(
        cls, folder: str | Path, *, dense: bool | None = None, engine: Engine = "postings"
    ) -> Index:
        """The index that was saved in `folder`. Raises UnreadableSource.

        Nothing is read or indexed again; the files stay in use and must not be changed by others.
        """
        index, place = cls(dense=dense, engine=engine), Path(folder)
        index._state = State(
            open_postings(place, TABLES, sample_texts=SAMPLE_TEXTS),
            open_postings(place, PARAGRAPHS),
        )
        index._known = None
        index._saved_in = place.resolve()
        return index

    def save(self, folder: str | Path) -> None:
        """Keep the index in `folder`; into the folder it came from, only what has changed."""
        with self._writing:
            place = Path(folder)
            whole = place.resolve() != self._saved_in
            gone = {name for name in self._changed if name not in self._entries}
            names = self._entries if whole else self._changed - gone
            save(
                place,
                [(TABLES, self._state.tables), (PARAGRAPHS, self._state.paragraphs)],
                {name: self._entries[name] for name in names},
                gone,
                whole=whole,
            )
            self._saved_in = place.resolve()
            self._changed = set()

    @property
    def _entries(self) -> dict[str, tuple[int, Entry]]:
        with self._reading:
            if self._known is None:
                assert self._saved_in is not None
                self._known = open_documents(self._saved_in)
            return self._known

    @property
    def documents(self) -> tuple[Document, ...]:
        """What is indexed, in order of addition."""
        return tuple(self._document(name) for name in list(self._entries))

    def table(self, table_id: str) -> Table:
        """The table as published. Raises KeyError where it is unknown."""
        tables = self._state.tables
        return tables.item(tables.block(table_id))

    def add(self, *documents: Document) -> None:
        """Index documents; one of the same name goes first, with all its rows.

        Many at once are indexed faster than one after the other.
        """
        with self._writing:
            fresh = {document.name: document for document in documents}
            gone = {name: self._entries[name][1] for name in fresh if name in self._entries}
            self._state = self._state.without(gone).having(fresh.values())
            self._ranked = None
            for name, document in fresh.items():
                self._entries.pop(name, None)
                self._entries[name] = (self._next_place(), _entry(document))
            self._changed |= fresh.keys()
        if sum(t.row_count for document in documents for t in document.tables) > _MANY_ROWS:
            give_back()

    def remove(self, name: str) -> None:
        """Drop a document with its tables and paragraphs. Raises UnknownDocument."""
        with self._writing:
            if name not in self._entries:
                raise UnknownDocument(f"no document is named {name!r}")
            self._state = self._state.without({name: self._entries[name][1]})
            self._ranked = None
            del self._entries[name]
            self._changed.add(name)

    def _next_place(self) -> int:
        last = next(reversed(self._entries.values()), None)
        return 0 if last is None else last[0] + 1

    def _document(self, name: str) -> Document:
        state, (_, entry) = self._state, self._entries[name]
        paragraphs = state.paragraphs
        keys = [paragraph_key(name, number) for number in range(entry.paragraphs)]
        return Document(
            name,
            entry.version,
            tuple(state.tables.item(state.tables.block(key)) for key in entry.tables),
            tuple(paragraphs.item(paragraphs.block(key)).paragraph for key in keys),
        )

    def search_rows(
        self,
        question: str,
        k: int = 3,
        *,
        tables: Collection[str] | None = None,
        by_words: bool = False,
    ) -> RowHits:
        """The best `k` rows, in `tables` (ids) only where given; empty where nothing matches.

        A row counts as matching where a cell of it holds a content word of the question, or
        satisfies a comparison that it states; `by_words` leaves meaning out.
        """
        asked, postings = Question.of(question), self._state.tables
        if self._engine == "rank_bm25":
            rows, scores = okapi.scored(postings, asked, tables)
            return rows_as_scored(postings, asked, rows, scores, k)
        if tables is not None:
            return Ranking.of(postings, asked, k, tables=tables).hits(k)
        hits = self._ranking(postings, asked, k).hits(k)
        if by_words or k < 1 or not self._compares_meaning(postings):
            return hits
        if hits and (hits[0].match == "exact" or hits[0].coverage.share >= _COVERED):
            return hits
        return rows_by_meaning(postings, asked, k) or hits

    def search_misspelt(self, question: str, k: int = 3) -> RowHits:
        """The best `k` rows where a word that no table holds is nearly one that some cell does; all
        of them "near". Empty where no word is.
        """
        asked, postings = Question.of(question), self._state.tables
        if self._words is None or self._words[0] is not postings:
            self._words = (postings, vocabulary(postings))
        meant = respelt(postings, asked, self._words[1])
        if meant is None:
            return RowHits()
        found = Ranking.of(postings, meant, k).hits(k)
        return replace(found, hits=tuple(replace(hit, match="near") for hit in found.hits))

    def _compares_meaning(self, postings: Postings[Table]) -> bool:
        if self._dense is None:
            return postings.row_count <= dense.UNASKED_ROWS and vectors.available()
        return self._dense

    def search_tables(self, question: str, k: int = 5) -> tuple[TableHit, ...]:
        """The best `k` tables, by their cards (title, headings, headers, cells) and best rows."""
        postings, asked = self._state.tables, Question.of(question)
        scores = dict(search_cards(postings, asked, 10 * k))
        for block, score in self._ranking(postings, asked, 10 * k).block_scores(10 * k).items():
            scores[block] = scores.get(block, 0.0) + _ROW_SHARE * score
        best = sorted(scores, key=lambda block: (-scores[block], block))[:k]
        return tuple(_table_hit(postings, asked, block, scores[block]) for block in best)

    def _ranking(self, postings: Postings[Table], asked: Question, k: int) -> Ranking:
        """The rows ranked; the last ranking is kept, as tables are searched for it as well."""
        kept = self._ranked and self._ranked.of_same(postings, asked, k)
        if kept is None:
            kept = Ranking.of(postings, asked, k)
        self._ranked = kept
        return kept

    def whole_cells(self, texts: Sequence[str]) -> set[str]:
        """Which of some texts are whole cells of any table."""
        found = self._state.tables.cells([cell_key(text) for text in texts])
        return {text for text, cells in zip(texts, found, strict=True) if len(cells.ids)}

    def holds(self, word: str) -> bool:
        """Whether a cell or header of any table holds a word, as folded."""
        postings = self._state.tables
        return any(len(kind([word])[0].ids) for kind in (postings.rows, postings.heads))

    def search_paragraphs(self, question: str, k: int = 3) -> tuple[ParagraphHit, ...]:
        """The best `k` paragraphs; empty where nothing matches."""
        return search_paragraphs(self._state.paragraphs, Question.of(question), k)

    def matching_rows(self, question: str, table_id: str) -> MatchingRows:
        """The rows of one table that the question is about, and their share of its body.

        The input of the widening rule: above a share of 0.6 the whole table is the better
        evidence. Raises KeyError where the table is unknown.
        """
        return self.rows_to_match(question, table_id)()

    def rows_to_match(self, question: str, table_id: str) -> Callable[[], MatchingRows]:
        """The same, to be found when it is wanted, in the index as it is now."""
        return partial(matching_rows, self._state.tables, Question.of(question), table_id)

    def part_of_table(self, question: str, table: Table) -> str | None:
        """The rows and columns of a table that a question needs, as Markdown; None where they are
        too many for a prompt.
        """
        return part_of_table(question, table, self.matching_rows(question, table.table_id))


def _table_hit(postings: Postings[Table], asked: Question, block: int, score: float) -> TableHit:
    table = postings.item(block)
    return TableHit(
        document=table.document,
        table_id=table.table_id,
        table=table.name,
        title=table.title,
        score=score,
        coverage=table_coverage(postings, asked, table.table_id),
    )


def _entry(document: Document) -> Entry:
    tables = tuple(table.table_id for table in document.tables)
    return Entry(document.version, tables, len(document.paragraphs))
