"""The index over documents: add, remove, and search rows, tables and paragraphs.

`Index` is the one stateful object of retrieval. Each change builds a new immutable state beside
the old one and puts it in place at once, so searches in other threads keep answering.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from retrieval.hits import MatchingRows, ParagraphHit, RowHits, TableHit
from retrieval.paragraph_index import ParagraphIndex
from retrieval.question import Question
from retrieval.row_index import RowIndex
from retrieval.schema_index import SchemaIndex
from retrieval.table import Document, Table

_ROW_SHARE = 0.5
"""What a table's best row adds to the score of its card."""


@dataclass(frozen=True)
class _State:
    documents: Mapping[str, Document] = field(default_factory=dict)
    rows: RowIndex = field(default_factory=RowIndex)
    cards: SchemaIndex = field(default_factory=SchemaIndex)
    paragraphs: ParagraphIndex = field(default_factory=ParagraphIndex)

    def without(self, name: str) -> _State:
        gone = {table.table_id for table in self.documents[name].tables}
        return _State(
            {key: value for key, value in self.documents.items() if key != name},
            self.rows.without(gone),
            self.cards.without(gone),
            self.paragraphs.without(name),
        )

    def having(self, document: Document) -> _State:
        return _State(
            {**self.documents, document.name: document},
            self.rows.with_tables(document.tables),
            self.cards.with_tables(document.tables),
            self.paragraphs.with_document(document),
        )


class Index:
    """Documents, searchable by row, table and paragraph."""

    def __init__(self) -> None:
        self._state = _State()
        self._writing = threading.Lock()

    @property
    def documents(self) -> tuple[Document, ...]:
        """What is indexed, in order of addition."""
        return tuple(self._state.documents.values())

    def table(self, table_id: str) -> Table:
        """The table as published. Raises KeyError where it is unknown."""
        return self._state.rows.tables[table_id]

    def add(self, document: Document) -> None:
        """Index a document; one of the same name goes first, with all its rows."""
        with self._writing:
            state = self._state
            if document.name in state.documents:
                state = state.without(document.name)
            self._state = state.having(document)

    def remove(self, name: str) -> None:
        """Drop a document with its tables and paragraphs. Raises KeyError where it is unknown."""
        with self._writing:
            self._state = self._state.without(name)

    def search_rows(
        self, question: str, k: int = 3, *, tables: Collection[str] | None = None
    ) -> RowHits:
        """The best `k` rows, in `tables` (ids) only where given; empty where nothing matches.

        A row counts as matching where a cell of it holds a content word of the question.
        """
        return self._state.rows.search(Question.of(question), k, tables=tables)

    def search_tables(self, question: str, k: int = 5) -> tuple[TableHit, ...]:
        """The best `k` tables, by their cards (title, headings, headers, cells) and best rows."""
        state, asked = self._state, Question.of(question)
        scores = dict(state.cards.search(asked, 10 * k))
        best_rows: dict[str, float] = {}
        for hit in state.rows.search(asked, 10 * k):
            best_rows.setdefault(hit.table_id, hit.score)
        for key, score in best_rows.items():
            scores[key] = scores.get(key, 0.0) + _ROW_SHARE * score
        order = {key: i for i, key in enumerate(state.rows.tables)}
        best = sorted(scores, key=lambda key: (-scores[key], order[key]))[:k]
        return tuple(_table_hit(state, asked, key, scores[key]) for key in best)

    def search_paragraphs(self, question: str, k: int = 3) -> tuple[ParagraphHit, ...]:
        """The best `k` paragraphs; empty where nothing matches."""
        return self._state.paragraphs.search(Question.of(question), k)

    def matching_rows(self, question: str, table_id: str) -> MatchingRows:
        """The rows of one table that the question is about, and their share of its body.

        The input of the widening rule: above a share of 0.6 the whole table is the better
        evidence. Raises KeyError where the table is unknown.
        """
        return self._state.rows.matching(Question.of(question), table_id)


def _table_hit(state: _State, asked: Question, table_id: str, score: float) -> TableHit:
    table = state.rows.tables[table_id]
    return TableHit(
        document=table.document,
        table_id=table_id,
        table=table.name,
        title=table.title,
        score=score,
        coverage=state.rows.table_coverage(asked, table_id),
    )
