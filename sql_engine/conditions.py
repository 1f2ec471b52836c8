"""Conditions: those of the question that the SQL lacks, and those of the SQL that match no cell.

Takes the question with its links and the query's tree; gives `Problem`s. A value in the question
counts as kept when any literal, name or alias of the SQL says it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sql_engine.catalog import CatalogColumn, CatalogTable
from sql_engine.checks import Problem
from sql_engine.links import Links, ValueLink
from sql_engine.name_stems import stems
from sql_engine.prompt import sql_literal
from sql_engine.sql_names import quote
from sql_engine.sql_tree import SqlTree

if TYPE_CHECKING:
    from sqlglot import exp

_SURE_LINK = 0.9
_NEAREST = 3
_NEAR_SCORE = 72.0
_SEARCHED = 200_000
"""Distinct values of a column among which near ones are looked for."""
_QUOTED = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”|(?<!\w)'([^'\n]+)'(?!\w)")
_NUMBER = re.compile(r"(?<![\w.,-])-?\d[\d,]*(?:\.\d+)?(?![\w]|[.,]\d)")
_NUMBER_WORDS = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twice": 2,
}


@dataclass(frozen=True)
class _Said:
    """What a query says: its literals and its names."""

    texts: frozenset[str]
    numbers: frozenset[float]
    stems: frozenset[str]

    def holds_text(self, text: str) -> bool:
        folded = text.casefold().strip()
        return any(folded in said or (said and said in folded) for said in self.texts)

    def holds_number(self, number: float) -> bool:
        near = (number, number / 100, number * 100, number - 1, number + 1, -number)
        written = f"{number:g}"
        return any(value in self.numbers for value in near) or any(
            re.search(rf"(?<!\d){re.escape(written)}(?!\d)", text) for text in self.texts
        )


def dropped_conditions(question: str, links: Links, tree: SqlTree) -> Iterator[Problem]:
    """A problem for each value or number of the question that the SQL does not say."""
    said = _said(tree)
    missing = [
        *_missing_values(question, links, said),
        *_missing_quotes(question, said),
        *_missing_numbers(question, links, said),
    ]
    for phrase, advice in dict(missing).items():
        yield Problem(
            "dropped_condition",
            f"the question says {phrase}, the query does not",
            f"the query leaves out a condition of the question: {advice}",
        )


def unmatched_values(tree: SqlTree, *, empty: bool) -> Iterator[Problem]:
    """A problem for each text compared with a column that does not hold it.

    Args:
        tree: the query.
        empty: whether its result is empty; then a value without any near one counts as well.
    """
    told = set()
    for column, value, folded in _comparisons(tree):
        key = (column.name, value)
        if key in told or _holds(column, value, folded=folded):
            continue
        told.add(key)
        near = nearest_values(column, value)
        if near or empty:
            yield _unmatched(column, value, near, tree)


def nearest_values(column: CatalogColumn, value: str) -> tuple[str, ...]:
    """The column's values that come nearest to `value`, best first; () where none is near."""
    from rapidfuzz import fuzz, process, utils

    texts = column.source.texts[:_SEARCHED]
    same = [text for text in texts if text.casefold().strip() == value.casefold().strip()]
    if same:
        return tuple(same[:_NEAREST])
    found = process.extract(
        value,
        texts,
        scorer=fuzz.WRatio,
        processor=utils.default_process,
        limit=_NEAREST,
        score_cutoff=_NEAR_SCORE,
    )
    return tuple(text for text, _, _ in found)


def _unmatched(column: CatalogColumn, value: str, near: tuple[str, ...], tree: SqlTree) -> Problem:
    name, literal = quote(column.name), sql_literal(value)
    warning = f"no row has {name} = {literal}"
    hints = []
    if near:
        hints.append("the nearest values are " + ", ".join(map(sql_literal, near)))
    elsewhere = list(_elsewhere(tree.tables, column, value))
    if elsewhere:
        hints.append(f"{literal} is in " + " and ".join(elsewhere))
    told = "; ".join([warning, *hints])
    return Problem("unmatched_value", told, told if hints else "")


def _elsewhere(tables: Iterable[CatalogTable], column: CatalogColumn, value: str) -> Iterator[str]:
    for table in tables:
        for other in table.columns:
            if other is not column and other.sql_type == "VARCHAR" and _holds(other, value):
                yield f"{quote(table.name)}.{quote(other.name)}"


def _holds(column: CatalogColumn, value: str, *, folded: bool = False) -> bool:
    forms = column.source.texts
    if column.source.canonical is not None and not column.as_text:
        forms = tuple(form for form in column.source.canonical if form is not None)
    return any(form.casefold() == value for form in forms) if folded else value in forms


