"""The examples run against a scripted server that speaks the real protocol."""

import asyncio
import itertools
import json
from pathlib import Path

import pytest
from openai import AsyncOpenAI, OpenAI

from examples import openai_tools
from router import Router
from tests.loopback_openai import LoopbackServer, Raw

_IDS = itertools.count(1)
SAMPLES = Path(__file__).parent.parent / "sample_tables"


def calls(name, arguments):
    """A completion that calls one tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"call-{next(_IDS)}", "type": "function", "function": function}],
    }
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    return Raw(json.dumps({**head, "choices": [choice], "usage": usage}).encode())


REPLIES = [
    calls("run_sql", {"sql": "SELECT sum(sold) AS sold FROM sales", "max_rows": None}),
    calls("ask_tables", {"question": "What is the weight of Oslo?", "reading": None}),
    calls("run_sql", {"sql": "SELECT sum(solds) FROM sales", "max_rows": 5}),
    calls("describe_table", {"table": "sale"}),
    "13 sold.",
]
"""A model that computes, asks what the tables do not hold, and makes two mistakes."""


@pytest.fixture
def tables():
    with Router(writer="offline") as loaded:
        loaded.add([{"city": "Oslo", "sold": 4}, {"city": "Rome", "sold": 9}], name="sales")
        yield loaded


@pytest.fixture
def server():
    with LoopbackServer(REPLIES) as scripted:
        yield scripted


def check_what_the_model_saw(server, tables):
    """It was sent every definition, and the results of its calls, mistakes with their remedy."""
    last = server.requests[-1]
    sent = {tool["function"]["name"]: tool["function"] for tool in last["tools"]}
    for definition in tables.tools():
        function = definition["function"]
        assert sent[function["name"]]["description"] == function["description"]
        assert set(sent[function["name"]]["parameters"]["properties"]) == set(
            function["parameters"]["properties"]
        )
    results = [json.loads(m["content"]) for m in last["messages"] if m["role"] == "tool"]
    assert results[0]["rows"] == [[13]]
    assert results[1]["route"] == "declined"
    assert "sales has city, sold" in results[2]["error"]["hint"]
    assert "Did you mean sales?" in results[3]["error"]["hint"]


def test_the_openai_tool_loop_passes_definitions_and_results(tables, server):
    with OpenAI(api_key="none", base_url=server.base_url, max_retries=0) as client:
        assert openai_tools.answer(client, tables, "How many were sold?") == "13 sold."
    check_what_the_model_saw(server, tables)


def test_the_openai_agents_sdk_runs_the_tools(tables, server):
    pytest.importorskip("agents")
    from examples import openai_agents

    async def ask():
        async with AsyncOpenAI(api_key="none", base_url=server.base_url, max_retries=0) as client:
            return await openai_agents.answer(client, tables, "How many were sold?")

    assert asyncio.run(ask()) == "13 sold."
    check_what_the_model_saw(server, tables)


def test_a_langchain_agent_runs_the_tools(tables, server):
    pytest.importorskip("langchain_openai")
    from langchain_openai import ChatOpenAI

    from examples import langchain_agent

    model = ChatOpenAI(
        model="m", api_key="none", base_url=server.base_url, max_retries=0, use_responses_api=False
    )
    assert langchain_agent.answer(model, tables, "How many were sold?") == "13 sold."
    check_what_the_model_saw(server, tables)


def test_an_mcp_client_asks_a_server_that_it_starts():
    pytest.importorskip("mcp")
    from examples import mcp_client

    asked = asyncio.run(mcp_client.answer("How many orders were returned?", str(SAMPLES)))
    assert asked["value"] == 293
