"""Results as text: an aligned table, vertical records, CSV, TSV, JSON, JSON lines, Markdown.

In the first two, which people read, the long decimals of a division are rounded.

Takes column names and rows; gives a string without a trailing newline. Width is in terminal
columns (a CJK character takes two). A cut cell ends in "…"; nothing is dropped without a mark.
"""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from router.answer import Answer, Reading, Row, cite
from router.json_values import to_json, to_text
from router.wording import as_read, counted

if TYPE_CHECKING:
    from retrieval.hits import RowHit
    from router.describe import TableDescription
    from sql_engine.links import Links

NULL = "<null>"
DEFAULT_WIDTH = 100
MIN_CELL = 8
"""Columns narrower than this say nothing: the records go vertical instead."""
MAX_LINKS = 5
"""Places shown of one word of a question."""


def table(
    columns: Sequence[str],
    rows: Sequence[Row],
    *,
    width: int | None = DEFAULT_WIDTH,
    null: str = NULL,
    field_width: int | None = None,
) -> str:
    """An aligned table; vertical records where it would not fit; `width` None never cuts."""
    texts = [[_field(value, null, field_width) for value in row] for row in rows]
    natural = [
        max([display_width(_line(column)), *(display_width(row[i]) for row in texts)])
        for i, column in enumerate(columns)
    ]
    fitted = _fit(natural, width)
    if fitted is None:
        return vertical(columns, rows, width=width, null=null, field_width=field_width)
    numeric = [_is_numeric(rows, i) for i in range(len(columns))]
    headers = zip(columns, fitted, numeric, strict=True)
    lines = [_join([_pad(_line(name), w, right=right) for name, w, right in headers])]
    lines.append(_join(["-" * w for w in fitted]))
    for row in texts:
        cells = zip(row, fitted, numeric, strict=True)
        lines.append(_join([_pad(text, w, right=right) for text, w, right in cells]))
    return "\n".join(lines)


def vertical(
    columns: Sequence[str],
    rows: Sequence[Row],
    *,
    width: int | None = DEFAULT_WIDTH,
    null: str = NULL,
    field_width: int | None = None,
) -> str:
    """One line a cell, records parted by a rule that carries the record's number."""
    label = max((display_width(_line(column)) for column in columns), default=0)
    if width is not None:
        label = min(label, width // 2)
    room = None if width is None else max(MIN_CELL, width - label - 3)
    lines: list[str] = []
    for number, row in enumerate(rows, 1):
        lines.append(f"-[ record {number} ]-")
        for column, value in zip(columns, row, strict=True):
            text = _field(value, null, field_width)
            shown = text if room is None else _cut(text, room)
            lines.append(f"{_pad(_line(column), label, right=False)} | {shown}".rstrip())
    return "\n".join(lines)


def markdown(columns: Sequence[str], rows: Sequence[Row]) -> str:
    """A Markdown pipe table."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    head = [line([_line(column) for column in columns]), line(["---"] * len(columns))]
    return "\n".join(head + [line([_cell(v, null="") for v in row]) for row in rows])


def separated(columns: Sequence[str], rows: Sequence[Row], *, delimiter: str = ",") -> str:
    """CSV (or TSV): cells in full, missing ones empty."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(
        [["" if (t := text_of(value)) is None else t for value in row] for row in rows]
    )
    return out.getvalue().rstrip("\n")


def json_lines(columns: Sequence[str], rows: Sequence[Row]) -> str:
    """One JSON object a row."""
    return "\n".join(dumps(dict(zip(columns, row, strict=True)), indent=None) for row in rows)


def json_rows(columns: Sequence[str], rows: Sequence[Row]) -> str:
    """One JSON list of objects."""
    return dumps([dict(zip(columns, row, strict=True)) for row in rows])


def dumps(value: object, *, indent: int | None = 2) -> str:
    """Strict JSON text; non-ASCII kept readable."""
    return json.dumps(to_json(value), ensure_ascii=False, allow_nan=False, indent=indent)


Formatter = Callable[[Sequence[str], Sequence[Row]], str]

FORMATS: dict[str, Formatter] = {
    "table": table,
    "vertical": vertical,
    "markdown": markdown,
    "csv": separated,
    "tsv": lambda columns, rows: separated(columns, rows, delimiter="\t"),
    "json": json_rows,
    "jsonl": json_lines,
}


def fit(text: str, width: int) -> str:
    """The text on one line in just `width` terminal columns."""
    return _pad(_line(text), width, right=False)


def links(found: Links) -> list[str]:
    """The names and cells that a question was found to speak of, each place once."""
    told: dict[str, list[str]] = {}
    for column in found.columns:
        told.setdefault(column.span.text, []).append(f"{column.table}.{column.column}")
    for value in found.values:
        place = f"{value.table}.{value.column} = {_cut(_line(value.value), 40)}"
        told.setdefault(value.span.text, []).append(place)
    return [
        f'linked: "{text}" → {", ".join(list(dict.fromkeys(places))[:MAX_LINKS])}'
        for text, places in told.items()
    ]


def rows_note(shown: int, *, truncated: bool, total: int | None) -> str | None:
    """What to say of a result that is not whole; None where it is."""
    if not truncated:
        return None
    of = f"of {total:,}" if total is not None else "; there are more"
    return f"{shown:,} rows shown {of}"


def answer(answer: Answer, *, width: int | None = DEFAULT_WIDTH) -> str:
    """The answer for a person: its text, and its rows where the text does not already say them."""
    parts = [answer.text]
    if answer.declined and answer.rows:
        parts.append("Nearest rows, which are no answer:")
    if answer.columns and answer.rows and not is_one_cell(answer):
        parts.append(table(answer.columns, answer.rows, width=width))
        note = rows_note(len(answer.rows), truncated=answer.truncated, total=answer.total_rows)
        parts += [f"({note})"] if note else []
    return "\n".join(parts)


