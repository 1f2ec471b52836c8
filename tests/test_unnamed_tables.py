"""Tables whose names say nothing of their rows, and words that point to a table whatever it is."""

import pytest

from router import Router

SITES = [
    {"Site": f"Site {letter}", "Pupils": pupils, "Town": town}
    for letter, pupils, town in zip(
        "ABCDEFGH",
        [120, 340, 560, 780, 90, 410, 660, 300],
        ["Lund", "Cork", "Lund", "Basel", "Cork", "Lund", "Basel", "Turin"],
        strict=True,
    )
]
STAFF = [{"Name": f"Person {i}", "Town": town} for i, town in enumerate(["Lund", "Cork"] * 4)]


def ask(question, **tables):
    with Router(writer="offline") as router:
        for name, rows in tables.items():
            router.add(rows, name=name)
        return router.ask(question)


@pytest.mark.parametrize("name", ["export_3", "table", "Sheet1", "204_17", "final copy (2)"])
def test_what_is_counted_of_an_unnamed_table_is_its_rows(name):
    assert ask("How many schools are in Lund?", **{name: SITES}).value == 3
    assert ask("How many schools have more than 300 pupils?", **{name: SITES}).value == 5


def test_the_chart_is_the_table_that_is_loaded():
    assert ask("How many schools are listed on this chart?", export_3=SITES).value == 8


GAMES = [
    {"Date": date, "Opponent": opponent, "Result": result}
    for date, opponent, result in [
        ("2011-03-01", "Lund", "W"),
        ("2011-04-02", "Cork", "L"),
        ("2011-05-03", "Turin", "W"),
        ("2011-05-09", "Ghent", "L"),
        ("2011-06-07", "Basel", "W"),
    ]
]
MEDALS = [
    {"Nation": nation, "Gold": gold, "Silver": silver, "Bronze": bronze}
    for nation, gold, silver, bronze in [("Peru", 3, 4, 5), ("Chile", 1, 7, 2), ("Fiji", 0, 2, 9)]
]


def test_the_first_of_an_unnamed_table_is_a_row_whatever_it_is_called():
    assert ask("Who was the opponent in the first game in May?", export_2=GAMES).value == "Turin"
    assert ask("Who was the opponent in the first game in May?", visits=GAMES).route == "declined"


def test_next_and_after_say_one_step():
    assert ask("Who was the next opponent after Cork?", export_2=GAMES).value == "Turin"


def test_medals_are_what_their_sorts_are_of():
    assert ask("Which nation won the most silver medals?", standing=MEDALS).value == "Chile"
    assert ask("How many gold medals did Peru get?", standing=MEDALS).value == 3
    assert ask("How many silver coins does Peru have?", standing=MEDALS).route == "declined"


def test_a_table_with_a_name_holds_what_it_says():
    assert ask("How many schools are in Lund?", sites=SITES).route == "declined"


def test_nothing_is_supposed_where_no_other_word_is_of_the_table():
    assert ask("How many refunds are there?", export_3=SITES).route == "declined"


def test_nothing_is_supposed_among_several_tables():
    answer = ask("How many schools are in Lund?", export_3=SITES, export_4=STAFF)
    assert answer.route == "declined"
