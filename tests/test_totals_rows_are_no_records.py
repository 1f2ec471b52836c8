"""Rows that sum others are kept for look-ups and are no records: no table tells them among its
values, and one that does not add up is not quoted as if it did.
"""

import pytest

from router import Router

STALE = "Part,Price\nLid,15\nHinge,25\nLatch,35\nTotal,90\n"
SOUND = "Boat,Crew,Sails\nHeron,4,2\nOtter,6,3\nPuffin,6,5\nTotal,16,10\n"


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("totals")
    (folder / "parts.csv").write_text(STALE)
    (folder / "boats.csv").write_text(SOUND)
    with Router(writer="offline") as router:
        router.add(folder)
        yield router


@pytest.mark.parametrize("question", ["what is the total price?", "total price"])
def test_a_total_that_does_not_add_up_is_told_beside_what_the_rows_say(tables, question):
    answer = tables.ask(question)
    assert answer.declined
    assert [reading.value for reading in answer.alternatives] == [90, 75]
    assert any("does not add up" in warning for warning in answer.warnings)


def test_a_total_that_adds_up_is_the_answer(tables):
    answer = tables.ask("what is the total crew?")
    assert answer.value == 16
    assert not any("does not add up" in warning for warning in answer.warnings)


def test_what_does_not_add_up_is_known_after_saving_and_opening(tables, tmp_path):
    tables.save(tmp_path / "index")
    with Router.open(tmp_path / "index") as opened:
        assert opened.ask("what is the total price?").declined


def test_a_table_is_described_by_its_records(tables):
    told = tables.describe("boats")
    assert [column.distinct for column in told.columns] == [3, 2, 3]
    assert [column.empty for column in told.columns] == [0, 0, 0]
    assert all("Total" not in column.samples for column in told.columns)
    assert "4 to 6" in told.card
    assert "Total" not in told.card


@pytest.mark.parametrize("selected", ["*", 'COUNT(*), SUM("Crew")'])
def test_a_query_for_a_totals_row_is_told_that_it_is_left_out(tables, selected):
    sql = f"SELECT {selected} FROM boats WHERE \"Boat\" = 'Total'"
    told = tables.call_tool("run_sql", {"sql": sql})
    assert any("1 totals row is left out" in warning for warning in told["warnings"])


def test_a_subtotal_s_name_is_no_condition_where_records_hold_it_elsewhere(tmp_path):
    path = tmp_path / "huts.csv"
    path.write_text(
        "Hut,Valley,Guests,Beds\nAdler,Ahr,31,12\nBerg,Ahr,18,9\nAhr,,49,21\n"
        "Clara,Inn,44,17\nDorn,Inn,9,4\nEller,Inn,12,5\nInn,,65,26\n"
    )
    with Router(writer="offline") as router:
        router.add(path)
        assert router.ask("How many huts are not in Ahr?").value == 3
        assert router.ask("How many huts are in Inn?").value == 3


STATEMENT = [
    ["Item", "2019", "2020", "2021"],
    ["Operating revenue", "37,784", "41,303", "39,500"],
    ["Operating expenses", "30,100", "35,000", "36,200"],
    ["Operating income", "7,684", "6,303", "3,300"],
    ["Net income", "1,143", "1,122", "(250)"],
    ["Fuel", "6,913", "9,307", "8,000"],
]


def test_a_row_that_is_named_is_not_left_out_of_a_sum_as_a_total():
    with Router(writer="offline") as router:
        router.add(STATEMENT, name="statement")
        both = router.ask("What is the sum of operating revenue and net income in 2019?")
        assert both.declined or both.value == 38927
        assert router.ask("What is the sum of fuel and net income in 2019?").value == 8056
        assert router.ask("What was the operating revenue in 2020?").value == 41303
