"""The OpenAI writer against a server on loopback that speaks the real protocol."""

import asyncio
import json
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from llm_world import request
from loopback_openai import Cut, Failure, LoopbackServer, Message, Raw, Trickle

from sql_engine.errors import (
    BudgetExceeded,
    CannotWrite,
    EmptyReply,
    ModelRefused,
    ModelServerError,
    ModelTimeout,
    ModelUnreachable,
    NoSqlInReply,
    RateLimited,
    ReplyTruncated,
    RequestRejected,
)
from sql_engine.openai_writer import OpenAIWriter
from sql_engine.writer import Usage

COUNT = "SELECT COUNT(*) FROM firings"
AT_ONCE = (("retry-after-ms", "1"),)


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "TABROUTE_MODEL"):
        monkeypatch.delenv(name, raising=False)


def writer(server, **options):
    return OpenAIWriter("test-model", base_url=server.base_url, **options)


def drafted(*replies, **options):
    with LoopbackServer(replies) as server:
        return writer(server, **options).write(request("How many firings?"))


def test_the_sql_of_the_reply_is_the_draft_with_its_cost():
    draft = drafted(f"Sure!\n```sql\n{COUNT};\n```\nThe answer is 42.")
    assert draft.sql == COUNT
    assert draft.usage == Usage(calls=1, prompt_tokens=100, completion_tokens=20)


def test_the_request_names_the_model_and_tells_the_tables():
    with LoopbackServer([COUNT]) as server:
        writer(server, max_reply_tokens=77).write(request("How many firings?"))
    (sent,) = server.requests
    assert sent["model"] == "test-model"
    assert sent["max_completion_tokens"] == 77
    assert '"firings"' in server.prompts()[0]
    assert "Question: How many firings?" in server.prompts()[0]


