"""The footnotes that links lead to from the marks of a page's tables.

Takes the page's elements; gives each note as a line that opens with its mark: "[1] provisional".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from selectolax.lexbor import LexborNode

_LINK = 'a[href^="#"]'
_MARK = re.compile(r"\[?\s*(?:note\s+)?([^\[\]\s]{1,4}|[a-z]{1,2}\s\d{1,2})\s*\]?", re.I)
_BACK = re.compile(r"^[\^↑\s]+|[↩↵︎\s]+$")

Text = Callable[[LexborNode], str]


def linked_notes(table: LexborNode, targets: Mapping[str, LexborNode], text: Text) -> list[str]:
    """The notes that links from the table's marks lead to, each once.

    Args:
        table: the table's element.
        targets: the page's elements by their `id`.
        text: the visible text of an element.
    """
    notes: dict[str, str] = {}
    for link in table.css(_LINK):
        raised = link.css_first("sup") or (link.parent if _is_raised(link.parent) else None)
        target = targets.get((link.attributes.get("href") or "")[1:])
        found = _MARK.fullmatch((link.text() or "").strip())
        if raised is None or target is None or found is None or _is_heading(target):
            continue
        told = _without_mark(text(target), found[1])
        if told:
            notes.setdefault(found[1], f"[{found[1]}] {told}")
    return list(notes.values())


def _is_raised(node: LexborNode | None) -> bool:
    return node is not None and node.tag == "sup"


def _is_heading(node: LexborNode) -> bool:
    """Whether a link leads to a chapter of notes, not to one of them."""
    tags = [node.tag, node.parent.tag if node.parent is not None else ""]
    return any(re.fullmatch(r"h[1-6]", tag or "") for tag in tags)


def _without_mark(text: str, mark: str) -> str:
    """A note's text without the link back to its cell and without its mark."""
    bare = _BACK.sub("", " ".join(text.split()))
    return re.sub(rf"^\[?{re.escape(mark)}\]?[.):]?\s+", "", bare)
