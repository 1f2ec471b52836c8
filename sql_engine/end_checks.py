"""Which end of an order the question asks for, and which one the query takes.

Takes the question and the query's tree; gives a `Problem` where "highest", "youngest" or "top 3"
stands in the question and the query takes the other end alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from retrieval.table import TEMPORAL, Kind
from sql_engine.checks import Problem
from sql_engine.name_stems import stems
from sql_engine.sql_tree import SqlTree

_HIGH = re.compile(
    r"\b(highest|largest|biggest|greatest|maximum|tallest|longest|heaviest"
    r"|(?<!at )most(?! recent))\b",
    re.IGNORECASE,
)
_LOW = re.compile(
    r"\b(lowest|smallest|minimum|fewest|shortest|lightest|cheapest|(?<!at )least)\b",
    re.IGNORECASE,
)
_LONG = re.compile(
    r"\b(most|(?:greatest|highest|largest) number of) (?:years|days|hours|minutes)\b", re.IGNORECASE
)
_SHORT = re.compile(
    r"\b(fewest|least|(?:lowest|smallest) number of) (?:years|days|hours|minutes)\b", re.IGNORECASE
)
_EARLY = re.compile(r"\b(earliest|first(?![\w, ]{0,25}\bnames?\b))\b", re.IGNORECASE)
_LATE = re.compile(
    r"\b(latest|newest|most recent|most recently|last(?![\w, ]{0,25}\bnames?\b))\b", re.IGNORECASE
)
_OLD = re.compile(r"\boldest\b", re.IGNORECASE)
_YOUNG = re.compile(r"\byoungest\b", re.IGNORECASE)
_TOP = re.compile(
    r"\btop (?:\d+|one|two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE
)
_TURNED = re.compile(
    _LOW.pattern + r"|\b(?:low|lower|small\w*|few\w*|least|less|cheap\w*|fast\w*|slow\w*|best|worst"
    r"|bottom|near\w*|clos\w+|early|earli\w+|late\w*|old\w*|young\w*|new\w*|recent\w*|first"
    r"|last|ascending|increasing|under|below|short\w*)\b",
    re.IGNORECASE,
)
"""What may make the top ones of a list those with the least."""
_MAXIMUM = re.compile(r"\b(?:maximum|max)\b", re.IGNORECASE)
_MINIMUM = re.compile(r"\b(?:minimum|min)\b", re.IGNORECASE)


def end_problems(question: str, tree: SqlTree) -> Iterator[Problem]:
    """One end is asked for, and the query looks at the other one alone."""
    yield from _named_operation(question, tree)
    for words, falls in _ends(question, tree):
        if falls is _other_end(tree):
            yield Problem(
                "other_operation",
                f"the question asks for the {words.lower()}, the query takes the other end",
                f"the question asks for the {words.lower()}: take "
                + ("MAX, or ORDER BY ... DESC" if falls else "MIN, or ORDER BY ... ASC"),
            )


def _ends(question: str, tree: SqlTree) -> Iterator[tuple[str, bool]]:
    """The one end that the question asks for, in its words, and whether that is the high one."""
    kinds, named = _sorted_by(tree)
    dated, aged = bool(kinds & TEMPORAL) or bool(named & _DATED), bool(named & stems("age"))
    pairs = [(_HIGH, _LOW)] if not named & _RANKED and not dated else []
    pairs += [(_LATE, _EARLY), (_LONG, _SHORT)] if dated else []
    pairs += [(_OLD, _YOUNG)] if aged else []
    for high, low in pairs:
        found = high.search(question), low.search(question)
        said = found[0] or found[1]
        if said is not None and None in found:
            yield said[0], found[0] is not None
    top = _TOP.search(question)
    turned = dated or bool(named & _RANKED) or _TURNED.search(question) is not None
    if top and not turned and _sorts_by_aggregate(tree):
        yield top[0], True


def _sorted_by(tree: SqlTree) -> tuple[set[Kind], set[str]]:
    """The kinds and the name stems of what the query sorts by, or takes an end of."""
    from sqlglot import exp

    order = tree.root.args.get("order")
    keys = order.expressions[:1] if order else list(tree.root.find_all(exp.Max, exp.Min))
    named = {c.name for key in keys for c in key.find_all(exp.Column)}
    kinds = {found.kind for _, node, found in tree.columns() if node.name in named}
    return kinds, {stem for name in named for stem in stems(name)}


def _other_end(tree: SqlTree) -> bool | None:
    """True where the query takes the low end alone, False the high one; None where both or none."""
    from sqlglot import exp

    has_max, has_min = (tree.root.find(kind) is not None for kind in (exp.Max, exp.Min))
    order = tree.root.args.get("order")
    if has_max or has_min:
        return None if order or has_max is has_min else has_min
    if order is None or tree.root.args.get("limit") is None:
        return None
    return not order.expressions[0].args.get("desc")


def _sorts_by_aggregate(tree: SqlTree) -> bool:
    """Whether the first sort key is a count, a total or the like, maybe by its name."""
    from sqlglot import exp

    order = tree.plain.args.get("order")
    key = order.expressions[0].this if order else None
    named = {output.alias_or_name: output for output in tree.plain.selects}
    shown = named.get(key.name, key) if isinstance(key, exp.Column) and not key.table else key
    return shown is not None and shown.find(exp.AggFunc) is not None


def _named_operation(question: str, tree: SqlTree) -> Iterator[Problem]:
    """MIN where the maximum is asked for, or the other way round, beside an order that hides it."""
    from sqlglot import exp

    if tree.root.args.get("order") is None:
        return  # the ends above tell
    for words, other, right, wrong in (
        (_MAXIMUM, _LOW, exp.Max, exp.Min),
        (_MINIMUM, _HIGH, exp.Min, exp.Max),
    ):
        said = words.search(question)
        if said is None or other.search(question) or tree.root.find(right):
            continue
        if tree.root.find(wrong):
            yield Problem(
                "other_operation",
                f"the question asks for the {said[0].lower()}, the query takes the other end",
                f"the question asks for the {said[0].lower()}: use {right.key.upper()}",
            )


_RANKED = stems("rank ranking place position birth born")
"""Less is better, or later: the highest rank is 1."""
_DATED = stems("date year time day")
