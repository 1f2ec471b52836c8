"""Rows held against another row that the question names, and columns against one another."""

import pytest

from router import Router

CANALS = [
    {"No": 1, "Canal": "Aldwin Cut", "Opened": "1994-05-01", "Depth m": 1.8, "Lead": "Ann"},
    {"No": 2, "Canal": "Brocker Arm", "Opened": "2011-03-07", "Depth m": 1.4, "Lead": "Bob"},
    {"No": 3, "Canal": "Carrow Link", "Opened": "2002-09-30", "Depth m": 2.1, "Lead": "Ann"},
]
STOCK = [
    {"Item": "Lentils", "On hand": 12, "Minimum": 20, "Due": "2025-02-03", "Came": "2025-02-07"},
    {"Item": "Rice", "On hand": 40, "Minimum": 25, "Due": "2025-02-05", "Came": "2025-02-03"},
    {"Item": "Oats", "On hand": 15, "Minimum": 15, "Due": "2025-02-17", "Came": None},
]


@pytest.fixture(scope="module")
def tables():
    with Router(writer="offline") as tables:
        tables.add(CANALS, name="canals")
        tables.add(STOCK, name="pantry")
        yield tables


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which canals are deeper than canal 1?", {("Carrow Link",)}),
        ("Which canals opened after the Aldwin Cut?", {("Brocker Arm",), ("Carrow Link",)}),
        ("Which items are below their minimum?", {("Lentils",)}),
        ("Which items have more on hand than their minimum?", {("Rice",)}),
        ("Which items are not below their minimum?", {("Rice",), ("Oats",)}),
        ("Which items came after they were due?", {("Lentils",)}),
        ("Which canal is the deepest?", {("Carrow Link",)}),
    ],
)
def test_one_is_held_against_the_other(tables, question, rows):
    answer = tables.ask(question)
    assert set(answer.rows) == rows, answer.text


@pytest.mark.parametrize(
    "question",
    [
        "Which items came the day after they were due?",
        "Which canals are deeper than canal 7?",
        "Which canals are wider than canal 1?",
        "Which items are below their capacity?",
    ],
)
def test_what_cannot_be_held_against_anything_is_declined(tables, question):
    assert tables.ask(question).declined