def test_the_address_comes_from_the_environment(monkeypatch):
    with LoopbackServer([COUNT]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert OpenAIWriter("m").write(request("How many firings?")).sql == COUNT


def test_a_rate_limit_is_waited_out_as_the_server_asks():
    assert drafted(Failure(429, AT_ONCE), Failure(429, (("retry-after", "0.01"),)), COUNT).sql


def test_a_server_error_is_tried_again():
    assert drafted(Failure(500, AT_ONCE), COUNT).sql == COUNT


FAILURES = {
    "rate limit": (Failure(429, (("retry-after", "7"),)), RateLimited),
    "server error": (Failure(500), ModelServerError),
    "wrong key": (Failure(401), RequestRejected),
    "no such model": (Failure(404), RequestRejected),
    "bad parameter": (Failure(400), RequestRejected),
    "slow reply": (Message(COUNT, delay_s=5), ModelTimeout),
    "cut connection": (Cut(), ModelUnreachable),
    "malformed JSON": (Raw(b'{"choices": [{'), ModelServerError),
    "not JSON": (Raw(b"<html>gateway</html>"), ModelServerError),
    "JSON of another shape": (Raw(b'{"hello": 1}'), ModelServerError),
    "no choices": (Raw(b'{"choices": []}'), ModelServerError),
    "cut at the length limit": (Message("SELECT COUNT(", "length"), ReplyTruncated),
    "refusal": (Message(None, refusal="I cannot help with that"), ModelRefused),
    "content filter": (Message("", "content_filter"), ModelRefused),
    "empty": (Message(""), EmptyReply),
    "no content": (Message(None), EmptyReply),
    "no SQL": (Message("I do not know."), NoSqlInReply),
    "says that it cannot": (Message("CANNOT ANSWER: no prices"), CannotWrite),
}


@pytest.mark.parametrize(("reply", "error"), FAILURES.values(), ids=FAILURES.keys())
def test_each_failure_has_its_own_error(reply, error):
    with pytest.raises(error) as raised:
        drafted(reply, timeout_s=0.5, max_retries=0)
    assert type(raised.value) is error
    assert str(raised.value)


def test_a_rate_limit_says_how_long_to_wait():
    with pytest.raises(RateLimited) as raised:
        drafted(FAILURES["rate limit"][0], max_retries=0)
    assert raised.value.retry_after_s == 7.0
    assert "7 s" in raised.value.hint


def test_a_reply_that_trickles_in_ends_at_the_time_limit():
    started = time.monotonic()
    with pytest.raises(ModelTimeout):
        drafted(Trickle(), timeout_s=0.4, max_retries=0)
    assert time.monotonic() - started < 5


def test_no_server_is_an_error_that_says_where_to_look():
    lost = OpenAIWriter("m", base_url="http://127.0.0.1:9/v1", max_retries=0)
    with pytest.raises(ModelUnreachable) as raised:
        lost.write(request("How many firings?"))
    assert "base URL" in raised.value.hint


def test_without_key_and_server_nothing_is_sent():
    with pytest.raises(RequestRejected, match="no key"):
        OpenAIWriter("m").write(request("How many firings?"))


def test_any_object_with_the_clients_one_method_serves_as_client():
    choice = SimpleNamespace(message=SimpleNamespace(content=COUNT), finish_reason="stop")
    completions = SimpleNamespace(create=lambda **_: SimpleNamespace(choices=[choice], usage=None))
    client = SimpleNamespace(chat=SimpleNamespace(completions=completions))
    assert OpenAIWriter("m", client).write(request("How many firings?")).sql == COUNT


def test_the_client_is_imported_with_the_first_draft_only():
    code = (
        "import sys; from sql_engine.openai_writer import OpenAIWriter; OpenAIWriter();"
        "print('openai' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# JSON replies, streaming, several candidates, cache, ceilings


def test_a_server_with_json_schema_is_asked_for_json():
    with LoopbackServer([f'{{"reading": "counts", "sql": "{COUNT}", "cannot_answer": null}}']) as s:
        assert writer(s).write(request("How many firings?")).sql == COUNT
    (sent,) = s.requests
    assert sent["response_format"]["json_schema"]["schema"]["required"] == [
        "reading",
        "sql",
        "cannot_answer",
    ]


def test_a_server_without_json_schema_is_asked_plainly_from_then_on():
    with LoopbackServer([f"```sql\n{COUNT}\n```"], json_schema=False) as server:
        asking = writer(server)
        assert asking.write(request("How many firings?")).sql == COUNT
        assert asking.write(request("How many firings?")).sql == COUNT
    first, second, third = server.requests
    assert "response_format" in first
    assert "response_format" not in second
    assert set(third) == {"model", "messages", "max_tokens"}
    assert "```sql" in third["messages"][0]["content"]


def test_a_server_that_fails_inside_over_a_parameter_is_asked_without_it():
    with LoopbackServer([COUNT], json_schema=False, rejects_with=500) as server:
        asking = writer(server, max_retries=0)
        assert asking.write(request("How many firings?")).sql == COUNT
    assert "response_format" not in server.requests[-1]


def test_a_traceback_of_the_server_is_cut_short():
    with pytest.raises(ModelServerError) as caught:
        drafted(Failure(500, message="boom\n" + 'File "x.py"\n' * 500), max_retries=0)
    assert len(str(caught.value)) < 500
    assert "\n" not in str(caught.value)


def test_a_reply_is_shown_as_it_arrives():
    pieces = []
    with LoopbackServer([f"```sql\n{COUNT}\n```"]) as server:
        draft = writer(server, on_text=pieces.append).write(request("How many firings?"))
    assert draft.sql == COUNT
    assert draft.usage == Usage(1, 100, 20)
    assert len(pieces) > 2
    assert "".join(pieces) == f"```sql\n{COUNT}\n```"
    assert server.requests[0]["stream"] is True


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Message("SELECT COUNT(", "length"), ReplyTruncated),
        (Message("", refusal="no"), ModelRefused),
        (Message(COUNT, finish_reason=None), ModelServerError),
        (Failure(500), ModelServerError),
    ],
)
def test_a_stream_fails_with_the_same_errors(reply, error):
    with pytest.raises(error):
        drafted(reply, on_text=lambda _: None, max_retries=0)


