"""The documents say what the code does: every sample runs, made pages are up to date."""

import doctest
import re
from pathlib import Path

import pytest

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
