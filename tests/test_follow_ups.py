"""Follow-ups, offline: what is changed in the last question, and what is left alone."""

from collections import defaultdict

import pytest

from benchmarks.dialogues import DEFAULT, run
from router import Router
from router.errors import UsageError


@pytest.fixture(scope="module")
def tables():
    with Router(writer="offline") as loaded:
        loaded.add(str(DEFAULT / "*.csv"))
        yield loaded


def whole(tables, *questions):
    """What the last of some questions was read as."""
    history = []
    for question in questions:
        history.append(tables.ask(question, history=history))
    return history[-1].read_as


READINGS = [
    ("What is the total hours by team?", "and by agent?", "What is the total hours by agent"),
    ("How many tickets are open?", "and closed?", "How many tickets are closed"),
    ("What is the total hours?", "and the average?", "What is the average hours"),
    (
        "How many tickets were opened in March 2025?",
        "and in April 2025?",
        "How many tickets were opened in April 2025",
    ),
    (
        "What is the total hours by team?",
        "only Lena",
        "What is the total hours where agent is Lena by team",
    ),
    (
        "What is the priority of ticket T0100?",
        "and the agent?",
        "What is the agent of ticket T0100",
    ),
]


@pytest.mark.parametrize(("first", "second", "expected"), READINGS)
def test_a_follow_up_changes_one_thing_of_the_last_question(tables, first, second, expected):
    assert whole(tables, first, second) == expected


def test_a_whole_question_is_left_alone(tables):
    assert whole(tables, "How many tickets are open?", "What is the total hours?") is None


BOATS = [
    {"boat": boat, "berth": berth, "owner": owner, "length": length, "draught": draught}
    for boat, berth, owner, length, draught in [
        ("Alma", "B-101", "Voss, Ida", 9, 1),
        ("Brise", "B-102", "Voss, Jan", 12, 2),
        ("Corvo", "B-103", "Lund, Per", 7, 1),
    ]
]


@pytest.fixture(scope="module")
def boats():
    with Router(writer="offline") as loaded:
        loaded.add(BOATS, name="boats")
        yield loaded


def test_a_code_that_does_not_exist_never_becomes_one_that_does(boats):
    first = boats.ask("What is the length of B-102?")
    assert first.value == 12
    for other in ("and B-109?", "what about B-1010?", "and of C-103?"):
        assert boats.ask(other, history=[first]).declined
    assert boats.ask("and B-103?", history=[first]).value == 7


def test_a_name_that_several_rows_have_is_not_one_of_them(boats):
    first = boats.ask("What is the length of Lund, Per?")
    assert first.value == 7
    assert boats.ask("and Voss?", history=[first]).value is None


def test_another_column_is_named_as_said(boats):
    first = boats.ask("What is the length of Corvo?")
    assert boats.ask("and the draught?", history=[first]).value == 1
    assert boats.ask("and the price?", history=[first]).declined


def test_what_was_asked_for_is_denied_in_its_place(tables):
    for denied in ("and not open?", "other than open?", "without the open ones"):
        assert (
            whole(tables, "How many tickets are open?", denied) == "How many tickets are not open"
        )


def test_them_are_the_rows_that_were_counted(tables):
    for listed in ("list them", "which ones?", "who are they?"):
        assert whole(tables, "How many tickets are open?", listed) == "Which tickets are open"


def test_a_line_that_points_at_the_last_answer_is_never_asked_alone(tables):
    first = tables.ask("What is the total hours by team?")
    for line in ("who are they?", "and their average?", "sort these"):
        assert tables.ask(line, history=[first]).declined


def test_words_that_have_no_place_are_never_dropped(tables):
    first = tables.ask("How many tickets are open?")
    for line in ("and closed bananas?", "only Lena and Jutta", "only the urgent network ones"):
        answer = tables.ask(line, history=[first])
        assert answer.declined or "urgent" in (answer.read_as or "")


def test_a_month_keeps_its_year(tables):
    first = "How many tickets were opened in March 2025?"
    assert whole(tables, first, "and in May?") == "How many tickets were opened in May 2025"


def test_a_follow_up_that_was_declined_is_passed_over(tables):
    first = tables.ask("What is the total hours by team?")
    lost = tables.ask("and the bananas?", history=[first])
    again = tables.ask("and by agent?", history=[first, lost])
    assert again.read_as == "What is the total hours by agent"


def test_why_gives_the_grounds_of_the_last_answer(tables):
    first = tables.ask("How many tickets are open?")
    why = tables.ask("why?", history=[first])
    assert first.sql in why.text
    assert "tickets.csv" in why.text


def test_a_follow_up_that_cannot_be_placed_is_declined_and_never_guessed(tables):
    first = tables.ask("How many tickets are open?")
    answer = tables.ask("and the bananas?", history=[first])
    assert answer.declined
    assert "whole question" in answer.text


def test_nothing_is_built_on_a_declined_answer(tables):
    declined = tables.ask("How many tickets are about bananas?")
    assert declined.declined
    assert tables.ask("and by team?", history=[declined]).declined


def test_history_may_be_texts_pairs_and_mappings(tables):
    for history in (
        ["How many tickets are open?"],
        [("How many tickets are open?", "SELECT 1")],
        [{"question": "How many tickets are open?", "sql": None}],
    ):
        answer = tables.ask("and closed?", history=history)
        assert answer.read_as == "How many tickets are closed"
    with pytest.raises(UsageError):
        tables.ask("and closed?", history=[5])


def test_no_follow_up_turns_a_right_dialogue_wrong():
    dialogues = defaultdict(list)
    for turn in run(DEFAULT):
        dialogues[turn.dialogue].append(turn)
    begun_right = [turns for turns in dialogues.values() if turns[0].outcome == "right"]
    followed = [turn for turns in begun_right for turn in turns[1:]]
    assert [turn for turn in followed if turn.outcome == "wrong"] == []
    assert sum(turn.outcome == "right" for turn in followed) >= 0.8 * len(followed)
