"""How long things took, told by two dates; whether they came late; the first or largest of each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from router import Router
from tests.each_alone import each_alone

LOANS = """Loan ID,Member,Title,Lent on,Due,Returned,Fine (€)
L001,Ida Brandt,The Salt Road,2025-01-04,2025-01-25,2025-01-22,
L002,Piet Okafor,Winter Orchard,2025-01-06,2025-01-27,2025-02-03,1.40
L003,Ida Brandt,Winter Orchard,2025-02-10,2025-03-03,2025-03-03,
L004,Mara Lindqvist,Clay and Fire,2025-02-11,2025-03-04,,
L005,Tom Havel,The Salt Road,2025-02-20,2025-03-13,2025-03-30,3.40
L006,Piet Okafor,Clay and Fire,2025-03-08,2025-03-29,2025-03-20,
L007,Mara Lindqvist,Quiet Engines,2025-03-09,2025-03-30,2025-04-02,0.60
"""
ORDERS = """Order,Customer,Item,Qty,Unit price,Total,Ordered,Shipped
1001,Marsh & Co,Rope 10m,4,12.50,50.00,2025-03-01,2025-03-03
1002,Ellis Yard,Anchor 5kg,1,64.00,64.00,2025-03-02,2025-03-09
1003,Marsh & Co,Fender,6,9.90,59.40,2025-03-05,2025-03-06
1004,Bay Sailing Club,Rope 10m,10,12.50,125.00,2025-03-08,2025-03-12
1005,Ellis Yard,Bilge pump,2,38.00,76.00,2025-03-11,
1006,Bay Sailing Club,Fender,12,9.90,118.80,2025-03-15,2025-03-18
"""
BATCHES = """Batch,Beer,Style,Brewed,Volume (l),ABV %,Brewer,Status
B-101,Fog Lamp,IPA,2025-01-12,1200,6.1,Nell,sold out
B-102,Night Ferry,Stout,2025-01-20,800,7.4,Oskar,sold out
B-103,Plain Sailing,Lager,2025-02-02,2000,4.6,Nell,on tap
B-104,Fog Lamp,IPA,2025-02-15,1200,6.0,Priya,on tap
B-105,Tin Whistle,Pale Ale,2025-03-01,1500,5.2,Oskar,conditioning
B-106,Night Ferry,Stout,2025-03-18,700,7.6,Priya,conditioning
"""
TIMED = """Repair,Bike,Started,Finished,Days
1,Red tandem,2025-01-01,2025-01-09,3
2,Cargo one,2025-01-04,2025-01-06,2
3,Grey folder,2025-01-05,2025-01-20,5
"""


@pytest.fixture(scope="module")
def routers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Router]]:
    folder: Path = tmp_path_factory.mktemp("dates")
    tables = {"loans": LOANS, "orders": ORDERS, "batches": BATCHES, "repairs": TIMED}
    with each_alone(tables, folder) as routers:
        yield routers


@pytest.mark.parametrize(
    ("table", "question", "value"),
    [
        ("loans", "how many days did Tom Havel keep The Salt Road", 38),
        ("loans", "how long did Ida Brandt keep Winter Orchard?", 21),
        ("loans", "average loan duration", 23.5),
        ("loans", "how many loans lasted more than 20 days", 4),
        ("orders", "average time from order to shipping", 3.4),
        ("orders", "how long does it take to ship an order on average?", 3.4),
        ("orders", "how many orders shipped within 3 days", 3),
        ("orders", "how many days did order 1004 take to ship?", 4),
        ("orders", "longest time between order and shipping", 7),
        ("loans", "how many loans came back late?", 3),
        ("loans", "how many loans were returned on time", 3),
        ("loans", "total fines for late returns", 5.4),
        ("batches", "who brewed batch B-105", "Oskar"),
    ],
)
def test_the_time_between_two_dates_is_computed(
    routers: dict[str, Router], table: str, question: str, value: object
) -> None:
    answer = routers[table].ask(question)
    told = answer.value if isinstance(value, str) else float(str(answer.value))
    assert told == value, answer.text


@pytest.mark.parametrize(
    ("table", "question", "rows"),
    [
        (
            "batches",
            "the latest batch of each beer",
            {"B-104", "B-106", "B-103", "B-105"},
        ),
        ("batches", "which batch had the largest volume in each status?", {"B-101", "B-103"}),
        ("orders", "latest order for each customer", {"1003", "1005", "1006"}),
        ("orders", "which order took longest to ship", {"1002"}),
        ("loans", "which loans were late?", {"L002", "L005", "L007"}),
    ],
)
def test_the_rows_meant_are_given(
    routers: dict[str, Router], table: str, question: str, rows: set[str]
) -> None:
    answer = routers[table].ask(question)
    told = {str(cell) for row in answer.rows for cell in row}
    keys = {key for key in told if key.startswith(("B-1", "100", "L00"))}
    assert rows <= keys, answer.text


def test_two_of_each_group_are_given_with_all_that_tie(routers: dict[str, Router]) -> None:
    answer = routers["batches"].ask("top 1 batch by volume within each brewer")
    assert {row[1] for row in answer.rows} == {"B-103", "B-104", "B-105"}, answer.text


def test_rows_that_are_not_done_are_told_beside_the_answer(routers: dict[str, Router]) -> None:
    answer = routers["loans"].ask("average loan duration")
    assert any('1 of 7 rows has no "Lent on" or no "Returned"' in w for w in answer.warnings)


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ("orders", "what is the fastest shipped order"),
        ("orders", "largest order per customer"),
        ("orders", "orders above 1004"),
        ("loans", "how many weeks did Tom Havel keep The Salt Road"),
        ("loans", "average number of weeks a loan lasted"),
        ("loans", "what is the longest title"),
        ("loans", "which member has the shortest name"),
        ("loans", "how many loans in early 2025"),
        ("loans", "loans lent in late March 2025"),
    ],
)
def test_what_is_not_surely_asked_is_no_answer(
    routers: dict[str, Router], table: str, question: str
) -> None:
    answer = routers[table].ask(question)
    assert answer.route == "declined", answer.text


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("which repair took the longest?", 3),
        ("how long did the repair of Grey folder take", 5),
        ("how long did the repair of Red tandem take?", 3),
    ],
)
def test_a_column_that_tells_how_long_is_what_is_meant(
    routers: dict[str, Router], question: str, value: int
) -> None:
    answer = routers["repairs"].ask(question)
    assert answer.value == value, answer.text
    assert "Started" not in answer.text


def test_numbers_that_follow_one_another_are_not_bounded(routers: dict[str, Router]) -> None:
    answer = routers["orders"].ask("orders over 100")
    assert [row[0] for row in answer.rows] == [1004, 1006], answer.text


def test_weeks_beside_a_number_bound_days(routers: dict[str, Router]) -> None:
    answer = routers["loans"].ask("how many loans lasted at least 3 weeks")
    assert answer.value == 4, answer.text


def test_the_longest_of_the_rows_is_told_by_its_dates(routers: dict[str, Router]) -> None:
    answer = routers["loans"].ask("the longest loan")
    assert [row[0] for row in answer.rows] == ["L005"], answer.text
