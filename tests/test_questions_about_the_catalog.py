"""Questions about what is loaded: the tables, those with a column, the columns of one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from router import Router

ORDERS = [
    {"order": "A-1", "depot": "Oslo", "parcels": 3},
    {"order": "A-2", "depot": "Rome", "parcels": 4},
]
DEPOTS = [{"depot": "Oslo", "manager": "Ada Berg"}, {"depot": "Rome", "manager": "Ugo Rossi"}]


@pytest.fixture(scope="module")
def tables() -> Iterator[Router]:
    with Router(writer="offline") as router:
        router.add(ORDERS, name="orders")
        router.add(DEPOTS, name="depots")
        yield router


@pytest.mark.parametrize(
    "question",
    [
        "What tables are there?",
        "what can I ask?",
        "which files are loaded",
        "Show me the tables",
        "How many tables are there?",
        "What data do you have?",
        "help",
    ],
)
def test_what_is_loaded_is_listed(tables: Router, question: str) -> None:
    answer = tables.ask(question)
    assert answer.route == "table"
    assert answer.text == "2 tables loaded"
    assert [row[0] for row in answer.rows] == ["orders", "depots"]
    assert {cited.title for cited in answer.citations} == {"orders", "depots"}


@pytest.mark.parametrize(
    "question",
    [
        "What columns does orders have?",
        "describe the orders table",
        "list all columns of orders",
        "What is the structure of the orders file?",
    ],
)
def test_the_columns_of_a_named_table_are_told(tables: Router, question: str) -> None:
    answer = tables.ask(question)
    assert answer.text == "orders: 2 rows, 3 columns"
    assert [row[0] for row in answer.rows] == ["order", "depot", "parcels"]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Which tables have a manager column?", ["depots"]),
        ("which table contains parcels?", ["orders"]),
        ("what tables have a column called depot", ["orders", "depots"]),
    ],
)
def test_tables_are_found_by_a_column(tables: Router, question: str, named: list[str]) -> None:
    assert [row[0] for row in tables.ask(question).rows] == named


def test_no_more_tables_are_listed_than_rows_are_returned(tables: Router) -> None:
    answer = tables.ask("what tables are there?", max_rows=1)
    assert (len(answer.rows), answer.total_rows, answer.truncated) == (1, 2, True)


@pytest.mark.parametrize(
    "question",
    ["What tables are for managers on leave?", "which tables were sold in May?", "help Ada"],
)
def test_a_word_that_is_no_name_keeps_it_a_question_to_the_data(
    tables: Router, question: str
) -> None:
    assert "loaded" not in tables.ask(question).text


def test_tables_that_stand_in_the_data_are_counted_there() -> None:
    rows = [{"room": "Blue", "tables": 4}, {"room": "Red", "tables": 9}]
    with Router(writer="offline") as router:
        router.add(rows, name="rooms")
        assert router.ask("How many tables are there?").text != "1 table loaded"
        assert router.ask("How many tables does the Blue room have?").value == 4


def test_a_column_of_table_numbers_hides_no_list_of_what_is_loaded() -> None:
    with Router(writer="offline") as router:
        router.add([{"Table": 4, "Waiter": "Ira"}, {"Table": 7, "Waiter": "Jon"}], name="bills")
        router.add(DEPOTS, name="depots")
        assert router.ask("What tables are there?").text == "2 tables loaded"
