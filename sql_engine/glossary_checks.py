"""What the glossary says of a question or a table, and the SQL does not heed.

Takes the glossary, the question and the query's tree; gives `Problem`s. A usual filter counts as
heeded where its columns are used at all, or where the question speaks of them itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sql_engine.checks import Problem
from sql_engine.glossary import Glossary
from sql_engine.links import ColumnLink, Links, TableLink, ValueLink
from sql_engine.name_stems import stems
from sql_engine.sql_names import fold, quote
from sql_engine.sql_tree import SqlTree

if TYPE_CHECKING:
    from sqlglot import exp


def glossary_problems(glossary: Glossary, question: str, tree: SqlTree) -> Iterator[Problem]:
    """A problem for each metric that is computed otherwise, and each usual filter left out."""
    used = {fold(column.name) for _, _, column in tree.columns()}
    for name, sql in glossary.metrics_in(question):
        if not columns_of(sql) <= used or not _parts_of(sql) <= _parts_of_tree(tree.root):
            yield Problem(
                "metric",
                f'"{name}" is {sql} by the glossary, which the query does not compute',
                f'"{name}" means {sql}: compute it so',
            )
    for table in tree.tables:
        condition = glossary.filter_of(table.name)
        if condition and not columns_of(condition) & used and not speaks_of(question, condition):
            yield Problem(
                "usual_filter",
                f"the usual filter of {quote(table.name)} ({condition}) is not applied",
                f"unless the question says otherwise, {quote(table.name)} is read "
                f"WHERE {condition}",
            )


def _parts_of(sql: str) -> frozenset[str]:
    """The aggregates and literals of an expression."""
    from sqlglot import parse_one
    from sqlglot.errors import SqlglotError

    try:
        return _parts_of_tree(parse_one(sql, dialect="duckdb"))
    except SqlglotError:
        return frozenset()


def _parts_of_tree(tree: exp.Expr) -> frozenset[str]:
    from sqlglot import exp

    aggregates = {node.key for node in tree.find_all(exp.AggFunc)}
    return frozenset(aggregates | {str(one.this) for one in tree.find_all(exp.Literal)})


def without_metrics(glossary: Glossary, question: str, links: Links) -> tuple[str, Links]:
    """The question with the names of its metrics blanked, and the links of its other words: the
    words of a name are no conditions.
    """
    spans = glossary.spans_in(question)
    for start, end in spans:
        question = question[:start] + " " * (end - start) + question[end:]

    def apart(link: TableLink | ColumnLink | ValueLink) -> bool:
        return not any(start < link.span.end and link.span.start < end for start, end in spans)

    return question, Links(
        tuple(filter(apart, links.tables)),
        tuple(filter(apart, links.columns)),
        tuple(filter(apart, links.values)),
    )


def columns_of(sql: str) -> frozenset[str]:
    """The folded names of the columns in an expression; none where it cannot be read."""
    from sqlglot import exp, parse_one
    from sqlglot.errors import SqlglotError

    try:
        tree = parse_one(sql, dialect="duckdb")
    except SqlglotError:
        return frozenset()
    return frozenset(fold(column.name) for column in tree.find_all(exp.Column))


def speaks_of(question: str, condition: str) -> bool:
    """Whether the question says a column of the condition, or a text that it compares with."""
    from sqlglot import exp, parse_one
    from sqlglot.errors import SqlglotError

    try:
        tree = parse_one(condition, dialect="duckdb")
    except SqlglotError:
        return False
    said = stems(question)
    texts = [column.name for column in tree.find_all(exp.Column)]
    texts += [str(one.this) for one in tree.find_all(exp.Literal) if one.is_string]
    return any(named and named <= said for named in map(stems, texts))
