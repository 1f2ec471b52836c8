"""A router whose SQL a language model writes: the official client against a server on loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import openai
import pytest

from router import Route, Router
from sql_engine.errors import AttemptsExhausted, LimitExceeded, Refused
from sql_engine.openai_writer import OpenAIWriter
from sql_engine.writer import ScriptedWriter
from tests.loopback_openai import LoopbackServer, Message

STAFF = "staff_id,name,dept_id,wage\n1,Kai,10,300\n2,Lin,20,420\n3,Moe,10,380\n"
DEPTS = "dept_id,dept\n10,Ops\n20,Law\n"
BY_DEPT = "SELECT COUNT(*) FROM staff s JOIN depts d ON s.dept_id = d.dept_id WHERE d.dept = 'Ops'"


@contextmanager
def asking(tmp_path, *replies) -> Iterator[tuple[Router, LoopbackServer]]:
    (tmp_path / "staff.csv").write_text(STAFF, encoding="utf-8")
    (tmp_path / "depts.csv").write_text(DEPTS, encoding="utf-8")
    with LoopbackServer(replies) as server:
        client = openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0)
        with client, Router(writer="openai", client=client, model="scripted") as tables:
            tables.add(tmp_path)
            yield tables, server


def test_right_sql_at_once_is_the_answer(tmp_path):
    with asking(tmp_path, "SELECT SUM(wage) FROM staff") as (tables, server):
        answer = tables.ask("What is the total wage?")
    assert (answer.route, answer.value, len(server.requests)) == (Route.SQL, 1100, 1)


def test_a_count_over_a_join_is_corrected_from_the_message_and_answered(tmp_path):
    replies = "SELECT COUNT(*) FROM staff WHERE dept = 'Ops'", BY_DEPT
    with asking(tmp_path, *replies) as (tables, server):
        answer = tables.ask("How many staff are in Ops?")
    assert (answer.route, answer.value) == (Route.SQL, 2)
    assert [attempt.sql for attempt in answer.attempts] == list(replies)
    assert "dept" in str(server.requests[1]["messages"])


def test_a_model_may_name_a_column_by_another_word(tmp_path):
    with asking(tmp_path, "SELECT wage FROM staff WHERE name = 'Lin'") as (tables, _):
        assert tables.ask("How much does Lin earn?").value == 420


def test_three_bad_replies_are_a_failure_that_carries_each(tmp_path):
    replies = "SELECT pay FROM staff", "SELECT salary FROM staff", "SELECT wages FROM staff"
    with asking(tmp_path, *replies) as (tables, _), pytest.raises(AttemptsExhausted) as failed:
        tables.ask("What is the total wage?")
    assert [attempt.sql for attempt in failed.value.attempts] == list(replies)


@pytest.mark.parametrize(
    "reply",
    [
        "```sql\nSELECT SUM(wage) FROM staff;\n```",
        "The total is this:\n\nSELECT SUM(wage) FROM staff;\n\nIt adds every wage. Answer: 7",
        "SELECT 7; SELECT SUM(wage) FROM staff",
    ],
    ids=["fences", "prose", "two statements"],
)
def test_sql_is_found_in_what_models_really_write(tmp_path, reply):
    with asking(tmp_path, reply, "SELECT SUM(wage) FROM staff") as (tables, _):
        assert tables.ask("What is the total wage?").value == 1100


def test_drafts_without_a_majority_are_readings_to_choose_from(tmp_path):
    drafts = [f"SELECT {what}(wage) FROM staff" for what in ("sum", "sum", "avg", "max", "min")]
    (tmp_path / "staff.csv").write_text(STAFF, encoding="utf-8")
    with LoopbackServer([Message(drafts[0], choices=tuple(drafts[1:]))]) as server:
        writer = OpenAIWriter("m", base_url=server.base_url, candidates=5)
        with Router(writer=writer) as tables:
            tables.add(tmp_path)
            answer = tables.ask("How high are the wages in total?")
    assert (answer.route, answer.value, answer.usage.calls) == (Route.DECLINED, None, 1)
    assert answer.alternatives[0].value == 1100
    assert len(answer.alternatives) == 4
    assert "SELECT sum(wage) FROM staff, in 2 of 5 drafts" in answer.text


def test_what_a_declining_model_cost_is_told(tmp_path):
    reply = json.dumps({"sql": None, "cannot_answer": "no such data"})
    with asking(tmp_path, reply) as (tables, _):
        answer = tables.ask("Which of them won the race?")
    assert (answer.route, answer.usage.calls) == (Route.DECLINED, 1)


def test_a_write_is_refused_and_not_tried_again(tmp_path):
    with asking(tmp_path, "DELETE FROM staff") as (tables, server):
        with pytest.raises(Refused):
            tables.ask("Delete all staff with a wage above 300, how many are left?")
        assert len(server.requests) == 1
        assert tables.sql("SELECT COUNT(*) FROM staff").rows == ((3,),)


def test_a_table_of_the_same_shape_that_answers_otherwise_is_told(tmp_path):
    for kind, amount in (("tram", 50), ("ferry", 5)):
        text = f"city,fare\nOslo,{amount}\nBergen,1\n"
        (tmp_path / f"{kind}_rides.csv").write_text(text, encoding="utf-8")
    with LoopbackServer(["SELECT SUM(r.fare) FROM ferry_rides r WHERE city = 'Oslo'"]) as server:
        client = openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0)
        with client, Router(writer="openai", client=client, model="scripted") as tables:
            tables.add(tmp_path)
            answer = tables.ask("What is the total fare in Oslo?")
            by_ferry = tables.ask("What is the total fare of ferry rides in Oslo?")
    assert answer.value == 5
    assert any('"tram_rides" has the same columns' in warning for warning in answer.warnings)
    assert [reading.value for reading in answer.alternatives] == [50]
    assert not by_ferry.alternatives


def test_cancelling_a_question_stops_its_query_and_leaves_the_router_free():
    endless = "SELECT COUNT(*) FROM steps a, steps b, steps c, steps d WHERE a.n + b.n < c.n * d.n"
    writer = ScriptedWriter([endless, "SELECT MAX(n) FROM steps"])

    async def cancelled(tables):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(tables.ask_async("How many steps have a sum?"), 0.5)
        return await asyncio.wait_for(tables.ask_async("What is the highest step?"), 15)

    with Router(writer=writer, timeout_s=20) as tables:
        tables.add([{"n": n, "half": n / 2} for n in range(2_000)], name="steps")
        assert asyncio.run(cancelled(tables)).value == 1999
    assert len(writer.requests) == 2


def test_a_query_without_an_end_is_an_error_of_its_time_limit():
    endless = "SELECT COUNT(*) FROM steps a, steps b, steps c, steps d WHERE a.n + b.n < c.n * d.n"
    with Router(writer=ScriptedWriter([endless]), timeout_s=0.3) as tables:
        tables.add([{"n": n, "half": n / 2} for n in range(2_000)], name="steps")
        with pytest.raises(LimitExceeded, match="took longer"):
            tables.ask("How many steps have a sum?")


def test_rows_of_a_name_that_is_run_together_are_what_its_last_word_says(tmp_path):
    visits = "port,visit,berthed\nGenoa,Aster,yes\nGenoa,Briar,no\nPula,Aster,yes\n"
    (tmp_path / "portvisit.csv").write_text(visits, encoding="utf-8")
    reply = "SELECT COUNT(*) FROM portvisit WHERE port = 'Genoa'"
    with Router(writer=ScriptedWriter([reply])) as tables:
        tables.add(tmp_path / "portvisit.csv")
        answer = tables.ask("How many visits does Genoa have?")
    assert (answer.value, answer.warnings, answer.confidence) == (2, (), 1.0)


BROKEN = (
    "SELECT wage FROM staf",
    "SELECT name + wage FROM staff",
    "SELECT SUM(wage) FROM staff WHERE name = 'Kay'",
)


@pytest.mark.parametrize("question", ["What is the wage of Kay?", "What do the rules say of Lynn?"])
def test_with_schema_alone_no_cell_and_no_paragraph_reaches_the_model(tmp_path, question):
    (tmp_path / "staff.csv").write_text(STAFF, encoding="utf-8")
    (tmp_path / "rules.md").write_text("# House rules\n\nMoe feeds the heron.\n", encoding="utf-8")
    leave = dict.fromkeys(("decides_routes", "splits_questions"), True)
    with LoopbackServer(BROKEN * 3) as server:
        writer = OpenAIWriter("m", base_url=server.base_url, share="schema", **leave)
        with Router(writer=writer) as tables, suppress(AttemptsExhausted):
            tables.add(tmp_path)
            tables.ask(question)
    sent = json.dumps([request["messages"] for request in server.requests])
    assert len(server.requests) > 2
    assert "wage" in sent
    assert not [cell for cell in ("Kai", "Lin", "Moe", "420", "380", "heron") if cell in sent]
