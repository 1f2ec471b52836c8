"""Rows of many tables are ranked alike, however few of the tables were read for it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.build import build_table
from retrieval.hashing import hashes, question_hashes
from retrieval.index import Index
from retrieval.table import Document

WORDS = ("amber", "birch", "cedar", "dune", "ember-9", "fern", "12", "4,500", "the")
CELLS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4)


def index_of(tables):
    index = Index(dense=False)
    for number, rows in enumerate(tables):
        names, places = zip(*rows, strict=True)
        table = build_table(
            [(("name",), list(names)), (("place",), list(places))],
            document=f"d{number}",
            name=f"grove {number}",
        )
        index.add(Document(f"d{number}", "1", (table,), ()))
    return index


@settings(max_examples=40, deadline=None)
@given(
    tables=st.lists(ROWS, min_size=20, max_size=60),
    asked=st.lists(st.sampled_from(WORDS), min_size=2, max_size=5).map(" ".join),
)
def test_the_best_few_rows_are_the_first_of_all(tables, asked):
    few, all_of_them = index_of(tables), index_of(tables)
    wanted = [hit.chunk_id for hit in all_of_them.search_rows(f"place of {asked}", 200)]
    for k in (1, 3, 40):
        found = [hit.chunk_id for hit in few.search_rows(f"place of {asked}", k)]
        assert found == wanted[:k]


@given(texts=st.lists(st.text(max_size=40), max_size=14))
def test_words_of_a_question_have_the_hashes_of_the_index(texts):
    assert question_hashes(texts).tolist() == hashes(texts).tolist()


def test_a_long_word_has_the_hash_of_the_index():
    texts = ["x" * 300, "é" * 140, "short"]
    assert question_hashes(texts).tolist() == hashes(texts).tolist()


def test_an_opened_index_tells_its_documents_and_takes_new_ones(tmp_path):
    index_of([[("amber", "birch")], [("cedar", "dune")]]).save(tmp_path)
    opened = Index.open(tmp_path)
    assert opened.search_rows("the place of cedar")[0].cells["place"] == "dune"
    opened.remove("d0")
    opened.save(tmp_path)
    again = Index.open(tmp_path)
    assert [document.name for document in again.documents] == ["d1"]
    assert not again.search_rows("amber")
