"""Metrics and usual filters of the glossary in what the offline writer writes.

A metric is read as a total of one of its columns, which the writer knows to compute with whatever
groups and conditions the question has, and its own SQL then takes that total's place. A usual
filter is added to each table that has one, unless the question speaks of its columns. Takes a
request and how to write one; gives the draft with a note for each term used, or raises
`CannotWrite`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from sql_engine.catalog import CatalogColumn, CatalogTable, is_numeric
from sql_engine.errors import CannotWrite
from sql_engine.glossary import Glossary
from sql_engine.glossary_checks import columns_of, speaks_of
from sql_engine.sql_names import fold, quote
from sql_engine.writer import Draft, SqlRequest

if TYPE_CHECKING:
    from sqlglot import exp

Write = Callable[[SqlRequest], Draft]

_MEASURED = re.compile(
    r"\b(average|mean|median|highest|lowest|maximum|minimum|most|least|largest|smallest)\s+(\w+\s+)?$",
    re.IGNORECASE,
)
_SUMMED = re.compile(r"\b(the\s+)?(total|sum of|overall)\s+(the\s+)?$", re.IGNORECASE)


def with_terms(request: SqlRequest, write: Write) -> Draft:
    """The draft that heeds the glossary. Raises CannotWrite."""
    metrics = request.glossary.metrics_in(request.question)
    if len(metrics) > 1:
        names = " and ".join(name for name, _ in metrics)
        raise CannotWrite(f"{names} are two metrics", hint="Ask for one of them at a time.")
    draft = _metric(request, *metrics[0], write) if metrics else write(request)
    return _filtered(draft, request.glossary, request.question, request)


def _metric(request: SqlRequest, name: str, sql: str, write: Write) -> Draft:
    table, column = _home(request, name, sql)
    total = f"total {column.name}"
    asked = replace(
        request,
        question=_in_place_of(name, total, request.question),
        tables=(table,),
        glossary=Glossary(),
    )
    draft = write(asked)
    note = f'"{name}" is {sql} (glossary)'
    return replace(
        draft,
        sql=_substituted(draft.sql, name, sql, column),
        reading=re.sub(re.escape(total), lambda _: name, draft.reading, flags=re.IGNORECASE),
        alternatives=(),
        notes=(*draft.notes, note),
    )


def _home(request: SqlRequest, name: str, sql: str) -> tuple[CatalogTable, CatalogColumn]:
    """The table that has every column of a metric, and one of them that may be added up."""
    wanted = columns_of(sql)
    for table in dict.fromkeys((*request.tables, *request.catalog.tables)):
        held = {fold(column.name): column for column in table.columns}
        numbers = [held[c] for c in sorted(wanted) if c in held and is_numeric(held[c])]
        if wanted <= held.keys() and numbers:
            return table, numbers[0]
    raise CannotWrite(f'no table has the columns of the metric "{name}"', hint="See the glossary.")


def _in_place_of(name: str, total: str, question: str) -> str:
    """The question about a total instead of the metric. Raises CannotWrite for a measure of it."""
    said = re.search(rf"(?<!\w){re.escape(name)}(?:s|es)?(?!\w)", question, re.IGNORECASE)
    assert said is not None, "the metric is in the question"
    before, after = question[: said.start()], question[said.end() :]
    if _MEASURED.search(before):
        raise CannotWrite(
            f'"{name}" is one number for all rows: it has no average, highest or lowest',
            hint=f"Ask for the {name} by something, in order.",
        )
    before = _SUMMED.sub("", before)
    return f"{before.rstrip()} {total}{after}" if before.strip() else f"What is the {total}{after}"


def _substituted(sql: str, name: str, metric: str, column: CatalogColumn) -> str:
    """The metric in place of every total of the column. Raises CannotWrite where there is none."""
    from sqlglot import exp, parse_one

    tree = parse_one(sql, dialect="duckdb")
    totals = [
        total
        for total in tree.find_all(exp.Sum)
        if isinstance(total.this, exp.Column) and fold(total.this.name) == fold(column.name)
    ]
    if not totals:
        raise CannotWrite(f'no query over the tables computes "{name}" so', sql=sql)
    for total in totals:
        own = parse_one(metric, dialect="duckdb")
        for inner in own.find_all(exp.Column):
            inner.set("table", exp.to_identifier(total.this.table or None, quoted=True))
        if isinstance(total.parent, exp.Alias):
            total.parent.set("alias", exp.to_identifier(name, quoted=True))
        total.replace(exp.paren(own))
    return tree.sql(dialect="duckdb")


def _filtered(draft: Draft, glossary: Glossary, question: str, request: SqlRequest) -> Draft:
    """The draft and its alternatives over the rows that usually count."""
    if not glossary.filters:
        return draft
    usual = {
        fold(table.name): condition
        for table in request.catalog
        if (condition := glossary.filter_of(table.name)) and not speaks_of(question, condition)
    }
    sql, used = _over_usual_rows(draft.sql, usual)
    notes = tuple(f"only rows of {quote(name)} where {usual[name]} (glossary)" for name in used)
    conditions = " and ".join(usual[name] for name in used)
    joined = "and" if " where " in draft.reading else "where"
    return replace(
        draft,
        sql=sql,
        reading=f"{draft.reading.rstrip('.')} {joined} {conditions}" if used else draft.reading,
        notes=(*draft.notes, *notes),
        alternatives=tuple(
            replace(other, sql=_over_usual_rows(other.sql, usual)[0])
            for other in draft.alternatives
        ),
    )


def _over_usual_rows(sql: str, usual: dict[str, str]) -> tuple[str, list[str]]:
    from sqlglot import exp, parse_one

    tree = parse_one(sql, dialect="duckdb")
    used = []
    for table in list(tree.find_all(exp.Table)):
        condition = usual.get(fold(table.name))
        if condition is None:
            continue
        used.append(fold(table.name))
        _restrict(table, condition)
    return (tree.sql(dialect="duckdb") if used else sql), list(dict.fromkeys(used))


def _restrict(table: exp.Table, condition: str) -> None:
    """Add the condition to the SELECT over this one table; a joined table becomes a subquery, so
    that an outer join keeps its rows.
    """
    from sqlglot import exp, parse_one

    select = table.find_ancestor(exp.Select)
    alias = table.alias or table.name
    if select is not None and not select.args.get("joins"):
        own = parse_one(condition, dialect="duckdb")
        for column in own.find_all(exp.Column):
            column.set("table", exp.to_identifier(alias, quoted=True))
        select.where(own, copy=False)
        return
    rows = exp.select("*").from_(exp.to_table(quote(table.name), dialect="duckdb"))
    table.replace(rows.where(condition, dialect="duckdb").subquery(quote(alias), copy=False))
