"""A model may part a question, and choose the route where that is in doubt; no more than that."""

from __future__ import annotations

import json

import pytest
from loopback_openai import LoopbackServer

from router import Route, Router
from sql_engine.errors import BudgetExceeded
from sql_engine.openai_writer import ChatModel, OpenAIWriter
from sql_engine.route_choice import choose_route
from sql_engine.splitting import asks_twice, split_question

PAGE = """# Yard rules

Visitors may enter the yard after the bell has rung twice.
"""
KILNS = "kiln,chambers\nBig Bertha,4\nLittle Tom,2\nOld Ned,5\n"
BOTH = "When may visitors enter the yard, and how many kilns have more than 3 chambers?"
PARTS = [
    "When may visitors enter the yard?",
    "How many kilns have more than 3 chambers?",
]
COUNT = "SELECT COUNT(*) FROM kilns WHERE chambers > 3"


def asked(tmp_path, question, *replies, **options):
    (tmp_path / "rules.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "kilns.csv").write_text(KILNS, encoding="utf-8")
    with LoopbackServer([r if isinstance(r, str) else json.dumps(r) for r in replies]) as server:
        writer = OpenAIWriter("m", base_url=server.base_url, max_attempts=1, **options)
        with Router(writer=writer) as tables:
            tables.add(tmp_path)
            return tables.ask(question), server


def test_a_question_of_prose_and_rows_is_answered_part_by_part(tmp_path):
    answer, server = asked(tmp_path, BOTH, {"questions": PARTS}, COUNT, splits_questions=True)
    assert [(part.question, part.route) for part in answer.parts] == [
        (PARTS[0], Route.TEXT),
        (PARTS[1], Route.SQL),
    ]
    assert answer.parts[1].value == 2
    assert "rung twice" in answer.text
    assert answer.value is None
    assert answer.usage.calls == len(server.requests) == 2
    assert [part["question"] for part in answer.to_dict()["parts"]] == PARTS


def test_the_ceiling_of_a_question_counts_every_call_of_it_and_of_no_other(tmp_path):
    (tmp_path / "kilns.csv").write_text(KILNS, encoding="utf-8")
    with LoopbackServer([json.dumps({"questions": PARTS}), COUNT]) as server:
        ceilings = {"splits_questions": True, "max_question_calls": 1}
        writer = OpenAIWriter("m", base_url=server.base_url, **ceilings)
        with Router(writer=writer) as tables:
            tables.add(tmp_path / "kilns.csv")
            with pytest.raises(BudgetExceeded, match="1 model calls a question") as stopped:
                tables.ask(BOTH)
            assert "max_question_calls" in stopped.value.hint
            assert tables.ask(PARTS[1]).value == 2
    assert len(server.requests) == 2


def test_a_part_without_an_answer_is_told(tmp_path):
    nothing = {"sql": None, "reading": None, "cannot_answer": "no table holds this"}
    asked_for = "When may visitors enter the yard, and what is the price of a goose?"
    parts = ["When may visitors enter the yard?", "What is the price of a goose?"]
    answer, _ = asked(tmp_path, asked_for, {"questions": parts}, nothing, splits_questions=True)
    assert answer.route is Route.TEXT
    assert 'not answered: "What is the price of a goose?"' in answer.warnings


@pytest.mark.parametrize(
    "parts",
    [
        [BOTH],
        [],
        PARTS * 3,
        [PARTS[0], "How many kilns have more than 4 chambers?"],
        [PARTS[0], "How many kilns are there?"],
        [PARTS[0], "How many kilns of Ortega have more than 3 chambers?"],
        [*PARTS, ""],
        "twice",
        {"a": 1},
    ],
)
def test_parts_that_add_or_leave_out_something_are_not_taken(parts):
    with LoopbackServer([json.dumps({"questions": parts})]) as server:
        found, usage = split_question(ChatModel("m", base_url=server.base_url), BOTH, ["table a"])
    assert found == ((*PARTS,) if parts == PARTS * 3 else ())
    assert usage.calls == 1


def test_without_leave_and_for_one_question_no_call_is_spent(tmp_path):
    _, server = asked(tmp_path, BOTH, COUNT)
    assert not any("Reply with a JSON object. `questions`" in p for p in server.prompts())
    _, server = asked(tmp_path, "How many kilns have 4 chambers?", COUNT, splits_questions=True)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("question", "twice"),
    [
        (BOTH, True),
        ("What is the fee? Who pays it?", True),
        ("Total fuel and number of pots by maker", False),
        ("Which makers have more than 2 and fewer than 5 chambers?", False),
    ],
)
def test_a_question_that_asks_twice_is_seen(question, twice):
    assert asks_twice(question) is twice


ROUTES = {"text": "a paragraph", "sql": "computed"}


@pytest.mark.parametrize(
    ("reply", "named"),
    [
        ('{"route": "text"}', "text"),
        ('```json\n{"route": "sql"}\n```', "sql"),
        ("text", "text"),
        ('{"route": "row"}', None),
        ("I think so", None),
        ("{broken", None),
    ],
)
def test_the_model_chooses_among_the_routes_in_doubt_alone(reply, named):
    with LoopbackServer([reply]) as server:
        found, usage = choose_route(ChatModel("m", base_url=server.base_url), "?", ROUTES, [])
    assert (found, usage.calls) == (named, 1)


def test_a_route_in_doubt_is_put_to_the_model_and_a_sure_one_is_not(tmp_path):
    doubtful = "At what signal can guests come into the yard?"
    answer, server = asked(tmp_path, doubtful, {"route": "text"}, COUNT, decides_routes=True)
    assert "Which kind of source" in server.prompts()[0]
    assert answer.usage.calls == len(server.requests)
    _, server = asked(tmp_path, "How many chambers has Big Bertha?", COUNT, decides_routes=True)
    assert not any("Which kind of source" in prompt for prompt in server.prompts())
