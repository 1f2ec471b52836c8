"""Words that only a list can tell: irregular plurals, and signs that stand for a word."""

import pytest

from router import Router

STOCK = [
    ["item", "kgs", "ok"],
    ["knife", 4, "✓"],
    ["child seat", 9, "✗"],
    ["TV shelf", 20, "✓"],
    ["fuel gas", 7, ""],
]


@pytest.fixture(scope="module")
def stock():
    with Router(writer="offline") as router:
        router.add(STOCK, name="stock")
        yield router


@pytest.mark.parametrize(
    ("words", "item"),
    [("knives", "knife"), ("children's seats", "child seat"), ("TVs", "TV shelf")],
)
def test_an_irregular_or_short_plural_finds_its_row(stock, words, item):
    assert stock.lookup(words)[0].cells["item"] == item


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the total kg of knives?", 4),
        ("How many items are ✓?", 2),
        ("total kgs where ok is ✗", 9),
    ],
)
def test_a_plural_or_a_sign_is_a_condition_like_any_word(stock, question, value):
    assert stock.ask(question).value == value


def test_three_letter_plurals_name_their_column():
    with Router(writer="offline") as router:
        router.add([["id", "tag"], *([n, f"t{n % 3}"] for n in range(1, 20))], name="marks")
        assert [row[0] for row in router.ask("Which ids have tag t2?").rows] == [
            2,
            5,
            8,
            11,
            14,
            17,
        ]
        assert router.ask("How many ids are there?").value == 19


def test_a_sign_is_found_and_one_that_no_table_holds_restricts_nothing(stock):
    assert stock.lookup("✗")[0].cells["item"] == "child seat"
    assert stock.lookup("✓").total == 2
    assert stock.ask("How many items are there? 😊").value == 4


def test_one_count_told_in_overlapping_phrases_is_no_second_count():
    with Router(writer="offline") as router:
        router.add([["no", "message"], *([n, f"event {n}"] for n in range(1, 31))], name="logs")
        assert router.ask("What is the number of log entries?").value == 30
        assert router.ask("What is the total number of logs?").value == 30
        assert router.ask("How many logs and how many logs of event 3 are there?").declined
