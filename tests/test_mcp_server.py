"""The MCP server as a client meets it, through the official client: in process, stdio and HTTP."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from mcp import Client, MCPError, StdioServerParameters

from router import Router, mcp_server
from router.loading import Loading

ROOT = Path(__file__).parent.parent
CITIES = "city,n\nĐà Nẵng,5\nMünchen,7\n上海,9\n"
HEAVY = "SELECT count(*) FROM range(100000) a, range(100000) b WHERE (a.range * b.range) % 7 = 1"
LOUD = """import os, sys

class Loud:
    def find_spec(self, name, *rest):
        if name.startswith("retrieval.readers."):
            print("a library prints"); os.write(1, b"so does its C code\\n")

sys.meta_path.insert(0, Loud())
"""
"""A module that prints whenever a reader is imported, in Python and past it."""
ENVIRONMENT = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("mcp")
    (path / "cities.csv").write_text(CITIES, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def tables(folder):
    with Router(writer="offline", timeout_s=3) as loaded:
        loaded.add(folder)
        yield loaded


class Beats:
    """Keeps the progress that a client is told."""

    def __init__(self):
        self.shares, self.messages = [], []

    async def __call__(self, progress, total, message):
        self.shares.append(progress)
        self.messages.append(message)


async def everything(client):
    """One call of each kind."""
    tools = (await client.list_tools()).tools
    asked = await client.call_tool("ask_tables", {"question": "What is the total n?"})
    wrong = await client.call_tool("run_sql", {"sql": "SELECT m FROM cities"})
    found = await client.call_tool("search_rows", {"query": "Đà Nẵng"})
    resources = (await client.list_resources()).resources
    described = await client.read_resource(resources[0].uri)
    prompts = (await client.list_prompts()).prompts
    beats = Beats()
    heavy = await client.call_tool("run_sql", {"sql": HEAVY}, progress_callback=beats)
    assert heavy.structured_content["error"]["code"] == "limit_exceeded"
    assert any("running" in message for message in beats.messages)
    return tools, asked, wrong, found, resources, described, prompts


def check_everything(seen):
    tools, asked, wrong, found, resources, described, prompts = seen
    assert [tool.name for tool in tools][:3] == ["ask_tables", "search_rows", "run_sql"]
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert (asked.is_error, asked.structured_content["value"]) == (False, 21)
    assert json.loads(asked.content[0].text) == asked.structured_content
    assert wrong.is_error
    assert "cities has city, n" in wrong.structured_content["error"]["hint"]
    assert found.structured_content["hits"][0]["cells"]["n"] == "5"
    assert [str(resource.uri) for resource in resources] == ["tabroute://table/cities"]
    assert json.loads(described.contents[0].text)["rows"] == 3
    assert [prompt.name for prompt in prompts] == ["ask_the_tables"]


def test_tools_resources_and_prompts_in_process(tables):
    async def talk():
        async with Client(mcp_server.server(tables)) as client:
            return await everything(client)

    check_everything(asyncio.run(talk()))


def test_the_prompt_names_the_tables_and_unknown_resources_are_errors(tables):
    async def talk():
        async with Client(mcp_server.server(tables)) as client:
            prompt = await client.get_prompt("ask_the_tables", {"question": "Largest n?"})
            with pytest.raises(MCPError, match="no table"):
                await client.read_resource("tabroute://table/nothing")
            with pytest.raises(MCPError, match="question"):
                await client.get_prompt("ask_the_tables", {})
            return prompt

    text = asyncio.run(talk()).messages[0].content.text
    assert "Largest n?" in text
    assert "cities" in text


def test_over_stdio_with_the_official_client_and_a_foreign_locale(folder):
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "router", "mcp", str(folder), "-w", "offline", "--timeout", "3"],
        env=ENVIRONMENT,
    )

    async def talk():
        async with Client(server) as client:
            return await everything(client)

    check_everything(asyncio.run(talk()))


def test_over_http_on_loopback(folder):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "router",
        "mcp",
        str(folder),
        "-w",
        "offline",
        "--timeout",
        "3",
    ]
    process = subprocess.Popen(
        [*command, "--http", "--port", str(port)],
        env={**os.environ, **ENVIRONMENT},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    async def talk():
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            return await everything(client)

    try:
        wait_for_port(port)
        check_everything(asyncio.run(talk()))
    finally:
        process.terminate()
        process.wait(timeout=20)


class SlowRouter(Router):
    """Loads when it is let."""

    def __init__(self):
        super().__init__(writer="offline")
        self.let = threading.Event()

    def add(self, source, *, progress, **others):
        progress(0.4, "reading cities.csv")
        self.let.wait(60)
        return super().add(source, progress=progress, **others)


def test_a_client_is_greeted_while_tables_load_and_hears_how_far_they_are(folder):
    async def talk(tables, loading):
        async with Client(mcp_server.server(tables, loading)) as client:
            assert len((await client.list_tools()).tools) == 6
            assert not loading.done.is_set()
            beats = Beats()

            async def heard(progress, total, message):
                await beats(progress, total, message)
                tables.let.set()

            asked = await client.call_tool("list_tables", {}, progress_callback=heard)
            return asked, beats

    with SlowRouter() as tables:
        loading = Loading(tables, [str(folder)])
        loading.start()
        asked, beats = asyncio.run(talk(tables, loading))
    assert asked.structured_content["total"] == 1
    assert (beats.shares[0], beats.messages[0]) == (0.4, "reading cities.csv")


def test_a_source_that_cannot_be_read_is_told_by_every_call(tmp_path):
    (tmp_path / "empty.csv").write_text("")

    async def talk(tables, loading):
        async with Client(mcp_server.server(tables, loading)) as client:
            return await client.call_tool("list_tables", {})

    with Router(writer="offline") as tables:
        loading = Loading(tables, [str(tmp_path / "empty.csv")])
        loading.start()
        result = asyncio.run(talk(tables, loading))
    assert result.is_error
    assert "empty" in result.structured_content["error"]["message"]


def test_a_server_of_a_path_that_is_not_there_tells_so_in_its_first_reply(tmp_path):
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "router", "mcp", str(tmp_path / "absent.csv"), "-w", "offline"],
        env=ENVIRONMENT,
    )

    async def talk():
        async with Client(server) as client:
            return await client.call_tool("list_tables", {})

    result = asyncio.run(talk())
    assert result.is_error
    assert "no such file" in result.structured_content["error"]["message"]


def test_a_cancelled_call_stops_its_query_and_the_server_goes_on(tables):
    async def talk():
        async with Client(mcp_server.server(tables)) as client:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.call_tool("run_sql", {"sql": HEAVY}), timeout=0.5)
            return await client.call_tool("run_sql", {"sql": "SELECT 1 AS one"})

    started = time.monotonic()
    assert asyncio.run(talk()).structured_content["rows"] == [[1]]
    assert time.monotonic() - started < 60


def request(number, method, **parameters):
    return {"id": number, "method": method, "params": parameters}


REQUESTS = [
    request(2, "tools/list"),
    request(3, "tools/call", name="run_sql", arguments={"sql": 5}),
    request(4, "tools/call", name="lookup", arguments={"query": "上海"}),
    request(5, "tools/call", name="run_sql", arguments={"sql": "SELECT 1"}),
]


def test_stdout_carries_protocol_only_and_every_request_is_answered(folder, tmp_path):
    (folder / "odd.csv").write_text("a,b\n1,2\n3\n", encoding="utf-8")
    (tmp_path / "sitecustomize.py").write_text(LOUD)
    path = os.pathsep.join((str(tmp_path), str(ROOT)))
    hello = {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    }
    lines = [json.dumps({"jsonrpc": "2.0", **hello}).encode()]
    lines.append(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    lines += [json.dumps({"jsonrpc": "2.0", **sent}).encode() for sent in REQUESTS]
    lines.insert(3, b"\xff\xfe not json at all \x90")
    process = subprocess.Popen(
        [sys.executable, "-m", "router", "mcp", str(folder), "-w", "offline"],
        env={**os.environ, **ENVIRONMENT, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    for line in lines:
        process.stdin.write(line + b"\n")
    process.stdin.flush()
    replies = {}
    while not {None, 1, 2, 3, 4, 5} <= set(replies):
        reply = json.loads(process.stdout.readline())
        assert reply["jsonrpc"] == "2.0"
        replies[reply.get("id")] = reply
    _, told = process.communicate(timeout=20)
    assert b"so does its C code" in told
    assert replies[None]["error"]["code"] == -32700
    assert replies[3]["result"]["isError"] is True
    assert replies[4]["result"]["structuredContent"]["hits"][0]["cells"]["n"] == "9"


def wait_for_port(port):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"nothing listens on {port}")
