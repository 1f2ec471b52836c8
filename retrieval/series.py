"""Files, or sheets of a workbook, of one schema as one table: twelve months, a shard a region.

Files whose names differ in numbers and months alone, and whose single tables have the same header,
are joined with a column that names each row's file; one file of another header leaves them apart.
So are such sheets, each of which holds one table.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import PurePosixPath

from retrieval.build import build_table, retyped
from retrieval.dates import MONTH_NAMES
from retrieval.table import Document, Note, ReadResult, Table, TableReport

SOURCE = "Source file"
"""Name of the column that tells each row's file."""

_MONTH = "|".join(sorted(MONTH_NAMES, key=len, reverse=True))
_VARIES = re.compile(rf"\d+|(?<![^\W\d_])(?:{_MONTH})(?![^\W\d_])", re.I)


def join_series(results: Sequence[ReadResult]) -> list[ReadResult]:
    """The results, each series of files joined into one; the others as they are."""
    keyed = sorted(results, key=_skeleton)
    joined = []
    for _, group in groupby(keyed, key=_skeleton):
        members = list(group)
        joined += [_joined(members)] if _is_series(members) else members
    return sorted(joined, key=lambda result: result.document.name)


def _skeleton(result: ReadResult) -> str:
    return _VARIES.sub("*", result.document.name)


def _is_series(members: Sequence[ReadResult]) -> bool:
    if len(members) < 2 or any(len(m.document.tables) != 1 for m in members):
        return False
    tables = [member.document.tables[0] for member in members]
    if len({table.headers for table in tables}) > 1 or not _read_alike(tables):
        return False
    return not any(member.document.paragraphs for member in members)


def _read_alike(tables: Sequence[Table]) -> bool:
    """Whether no column's dates or decimals are written one way here and another way there."""
    for columns in zip(*(table.columns for table in tables), strict=True):
        orders = {c.type.day_first for c in columns if not c.type.warnings} - {None}
        marks = {c.type.decimal_mark for c in columns if c.type.scale and not c.type.warnings}
        units = {c.type.unit for c in columns} - {None}
        if max(map(len, (orders, marks, units))) > 1:
            return False
    return True


def _decimal_mark(tables: Sequence[Table]) -> str | None:
    """The decimal comma, where a table has one."""
    return "," if any(c.type.decimal_mark == "," for t in tables for c in t.columns) else None


def join_sheets(
    sheets: Sequence[str], tables: Sequence[Table], reports: Sequence[TableReport], stem: str
) -> tuple[tuple[Table, ...], tuple[TableReport, ...]]:
    """A workbook's tables and their reports, with each series of sheets joined into one table.

    `sheets` names each table's sheet; "" where the table is no sheet of its own.
    """
    groups: dict[tuple[str, tuple[str, ...], str | None], list[int]] = {}
    for place, (sheet, table) in enumerate(zip(sheets, tables, strict=True)):
        skeleton = _VARIES.sub("*", sheet)
        if "*" in skeleton:
            groups.setdefault((skeleton, table.headers, table.unit), []).append(place)
    series = [p for p in groups.values() if len(p) > 1 and _read_alike([tables[t] for t in p])]
    joined, left_out = {}, set[int]()
    for places in series:
        members, its_sheets = [tables[p] for p in places], [sheets[p] for p in places]
        name = stem if len(series) == 1 else members[0].name
        table = _one_table(members, its_sheets, _sheet_column(its_sheets), name, "sheets")
        table = replace(table, table_id=members[0].table_id, title=_common_title(members, name))
        joined[places[0]] = table, _one_report(table, [reports[p] for p in places])
        left_out |= set(places[1:])
    kept = [
        joined.get(place, (table, report))
        for place, (table, report) in enumerate(zip(tables, reports, strict=True))
        if place not in left_out
    ]
    return tuple(table for table, _ in kept), tuple(report for _, report in kept)


