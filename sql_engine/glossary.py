"""What the people who own the tables know of them: a small reviewed file, never needed.

Takes `glossary.yaml`; gives a `Glossary`: other words for tables and columns, descriptions, metrics
with their SQL, filters that hold unless a question says otherwise, joins that are told or ruled
out, columns that nobody may see.

    synonyms: {client: customer, turnover: amount}
    descriptions: {orders: "One line per order.", orders.amount: "Net of tax."}
    metrics: {net revenue: "SUM(amount) - SUM(refund)"}
    filters: {orders: "status <> 'cancelled'"}
    joins: [orders.client = customers.id]
    no_joins: [orders.id = customers.id]
    forbidden: [customers.email]
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from retrieval.table import Document, Table
from sql_engine.errors import SqlEngineError


class GlossaryError(SqlEngineError):
    """The glossary cannot be read."""

    code = "glossary_error"


@dataclass(frozen=True)
class Glossary:
    """The file's content; names of tables and columns in any letter case."""

    synonyms: Mapping[str, str] = field(default_factory=dict)
    """A word or phrase to the name it means."""
    descriptions: Mapping[str, str] = field(default_factory=dict)
    """A table, or table.column, to a sentence."""
    metrics: Mapping[str, str] = field(default_factory=dict)
    """A term to its SQL expression."""
    filters: Mapping[str, str] = field(default_factory=dict)
    """A table to a condition that holds unless the question says otherwise."""
    joins: tuple[str, ...] = ()
    """Keys that join two tables, as "table.column = table.column", whatever the data says."""
    no_joins: tuple[str, ...] = ()
    """Columns that the data may join and that are not to be joined."""
    forbidden: tuple[str, ...] = ()
    """Columns, as table.column, that are never loaded."""

    @classmethod
    def read(cls, path: Path) -> Glossary:
        """Read a file. Raises GlossaryError, with the place where known."""
        try:
            import yaml
        except ImportError:
            raise GlossaryError(
                "a glossary needs PyYAML", hint="pip install -e '.[glossary]'"
            ) from None
        try:
            told = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        except yaml.MarkedYAMLError as error:
            place = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
            raise GlossaryError(f"{path}{place} cannot be read: {error.problem}") from error
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise GlossaryError(f"{path} cannot be read: {error}") from error
        if not isinstance(told, dict):
            raise GlossaryError(f"{path} holds no sections", hint=f"use {', '.join(_SECTIONS)}")
        found = cls(**{str(name): _section(path, str(name), value) for name, value in told.items()})
        for name, sql in (*found.metrics.items(), *found.filters.items()):
            if _columns(sql) is None:
                raise GlossaryError(f"{path}: {name}: {sql!r} is no SQL expression")
        return found

    def rewrite(self, question: str) -> tuple[str, tuple[str, ...]]:
        """The question with synonyms replaced, and a sentence for each that was used."""
        used = []
        for word, meant in sorted(self.synonyms.items(), key=lambda pair: -len(pair[0])):
            pattern = re.compile(rf"(?<!\w){re.escape(word)}(?:s|es)?(?!\w)", re.IGNORECASE)
            replaced = pattern.sub(meant.replace("\\", r"\\"), question)
            if replaced != question:
                question = replaced
                used.append(f'"{word}" is read as "{meant}" (glossary)')
        return question, tuple(used)

    def metrics_in(self, question: str) -> tuple[tuple[str, str], ...]:
        """The metrics that the question names, with their SQL."""
        return tuple(
            (name, sql) for name, sql in self.metrics.items() if _said(name).search(question)
        )

    def spans_in(self, question: str) -> list[tuple[int, int]]:
        """Where the question names a metric."""
        return [found.span() for name in self.metrics for found in _said(name).finditer(question)]

    def spelt_out(self, question: str) -> str:
        """The question with what its metrics are computed from: the words that tell which tables
        and columns it needs.
        """
        return " ".join([question, *(sql for _, sql in self.metrics_in(question))])

    def about(self, table: str, column: str | None = None) -> str:
        """The description of a table or column, "" where there is none."""
        name = table if column is None else f"{table}.{column}"
        return next(
            (text for key, text in self.descriptions.items() if key.casefold() == name.casefold()),
            "",
        )

    def filter_of(self, table: str) -> str:
        """The condition that holds for a table, "" where there is none."""
        found = (sql for key, sql in self.filters.items() if key.casefold() == table.casefold())
        return next(found, "")

    def unknown_in(self, document: Document) -> tuple[str, ...]:
        """A sentence for each column that is told of a table of the document and is not there."""
        told = [("forbids", name) for name in self.forbidden]
        told += [("describes", name) for name in self.descriptions]
        told += [
            ("filters by", f"{table}.{column}")
            for table, sql in self.filters.items()
            for column in sorted(_columns(sql) or ())
        ]
        return tuple(
            f'the glossary {does} {name}, and "{table.name}" has no such column'
            for does, name in told
            for table in document.tables
            if _is_missing(name, table)
        )

    def without_forbidden(self, document: Document) -> Document:
        """The document without the columns that nobody may see."""
        if not self.forbidden:
            return document
        return replace(document, tables=tuple(map(self._visible, document.tables)))

    def _visible(self, table: Table) -> Table:
        hidden = {name.casefold() for name in self.forbidden}
        kept = [
            (place, column)
            for place, column in enumerate(table.columns)
            if f"{table.name}.{column.name}".casefold() not in hidden
        ]
        if len(kept) == len(table.columns):
            return table
        moved = {old: new for new, (old, _) in enumerate(kept)}
        return replace(
            table,
            columns=tuple(column for _, column in kept),
            key=moved.get(table.key) if table.key is not None else None,
            notes=tuple(
                replace(note, cells=tuple((r, moved[c]) for r, c in note.cells if c in moved))
                for note in table.notes
            ),
        )


