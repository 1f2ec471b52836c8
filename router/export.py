"""A result as a file, by its extension: CSV, TSV, JSON, JSON lines, Markdown, xlsx, Parquet, HTML.

Takes columns and rows as they came from the query; writes all of them. Parquet needs the extra
`arrow`.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path

from router import render
from router.answer import Row
from router.errors import MissingExtra, UsageError
from router.json_values import to_text

Writer = Callable[[Path, Sequence[str], Sequence[Row]], None]
_TEXT_FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".md": "markdown",
}


def write(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Write the rows; the extension chooses the format.

    Raises:
        UsageError: an extension that is not known, or a file that cannot be written.
        MissingExtra: Parquet without pyarrow.
    """
    suffix = path.suffix.casefold()
    known: dict[str, Writer] = {".xlsx": _xlsx, ".parquet": _parquet, ".html": _html}
    if suffix not in known and suffix not in _TEXT_FORMATS:
        names = ", ".join([*_TEXT_FORMATS, *known])
        raise UsageError(f"cannot export to {path.name!r}", hint=f"Use one of {names}.")
    try:
        if suffix in known:
            known[suffix](path, columns, rows)
        else:
            text = render.FORMATS[_TEXT_FORMATS[suffix]](columns, rows)
            path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error


def _xlsx(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    sheet = book.create_sheet("result")

    def cell(value: object) -> object:
        plain = float(value) if isinstance(value, Decimal) else value
        number = plain if isinstance(plain, int | float) else None
        made = WriteOnlyCell(sheet, value=to_text(value) if number is None else number)
        if isinstance(made.value, str):
            made.data_type = "s"  # a text that starts with "=" is text, not a formula
        return made

    sheet.append([cell(column) for column in columns])
    for row in rows:
        sheet.append([cell(value) for value in row])
    book.save(path)


def _parquet(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    if find_spec("pyarrow") is None:
        raise MissingExtra(
            "Parquet needs an extra that is not installed",
            hint="Install it with: pip install 'tabroute[arrow]'",
        )
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    arrays = [pa.array(list(column)) for column in data]
    pq.write_table(pa.Table.from_arrays(arrays, names=list(columns)), path)


def _html(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{html.escape(to_text(v) or '')}</td>" for v in row) + "</tr>"
        for row in rows
    )
    path.write_text(
        '<!doctype html><meta charset="utf-8">\n'
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n",
        encoding="utf-8",
    )
