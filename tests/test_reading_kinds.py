"""Files as people publish them, one kind a line of `data/reading/kinds.jsonl`, with their values.

Each line: `name`, `file`, its `content` (in `encoding`) or `bytes` as hex digits, and what is
`expected` of the first table: `columns`, `values` (as SQL sees them), `texts`, `kinds`, `units`,
`rows`, `totals`, `last` (the last row's texts), `title`, `tables` (how many), `error`,
`notes` (marker and cells of each), `warning` (true, false, or part of it).
"""

import json
from pathlib import Path

import pytest

from retrieval.errors import SourceError
from retrieval.reading import read_source

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "data/reading/kinds.jsonl").read_text("utf-8").splitlines()
]


def canonical(value):
    """A value as a column's canonical forms write it, numbers by their value."""
    try:
        return float(value) if any(char.isdigit() for char in str(value)) else value
    except ValueError:
        return value


def found(result, part, wanted):
    """What the reading gives for one part of what is expected."""
    document = result.document
    table = document.tables[0]
    rows = table.data_rows.tolist()
    if part == "tables":
        return len(document.tables)
    if part in ("values", "texts"):
        read = "canonical_at" if part == "values" else "text_at"
        cells = {name: [getattr(table.column(name), read)(row) for row in rows] for name in wanted}
        return {name: list(map(canonical, column)) for name, column in cells.items()}
    if part in ("kinds", "units"):
        types = {name: table.column(name).type for name in wanted}
        return {n: t.kind.value if part == "kinds" else t.unit for n, t in types.items()}
    if part == "warning":
        reports = [*document.tables[0].warnings, *result.report.warnings]
        told = " ".join([*reports, *(w for c in table.columns for w in c.type.warnings)])
        return wanted if isinstance(wanted, str) and wanted in told else bool(told)
    counts = {"rows": len(rows), "totals": len(table.totals), "title": table.title}
    if part == "notes":
        return [[note.marker, [list(cell) for cell in note.cells]] for note in table.notes]
    if part == "last":
        return list(table.row(table.row_count - 1))
    return list(table.headers) if part == "columns" else counts[part]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_file_of_its_kind_is_read_to_its_values(case, tmp_path):
    path = tmp_path / case["file"]
    content = case.get("content", "").encode(case.get("encoding", "utf-8"))
    path.write_bytes(bytes.fromhex(case["bytes"]) if "bytes" in case else content)
    expected = case["expected"]
    if expected.get("error"):
        with pytest.raises(SourceError):
            read_source(path)
        return
    result = read_source(path)[0]
    for part, wanted in expected.items():
        if part in ("values", "texts"):
            wanted = {name: list(map(canonical, cells)) for name, cells in wanted.items()}
        assert found(result, part, wanted) == wanted, part
