"""A question looked up in the postings: what search and widening both need, found once.

Takes the postings of tables and a `Question`; gives a `Lookup` with the matches of each word and
the spans that are whole cells.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from retrieval import bm25
from retrieval.bounds import Bound, bounds
from retrieval.hashing import Ints
from retrieval.hits import Coverage
from retrieval.namings import Naming, namings
from retrieval.one_cell import CellTest, cell_tests, rows_passing
from retrieval.postings import Found, Postings
from retrieval.question import Question, Span
from retrieval.table import Table
from retrieval.tokenize import tokens
from retrieval.word_forms import DENYING
from retrieval.word_matches import Flags, WordMatch, cover, word_matches

_WORDS_BEFORE = 4
_WORDS_AFTER = 2
"""How close to a cell the words of its header are said: "the city of Ghent", "12 wins"."""


@dataclass(frozen=True)
class Lookup:
    """What the postings know of a question; `of` makes one."""

    postings: Postings[Table]
    question: Question
    terms: tuple[bm25.Term, ...]
    matches: tuple[WordMatch, ...]
    """One per content word."""
    spans: tuple[tuple[Span, Found], ...]
    """Spans that are whole cells somewhere, with the columns and codes."""
    tests: Mapping[str, CellTest]
    """By word: what a cell has to pass to hold it."""

    @classmethod
    def of(
        cls, postings: Postings[Table], question: Question, tables: Collection[str] | None = None
    ) -> Lookup:
        """Look `question` up, in the rows of `tables` (ids) only where given."""
        terms = _terms(postings, question)
        if tables is not None and not postings.are_all(tables):
            blocks = sorted(postings.block(key) for key in tables if key in postings)
            terms = bm25.inside(postings, terms, blocks)
        found = postings.cells([span.key for span in question.spans])
        spans = zip(question.spans, found, strict=True)
        tests = cell_tests(question)
        passing = {text: rows_passing(postings, test) for text, test in tests.items()}
        return cls(
            postings,
            question,
            tuple(terms),
            word_matches(question, terms, passing),
            tuple((span, cells) for span, cells in spans if len(cells.ids)),
            tests,
        )

    @cached_property
    def masses(self) -> bm25.Floats:
        """The idf of each word match."""
        return np.array([match.mass for match in self.matches])

    @property
    def rare_mass(self) -> float:
        """The idf of a word that one row holds."""
        return bm25.idf(self.postings.row_count, 1)

    def in_rows(self, rows: Ints, held: Flags | None = None) -> Flags:
        """Shape (words, rows): which rows hold which word in their cells; `held` tells by term,
        where that is known.
        """
        known = {} if held is None else dict(zip((t.token for t in self.terms), held, strict=True))
        flags = [match.in_rows(rows, known) for match in self.matches]
        return np.array(flags, bool).reshape(len(self.matches), len(rows))

    def in_heads(self, blocks: Ints) -> Flags:
        """Shape (words, blocks): which blocks hold which word in their heads."""
        flags = [match.in_heads(blocks) for match in self.matches]
        return np.array(flags, bool).reshape(len(self.matches), len(blocks))

    def in_blocks(self, blocks: Ints) -> Flags:
        """Shape (words, blocks): which blocks hold which word in cells, of whichever rows."""
        starts = self.postings.row_starts
        bounds = np.array((starts[blocks], starts[blocks + 1]), np.uint32)
        flags = [match.in_ranges(bounds) for match in self.matches]
        return np.array(flags, bool).reshape(len(self.matches), len(blocks))

    def cells_named(self, blocks: Ints) -> Ints:
        """Shape (spans, blocks): how many cells of each block each span is."""
        found = [high - low for _, low, high in self._spans_in(blocks)]
        return np.array(found, np.int64).reshape(len(self.spans), len(blocks))

    def _spans_in(self, blocks: Ints) -> Iterator[tuple[int, Ints, Ints]]:
        """Each span's number, with where the cells of each block start among its cells, and end."""
        starts = self.postings.column_starts
        bounds = np.array((starts[blocks], starts[blocks + 1]), np.uint32)
        for number, (_, cells) in enumerate(self.spans):
            low, high = cells.ids.searchsorted(bounds)
            yield number, low, high

    def naming_blocks(self, blocks: Sequence[int]) -> list[int]:
        """Of `blocks` (ascending), those of which the question may name a cell."""
        fresh = [block for block in blocks if block not in self._places]
        if fresh:
            self._places.update({block: [] for block in fresh})
            for number, low, high in self._spans_in(np.array(fresh, np.int64)):
                span, cells = self.spans[number]
                ends = zip(fresh, low.tolist(), high.tolist(), strict=True)
                for block, first, end in ends:
                    if first < end:
                        here = Found(cells.ids[first:end], cells.weights[first:end])
                        self._places[block].append((span, here))
        return [block for block in blocks if self._places[block]]

    def namings(self, block: int) -> list[Naming]:
        """The whole cells of one block that the question names."""
        if block not in self._namings:
            if block not in self._places:
                self.naming_blocks([block])
            table = self.postings.item(block)
            first = int(self.postings.column_starts[block])
            found = namings(self.question, self._places[block], table, first)
            self._namings[block] = [naming for naming in found if self._meant(table, naming)]
        return self._namings[block]

    def _meant(self, table: Table, naming: Naming) -> bool:
        """Whether a cell names its row, and not only its column, and is what the words mean."""
        span, column = naming.span, table.columns[naming.column]
        text, header = column.texts[naming.code], column.name
        if len(text) == len(header) and text.casefold() == header.casefold():
            return False
        test = self.tests.get(self.question.words[span.start].text)
        if test is None or span.stop - span.start > 1:
            return True
        return test.holds(table, naming.column, naming.code)

    def said(self, span: Span) -> list[int]:
        """The word matches whose words stand in `span`."""
        if span not in self._said:
            inside = set(self.question.content).intersection(range(span.start, span.stop))
            texts = {self.question.words[i].text for i in inside}
            self._said[span] = [i for i, m in enumerate(self.matches) if m.word.text in texts]
        return self._said[span]

    def heard(self, span: Span) -> list[int]:
        """The word matches whose words are said close to `span`, and not in it."""
        near = range(span.start - _WORDS_BEFORE, span.stop + _WORDS_AFTER)
        texts = {
            self.question.words[i].text
            for i in self.question.content
            if i in near and not span.start <= i < span.stop
        }
        return [i for i, match in enumerate(self.matches) if match.word.text in texts]

    def beside(self, span: Span, header: str) -> float:
        """The idf of a header's words said close to `span`, by their share of the header."""
        key = (span, header)
        if key not in self._beside:
            heard = self.heard(span)
            found = [i for i in self.headed(header) if i in heard]
            mass = sum(self.matches[i].mass for i in found)
            self._beside[key] = mass / len(set(tokens(header))) if found else 0.0
        return self._beside[key]

    def headed(self, header: str) -> list[int]:
        """The word matches whose words stand in `header`."""
        if header not in self._headed:
            held = set(tokens(header))
            found = [i for i, m in enumerate(self.matches) if held.issuperset(m.word.tokens)]
            self._headed[header] = found
        return self._headed[header]

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """The comparisons that the question states."""
        return bounds(self.question)

    @cached_property
    def compared(self) -> list[int]:
        """The word matches that are numbers of those comparisons: not their rows are meant."""
        texts = {
            w.text for bound in self.bounds for w in self.question.words[bound.start : bound.stop]
        }
        return [i for i, match in enumerate(self.matches) if match.word.text in texts]

    def is_compared(self, span: Span) -> bool:
        """Whether `span` is the number of a comparison."""
        return any(b.start <= span.start and span.stop <= b.stop for b in self.bounds)

    @cached_property
    def _places(self) -> dict[int, list[tuple[Span, Found]]]:
        return {}

    @cached_property
    def _namings(self) -> dict[int, list[Naming]]:
        return {}

    @cached_property
    def _beside(self) -> dict[tuple[Span, str], float]:
        return {}

    @cached_property
    def _said(self) -> dict[Span, list[int]]:
        return {}

    @cached_property
    def _headed(self) -> dict[str, list[int]]:
        return {}

    def coverage(self, in_cells: Flags, in_heads: Flags) -> Coverage:
        """How much of the question the flags (one per word match) account for."""
        return cover(self.matches, in_cells, in_heads)


def _terms(postings: Postings[Table], question: Question) -> list[bm25.Term]:
    """The terms of a question, without the rows that have a word of it only after "non-".

    "Non-taxable" is indexed whole, and as its parts.
    """
    denied = {
        word.tokens[0]: f"non{word.text}"
        for i in question.content
        if (word := question.words[i]).whole is None and word.text.isalpha()
        if not i or question.words[i - 1].text not in DENYING
    }
    found = bm25.terms(postings, [*question.tokens, *denied.values()])
    others = {term.token: term.rows for term in found}
    asked = set(question.tokens)
    return [
        _held_otherwise(term, others[denied[term.token]]) if term.token in denied else term
        for term in found
        if term.token in asked
    ]


def _held_otherwise(term: bm25.Term, denied: Found) -> bm25.Term:
    """The term without the rows that have it no oftener than they have it denied."""
    found = term.rows
    if not len(denied.ids):
        return term
    times = bm25.frequencies(replace(term, rows=denied), found.ids.astype(np.int64))
    kept = found.weights > times
    return replace(term, rows=Found(found.ids[kept], found.weights[kept]), everywhere=False)
