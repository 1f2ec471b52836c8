"""Rows sought by words that very many rows hold: those that hold most of them are found."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval import bm25
from retrieval.build import build_table
from retrieval.index import Index
from retrieval.postings import Postings
from retrieval.row_index import table_block
from retrieval.table import Document

ROWS = 40_000
SHARES = {"oak": 0.5, "elm": 0.4, "fir": 0.3, "ash": 0.3, "yew": 0.06, "bay": 0.02, "fig": 0.002}


@pytest.fixture(scope="module")
def trees():
    rng = np.random.default_rng(5)
    columns = []
    for number, (word, share) in enumerate(SHARES.items()):
        held = rng.random(ROWS) < share
        columns.append(((f"plot {number}",), [word if flag else "" for flag in held.tolist()]))
    names = [f"P-{number:05d}" for number in range(ROWS)]
    return build_table([(("plot",), names), *columns], document="trees", name="trees", key=0)


@pytest.fixture(scope="module")
def postings(trees):
    return Postings().with_blocks([table_block(trees)])


words = st.lists(st.sampled_from(sorted(SHARES)), min_size=1, max_size=7, unique=True)


@settings(deadline=None, max_examples=60)
@given(words)
def test_the_candidates_are_the_rows_that_hold_most_of_what_is_asked(postings, asked):
    terms = bm25.terms(postings, asked)
    mass = np.zeros(ROWS)
    for term in terms:
        mass[term.rows.ids] += term.idf
    found = bm25.candidates(postings, terms)
    enough = np.sort(mass[mass >= bm25.CANDIDATE_FLOOR * mass.max()])[::-1]
    most = enough[: bm25.MOST_CANDIDATES]
    assert np.sort(mass[found])[::-1] == pytest.approx(most, abs=1e-4)


@settings(deadline=None, max_examples=20)
@given(words)
def test_a_question_finds_the_same_rows_however_many_were_asked_before(trees, asked):
    index = Index(dense=False)
    index.add(Document("trees", "", (trees,)))
    question = " ".join(asked)
    first = index.search_rows(question, 5)
    index.search_rows("oak elm fir ash yew")
    assert index.search_rows(question, 5) == first


def test_a_word_asked_for_leaves_the_rows_of_the_word_denied_as_they_are():
    texts = ["taxable" if number % 2 else "non-taxable" for number in range(ROWS)]
    names = [f"P-{number:05d}" for number in range(ROWS)]
    table = build_table(
        [(("plot",), names), (("levy",), texts)], document="levies", name="levies", key=0
    )
    asked, unasked = Index(dense=False), Index(dense=False)
    for index in (asked, unasked):
        index.add(Document("levies", "", (table,)))
    asked.search_rows("taxable", 5)
    for question in ("not taxable", "P-00007 not taxable", "non taxable"):
        assert asked.search_rows(question, 5) == unasked.search_rows(question, 5)
