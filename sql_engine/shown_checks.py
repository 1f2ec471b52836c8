"""What the question asks to see, held against the columns that the query gives.

Takes the question and the query's tree with its result; gives `Problem`s: a column that the
question lists among what it wants and the query leaves out, figures by group without their groups,
one of two aggregates that are asked for together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sql_engine.catalog import CatalogColumn
from sql_engine.checks import Problem
from sql_engine.name_stems import OPERATION_STEMS, content_words, stems
from sql_engine.result import Result
from sql_engine.sql_names import quote
from sql_engine.sql_tree import SqlTree

if TYPE_CHECKING:
    from sqlglot import exp

_WANTED = re.compile(
    r"\b(?:what(?:'s| is| are| was| were)|(?<!\bin )(?<!\bfor )(?<!\bof )which|show|list|give"
    r"|return|find|tell|display|sort|count)\s+"
    r"(?:me\s+|us\s+)?(?P<wanted>.+?)"
    r"(?=\s(?:of|for|to|that|which|who|whose|where|when|with|without|in|on|at|from|by|into|order"
    r"|ordered|sort|sorted|ranked|having|has|have|had|is|are|was|were|do|does|did|can|if|per|among"
    r"|during|after|before|between|using|under|over|above|below)\b|[.?!;:(]|$)",
    re.IGNORECASE,
)
"""What is asked for, up to the word with which the sentence goes on."""
_PARTS = re.compile(
    r",\s*(?:and\s+)?|\s+(?:and|as well as|along with|together with)\s+|\s*&\s*", re.IGNORECASE
)
_AGGREGATES = {
    "minimum": ("Min",),
    "maximum": ("Max",),
    "average": ("Avg", "Div", "Median"),
    "mean": ("Avg", "Div", "Median"),
    "total": ("Sum", "Count"),
}
_AGGREGATE_LIST = re.compile(
    rf"\b(?:{'|'.join(_AGGREGATES)})(?:\s*,\s*|\s*,?\s+and\s+)(?:the\s+)?(?:{'|'.join(_AGGREGATES)})"
    rf"(?:(?:\s*,\s*|\s*,?\s+and\s+)(?:the\s+)?(?:{'|'.join(_AGGREGATES)}))?\b",
    re.IGNORECASE,
)
"""Aggregates of one thing: "the minimum and maximum price"."""


def shown_problems(question: str, tree: SqlTree, result: Result) -> Iterator[Problem]:
    """A problem for each thing that is asked for and not shown."""
    yield from _half(question, result)
    yield from _groups_not_shown(tree, result)
    yield from _aggregates_not_shown(question, tree)
    shown = _shown(tree)
    if shown is not None:
        wanted = list(_wanted(question))
        yield from _columns_not_shown(wanted, shown, tree)
        yield from _number_not_shown(wanted, result)


_Wanted = tuple[frozenset[str], ...]
"""The stems of one thing that is wanted, in the ways they may be meant."""


def _columns_not_shown(
    wanted: Iterable[_Wanted], shown: set[str], tree: SqlTree
) -> Iterator[Problem]:
    told: set[str] = set()
    for options in wanted:
        named = next(filter(None, (_named(option, tree) for option in options)), [])
        if not named or any(options[0] <= stems(name) for name in shown):
            continue
        if any(name in shown for name in named) or named[0] in told:
            continue
        told.add(named[0])
        columns = " or ".join(map(quote, dict.fromkeys(named)))
        yield Problem(
            "not_shown",
            f"the question asks for {columns}, and the query does not give it",
            f"answer all that is asked: give {columns} as well",
        )


def _wanted(question: str) -> Iterator[_Wanted]:
    """Each thing in the question's lists of what it wants: the "first" of "first and last name" is
    a name.
    """
    for found in _WANTED.finditer(question):
        listed = _POSSESSIVE.sub(" ", found["wanted"])
        parts = [content_words(_WHATEVER.sub(" ", part)) for part in _PARTS.split(listed)]
        head = frozenset(parts[-1][-1:])
        for part in map(frozenset, parts):
            if len(part) == 1 and part <= OPERATION_STEMS and part != head:
                yield part | head, part
            elif part:
                yield part, part - _AGGREGATED


_POSSESSIVE = re.compile(r"\b[\w-]+['\u2019]s?\s+")
_WHATEVER = re.compile(
    r"\b(?:different|distinct|unique|corresponding|respective|both|also|possible|her|his)\b",
    re.IGNORECASE,
)


def _named(wanted: frozenset[str], tree: SqlTree) -> list[str]:
    """The columns of the tables that are called so, the table's own name left out; where none is,
    the only one that has all these words. None where the words are a table's name.
    """
    if any(wanted <= stems(table.name) for table in tree.tables):
        return []
    exact: list[str] = []
    longer: list[str] = []
    for table in tree.tables:
        own = stems(table.name)
        said = wanted - own
        if not said or not said - _OPERATIONS or _COUNTS & said:
            continue
        for column in table.columns:
            name = stems(column.name)
            if said == name - own or name == wanted:
                exact.append(column.name)
            elif said <= name and said - _GENERIC and not name & _KEY:
                longer.append(column.name)
    return exact or (longer if len(longer) == 1 else [])


_COUNTS = stems("number count total average mean sum amount most least maximum minimum percentage")
_AGGREGATED = stems("total average mean maximum minimum")
_OPERATIONS = OPERATION_STEMS - stems("id name")
_KEY = stems("id key")
_GENERIC = stems("id name code number type date")


def _shown(tree: SqlTree) -> set[str] | None:
    """The names of all that the query gives; None where stars give everything."""
    from sqlglot import exp

    shown: set[str] = set()
    for scope in tree.scopes:
        select = scope.expression
        hands_on = not (scope.is_subquery or scope.is_correlated_subquery)
        for output in select.selects if isinstance(select, exp.Select) and hands_on else ():
            if output.find(exp.Star) is not None and output.find(exp.Count) is None:
                return None
            shown.add(output.alias_or_name)
            for column in output.find_all(exp.Column):
                base = tree.base_column(scope, column)
                shown |= {column.name} if base is None else _names_of(base, tree)
    return shown


def _names_of(column: CatalogColumn, tree: SqlTree) -> set[str]:
    """What a column is called: a key is the id of its table's rows as well."""
    keyed = [table.name for table in tree.tables if column in table.columns]
    return {column.name, *(f"{name} id" for name in keyed if column.profile.unique)}