def _comparisons(tree: SqlTree) -> Iterator[tuple[CatalogColumn, str, bool]]:
    """Each text that is compared for equality with a text column; True where letter case is
    folded on the column's side. Of an IN list only texts count that no other of it stands for.
    """
    from sqlglot import exp

    for scope in tree.scopes:
        for predicate in scope.find_all(exp.EQ, exp.NEQ, exp.In):
            sides = [predicate.this, predicate.args.get("expression")]
            if isinstance(predicate, exp.In):
                sides = [predicate.this]
            column = next((c for c in map(_compared_column, sides) if c is not None), None)
            if column is None:
                continue
            base = tree.base_column(scope, column)
            if base is None or base.sql_type != "VARCHAR":
                continue
            folded = isinstance(column.parent, exp.Lower)
            values = [v for v in _texts_compared(predicate) if not folded or v == v.casefold()]
            known = [value for value in values if _holds(base, value, folded=folded)]
            if len(values) > 1 and known:
                values = [v for v in values if not any(_alike(v, other) for other in known)]
            yield from ((base, value, folded) for value in values)


def _compared_column(side: exp.Expression | None) -> exp.Column | None:
    from sqlglot import exp

    inner = side.this if isinstance(side, (exp.Lower, exp.Trim)) else side
    return inner if isinstance(inner, exp.Column) else None


def _texts_compared(predicate: exp.Condition) -> list[str]:
    from sqlglot import exp

    parts = [predicate.this, predicate.args.get("expression"), *predicate.expressions]
    return [str(part.this) for part in parts if isinstance(part, exp.Literal) and part.is_string]


def _alike(one: str, other: str) -> bool:
    """Whether one is a spelling of the other."""
    short, long = sorted((one.casefold(), other.casefold()), key=len)
    return short == long or long.startswith(short)


def _said(tree: SqlTree) -> _Said:
    from sqlglot import exp

    literals = list(tree.root.find_all(exp.Literal))
    texts = {str(one.this).strip("%").casefold() for one in literals if one.is_string}
    numbers = {number for one in literals if (number := _number(str(one.this))) is not None}
    names = {node.name for node in tree.root.find_all(exp.Identifier)}
    return _Said(
        frozenset(texts),
        frozenset(numbers),
        frozenset(stem for name in names for stem in stems(name)),
    )


def _missing_values(question: str, links: Links, said: _Said) -> Iterator[tuple[str, str]]:
    for span_links in _by_span(links.values):
        text = span_links[0].span.text
        options = {link.value for link in span_links} | {text}
        if any(said.holds_text(option) for option in options) or stems(text) <= said.stems:
            continue
        number = _number(text)
        if number is not None and said.holds_number(number):
            continue
        places = dict.fromkeys(
            f"{quote(link.table)}.{quote(link.column)} = {sql_literal(link.value)}"
            for link in span_links[:_NEAREST]
        )
        yield sql_literal(text), " or ".join(places)


def _by_span(links: Iterable[ValueLink]) -> Iterator[list[ValueLink]]:
    """Sure links, grouped by the stretch of the question; a stretch inside another is left out."""
    sure = sorted(
        (link for link in links if link.score >= _SURE_LINK),
        key=lambda link: (link.span.start - link.span.end, -link.score),
    )
    groups: dict[tuple[int, int], list[ValueLink]] = {}
    for link in sure:
        span = (link.span.start, link.span.end)
        inside = any(a <= span[0] and span[1] <= b and (a, b) != span for a, b in groups)
        if not inside:
            groups.setdefault(span, []).append(link)
    yield from groups.values()


def _missing_quotes(question: str, said: _Said) -> Iterator[tuple[str, str]]:
    for match in _QUOTED.finditer(question):
        text = next(group for group in match.groups() if group)
        if not said.holds_text(text) and not stems(text) <= said.stems:
            yield sql_literal(text), f"compare with {sql_literal(text)}"


def _missing_numbers(question: str, links: Links, said: _Said) -> Iterator[tuple[str, str]]:
    covered = [(link.span.start, link.span.end) for link in links.values]
    for start, end, number in _numbers(question):
        if any(a <= start and end <= b for a, b in covered):
            continue
        text = question[start:end]
        if not said.holds_number(number) and not stems(text) <= said.stems:
            yield text, f"{text} is not in it"


def _numbers(question: str) -> Iterator[tuple[int, int, float]]:
    for match in _NUMBER.finditer(question):
        number = _number(match[0])
        if number is not None:
            yield match.start(), match.end(), number
    for match in re.finditer(r"[a-z]+", question.casefold()):
        if match[0] in _NUMBER_WORDS:
            yield match.start(), match.end(), float(_NUMBER_WORDS[match[0]])


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None
