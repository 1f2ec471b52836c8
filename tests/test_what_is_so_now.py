"""What is so at present, months inside stretches, names that are years, the last of all rows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from router import Router
from tests.each_alone import each_alone

STAFF = """No,Name,Team,Pay,Start,Left
1,Ada Lund,Kitchen,310,2019-01-07,
2,Bo Marsh,Kitchen,290,2020-03-01,2023-05-31
3,Cy Okon,Floor,270,2021-06-14,
4,Di Prasad,Floor,330,2018-02-05,2024-01-31
5,Ed Quill,Office,420,2016-09-01,
"""
FREE = """Berth,Pier,Boat,Arrival,Check out
1,North,Wren,2025-06-01,2025-06-04
2,North,,,
3,South,Teal,2025-06-02,2025-06-05
4,South,,,
"""
PLANTS = """Plant,Kind,Sow,Harvest
Broad bean,bean,Feb-Apr,Jun-Aug
Runner,bean,May-Jun,Aug-Oct
Leek,onion,Mar-Apr,Oct-Mar
Garlic,onion,Oct-Nov,Jul-Aug
"""
FILMS = """Title,Director,Year
Harvest,Ito,1971
1971,Moll,1988
Ferry,Ito,1988
"""
CALLS = """Ship,Last port,Arrived
Wren,Leith,2025-05-02
Teal,Hull,2025-05-09
Gull,Leith,2025-05-04
"""
HIRES = """Hire,Boat,Hired by,Out,Back,Remark
H-1,Puffin,Lindgren,2025-05-03,2025-05-04,
H-2,Gannet,Osei,2025-05-17,,still out
H-3,Tern,Cole,2025-05-19,2025-05-23,
"""
STOCK = """Item,Price,In stock
Rope,12.50,4
Anchor,64.00,2
"""


@pytest.fixture(scope="module")
def routers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Router]]:
    tables = {"staff": STAFF, "berths": FREE, "plants": PLANTS, "films": FILMS}
    tables |= {"arrivals": CALLS, "stores": STOCK, "hires": HIRES}
    with each_alone(tables, tmp_path_factory.mktemp("now")) as routers:
        yield routers


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("how many current staff", 3),
        ("how many people currently work in the kitchen", 1),
        ("total pay of current staff", 1000),
        ("how many staff", 5),
    ],
)
def test_what_has_ended_is_not_current(
    routers: dict[str, Router], question: str, value: int
) -> None:
    answer = routers["staff"].ask(question)
    assert answer.value == value, answer.text


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ("berths", "current boats"),
        ("berths", "how many current boats"),
        ("films", "films from 1971"),
        ("stores", "value of the stock of Rope"),
    ],
)
def test_what_the_table_does_not_tell_is_declined(
    routers: dict[str, Router], table: str, question: str
) -> None:
    answer = routers[table].ask(question)
    assert answer.route == "declined", answer.text


def test_a_month_is_in_the_stretches_that_cover_it(routers: dict[str, Router]) -> None:
    answer = routers["plants"].ask("how many plants have sow in March")
    assert answer.value == 2, answer.text


def test_the_last_of_all_is_no_column_that_begins_so(routers: dict[str, Router]) -> None:
    answer = routers["arrivals"].ask("last arrival")
    assert [row[0] for row in answer.rows] == ["Teal"], answer.text


@pytest.mark.parametrize("question", ["which hires have a remark", "which hires are still out"])
def test_which_rows_are_meant_is_no_cell_of_what_they_have(
    routers: dict[str, Router], question: str
) -> None:
    answer = routers["hires"].ask(question)
    assert [row[0] for row in answer.rows] == ["H-2"], answer.text


def test_who_has_left_is_not_everybody(routers: dict[str, Router]) -> None:
    answer = routers["staff"].ask("who has left?")
    assert answer.route == "declined", answer.text


def test_a_day_that_is_said_is_not_given_back(routers: dict[str, Router]) -> None:
    answer = routers["arrivals"].ask("what was there on 2025-05-04?")
    assert [row[0] for row in answer.rows] == ["Gull"], answer.text
