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
