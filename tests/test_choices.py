"""A question of two readings: the one chosen is taken again where the doubt is the same."""

import json

import pytest

from router import Router
from router.errors import UsageError

KILOS, CRATES = "harvest in kilos", "harvest in crates"
HARVEST = [
    {"farm": farm, "crop": crop, KILOS: kilos, CRATES: crates, "picked": f"2024-0{month}-04"}
    for farm, crop, kilos, crates, month in [
        ("Hill", "plums", 120, 6, 7),
        ("Hill", "pears", 80, 5, 8),
        ("Vale", "plums", 60, 3, 7),
        ("Vale", "pears", 200, 11, 9),
    ]
]
QUESTION = "What is the total harvest?"


@pytest.fixture
def tables():
    with Router(writer="offline") as loaded:
        loaded.add(HARVEST, name="farms")
        yield loaded


def number_of(answer, column):
    return next(n for n, r in enumerate(answer.alternatives, 1) if column in r.sql)


def choose(tables, column, question=QUESTION):
    answer = tables.ask(question)
    assert answer.declined
    return tables.choose(answer, number_of(answer, column))


def test_a_chosen_reading_is_the_answer_with_its_sources_and_the_other_beside_it(tables):
    chosen = choose(tables, "crates")
    assert (chosen.value, chosen.route.value) == (25, "sql")
    assert chosen.citations[0].columns == (CRATES,)
    assert [reading.value for reading in chosen.alternatives] == [460]


def test_the_same_question_is_then_answered_by_it_and_says_so(tables):
    choose(tables, "crates")
    again = tables.ask("what is the total harvest")
    assert again.value == 25
    assert any(f'"{CRATES}" is taken, not "{KILOS}"' in warning for warning in again.warnings)


def test_the_same_doubt_in_another_question_is_decided_the_same_way(tables):
    choose(tables, "kilos")
    by_farm = tables.ask("total harvest by farm")
    assert by_farm.rows == [("Hill", 200), ("Vale", 260)]
    assert any(QUESTION in warning for warning in by_farm.warnings)


def test_a_doubt_about_something_else_is_still_asked_back(tables):
    choose(tables, "kilos")
    tables.add([{"farm": "Hill", "debt in euro": 3, "debt in sheep": 9}], name="ledger")
    assert tables.ask("What is the total debt?").declined


def test_a_follow_up_builds_on_the_chosen_reading(tables):
    chosen = choose(tables, "kilos")
    assert tables.ask("and by farm?", history=[chosen]).rows == [("Hill", 200), ("Vale", 260)]


def test_another_reading_may_be_chosen_later_and_a_choice_forgotten(tables):
    choose(tables, "kilos")
    answered = tables.ask(QUESTION)
    assert tables.choose(answered, 1).value == 25
    assert tables.ask(QUESTION).value == 25
    tables.forget(QUESTION)
    assert tables.ask(QUESTION).declined
    assert tables.choices == ()


def test_a_choice_may_be_for_once(tables):
    answer = tables.ask(QUESTION)
    assert tables.choose(answer, 1, remember=False).value in (25, 460)
    assert tables.ask(QUESTION).declined


def test_choices_are_saved_with_the_index(tables, tmp_path):
    choose(tables, "crates")
    tables.save(tmp_path / "kept")
    with Router.open(tmp_path / "kept") as opened:
        assert opened.ask(QUESTION).value == 25
        assert opened.choices == tables.choices


def test_a_choice_whose_column_has_gone_decides_nothing(tables):
    choose(tables, "crates")
    tables.add([{"farm": "Hill", KILOS: 4, "harvest in boxes": 2}], name="farms")
    assert tables.ask(QUESTION).declined


def test_a_number_that_is_not_offered_is_an_error(tables):
    answer = tables.ask(QUESTION)
    with pytest.raises(UsageError, match="no reading 7"):
        tables.choose(answer, 7)
    with pytest.raises(UsageError, match="one reading"):
        tables.choose(tables.ask("total harvest in kilos"), 1)


def test_a_tool_call_offers_the_readings_and_takes_one_by_number(tables):
    offered = tables.call_tool("ask_tables", {"question": QUESTION})
    assert offered["route"] == "declined"
    assert [reading["number"] for reading in offered["alternatives"]] == [1, 2]
    number = next(r["number"] for r in offered["alternatives"] if r["value"] == 460)
    taken = tables.call_tool("ask_tables", {"question": QUESTION, "reading": number})
    assert taken["value"] == 460
    again = tables.call_tool("ask_tables", {"question": "total harvest by farm"})
    assert again["rows"] == [["Hill", 200], ["Vale", 260]]
    assert json.dumps(again, allow_nan=False)
