"""A result as a file, by its extension: CSV, TSV, JSON, JSON lines, Markdown, xlsx, Parquet, HTML.

Takes columns and rows as they came from the query; writes all of them. Parquet needs the extra
`arrow`.
"""

from __future__ import annotations

import datetime as dt
import html
import io
import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path

from router import render
from router.answer import Row
from router.errors import MissingExtra, UsageError
from router.render import text_of
from sql_engine.result import Interval

Writer = Callable[[Path, Sequence[str], Sequence[Row]], None]
_DIGITS = 15
"""Excel keeps so many digits of a number."""
_CELL = 32_767
"""Characters that a cell of Excel holds."""
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
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
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}", hint="Make it first.")
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

    values = [[_for_excel(value) for value in row] for row in (columns, *rows)]
    book = Workbook(write_only=True)
    sheet = book.create_sheet("result")

    def cell(value: object) -> object:
        made = WriteOnlyCell(sheet, value=value)  # type: ignore[arg-type]  # dates too
        if isinstance(made.value, str):
            made.data_type = "s"  # a text that starts with "=" is text, not a formula
        return made

    for row in values:
        sheet.append([cell(value) for value in row])
    content = io.BytesIO()
    book.save(content)  # in memory: an archive that cannot be opened fails again when it is dropped
    path.write_bytes(content.getvalue())


def _for_excel(value: object) -> object:
    """The value as Excel holds it without loss: numbers of up to 15 digits, dates, else text.

    Raises UsageError for a text that no cell can hold.
    """
    if isinstance(value, Interval):
        return str(value)
    if isinstance(value, Decimal) and value.is_finite() and len(value.as_tuple().digits) <= _DIGITS:
        return float(value)
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) < 10**_DIGITS):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dt.datetime | dt.time) and value.tzinfo is None:
        return value
    if isinstance(value, dt.timedelta) or type(value) is dt.date:
        return value
    text = _NOT_IN_XML.sub("\ufffd", text_of(value) or "")
    if len(text) > _CELL:
        raise UsageError(
            f"a cell has {len(text):,} characters, and Excel holds {_CELL:,}",
            hint="Export to .csv, .json or .parquet.",
        )
    return text or None


def _parquet(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    if find_spec("pyarrow") is None:
        raise MissingExtra(
            "Parquet needs an extra that is not installed",
            hint="Install it with: pip install -e '.[arrow]'",
        )
    import pyarrow as pa
    import pyarrow.parquet as pq

    def array(values: Sequence[object]) -> object:
        texts = any(isinstance(value, Interval) for value in values)
        try:
            return pa.array([text_of(v) for v in values] if texts else list(values))
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # no one type holds them all
            return pa.array([text_of(value) for value in values])

    data = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    table = pa.Table.from_arrays([array(column) for column in data], names=list(columns))
    pq.write_table(table, path)


def _html(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{html.escape(text_of(v) or '')}</td>" for v in row) + "</tr>"
        for row in rows
    )
    path.write_text(
        '<!doctype html><meta charset="utf-8">\n'
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n",
        encoding="utf-8",
    )
