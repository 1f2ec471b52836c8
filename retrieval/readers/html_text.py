"""What a reader of a page sees of an element: its text, and the footnote marks beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

SKIPPED = frozenset({"script", "style", "noscript", "template", "head", "-comment"})
_BLOCK_TAGS = "p div li tr td th ul ol dd dt table caption hr blockquote pre"
BLOCKS = frozenset(_BLOCK_TAGS.split())
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_HIDDEN_CLASSES = frozenset({"sortkey", "sr-only", "visually-hidden", "screen-reader-text"})
"""Classes that the style sheets of wikis and common frameworks hide."""

_HIDING_RULE = re.compile(r"([^{}]+)\{[^{}]*(?:display\s*:\s*none|visibility\s*:\s*hidden)[^{}]*\}")
_AT_RULE = re.compile(r"@[^{};]+(?:;|\{(?:[^{}]*\{[^{}]*\})*[^{}]*\})|/\*.*?\*/", re.DOTALL)
"""Rules for print and other media, and comments."""

_PLAIN_SELECTOR = re.compile(r"[\w.#\- >]+")
_MARK = re.compile(r"\[?\s*(?:note\s+)?([^\[\]\s]{1,4})\s*\]?", re.I)
_BASE = re.compile(r"(?:\b[kcmd]?m|\bft|\bmi|\bin|\byd|\bs|[×x*]\s*10)$")
"""What a superscript number raises to a power, where it is no footnote mark."""

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def hide_by_style(root: LexborNode) -> None:
    """Mark as hidden what the page's own style rules hide; not what holds tables, which a tab or
    a button shows.
    """
    rules = "".join(_AT_RULE.sub("", style.text() or "") for style in root.css("style"))
    for selectors in _HIDING_RULE.findall(rules):
        for selector in filter(_PLAIN_SELECTOR.fullmatch, map(str.strip, selectors.split(","))):
            for node in root.css(selector):
                if node.tag != "table" and node.css_first("table") is None:
                    node.attrs["hidden"] = ""


def children(node: LexborNode) -> Iterator[LexborNode]:
    """The nodes right below this one."""
    child = node.child
    while child is not None:
        yield child
        child = child.next


def is_hidden(node: LexborNode) -> bool:
    """Whether a reader of the page does not see this element."""
    attributes = node.attributes if node.is_element_node else {}
    if "hidden" in attributes or _HIDDEN.search(attributes.get("style") or ""):
        return True
    return not _HIDDEN_CLASSES.isdisjoint((attributes.get("class") or "").split())


def cell_text(node: LexborNode, *, marks_shown: bool = False) -> tuple[str, tuple[str, ...]]:
    """An element's visible text with white space folded, and the footnote marks beside it.

    `marks_shown`: the marks stand in the text as well, in brackets.
    """
    parts: list[str] = []
    marks: list[str] = []
    _collect(node, parts, marks, marks_shown)
    lines = [" ".join(line.split()) for line in "".join(parts).split("\n")]
    return "\n".join(line for line in lines if line), tuple(marks)


def _collect(node: LexborNode, parts: list[str], marks: list[str], marks_shown: bool) -> None:
    for child in children(node):
        if child.is_text_node:
            parts.append(re.sub(r"\s+", " ", child.text_content or ""))
        elif child.tag in SKIPPED or is_hidden(child):
            continue
        elif child.tag == "sup":
            known = len(marks)
            _superscript(child, parts, marks)
            parts += [f"[{mark}] " for mark in marks[known:] if marks_shown]
        elif child.tag == "br":
            parts.append("\n")
        else:
            block = child.tag in BLOCKS
            parts.append("\n" if block else "")
            _collect(child, parts, marks, marks_shown)
            parts.append("\n" if block else "")


def _superscript(node: LexborNode, parts: list[str], marks: list[str]) -> None:
    """A footnote mark, or a part of the text: an exponent ("km2", "106"), an ordinal ("5th")."""
    text = (node.text() or "").strip()
    if text.isdigit() and _BASE.search("".join(parts)):
        parts.append(text.translate(_RAISED))
        return
    match = _MARK.fullmatch(text)
    if match is not None and text.casefold() not in ("st", "nd", "rd", "th"):
        marks.append(match[1].strip("().:") or match[1])
        return
    found = re.findall(r"\[([^\[\]]{1,8})\]", text)
    if found and not re.sub(r"\[[^\[\]]{1,8}\]", "", text).strip(" ,"):
        marks.extend(found)
    else:
        parts.append(text)
