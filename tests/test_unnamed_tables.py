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


def test_a_table_with_a_name_holds_what_it_says():
    assert ask("How many schools are in Lund?", sites=SITES).route == "declined"


def test_nothing_is_supposed_where_no_other_word_is_of_the_table():
    assert ask("How many refunds are there?", export_3=SITES).route == "declined"


def test_nothing_is_supposed_among_several_tables():
    answer = ask("How many schools are in Lund?", export_3=SITES, export_4=STAFF)
    assert answer.route == "declined"
