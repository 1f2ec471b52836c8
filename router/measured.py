"""The measure of the last question changed: a total made an average, or a top n.

Takes the words of a follow-up and the last question (`named.Base`); gives the whole question that
is meant, or None. Its conditions and its groups stay.
"""

from __future__ import annotations

import re

from router.named import Base, column_named
from sql_engine.links import Span

_MEASURES = (
    ("total", "sum of the", "sum of"),
    ("average", "mean"),
    ("highest", "maximum", "largest", "max", "most"),
    ("lowest", "minimum", "smallest", "min", "fewest", "least"),
    ("median",),
)
_EXTREMES = _MEASURES[2:4]
_NAMES = "|".join(sorted((name for names in _MEASURES for name in names), key=len, reverse=True))
_OF_COLUMN = re.compile(
    rf"(?:(?:the|their|its|with|and)\s+)*(?P<measure>{_NAMES})\s+(?P<column>.+?)"
    r"(?:\s+(?:of|for)\s+(?:them|those|these|it))?",
    re.IGNORECASE,
)
_SAID = re.compile(rf"\b(?:{_NAMES})\s+(?:of\s+)?(?:the\s+)?", re.IGNORECASE)
LISTING = re.compile(
    r"^(?:list|show|give|which|what are|find)\b(?: me)?(?: all)?(?: the)?\s+", re.IGNORECASE
)
"""Opens a question that lists rows."""
_COUNT = re.compile(
    r"\b(?:how many|(?:what (?:is|was) )?(?:the )?(?:total )?(?:number|count) of"
    r"(?: all)?(?: the)?)\b",
    re.IGNORECASE,
)
_TOP = re.compile(
    r"(?:(?:only|just|the)\s+)*(?P<which>top|bottom)\s+(?P<count>\d+|\w+)(?:\s+(?:ones?|only|please))*",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"^(?:what|which) (?:is|are|was|were)\s+(?:the\s+)?|^show(?: me)?\s+(?:the\s+)?", re.I
)
_RANKED = re.compile(r"which \w+ (?P<by>.+?) have the (?:most|fewest)\b", re.IGNORECASE)
_MOST = {"top": "most", "bottom": "fewest"}
_AGAIN = re.compile(r"\b(?:top|bottom)\s+(?:\d+|\w+)\b", re.IGNORECASE)


def names_measure(bare: str) -> bool:
    """Whether a line is the name of a measure and no more: "average"."""
    return any(bare.casefold() in names for names in _MEASURES)


def is_measure(rest: str) -> bool:
    """Whether a line is a measure of something and no more: "the average price of them"."""
    return _OF_COLUMN.fullmatch(rest) is not None


def other_measure(bare: str, base: Base) -> str | None:
    """The last question with another measure, of another column where one is named."""
    if names_measure(bare):
        return _renamed(bare, base.question)
    found = _OF_COLUMN.fullmatch(bare)
    column = column_named(found["column"], base) if found else None
    if found is None or column is None:
        return None
    told = f"{found['measure']} {column.column}"
    old = _measured(base)
    if old is not None:
        return base.question[: old.start] + told + base.question[old.end :]
    for counting in (_COUNT, LISTING):
        if counting.search(base.question):
            whole = counting.sub(f"What is the {told} of ", base.question, count=1)
            return " ".join(whole.split())
    return None


def top(rest: str, base: Base, group: re.Match[str] | None) -> str | None:
    """The first or last of the groups that the last question made.

    Args:
        rest: the follow-up.
        base: the last question.
        group: where it names its last group.
    """
    found = _TOP.fullmatch(rest)
    if found is None:
        return None
    wanted = f"{found['which']} {found['count']}"
    most = _MOST[found["which"].casefold()]
    if _AGAIN.search(base.question):
        return _AGAIN.sub(wanted, base.question, count=1)
    if ranked := _RANKED.match(base.question):
        tail = base.question[ranked.end() :]
        return f"which {found['count']} {ranked['by']} have the {most}{tail}"
    if group is None:
        return None
    head, by = _ASKED.sub("", base.question[: group.start()]), base.question[group.end() :]
    if counting := _COUNT.search(head):
        return f"which {found['count']} {by} have the {most}{head[counting.end() :]}"
    return f"{wanted} {by} by {head}"


def _measured(base: Base) -> Span | None:
    """Where the last question names its measure together with the column it is of."""
    for said in _SAID.finditer(base.question):
        for column in base.links.columns:
            if column.span.start == said.end():
                whole = base.question[said.start() : column.span.end]
                return Span(said.start(), column.span.end, whole)
    return None


def _renamed(bare: str, previous: str) -> str | None:
    """The last question with another measure of the same column: its "total" made "average"."""
    wanted = next(m for m in _MEASURES if bare.casefold() in m)
    extremes = [m for m in _MEASURES if m in _EXTREMES]
    first = extremes if wanted in _EXTREMES else []
    for names in (*first, *_MEASURES):
        for name in names:
            pattern = re.compile(rf"\b{name}\b", re.IGNORECASE)
            if pattern.search(previous):
                return pattern.sub(_like(name, names, wanted), previous, count=1)
    return None


def _like(name: str, names: tuple[str, ...], wanted: tuple[str, ...]) -> str:
    """The word of the wanted measure that stands at the same place: "most" for "fewest"."""
    place = names.index(name)
    both = names in _EXTREMES and wanted in _EXTREMES
    return wanted[place] if both and place < len(wanted) else wanted[0]
