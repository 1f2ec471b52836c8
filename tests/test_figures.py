"""Every measured figure in the README and the docs stands beside the command that gives it."""

import json
import re
from pathlib import Path

import pytest

from benchmarks import results
from benchmarks.__main__ import intro, parser

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"^(?=#+ )", re.MULTILINE)
MEASURED = re.compile(
    r"\b\d+(?:\.\d+)?(?:\s(?:to|and)\s\d+(?:\.\d+)?)?\s?(?:ms|s|MB|GB|rows/s)\b"
    r"|\b\d+(?:\.\d+)?\s?%\s(?:right|of the (?:questions|answers|pages|gold))"
    r"|\b\d+\s(?:of|out of)\s\d+\b|\b\d+(?:\.\d+)?\stimes\s(?:as|faster|slower|smaller)\b"
)
COMMAND = re.compile(r"python -m (?:benchmarks|scripts)[\w. ]*|\bmake [a-z-]+|tabroute eval")
LIMITS = {"settings.md", "cli.md", "tool-definitions.md"}
"""Made pages whose figures are limits that the code sets."""


def prose(section: str) -> str:
    """A section without its samples and without table rows, which hold limits and settings."""
    plain = FENCE.sub("", section)
    return "\n".join(line for line in plain.splitlines() if not line.startswith("|"))


@pytest.mark.parametrize("page", [p for p in PAGES if p.name not in LIMITS], ids=lambda p: p.name)
def test_a_section_with_a_measured_figure_names_its_command(page):
    for section in SECTION.split(page.read_text(encoding="utf-8")):
        figures = MEASURED.findall(prose(section))
        assert not figures or COMMAND.search(section), f"{page.name}: {section[:80]!r} {figures}"


def test_the_page_of_figures_is_written_from_the_kept_ones_and_by_nothing_else(tmp_path):
    written = results.page_text(intro())
    assert results.PAGE.read_text("utf-8") == written, "run: python -m benchmarks page"


def test_every_kept_figure_tells_a_command_that_still_runs():
    """And no place of the machine that it ran on."""
    for text in results.LINES.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        words = line["command"].split()
        assert words[:3] == ["python", "-m", "benchmarks"]
        parser().parse_args(words[3:])
        assert not {"at", "commit", "machine", "versions"} - line.keys()
        assert "/" not in line["command"]