def test_several_candidates_come_in_one_call():
    with LoopbackServer([Message(COUNT, choices=(COUNT.lower(), "no idea", "SELECT 1"))]) as server:
        draft = writer(server, candidates=4).write(request("How many firings?"))
    assert server.requests[0]["n"] == 4
    assert draft.candidates == (COUNT, COUNT.lower(), "SELECT 1")
    assert (draft.replies, draft.declining) == (4, ())


def test_candidates_that_decline_are_kept_beside_the_drafts():
    none = json.dumps({"sql": None, "cannot_answer": "no firing is dated"})
    with LoopbackServer([Message(COUNT, choices=(none,))]) as server:
        draft = writer(server, candidates=2).write(request("How many firings?"))
    assert (draft.candidates, draft.replies) == ((COUNT,), 2)
    assert "no firing is dated" in draft.declining[0]


def test_a_cached_reply_costs_nothing_and_is_found_by_the_whole_request(tmp_path):
    with LoopbackServer([COUNT, "SELECT 2"]) as server:
        asking = writer(server, cache=tmp_path / "replies")
        assert asking.write(request("How many firings?")).usage.calls == 1
        again = asking.write(request("How many firings?"))
        assert (again.sql, again.usage) == (COUNT, Usage())
        assert asking.write(request("How many firings now?")).sql == "SELECT 2"
    assert len(server.requests) == 2


def test_a_damaged_cache_file_is_asked_again(tmp_path):
    with LoopbackServer([COUNT]) as server:
        asking = writer(server, cache=tmp_path)
        asking.write(request("How many firings?"))
        for path in tmp_path.iterdir():
            path.write_text("{", encoding="utf-8")
        assert asking.write(request("How many firings?")).usage.calls == 1


def test_ceilings_of_a_session_and_of_a_question_stop_before_anything_is_sent():
    with LoopbackServer([COUNT]) as server:
        one_call = writer(server, max_session_calls=1)
        one_call.write(request("How many firings?"))
        with pytest.raises(BudgetExceeded, match="1 model calls a session"):
            one_call.write(request("How many firings?"))
        with pytest.raises(BudgetExceeded, match="500 tokens"):
            writer(server, max_session_tokens=500).write(request("How many firings?"))
        with pytest.raises(BudgetExceeded, match="200 tokens a question"):
            writer(server, max_question_tokens=200).write(request("How many firings?"))
    assert len(server.requests) == 1


def test_a_draft_may_be_awaited():
    with LoopbackServer([COUNT]) as server:
        draft = asyncio.run(writer(server).write_async(request("How many firings?")))
    assert draft.sql == COUNT


def test_drafts_are_awaited_together_and_counted():
    async def several(asking):
        one = request("How many firings?")
        return await asyncio.gather(*(asking.write_async(one) for _ in range(3)))

    with LoopbackServer([COUNT], json_schema=False) as server:
        asking = writer(server)
        drafts = asyncio.run(several(asking))
        assert asyncio.run(asking.write_async(request("How many firings?"))).sql == COUNT
    assert {draft.sql for draft in drafts} == {COUNT}
    assert asking.chat.usage.calls == 4
    assert "response_format" not in server.requests[-1]


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Failure(500), ModelServerError),
        (Failure(401), RequestRejected),
        (Message(None, finish_reason="length"), ReplyTruncated),
        (Message("no"), NoSqlInReply),
        (Trickle(), ModelTimeout),
        (Cut(), ModelUnreachable),
    ],
)
def test_an_awaited_draft_fails_with_the_same_errors(reply, error):
    with LoopbackServer([reply]) as server:
        asking = writer(server, max_retries=0, timeout_s=0.3)
        with pytest.raises(error):
            asyncio.run(asking.write_async(request("How many firings?")))


def test_a_cancelled_draft_ends_its_request():
    async def cancelled(asking):
        await asyncio.wait_for(asking.write_async(request("How many firings?")), 0.2)

    with LoopbackServer([Trickle()]) as server, pytest.raises(TimeoutError):
        asyncio.run(cancelled(writer(server, max_retries=0)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"share": "all"},
        {"share": "Schema"},
        {"candidates": 0},
        {"max_attempts": 0},
        {"words_answers": True},
    ],
)
def test_a_setting_that_says_nothing_is_an_error(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        OpenAIWriter("m", **wrong)