def _groups_not_shown(tree: SqlTree, result: Result) -> Iterator[Problem]:
    """Several figures, each of a group that is not told."""
    from sqlglot import exp

    select = tree.root
    if not isinstance(select, exp.Select) or len(result.rows) < 2:
        return
    group = select.args.get("group")
    if group is None or not all(_is_aggregate(output) for output in select.selects):
        return
    keys = [key.name for key in group.expressions if isinstance(key, exp.Column)]
    if keys:
        columns = ", ".join(map(quote, keys))
        yield Problem(
            "not_shown",
            f"each figure is of one {columns}, and the query does not tell which",
            f"give {columns} beside each figure",
        )


def _is_aggregate(output: exp.Expr) -> bool:
    from sqlglot import exp

    return output.find(exp.AggFunc) is not None and output.find(exp.Window) is None


def _aggregates_not_shown(question: str, tree: SqlTree) -> Iterator[Problem]:
    """One of the aggregates that are asked for in one breath."""
    from sqlglot import exp

    said = _AGGREGATE_LIST.search(question)
    if said is None:
        return
    done = {type(node).__name__ for node in tree.root.find_all(exp.AggFunc, exp.Div)}
    named = {stem for _, _, column in tree.columns() for stem in stems(column.name)}
    for word, kinds in _AGGREGATES.items():
        asked = re.search(rf"\b{word}\b", said[0], re.IGNORECASE)
        if asked and not done & set(kinds) and not stems(word) & named:
            yield Problem(
                "not_shown",
                f"the question asks for the {word} as well, and the query does not give it",
                f"answer all that is asked: give the {word} ({kinds[0].upper()}) as well",
            )


def _number_not_shown(wanted: Iterable[_Wanted], result: Result) -> Iterator[Problem]:
    """The number of something stands in a list of what is wanted, and no figure is given."""
    listed = any(options[0] in _NUMBER_OF for options in wanted)
    if listed and all(kind.startswith("VARCHAR") for kind in result.types):
        yield Problem(
            "not_shown",
            "the question asks for a number, and the query gives none",
            "answer all that is asked: give the count as well",
        )


_NUMBER_OF = tuple(map(stems, ("number", "numbers", "total number", "count")))


def _half(question: str, result: Result) -> Iterator[Problem]:
    """Two things are asked for, and one is given."""
    said = _ASKS_AGAIN.search(question)
    if said is not None and len(result.columns) == 1:
        yield Problem(
            "half_answered",
            f'the question goes on with "{said[1]}", the query gives one column alone',
            "answer both parts: a column for each thing that is asked",
        )


_ASKS_AGAIN = re.compile(
    r"(?:[?;]\s+|\band\s+(?:also\s+)?)"
    r"(how (?:many|much|long|often|old|far|high)|what|(?:when|where) (?:is|are|was|were|did|does)"
    r"|which (?:\w+ ){1,3}?(?:has|had|have|is|was|are|were|did|does))\b",
    re.IGNORECASE,
)