def notes(answer: Answer) -> list[str]:
    """What stands beside the answer: warnings, other readings, citations."""
    lines = [f"warning: {warning}" for warning in answer.warnings]
    lines += [f"also: {number}. {alternative_line(reading)}"
              for number, reading in enumerate(answer.alternatives, 1)]  # fmt: skip
    lines += [f"source: {cite(citation)}" for citation in answer.citations]
    return lines


def explanation(answer: Answer) -> list[str]:
    """Route, reason, SQL and attempts, for `--explain` and `.why`."""
    lines = [f"route: {answer.route.value} ({answer.confidence:.2f}): {answer.reason}"]
    if answer.read_as:
        lines.append(f"read as: {answer.read_as}")
    if answer.sql:
        lines.append(f"sql: {answer.sql}")
    for number, attempt in enumerate(answer.attempts, 1):
        lines.append(f"attempt {number}: {attempt.error or 'ran'} · {_line(attempt.sql)}")
    if answer.usage.calls:
        usage = answer.usage
        lines.append(
            f"model: {usage.calls} calls, {usage.prompt_tokens} + {usage.completion_tokens} tokens"
        )
    return lines


def is_one_cell(answer: Answer) -> bool:
    """Whether the text alone says the whole result."""
    return answer.value is not None and len(answer.rows) == 1


def alternative_line(reading: Reading) -> str:
    """One other reading with its result, on one line."""
    if reading.value is not None:
        return f"{reading.reading} → {as_read(reading.value)}"
    if reading.rows:
        return f"{reading.reading} → {counted(len(reading.rows))}"
    return reading.reading


def _fit(natural: list[int], width: int | None) -> list[int] | None:
    """Widths that sum to at most `width`: the widest columns give way; None where they cannot."""
    room = None if width is None else width - 2 * (len(natural) - 1)
    if room is None or sum(natural) <= room:
        return natural
    if sum(min(w, MIN_CELL) for w in natural) > room:
        return None
    low, high = MIN_CELL, max(natural)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(w, middle) for w in natural) <= room:
            low = middle
        else:
            high = middle - 1
    return [min(w, low) for w in natural]


def _cell(value: object, *, null: str = NULL) -> str:
    text = text_of(value)
    return null if text is None else _line(text)


def _field(value: object, null: str, width: int | None) -> str:
    text = str(as_read(value)) if isinstance(value, float) else _cell(value, null=null)
    return text if width is None else _cut(text, width)


def text_of(value: object) -> str | None:
    """A value in full as text, nested ones as JSON; None for a missing one."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple | dict):
        return dumps(value, indent=None)
    return to_text(value)


def _line(text: str) -> str:
    """The text on one line, control characters made visible."""
    return "".join(_visible(c) for c in text)


def _visible(char: str) -> str:
    if char in "\n\r\t":
        return {"\n": "⏎", "\r": "", "\t": " "}[char]
    return "�" if char in _TURNS or unicodedata.category(char) == "Cc" else char


_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""They turn the direction of what follows, past the cell that holds them."""


def display_width(text: str) -> int:
    """Terminal columns that a text takes."""
    if text.isascii():
        return len(text)
    return sum(_char_width(c) for c in text)


def _char_width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _cut(text: str, width: int) -> str:
    if display_width(text) <= width:
        return text
    taken, used = [], 0
    for char in text:
        used += _char_width(char)
        if used > width - 1:
            break
        taken.append(char)
    return "".join(taken) + "…"


def _pad(text: str, width: int, *, right: bool) -> str:
    cut = _cut(text, width)
    space = " " * (width - display_width(cut))
    return space + cut if right else cut + space


def _join(cells: Sequence[str]) -> str:
    return "  ".join(cells).rstrip()


def _is_numeric(rows: Sequence[Row], index: int) -> bool:
    values = [row[index] for row in rows if row[index] is not None]
    return bool(values) and all(
        isinstance(value, int | float | Decimal) and not isinstance(value, bool) for value in values
    )


def hit(found: RowHit, *, width: int | None = DEFAULT_WIDTH) -> str:
    """One row found, as a vertical record under its place."""
    place = f"{found.document} · {found.table} · _row {found.row_position} ({found.match})"
    cells = tuple(text or None for text in found.cells.values())
    record = vertical(tuple(found.cells), [cells], width=width).partition("\n")[2]
    return f"{place}\n{record}"


def description(told: TableDescription, *, width: int | None = DEFAULT_WIDTH) -> str:
    """One table in full."""
    head = f"{told.name} · {counted(told.rows)} · {told.document}"
    lines = [head, f"title: {told.title}"] if told.title != told.name else [head]
    facts = (("key", told.key), ("unit", told.unit), ("totals rows", told.totals_rows or None))
    lines += [f"{name}: {value}" for name, value in facts if value is not None]
    columns = ("column", "type", "unit", "distinct", "empty", "samples", "evidence")
    rows = [
        (c.name, c.type, c.unit or "", c.distinct, c.empty, ", ".join(c.samples), c.evidence)
        for c in told.columns
    ]
    lines.append(table(columns, rows, width=width))
    lines += [f"joins: {join}" for join in told.joins]
    lines += [f"note: {text}" for text in told.notes]
    lines += [f"warning: {c.name}: {w}" for c in told.columns for w in c.warnings]
    lines += [f"warning: {text}" for text in told.warnings]
    return "\n".join(lines)
