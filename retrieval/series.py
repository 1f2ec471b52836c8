"""Files of one schema as one table: twelve monthly exports, a shard a region.

Files whose names differ in numbers and months alone, and whose single tables have the same header,
are joined under a column that names each row's file. One file of another header leaves them apart.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import PurePosixPath

from retrieval.build import build_table
from retrieval.table import Document, LoadReport, ReadResult, Table, TableReport

SOURCE = "Source file"
"""Name of the column that tells each row's file."""

_MONTH = "jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec"
_LONG = "uary|ruary|ch|il|e|y|ust|tember|ober|ember"
_VARIES = re.compile(rf"\d+|(?<![a-z])(?:{_MONTH})(?:{_LONG})?(?![a-z])", re.I)


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
    headers = {member.document.tables[0].headers for member in members}
    return len(headers) == 1 and not any(m.document.paragraphs for m in members)


def _joined(members: Sequence[ReadResult]) -> ReadResult:
    tables = [member.document.tables[0] for member in members]
    name = _skeleton(members[0])
    version = hashlib.sha256("".join(t.version for t in tables).encode()).hexdigest()[:16]
    stem = PurePosixPath(name).name.partition(".")[0]
    counts = [table.row_count for table in tables]
    starts = [sum(counts[:place]) for place in range(len(tables))]
    columns = [
        (column.path, [cell for table in tables for cell in table.columns[index].cells()])
        for index, column in enumerate(tables[0].columns)
    ]
    sources = [t.document for t, count in zip(tables, counts, strict=True) for _ in range(count)]
    table = build_table(
        [*columns, ((SOURCE,), sources)],
        document=name,
        name=re.sub(r"[\s_\-.*]+$|^[\s_\-.*]+|\*", "", stem) or "series",
        version=version,
        unit=tables[0].unit,
        totals=frozenset(s + row for s, t in zip(starts, tables, strict=True) for row in t.totals),
        lines=_chained(tables),
        warnings=(f"{len(tables)} files of one header are read as one table",),
    )
    derived = tuple(
        replace(column, derived=index == len(columns) or tables[0].columns[index].derived)
        for index, column in enumerate(table.columns)
    )
    unverified = frozenset(
        s + row for s, t in zip(starts, tables, strict=True) for row in t.unverified
    )
    table = replace(table, columns=derived, unverified=unverified)
    return ReadResult(Document(name, version, (table,)), _report(table, members))


def _chained(tables: Iterable[Table]) -> tuple[int, ...]:
    return tuple(line for table in tables for line in table.lines or range(table.row_count))


def _report(table: Table, members: Sequence[ReadResult]) -> LoadReport:
    reports = [member.report for member in members]
    first, *others = reports
    parts = [report.tables[0] for report in reports]
    joined = TableReport(
        table_id=table.table_id,
        name=table.name,
        rows_seen=sum(part.rows_seen for part in parts),
        rows_kept=table.row_count,
        set_aside=tuple(aside for part in parts for aside in part.set_aside),
        header_rows=parts[0].header_rows,
        header_lines=parts[0].header_lines,
        columns=tuple((column.name, column.type) for column in table.columns),
        totals=tuple(sorted(table.totals)),
        warnings=table.warnings + tuple(w for part in parts for w in part.warnings),
    )
    return replace(first.merged(others), tables=(joined,), documents=(table.document,))
