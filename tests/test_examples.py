"""The examples run against a scripted server that speaks the real protocol."""

import json

from openai import OpenAI

from examples import openai_tools
from router import Router
from tests.loopback_openai import LoopbackServer, Raw


def calls(name, arguments):
    """A completion that calls one tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call-1", "type": "function", "function": function}],
    }
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    return Raw(json.dumps({**head, "choices": [choice]}).encode())


def test_the_openai_tool_loop_passes_definitions_and_results():
    replies = [
        calls("run_sql", {"sql": "SELECT sum(sold) AS sold FROM sales", "max_rows": None}),
        calls("ask_tables", {"question": "What is the weight of Oslo?"}),
        "13 sold.",
    ]
    with Router(writer="offline") as tables, LoopbackServer(replies) as server:
        tables.add([{"city": "Oslo", "sold": 4}, {"city": "Rome", "sold": 9}], name="sales")
        with OpenAI(api_key="none", base_url=server.base_url, max_retries=0) as client:
            assert openai_tools.answer(client, tables, "How many were sold?") == "13 sold."
        last = server.requests[-1]
    assert [tool["function"]["name"] for tool in last["tools"]] == [
        tool["function"]["name"] for tool in tables.tools()
    ]
    results = [json.loads(m["content"]) for m in last["messages"] if m["role"] == "tool"]
    assert results[0]["rows"] == [[13]]
    assert results[1]["route"] == "declined"