def _sheet_column(sheets: Sequence[str]) -> str:
    """What the sheets' names tell: "Month", "Year", or "Sheet"."""
    bare = [re.sub(r"[\s_\-./']+|\d+", "", sheet) for sheet in sheets]
    if all(re.fullmatch(r"(?:19|20)\d\d", sheet.strip()) for sheet in sheets):
        return "Year"
    return "Month" if all(word and _VARIES.fullmatch(word) for word in bare) else "Sheet"


def _common_title(tables: Sequence[Table], name: str) -> str:
    titles = {" ".join(_VARIES.sub(" ", table.title).split()) for table in tables}
    return (titles.pop() if len(titles) == 1 else "") or name


def _joined(members: Sequence[ReadResult]) -> ReadResult:
    tables = [member.document.tables[0] for member in members]
    name = _skeleton(members[0])
    stem = PurePosixPath(name).name.partition(".")[0]
    version = hashlib.sha256("".join(t.version for t in tables).encode()).hexdigest()[:16]
    called = re.sub(r"[\s_\-.*]+$|^[\s_\-.*]+|\*", "", stem) or "series"
    table = _one_table(tables, [table.document for table in tables], SOURCE, called, "files")
    table = replace(table, document=name, table_id=f"{name}#0", version=version, title=called)
    reports = [member.report for member in members]
    report = _one_report(table, [report.tables[0] for report in reports])
    merged = reports[0].merged(reports[1:])
    whole = replace(merged, tables=(report,), documents=(table.document,))
    return ReadResult(Document(name, version, (table,)), whole)


def _one_table(
    tables: Sequence[Table], sources: Sequence[str], column: str, name: str, kind: str
) -> Table:
    """The rows of all tables under each other, with a column that names each row's source."""
    first = tables[0]
    counts = [table.row_count for table in tables]
    starts = [sum(counts[:place]) for place in range(len(tables))]
    columns = [
        (own.path, [cell for table in tables for cell in table.columns[index].cells()])
        for index, own in enumerate(first.columns)
    ]
    cells = [source for source, count in zip(sources, counts, strict=True) for _ in range(count)]
    totals = (s + row for s, t in zip(starts, tables, strict=True) for row in t.totals)
    table = build_table(
        [*columns, ((column,), cells)],
        document=first.document,
        name=name,
        version=first.version,
        heading_path=first.heading_path,
        unit=first.unit,
        totals=frozenset(totals),
        notes=tuple(
            _moved(note, s) for s, t in zip(starts, tables, strict=True) for note in t.notes
        ),
        lines=_chained(tables),
        warnings=(
            f"{len(tables)} {kind} of one header are read as one table",
            *dict.fromkeys(w for t in tables for w in t.warnings),
        ),
        decimal_mark=_decimal_mark(tables),
        unit_title=first.title,
    )
    derived = tuple(
        replace(own, derived=index == len(columns) or first.columns[index].derived)
        for index, own in enumerate(
            retyped(table.columns, table.totals, table.unit, _decimal_mark(tables), first.title)
        )
    )
    unverified = (s + row for s, t in zip(starts, tables, strict=True) for row in t.unverified)
    return replace(table, columns=derived, unverified=frozenset(unverified))


def _moved(note: Note, rows: int) -> Note:
    """The note of a table whose rows begin further down."""
    cells = tuple((row if row < 0 else row + rows, column) for row, column in note.cells)
    return replace(note, cells=cells)


def _chained(tables: Iterable[Table]) -> tuple[int, ...]:
    return tuple(line for table in tables for line in table.lines or range(table.row_count))


def _one_report(table: Table, parts: Sequence[TableReport]) -> TableReport:
    return TableReport(
        table_id=table.table_id,
        name=table.name,
        rows_seen=sum(part.rows_seen for part in parts),
        rows_kept=table.row_count,
        set_aside=tuple(aside for part in parts for aside in part.set_aside),
        header_rows=parts[0].header_rows,
        header_lines=parts[0].header_lines,
        columns=tuple((column.name, column.type) for column in table.columns),
        totals=tuple(sorted(table.totals)),
        column_groups=parts[0].column_groups,
        warnings=tuple(dict.fromkeys((*table.warnings, *(w for p in parts for w in p.warnings)))),
    )
