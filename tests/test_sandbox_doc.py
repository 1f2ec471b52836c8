"""Every promise of the sandbox's page names a test that is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_test_that_the_page_names_exists():
    page = (ROOT / "docs/sandbox.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/\w+\.py)::(test_\w+)`", page)
    assert len(named) > 20
    for path, name in named:
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), (path, name)
    for promise in re.findall(r"(?m)^- (?:.+\n)(?: .+\n)*", page.partition("## Limits")[0]):
        assert "tests/" in promise, promise
