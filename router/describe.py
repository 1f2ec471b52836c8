"""What is loaded, told plainly: one entry a table, and one table's columns in full.

Takes catalog tables and the joins found between them; gives values that print and serialise.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from retrieval.card import table_card
from sql_engine.catalog import Catalog, CatalogColumn, CatalogTable

SAMPLES = 5
SAMPLE_CHARS = 60


@dataclass(frozen=True)
class TableEntry:
    """One loaded table in short."""

    name: str
    """The name SQL uses."""
    title: str
    document: str
    rows: int
    """Rows that SQL sees."""
    columns: tuple[str, ...]


@dataclass(frozen=True)
class ColumnDescription:
    """One column."""

    name: str
    type: str
    """The SQL type."""
    unit: str | None
    distinct: int
    empty: int
    """Cells without a value."""
    samples: tuple[str, ...]
    """The most frequent cells as published."""
    evidence: str
    """Why the column has this type."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableDescription:
    """One loaded table in full."""

    name: str
    title: str
    document: str
    table_id: str
    rows: int
    totals_rows: int
    """Rows that sum others: kept for look-ups, left out of SQL."""
    key: str | None
    """The column that names each row."""
    unit: str | None
    columns: tuple[ColumnDescription, ...]
    card: str
    """The table in a few lines: headings, size, the range or the top cells of each column."""
    joins: tuple[str, ...] = ()
    """Conditions under which other tables join, in SQL."""
    notes: tuple[str, ...] = ()
    """Footnotes."""
    warnings: tuple[str, ...] = ()


def entries(tables: Iterable[CatalogTable]) -> tuple[TableEntry, ...]:
    """Tables in short; of a catalog, in the order they came."""
    return tuple(
        TableEntry(
            name=entry.name,
            title=entry.table.title,
            document=entry.table.document,
            rows=entry.row_count,
            columns=tuple(column.name for column in entry.columns),
        )
        for entry in tables
    )


def describe(entry: CatalogTable, joins: Iterable[str] = ()) -> TableDescription:
    """One table in full."""
    table = entry.table
    return TableDescription(
        name=entry.name,
        title=table.title,
        document=table.document,
        table_id=table.table_id,
        rows=entry.row_count,
        totals_rows=len(table.totals),
        key=None if table.key is None else table.columns[table.key].name,
        unit=table.unit,
        columns=tuple(map(_column, entry.columns)),
        card=table_card(table),
        joins=tuple(joins),
        notes=tuple(note.told for note in table.notes),
        warnings=table.warnings,
    )


def joins(entry: CatalogTable, catalog: Catalog) -> tuple[str, ...]:
    """The conditions under which a table joins the others, surest first."""
    return tuple(edge.condition() for edge in catalog.joins.neighbours(entry.name))


def _column(column: CatalogColumn) -> ColumnDescription:
    source = column.records
    counts = source.counts
    distinct = int(np.count_nonzero(counts))
    most = counts.argsort(kind="stable")[::-1][: min(SAMPLES, distinct)]
    decided = source.type
    return ColumnDescription(
        name=column.name,
        type=column.sql_type,
        unit=column.unit,
        distinct=distinct,
        empty=len(source.codes) - int(counts.sum()),
        samples=tuple(_short(source.texts[i]) for i in most.tolist()),
        evidence="as published" if column.as_text else decided.evidence,
        warnings=() if column.as_text else decided.warnings,
    )


def _short(text: str) -> str:
    return text if len(text) <= SAMPLE_CHARS else text[: SAMPLE_CHARS - 1] + "…"
