"""A cell that denies a word does not have it; a word of a long cell does not name it for sure."""

import pytest

from router import Router
from router.question_forms import asks_to_show

ARTICLES = [
    {"article": "Lamp", "deposit": "Refundable", "tax": "Taxable", "fee": 5},
    {"article": "Desk", "deposit": "Non-refundable", "tax": "Taxable", "fee": 15},
    {"article": "Sofa", "deposit": "Non-refundable", "tax": "Non-taxable", "fee": 25},
    {"article": "Rug", "deposit": "Waived", "tax": "Non-taxable", "fee": 35},
]
REPORT = [
    {"measure": "Net margin", "basis": "Reported", "2023": 71, "2024": 84},
    {"measure": "Net margin", "basis": "Non-reported", "2023": 76, "2024": 90},
]
CREWS = [
    {"union": "Harbour and Ferry Workers Association of the Northern Coasts (HFW)", "crew": "Deck"},
    {"union": "Engine Room Officers Union", "crew": "Engine"},
]


@pytest.fixture(scope="module")
def articles():
    with Router(writer="offline") as router:
        router.add(ARTICLES, name="articles")
        yield router


def test_a_cell_that_denies_a_word_is_not_counted(articles):
    assert articles.ask("How many articles are refundable?").value == 1
    assert articles.ask("How many articles are taxable?").value == 2
    assert articles.ask("How many non-refundable articles are there?").value == 2


def test_a_row_that_denies_a_word_is_not_found_by_it(articles):
    found = articles.lookup("taxable", k=10)
    assert {hit.cells["article"] for hit in found} == {"Lamp", "Desk"}
    denied = articles.lookup("non-taxable", k=10)
    assert [hit.cells["article"] for hit in denied[:2]] == ["Sofa", "Rug"]


def test_of_rows_alike_the_one_that_does_not_deny_comes_first():
    with Router(writer="offline") as router:
        router.add(REPORT, name="report")
        assert router.lookup("reported net margin")[0].cells["basis"] == "Reported"
        assert router.lookup("non-reported net margin")[0].cells["basis"] == "Non-reported"


def test_none_is_no_answer_where_a_word_of_a_long_cell_was_taken_for_it():
    with Router(writer="offline") as router:
        router.add(CREWS, name="crews")
        assert router.ask("How many engine crews are in the Northern union?").declined
        assert router.ask("Which engine crews are in the Northern union?").declined


def test_what_is_available_asks_for_a_listing_unless_it_describes_a_noun():
    assert asks_to_show("Which sizes are available?")
    assert asks_to_show("What rooms are still available in May?")
    assert not asks_to_show("What was the revenue per available room in 2024?")
