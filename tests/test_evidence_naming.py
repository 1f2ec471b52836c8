"""A model may name evidence and word rows; what a person sees is copied and checked."""

import json

import pytest
from loopback_openai import LoopbackServer

from router import Router
from sql_engine.evidence_naming import Naming, Paragraph, Row, name_evidence
from sql_engine.openai_writer import ChatModel, OpenAIWriter
from sql_engine.result import Result
from sql_engine.wording import holds, word_answer

PIECES = (
    Row("Kilns", (("Kiln", "Big Bertha"), ("Chambers", "4"))),
    Paragraph("Kilns are swept\nevery Friday, never on Monday."),
)


def named(reply, pieces=PIECES):
    with LoopbackServer([reply if isinstance(reply, str) else json.dumps(reply)]) as server:
        found = name_evidence(ChatModel("m", base_url=server.base_url), "When swept?", pieces)
    assert found.usage.calls == 1
    return found.piece, found.column, found.span


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ({"evidence": "E1", "column": "chambers", "span": None}, (0, "Chambers", None)),
        ({"evidence": "E2", "span": "swept every  Friday"}, (1, None, "swept every Friday")),
        ({"evidence": "E2", "span": "swept every Monday"}, (None, None, None)),
        ({"evidence": "E2"}, (None, None, None)),
        ({"evidence": "E1", "column": "Volume"}, (None, None, None)),
        ({"evidence": "E3", "span": "x"}, (None, None, None)),
        ({"evidence": None, "span": "every Friday"}, (None, None, None)),
        ("Every Monday, I believe.", (None, None, None)),
        ("{broken", (None, None, None)),
        ("", (None, None, None)),
    ],
)
def test_only_what_is_in_the_evidence_is_named(reply, expected):
    assert named(reply) == expected


def test_nothing_to_name_costs_nothing():
    assert Naming().usage.calls == 0


PAGE = """# Workshop

Visitors may enter the yard after the bell has rung twice.

| Kiln | Chambers |
| --- | --- |
| Big Bertha | 4 |
| Little Tom | 2 |
"""


def asked(tmp_path, reply, **options):
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    with LoopbackServer([json.dumps(reply)]) as server:
        writer = OpenAIWriter("m", base_url=server.base_url, max_attempts=1, **options)
        with Router(writer=writer) as tables:
            tables.add(tmp_path / "page.md")
            return tables.ask("At what signal can guests come into the yard?"), server


def test_a_question_in_other_words_is_answered_by_the_paragraph_named(tmp_path):
    pieces = [f"E{n}" for n in range(1, 5)]
    answers = {}
    for piece in pieces:
        reply = {"cannot_answer": "no table holds this", "evidence": piece, "span": "rung twice"}
        answer, _ = asked(tmp_path, reply, share="rows")
        answers[piece] = answer.route
        if answer.route == "text":
            assert answer.text.startswith("Visitors may enter")
            assert '"rung twice"' in answer.reason
            assert answer.citations[0].document == "page.md"
    assert "text" in answers.values()
    assert "declined" in answers.values()


def test_the_best_row_is_shown_first_and_the_paragraph_last(tmp_path):
    reply = {"cannot_answer": "no table holds this", "evidence": None}
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    with LoopbackServer([json.dumps(reply)]) as server:
        writer = OpenAIWriter("m", base_url=server.base_url, max_attempts=1, share="rows")
        with Router(writer=writer) as tables:
            tables.add(tmp_path / "page.md")
            tables.ask("May Big Bertha or Little Tom enter the yard after midnight?")
    shown = [line for line in server.prompts()[-1].splitlines() if line.startswith("E")]
    assert [line.split(": ")[0] for line in shown] == ["E1", "E2", "E3"]
    assert ["row of" in line for line in shown] == [True, True, False]


def test_without_leave_no_row_or_paragraph_reaches_the_model(tmp_path):
    answer, server = asked(tmp_path, {"cannot_answer": "no table holds this"})
    assert answer.route == "declined"
    assert not any("rung twice" in prompt for prompt in server.prompts())


RESULT = Result(("maker", "pots"), ("VARCHAR", "BIGINT"), (("Ortega", 1072), ("Brandt", 18)))


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("Ortega made 1,072 pots, Brandt 18.", True),
        ("Both makers are there: 2 of them.", True),
        ("Ortega made 1,073 pots.", False),
        ("Ortega made some thousand pots.", False),
        ("Brandt made eighteen pots.", False),
        ("Ortega made -1,072 pots.", False),
        ("Ortega made 1,072 pots and O'Neill 18.", False),
        ("Lehmann made 1,072 pots.", False),
        ("Together they made 1090.", False),
        ("Of the 3 kilns asked for, Ortega's made most.", True),
    ],
)
def test_figures_in_words_are_those_of_the_rows(text, held):
    assert holds(text, "Which of the 3 kilns made most?", RESULT) is held
    with LoopbackServer([text]) as server:
        chat = ChatModel("m", base_url=server.base_url)
        worded, usage = word_answer(chat, "Which of the 3 kilns made most?", RESULT)
    assert worded == (text if held else None)
    assert usage.calls == 1


def test_an_answer_is_worded_only_where_that_is_wanted_and_the_holds(tmp_path):
    (tmp_path / "t.csv").write_text("maker,pots\nOrtega,30\nBrandt,12\n", encoding="utf-8")
    sql = json.dumps({"sql": "SELECT SUM(pots) FROM t"})
    for reply, text in (("All in all 42 pots.", "All in all 42 pots."), ("Some 50.", "42")):
        with LoopbackServer([sql, reply]) as server:
            writer = OpenAIWriter("m", base_url=server.base_url, share="rows", words_answers=True)
            with Router(writer=writer) as tables:
                tables.add(tmp_path / "t.csv")
                answer = tables.ask("How many pots were there in total?", route="sql")
        assert (answer.text, answer.value, answer.usage.calls) == (text, 42, 2)
