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


POWER = """Building,Power (kWh),Power (kWh),Heat (kWh),Heat (kWh)
,Q1,Q3,Q1,Q3
Mill,10,12,90,20
Barn,20,14,80,10
Yard,15,30,13,14
"""


def test_a_header_under_several_others_is_that_of_the_column_it_is_held_against(tmp_path):
    path = tmp_path / "power.csv"
    path.write_text(POWER, encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(path)
        answer = tables.ask("Which buildings used more power in Q3 than in Q1?")
        assert answer.declined or set(answer.rows) == {("Mill",), ("Yard",)}, answer.text
        answer = tables.ask("buildings whose power in Q3 was higher than in Q1")
        assert set(answer.rows) == {("Mill",), ("Yard",)}, answer.text


def test_the_most_of_a_place_is_no_row_of_the_places_name():
    cities = [
        {"city": "Ovanger", "population": 51000, "state": "Norrland"},
        {"city": "Norrland", "population": 900, "state": "Sudrike"},
        {"city": "Tarn", "population": 47000, "state": "Norrland"},
    ]
    with Router(writer="offline") as tables:
        tables.add(cities, name="cities")
        answer = tables.ask("What is the most populous city in Norrland?")
        assert answer.declined or answer.value == "Ovanger", answer.text
