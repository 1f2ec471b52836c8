"""What the question asks to be done and the SQL does otherwise.

Takes the question and the query's tree with its result; gives `Problem`s. Each rule needs a word of
the question that leaves little choice ("average", "different", "more than 10", "not") and a query
that has nothing of the kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sql_engine.checks import Probe, Problem
from sql_engine.name_stems import stems
from sql_engine.result import Result
from sql_engine.sql_names import quote
from sql_engine.sql_tree import SqlTree

if TYPE_CHECKING:
    from sqlglot import exp

_AVERAGE = re.compile(r"\b(average|mean|avg)\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(not|never|without|except|excluding|neither|nor|cannot)\b|n't\b"
    r"|\bother than\b|\b(?:has|have|had|with|are|is|made|make) no\b",
    re.IGNORECASE,
)
_NOT_DENYING = re.compile(
    r"\b(?:not only|whether or not|or not|not (?:more|less|fewer|later|earlier|over|under)\b"
    r"|if not|(?:do|does|did|is|are|was|were|have|has) not mind)",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\b(or|either|and|as well as|nor|any)\b|,", re.IGNORECASE)
_BEYOND = re.compile(
    r"\b(more than|over|above|greater than|higher than|longer than|larger than|exceed(?:s|ing)?"
    r"|less than|fewer than|under|below|lower than|shorter than|smaller than"
    r"|after|before|since|at least|at most|no more than|no less than|no fewer than)"
    r"\s+(?:the year\s+)?\$?(-?\d[\d,]*(?:\.\d+)?|one|two|three|four|five)\b"
    r"(?!\s*(?:%|percent))",
    re.IGNORECASE,
)


def _kept_without_match(question: str, tree: SqlTree) -> Iterator[Problem]:
    """Rows without a match are asked for as well, and an inner join loses them."""
    from sqlglot import exp

    said = _WITHOUT_MATCH.search(question)
    joins = list(tree.root.find_all(exp.Join))
    if said is None or not joins or tree.has_outer_join:
        return
    if tree.root.find(exp.Union, exp.Except, exp.Exists, exp.Not, exp.Subquery) is None:
        yield Problem(
            "lost_rows",
            f'the question says "{said[0]}", an inner join loses the rows without a match',
            f'"{said[0]}": use LEFT JOIN, and count a column of the joined table',
        )


_WITHOUT_MATCH = re.compile(
    r"\b(?:includ(?:ing|e)|even|also)(?: the| those)?(?: ones| \w+)?"
    r" (?:with(?:out)?|if|that|who|having)(?: \w+){0,2} (?:no|none|zero|any|0)\b"
    r"|\b(?:or|and) (?:zero|none|0 if)\b",
    re.IGNORECASE,
)


def operation_problems(
    question: str, tree: SqlTree, result: Result, probe: Probe
) -> Iterator[Problem]:
    """A problem for each operation of the question that the query does not do."""
    yield from _average(question, tree)
    yield from _mean_of_means(question, tree)
    yield from _equal_values_once(question, tree, result, probe)
    yield from _denial(question, tree)
    yield from _alternatives(question, tree)
    yield from _bounds(question, tree)
    yield from _kept_without_match(question, tree)
    yield from _left_out_by_null(tree)


def _average(question: str, tree: SqlTree) -> Iterator[Problem]:
    from sqlglot import exp

    said = _AVERAGE.search(question)
    if said is None or tree.root.find(exp.Avg, exp.Median) is not None:
        return
    quotients = tree.root.find_all(exp.Div, exp.IntDiv)
    if any(quotient.find(exp.AggFunc) is not None for quotient in quotients):
        return
    named = {stem for _, _, column in tree.columns() for stem in stems(column.name)}
    if not stems(said[0]) & named and tree.root.find(exp.AggFunc) is not None:
        yield Problem(
            "other_operation",
            f"the question asks for the {said[0].lower()}, the query computes something else",
            f"the question asks for the {said[0].lower()}: use AVG",
        )


def _mean_of_means(question: str, tree: SqlTree) -> Iterator[Problem]:
    """An average of the averages of groups, where rows are what is averaged."""
    from sqlglot import exp

    if len(_AVERAGE.findall(question)) != 1 or _BY_GROUP.search(question):
        return
    for scope in tree.scopes:
        for mean in scope.find_all(exp.Avg):
            source = scope.sources.get(getattr(mean.this, "table", ""))
            inner = getattr(source, "expression", None)
            if not isinstance(inner, exp.Select) or inner.args.get("group") is None:
                continue
            means = [o for o in inner.selects if isinstance(o.unalias(), exp.Avg)]
            if any(output.alias_or_name == mean.this.name for output in means):
                yield Problem(
                    "other_operation",
                    "the query takes the average of averages of groups, each with the same weight",
                    "an average of averages is none of all rows: take AVG over the rows",
                )


_BY_GROUP = re.compile(r"\b(?:per|each|every|by|across|among|over)\b", re.IGNORECASE)


def _equal_values_once(
    question: str, tree: SqlTree, result: Result, probe: Probe
) -> Iterator[Problem]:
    """SUM(DISTINCT x) and AVG(DISTINCT x) take equal values once, which nobody asked for."""
    from sqlglot import exp

    every = tree.root.copy()
    done = [a for a in every.find_all(exp.Sum, exp.Avg) if isinstance(a.this, exp.Distinct)]
    if not done or _ONCE.search(question):
        return
    for aggregate in done:
        aggregate.set("this", aggregate.this.expressions[0])
    found = probe(every.sql(dialect="duckdb"))
    if found is not None and sorted(map(str, found.rows)) != sorted(map(str, result.rows)):
        name = done[0].key.upper()
        yield Problem(
            "other_operation",
            f"{name}(DISTINCT ...) takes values that are equal only once",
            f"equal values each count: {name}(x) without DISTINCT",
        )


_ONCE = re.compile(r"\b(?:different|distinct|unique|once)\b", re.IGNORECASE)


def _denial(question: str, tree: SqlTree) -> Iterator[Problem]:
    """A word that denies, and nothing in the SQL that does."""
    from sqlglot import exp

    said = _DENIED.search(_WITHOUT_MATCH.sub(" ", _NOT_DENYING.sub(" ", question)))
    if said is None or len(_DENIED.findall(question)) > 1:
        return
    denies = (
        exp.Not,
        exp.NEQ,
        exp.NullSafeNEQ,
        exp.Except,
        exp.Is,
        exp.Case,
        exp.LT,
        exp.LTE,
        exp.GT,
        exp.GTE,
    )
    if tree.root.find(*denies) is not None:
        return
    literals = {str(one.this).casefold().strip("%") for one in tree.root.find_all(exp.Literal)}
    word = said[0].casefold()
    if literals & _NEGATIVE or any(word in text for text in literals):
        return
    if tree.root.find(exp.Boolean) is not None or tree.root.find(exp.Anonymous) is not None:
        return
    named = {stem for _, _, column in tree.columns() for stem in stems(column.name)}
    if not stems(word) & named:
        yield Problem(
            "dropped_denial",
            f'the question says "{word}", the query leaves nothing out',
            f'heed "{word}": leave the rows out with <>, NOT IN, NOT EXISTS or a LEFT JOIN',
        )


_NEGATIVE = frozenset({"0", "no", "n", "f", "false", "none", "null"})


def _alternatives(question: str, tree: SqlTree) -> Iterator[Problem]:
    """OR between conditions on two columns where the question names both at once."""
    from sqlglot import exp

    if _EITHER.search(question):
        return
    for either in tree.root.find_all(exp.Or):
        compared = [part for part in either.flatten() if isinstance(part, (exp.EQ, exp.Like))]
        columns = {c.name for part in compared for c in part.find_all(exp.Column)}
        texts = [str(t.this) for part in compared for t in part.find_all(exp.Literal)]
        said = [text for text in texts if text.strip("%").casefold() in question.casefold()]
        if len(columns) > 1 and len(set(said)) > 1:
            names = " and ".join(f"'{text}'" for text in dict.fromkeys(said))
            yield Problem(
                "either_of_both",
                f"the question names {names} together, the query takes rows with either",
                "both conditions hold at once: join them with AND",
            )
            return


@dataclass(frozen=True)
class _Bound:
    """A comparison with a number."""

    value: float
    above: bool
    inclusive: bool

    def says(self, number: float, with_bound: bool) -> bool:
        """Whether it takes the same whole numbers as a bound that is taken in or left out."""
        if self.inclusive == with_bound:
            return self.value == number
        beside = 1 if self.above == self.inclusive else -1
        return self.value == number + beside


def _bounds(question: str, tree: SqlTree) -> Iterator[Problem]:
    """A bound taken in or left out, or the number beside it: "more than 10" takes no 10, but 11."""
    bounds = list(_compared_with(tree))
    for found in _BEYOND.finditer(question):
        words, number = found[1].casefold(), _number(found[2])
        with_bound = words.startswith(("at ", "no ", "since"))
        near = [bound for bound in bounds if abs(bound.value - number) <= 1]
        if near and not any(bound.says(number, with_bound) for bound in bounds):
            left = "left out" if with_bound else "taken in"
            exact = any(bound.value == number for bound in near)
            yield Problem(
                "other_bound",
                f'the question says "{found[0]}", the query compares with '
                + (f"the bound {left}" if exact else f"{near[0].value:g}"),
                f'"{found[0]}" ' + ("takes the bound in" if with_bound else "leaves the bound out"),
            )


def _compared_with(tree: SqlTree) -> Iterator[_Bound]:
    from sqlglot import exp

    for node in tree.root.find_all(exp.GT, exp.GTE, exp.LT, exp.LTE):
        for side, turned in ((node.expression, False), (node.this, True)):
            if isinstance(side, exp.Literal) and _is_number(side.this):
                above = isinstance(node, (exp.GT, exp.GTE)) != turned
                yield _Bound(float(side.this), above, isinstance(node, (exp.GTE, exp.LTE)))
                break


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _number(text: str) -> float:
    return float(_WORDS.get(text.casefold(), text.replace(",", "")))


_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}


def _left_out_by_null(tree: SqlTree) -> Iterator[Problem]:
    """Rows that a `<>` or NOT IN leaves out because they have no value, and a mean over all rows
    of a column that is empty in some.
    """
    from sqlglot import exp

    told: set[str] = set()
    for _, node, column in tree.columns():
        if not column.profile.nulls or column.name in told:
            continue
        name = quote(column.name)
        if _is_unequal(node) and not _null_is_heeded(tree, column.name):
            told.add(column.name)
            yield Problem(
                "left_out_by_null",
                f"rows where {name} is empty are left out",
            )
        if isinstance(node.parent, exp.Sum) and _over_all_rows(node.parent):
            told.add(column.name)
            yield Problem(
                "other_operation",
                f"the mean of {name} is taken over all rows, also those where it is empty",
                f"AVG({name}) takes the mean over the rows that have a value",
            )


def _is_unequal(node: exp.Expr) -> bool:
    from sqlglot import exp

    parent = node.parent
    if isinstance(parent, exp.NEQ):
        return isinstance(parent.expression, exp.Literal) or isinstance(parent.this, exp.Literal)
    if not isinstance(parent, (exp.In, exp.Like, exp.ILike)) or parent.this is not node:
        return False
    return isinstance(parent.parent, exp.Not) and parent.args.get("query") is None


def _null_is_heeded(tree: SqlTree, name: str) -> bool:
    from sqlglot import exp

    return any(
        any(column.name == name for column in test.find_all(exp.Column))
        for test in tree.root.find_all(exp.Is, exp.Coalesce)
    )


def _over_all_rows(total: exp.Expr) -> bool:
    """Whether a sum is divided by COUNT(*)."""
    from sqlglot import exp

    quotient = total.parent
    while isinstance(quotient, (exp.Cast, exp.Paren, exp.Mul)):
        quotient = quotient.parent
    below = quotient.expression.find(exp.Count) if isinstance(quotient, exp.Div) else None
    return below is not None and isinstance(below.this, exp.Star)