def _is_missing(name: str, table: Table) -> bool:
    """Whether a name speaks of a column of this table that it does not have."""
    start = f"{table.name}.".casefold()
    headers = {column.name.casefold() for column in table.columns}
    return name.casefold().startswith(start) and name.casefold()[len(start) :] not in headers


def _columns(sql: str) -> frozenset[str] | None:
    """The names of columns in an expression; None where it is none."""
    from sqlglot import exp, parse_one
    from sqlglot.errors import SqlglotError

    try:
        tree = parse_one(sql, dialect="duckdb", into=exp.Condition)
    except SqlglotError:
        return None
    return frozenset(column.name for column in tree.find_all(exp.Column))


def _said(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?:s|es)?(?!\w)", re.IGNORECASE)


_EXAMPLES = {
    "synonyms": "synonyms: {client: customer}",
    "descriptions": "descriptions: {orders.amount: Net of tax.}",
    "metrics": "metrics: {net revenue: SUM(amount) - SUM(refund)}",
    "filters": "filters: {orders: status <> 'cancelled'}",
    "joins": "joins: [orders.client = customers.id]",
    "no_joins": "no_joins: [orders.id = customers.id]",
    "forbidden": "forbidden: [customers.email]",
}
_LISTS = {"joins": "joins", "no_joins": "joins", "forbidden": "table.column"}
_SECTIONS = tuple(f.name for f in fields(Glossary))


def _section(path: Path, name: str, value: Any) -> Any:
    if name not in _SECTIONS:
        near = get_close_matches(name, _SECTIONS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"use {', '.join(_SECTIONS)}"
        raise GlossaryError(f"{path} has no section {name!r}", hint=hint)
    if name in _LISTS:
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise GlossaryError(f"{path}: {name} is a list of {_LISTS[name]}", hint=_EXAMPLES[name])
    if isinstance(value, dict) and all(isinstance(item, str) for item in value.values()):
        return {str(key): item for key, item in value.items()}
    raise GlossaryError(
        f"{path}: {name} is a list of names, each with a text", hint=_EXAMPLES[name]
    )
