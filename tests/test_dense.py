import pytest
from test_index import ITEMS, document

from retrieval import vectors
from retrieval.index import Index

EVENTS = """\
event,cap
Burst pipe,40
Kitchen fire,250
Dog bite,500
Lost house keys,8
Wedding cancelled,12
"""

needs_extra = pytest.mark.skipif(not vectors.available(), reason="the dense extra is not installed")


def index_with_meaning() -> Index:
    index = Index(dense=True)
    index.add(document(EVENTS, "events.csv"), document(ITEMS, "items.csv"))
    return index


@needs_extra
@pytest.mark.parametrize(
    ("question", "event"),
    [
        ("the marriage will not take place", "Wedding cancelled"),
        ("my puppy hurt a neighbour", "Dog bite"),
        ("the stove was in flames", "Kitchen fire"),
    ],
)
def test_a_question_without_a_shared_word_finds_the_row_it_means(question, event):
    hits = index_with_meaning().search_rows(question)
    assert hits[0].cells["event"] == event
    assert hits[0].match == "near"


@needs_extra
def test_codes_and_names_are_found_as_without_it():
    plain = Index()
    plain.add(document(EVENTS, "events.csv"), document(ITEMS, "items.csv"))
    for question in ("SKU-4471-B", "cap of dog bite", "4472", "price of the floor lamp"):
        assert index_with_meaning().search_rows(question) == plain.search_rows(question)


@needs_extra
def test_what_means_nothing_here_finds_nothing():
    index = index_with_meaning()
    assert not index.search_rows("quarterly revenue of Microsoft")
    index.remove("events.csv")
    hits = index.search_rows("the marriage will not take place")
    assert all(hit.document == "items.csv" for hit in hits)
