"""The documents say what the code does: every sample runs, made pages are up to date."""

import asyncio
import doctest
import json
import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from router import cli
from router.errors import RouterError
from scripts.make_docs import pages
from scripts.transcripts import console

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language):
    """(page and number, text) of every fenced block of a language."""
    for page in PAGES:
        found = [text for name, text in FENCE.findall(page.read_text("utf-8")) if name == language]
        for number, text in enumerate(found, 1):
            yield pytest.param(text, id=f"{page.name}-{number}")


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("text", list(blocks("console")))
def test_every_transcript_is_what_is_printed(text):
    assert console(text) == text, "read it, then: make docs"


def python_of(page):
    """All Python samples of a page, which build on each other."""
    found = FENCE.findall(page.read_text("utf-8"))
    return "\n".join(text for name, text in found if name == "python")


@pytest.mark.parametrize("page", [p for p in PAGES if python_of(p)], ids=lambda page: page.name)
def test_every_python_sample_runs(page):
    test = doctest.DocTestParser().get_doctest(python_of(page), {}, page.name, None, 0)
    told = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=told.append)
    assert told == []


def test_every_python_sample_is_one_that_runs():
    for page in PAGES:
        for language, text in FENCE.findall(page.read_text("utf-8")):
            assert language != "python" or ">>> " in text, f"{page.name}: {text}"


@pytest.mark.parametrize("text", list(blocks("sh")))
def test_every_shell_line_names_what_there_is(text):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for line in text.splitlines():
        program, *words = shlex.split(line, comments=True) or [""]
        if program == "tabroute":
            assert words[0] in cli.cli.commands, line
        elif program == "make":
            assert words[0] in targets, line
        elif program == "python":
            assert (ROOT / (words[1].replace(".", "/") + ".py")).is_file(), line
        elif program == "pip":
            asked = re.findall(r"\[(.*)\]", words[-1])
            named = set(asked[0].split(",")) if asked else set()
            assert named <= set(extras["optional-dependencies"]), line


@pytest.mark.parametrize("text", list(blocks("json")))
def test_a_client_started_as_the_page_says_can_ask(text):
    pytest.importorskip("mcp")
    from mcp import Client, StdioServerParameters

    told = json.loads(text)["mcpServers"]["tables"]
    assert told["command"] == "tabroute"
    arguments = [str(ROOT / "sample_tables") if "/path" in a else a for a in told["args"]]
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "router", *arguments], env={"PYTHONPATH": str(ROOT)}
    )

    async def ask():
        async with Client(server) as client:
            question = {"question": "How many orders were returned?"}
            return (await client.call_tool("ask_tables", question)).structured_content

    assert asyncio.run(ask())["value"] == 293


@pytest.mark.parametrize("name", sorted(pages()))
def test_a_made_page_is_up_to_date(name):
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert page == pages()[name].rstrip() + "\n", "run: make docs"


def test_every_link_between_documents_leads_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_error_is_documented():
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    for kind in RouterError.__subclasses__():
        assert f"`{kind.__name__}`" in page
