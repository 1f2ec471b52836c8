"""Two things set against each other: each is asked for, and they stand beside each other."""

import pytest

from router import Router
from router.answer import Route

LOADS = [
    ("Ayr", "coal", "2024-02-03", 40), ("Ayr", "salt", "2024-05-09", 10),
    ("Oban", "coal", "2024-05-11", 25), ("Oban", "salt", "2024-08-02", 31),
    ("Ayr", "salt", "2024-11-20", 22), ("Oban", "coal", "2024-12-01", 7),
]  # fmt: skip
GAMES = [("Rovers", "United", 3), ("United", "Rovers", 1), ("Albion", "Rovers", 2)]


@pytest.fixture(scope="module")
def tables():
    with Router(writer="offline") as loaded:
        head = ["quay", "freight", "landed", "tonnes"]
        loaded.add([dict(zip(head, row, strict=True)) for row in LOADS], name="loads")
        head = ["home team", "away team", "goals"]
        loaded.add([dict(zip(head, row, strict=True)) for row in GAMES], name="games")
        yield loaded


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("total tonnes of Ayr vs Oban", [("Ayr", 72), ("Oban", 63)]),
        ("average tonnes of coal versus salt", [("coal", 24), ("salt", 21)]),
        ("compare total tonnes of salt and coal", [("salt", 63), ("coal", 72)]),
        ("total tonnes in Q2 vs Q4", [("Q2", 35), ("Q4", 29)]),
        ("total tonnes in H1 compared to H2", [("H1", 75), ("H2", 60)]),
        ("how many loads landed in May 2024 vs August 2024?",
         [("May 2024", 2), ("August 2024", 1)]),
    ],
)  # fmt: skip
def test_each_side_is_asked_for(tables, question, rows):
    answer = tables.ask(question)
    assert answer.route is Route.SQL
    assert [tuple(row) for row in answer.rows] == rows
    assert tables.sql(answer.sql).rows == tuple(answer.rows)


def test_groups_of_both_sides_are_told_apart(tables):
    answer = tables.ask("total tonnes by freight, Ayr vs Oban")
    assert answer.columns == ("compared", "freight", "total tonnes")
    assert sorted(answer.rows)[0] == ("Ayr", "coal", 40)


@pytest.mark.parametrize(
    "question",
    [
        "total tonnes of Ayr vs Leith",
        "total draught of Ayr vs Oban",
        "goals of Rovers vs United",
        "total tonnes vs goals",
    ],
)
def test_what_is_not_of_one_kind_is_declined(tables, question):
    answer = tables.ask(question)
    assert answer.declined
    assert not answer.alternatives


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("total tonnes in q2", 35),
        ("total tonnes in the first half", 75),
        ("total tonnes in the third quarter", 31),
        ("total tonnes in Q4 2024", 29),
        ("total tonnes in 2024 Q1", 40),
        ("how many loads landed after Q2?", 3),
        ("how many loads did not land in Q4?", 4),
        ("total tonnes from Q2 to Q3", 66),
    ],
)
def test_quarters_and_halves_are_stretches_of_time(tables, question, value):
    answer = tables.ask(question)
    assert answer.declined or answer.value == value
    assert "land" in question or not answer.declined


def test_a_column_named_before_its_cells_is_what_groups(tables):
    assert tables.ask("total tonnes by quay for Ayr and Oban").rows == [("Ayr", 72), ("Oban", 63)]


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("total takings in the first half of June 2024", 3),
        ("takings in the first half of it", None),
    ],
)
def test_half_a_month_is_no_half_of_the_year(question, value):
    taken = {"2024-02-10": 50, "2024-06-03": 1, "2024-06-15": 2, "2024-06-16": 40, "2024-09-01": 60}
    rows = [{"day": day, "takings": takings} for day, takings in taken.items()]
    with Router(writer="offline") as router:
        router.add(rows, name="kiosk")
        answer = router.ask(question)
    assert answer.declined or answer.value == value
