"""The Markdown templates that a language model is shown; `render` fills one in."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_SLOT = re.compile(r"\{\{(\w+)\}\}")


def render(template: str, **values: str) -> str:
    """The template `template`.md with each `{{slot}}` replaced, in one pass: a slot's mark inside
    a value stays text. Raises KeyError for a slot without a value.
    """
    return _SLOT.sub(lambda slot: values[slot[1]], _text(template)).strip()


@cache
def _text(template: str) -> str:
    return files(__name__).joinpath(f"{template}.md").read_text(encoding="utf-8")
