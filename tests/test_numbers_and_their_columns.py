"""Which column a number of a question bounds, and where it bounds none."""

import pytest

from router import Router

PLAYERS = [
    {"Player": player, "Nation": nation, "Points": points, "Earnings": earned, "Week": week}
    for player, nation, points, earned, week in [
        ("Ines Holm", "Peru", 1, 300, 1),
        ("Tomas Reid", "Chile", 40, 150, 2),
        ("Wanda Kaya", "Peru", 25, 900, 2),
        ("Jorge Adler", "Malta", 33, 120, 3),
        ("Mila Vance", "Chile", 12, 410, 4),
    ]
]


def ask(question, rows=PLAYERS, name="players"):
    with Router(writer="offline") as router:
        router.add(rows, name=name)
        return router.ask(question)


def test_a_number_before_or_more_rows_counts_them():
    answer = ask("Which nations have two or more players?")
    assert {row[0] for row in answer.rows} == {"Peru", "Chile"}


@pytest.mark.parametrize(
    "question",
    [
        "Average earnings of the players who are taller than 200?",
        "Which player is first on the points list?",
        "Who are the only two players from Peru?",
    ],
)
def test_a_number_that_no_column_tells_bounds_none(question):
    assert ask(question).route == "declined"


def test_an_ordinal_beside_a_column_of_numbers_is_a_number_of_it():
    rows = [{"Match": i, "Opponent": f"Club {i}", "Ground": "home"} for i in range(1, 9)]
    answer = ask("Who was the opponent in the 4th match?", rows, "games")
    assert "Club 4" in answer.rows[0]
