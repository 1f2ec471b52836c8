"""One table a month: the question's month says which is meant, however it is written, and a table
of another month is no reading of it.
"""

import pytest

from router import Router

RIDES = {
    "Jan 2024": [["Quay", 310], ["Mill", 205]],
    "Feb 2024": [["Quay", 290], ["Mill", 180]],
    "Sept 2024": [["Quay", 415], ["Mill", 260]],
}


@pytest.fixture(scope="module")
def months():
    with Router(writer="offline") as router:
        for month, rows in RIDES.items():
            router.add([["Stop", "Riders"], *rows], name=f"rides {month}")
        yield router


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("total riders in January", 515),
        ("total riders in jan", 515),
        ("total riders in February 2024", 470),
        ("total riders in September", 675),
        ("riders of Mill in february", 180),
    ],
)
def test_a_month_names_its_table_in_full_or_short(months, question, value):
    answer = months.ask(question)
    assert answer.value == value
    assert not answer.alternatives


@pytest.mark.parametrize("question", ["total riders in March", "riders of Mill in october"])
def test_a_month_that_no_table_has_is_declined_without_readings(months, question):
    answer = months.ask(question)
    assert answer.declined
    assert not answer.alternatives


def test_a_reading_taken_for_a_question_without_a_month_answers_none_with_one(months):
    readings = months.ask("total riders").alternatives
    assert {reading.value for reading in readings} == {515, 470, 675}
    months.call_tool("ask_tables", {"question": "total riders", "reading": 1})
    assert months.ask("total riders in February").value == 470
    assert months.ask("total riders in March").declined
