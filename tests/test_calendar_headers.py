"""Months and weekdays as headers: the question may write them out or cut them short."""

import pytest

from router import Router

WAITS = """\
Ward,Jan,Feb,Apr,Sept
North,40,31,71,20
South,52,28,49,35
West,61,44,66,18
"""
SHIFTS = """\
Porter,Monday,Tuesday,Saturday
Ada,4,8,0
Ben,6,0,5
"""


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("calendar")
    (folder / "waits.csv").write_text(WAITS, encoding="utf-8")
    (folder / "shifts.csv").write_text(SHIFTS, encoding="utf-8")
    with Router(writer="offline") as router:
        router.add(folder)
        yield router


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was the wait in North in April?", [71]),
        ("wards with more than 60 in April", ["North", "West"]),
        ("Which ward had the highest wait in February?", ["West"]),
        ("Which ward had the lowest wait in September?", ["West"]),
        ("What is the average for January?", [51]),
        ("How much does Ben do on Sat?", [5]),
        ("What is the difference between April and February in South?", [21]),
        ("What is the difference between February and April in South?", [21]),
    ],
)
def test_a_header_is_named_by_the_long_and_the_short_form(tables, question, expected):
    answer = tables.ask(question)
    if answer.declined:
        pytest.fail(f"{question}: {answer.text}")
    found = [answer.value] if answer.value is not None else [row[0] for row in answer.rows]
    assert found == expected, answer.text


@pytest.mark.parametrize("question", ["What was the wait in North in March?", "total for June"])
def test_a_month_that_no_column_holds_is_declined(tables, question):
    assert tables.ask(question).declined
