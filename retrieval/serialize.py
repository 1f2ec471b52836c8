"""A row as text that says what each cell means.

Takes a `Table` and row positions; gives the row's chunk in one of five formats. Each repeats the
headers, the row's name, the unit and the footnotes of its cells; empty cells are left out, and a
wide table is cut into column groups that repeat the row's name.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from retrieval.table import Table, made_up_header

Format = Literal["header_injected", "triples", "sentence", "jsonl", "markdown", "html"]

GROUP_COLUMNS = 24
"""Columns of one chunk; a wider table has several chunks a row."""


@dataclass(frozen=True)
class Chunk:
    """A row (or a column group of it) with its provenance."""

    chunk_id: str
    document: str
    version: str
    table_id: str
    table_title: str
    heading_path: tuple[str, ...]
    primary_entity: str
    headers: tuple[str, ...]
    """The headers whose cells are in `content`."""
    row_position: int
    page: int | None
    line: int | None
    content: str


@dataclass(frozen=True)
class _Row:
    """What the formats print of a row."""

    title: str
    entity: str
    pairs: tuple[tuple[str, str], ...]
    told: tuple[tuple[str, str], ...]
    """Those of a text that tells the row's name: without the same under a header that is none."""
    unit: str | None
    notes: tuple[str, ...]
    total: bool


def row_text(
    table: Table,
    row: int,
    *,
    format: Format = "header_injected",
    columns: Sequence[int] = (),
    cells: Sequence[str] = (),
) -> str:
    """One row with its headers; `columns` limits it to those column positions, `cells` are all of
    the row's where they have been read already.
    """
    shown = columns or range(len(table.columns))
    return _FORMATS[format](_row(table, row, shown, cells or table.row(row)))


def column_groups(table: Table, group: int = GROUP_COLUMNS) -> list[list[int]]:
    """Positions of the columns that are one chunk of a row; each later group repeats the key."""
    width = len(table.columns)
    groups = [list(range(s, min(width, s + group))) for s in range(0, max(width, 1), group)]
    for columns in groups[1:]:
        if table.key is not None and table.key not in columns:
            columns.insert(0, table.key)
    return groups


def row_chunks(
    table: Table, row: int, *, format: Format = "header_injected", group: int = GROUP_COLUMNS
) -> Iterator[Chunk]:
    """The chunks of one row: one, or one per column group of a wide table."""
    width, cells = len(table.columns), table.row(row)
    for start, columns in zip(
        range(0, max(width, 1), group), column_groups(table, group), strict=True
    ):
        content = _row(table, row, columns, cells)
        suffix = f":{start}-{min(width, start + group) - 1}" if width > group else ""
        yield Chunk(
            chunk_id=f"{table.table_id}:{row}{suffix}",
            document=table.document,
            version=table.version,
            table_id=table.table_id,
            table_title=table.title,
            heading_path=table.heading_path,
            primary_entity=content.entity,
            headers=tuple(header for header, _ in content.pairs),
            row_position=row,
            page=table.page_of(row),
            line=table.line_of(row),
            content=_FORMATS[format](content),
        )


def entity(table: Table, row: int) -> str:
    """What names the row: its key cell, else its first cell that is not empty."""
    if table.key is not None and (text := table.columns[table.key].text_at(row)):
        return text
    return _first(table.row(row))


def _first(cells: Sequence[str]) -> str:
    return next((text for text in cells if text), "")


def breadcrumb(table: Table) -> str:
    """Headings above the table and its title, outermost first."""
    path = [part for part in table.heading_path if part and part != table.title]
    return " > ".join([*path, table.title])


def _row(table: Table, row: int, columns: Sequence[int], cells: Sequence[str]) -> _Row:
    shown = set(columns)
    notes = tuple(
        note.told
        for note in table.notes
        if any(r in (row, -1) and c in shown for r, c in note.cells)
    )
    key, filled = table.key, [i for i in columns if cells[i]]
    pairs = [(table.columns[i].name, cells[i]) for i in filled]
    bare = key is not None and table.columns[key].name == made_up_header(key)
    return _Row(
        title=breadcrumb(table),
        entity=(cells[key] if key is not None else "") or _first(cells),
        pairs=tuple(pairs),
        told=tuple(p for i, p in zip(filled, pairs, strict=True) if not (bare and i == key)),
        unit=table.unit,
        notes=notes,
        total=row in table.totals,
    )


def _header_injected(row: _Row) -> str:
    parts = [f"[Table: {row.title}]", f"[Row: {row.entity}]"]
    if row.total:
        parts.append("[Total]")
    parts.append(" | ".join(f"{header}: {text}" for header, text in row.told))
    if row.unit:
        parts.append(f"(Unit: {row.unit})")
    parts.extend(f"(Note: {note})" for note in row.notes)
    return " ".join(part for part in parts if part)


def _triples(row: _Row) -> str:
    lines = [f"{row.entity} | {header} | {text}" for header, text in row.told]
    return "\n".join([row.title, *lines, *_remarks(row)])


def _sentence(row: _Row) -> str:
    body = "; ".join(f"{header}: {text}" for header, text in row.pairs)
    sentences = [row.title, body, *_remarks(row)]
    return " ".join(s if s.endswith((".", "!", "?")) else f"{s}." for s in sentences if s)


def _remarks(row: _Row) -> list[str]:
    unit = [f"Unit: {row.unit}"] if row.unit else []
    total = ["This row is a total"] if row.total else []
    return unit + total + [f"Note: {note}" for note in row.notes]


def _jsonl(row: _Row) -> str:
    record: dict[str, object] = {"table": row.title, "row": row.entity, **dict(row.told)}
    if row.unit:
        record["_unit"] = row.unit
    if row.total:
        record["_total"] = True
    if row.notes:
        record["_notes"] = list(row.notes)
    return json.dumps(record, ensure_ascii=False)


def _markdown(row: _Row) -> str:
    def line(cells: Sequence[str]) -> str:
        escaped = (cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
        return "| " + " | ".join(escaped) + " |"

    headers = [header for header, _ in row.pairs]
    texts = [text for _, text in row.pairs]
    table = [line(headers), "|" + " --- |" * len(headers), line(texts)]
    return "\n".join([f"**{row.title}**", "", *table, *_remarks(row)])


def _html(row: _Row) -> str:
    head = "".join(f"<th>{html.escape(header)}</th>" for header, _ in row.pairs)
    body = "".join(f"<td>{html.escape(text)}</td>" for _, text in row.pairs)
    notes = "".join(f"<p>{html.escape(remark)}</p>" for remark in _remarks(row))
    caption = f"<caption>{html.escape(row.title)}</caption>"
    return f"<table>{caption}<tr>{head}</tr><tr>{body}</tr></table>{notes}"


_FORMATS: dict[Format, Callable[[_Row], str]] = {
    "header_injected": _header_injected,
    "triples": _triples,
    "sentence": _sentence,
    "jsonl": _jsonl,
    "markdown": _markdown,
    "html": _html,
}
