"""What a question comes back as: the `Answer`, its `Citation`s and its other readings.

Plain frozen values. `to_dict` is strict JSON; `to_pandas` and `_repr_html_` are for notebooks, and
`str` is what a terminal shows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from router.json_values import Json, to_json
from router.wording import as_read, short_title
from sql_engine.writer import Attempt, Usage

if TYPE_CHECKING:
    import pandas as pd

Row = tuple[Any, ...]


class Route(StrEnum):
    """The path that answers a question."""

    ROW = "row"
    """One cell, or a few rows found in the index."""
    TABLE = "table"
    """The whole table."""
    SQL = "sql"
    """One read-only query."""
    TEXT = "text"
    """A paragraph beside the tables."""
    DECLINED = "declined"
    """No answer, and why."""


@dataclass(frozen=True)
class Citation:
    """Where an answer comes from."""

    document: str
    version: str
    table_id: str | None
    """None for a paragraph."""
    title: str
    rows: tuple[int, ...] = ()
    """0-based data rows; empty where the whole table (or the filter's rows) went in."""
    columns: tuple[str, ...] = ()
    page: int | None = None
    line: int | None = None
    filter: str | None = None
    """The SQL condition that chose the rows, where they are too many to list."""


@dataclass(frozen=True)
class Reading:
    """Another reading of the question, with its SQL and its result."""

    reading: str
    """One plain sentence."""
    sql: str | None
    confidence: float = 0.0
    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    value: Any = None
    truncated: bool = False


@dataclass(frozen=True)
class Answer:
    """A question's answer, with all that it rests on."""

    question: str
    route: Route
    text: str
    """The answer in words; for a declined one, what is missing."""
    value: Any = None
    """The Python scalar when the answer is one cell."""
    columns: tuple[str, ...] = ()
    rows: list[Row] = field(default_factory=list)
    truncated: bool = False
    total_rows: int | None = None
    """None when it is not known."""
    sql: str | None = None
    citations: tuple[Citation, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    alternatives: tuple[Reading, ...] = ()
    warnings: tuple[str, ...] = ()
    confidence: float = 0.0
    reason: str = ""
    """Why this route, in one sentence."""
    usage: Usage = field(default_factory=Usage)
    elapsed_ms: float = 0.0
    read_as: str | None = None
    """The full question that a follow-up was read as."""
    parts: tuple[Answer, ...] = ()
    """Of a question that is several, the answer to each in turn, on its own route."""
    typed: list[Row] | None = field(default=None, repr=False)
    """The rows as Python values, where `rows` holds cells as published; `to_pandas` shows them."""

    @property
    def declined(self) -> bool:
        """Whether no answer was given."""
        return self.route is Route.DECLINED

    def to_dict(self) -> dict[str, Json]:
        """This answer as strict JSON: no NaN; decimals, dates and big integers as text."""
        told = (f.name for f in fields(self) if f.name != "typed")
        return {name: to_json(getattr(self, name)) for name in told}

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a frame that computes and plots: decimals as floats (exact in `rows`), dates
        as timestamps, the cells of a look-up as what their columns hold.
        """
        from router.frames import frame

        return frame(self.columns, self.rows if self.typed is None else self.typed)

    def __str__(self) -> str:
        from router import render

        return "\n".join([render.answer(self), *render.notes(self)])

    def _repr_html_(self) -> str:
        parts = [f"<p><b>{_escape(self.text)}</b></p>"]
        if self.columns and not self.declined:
            parts.append(_html_table(self.columns, self.rows[:_HTML_ROWS]))
        if self.truncated or len(self.rows) > _HTML_ROWS:
            parts.append(f"<p>{min(len(self.rows), _HTML_ROWS)} rows shown, there are more.</p>")
        parts.append(f"<p>{_escape(self.route.value)}: {_escape(self.reason)}</p>")
        if self.sql:
            parts.append(f"<pre>{_escape(self.sql)}</pre>")
        parts += [f"<p>Warning: {_escape(warning)}</p>" for warning in self.warnings]
        parts += [f"<p><i>{_escape(cited)}</i></p>" for cited in map(cite, self.citations)]
        return f'<div class="tabroute">{"".join(parts)}</div>'


_HTML_ROWS = 50


def cite(citation: Citation) -> str:
    """A citation in one line: `returns.md · "Return windows" · _row 2 · line 14 · columns Fee`.

    `_row` counts data rows from 0, under the name that SQL has for it; a line is one of the file.
    """
    parts = [citation.document]
    if citation.title and citation.title != citation.document:
        parts.append(f'"{short_title(citation.title)}"')
    if citation.rows:
        parts.append(_rows(citation.rows))
    if citation.page is not None:
        parts.append(f"page {citation.page}")
    if citation.line is not None and len(citation.rows) <= 1:
        parts.append(f"line {citation.line}")
    if citation.columns:
        parts.append("columns " + ", ".join(citation.columns))
    if citation.filter:
        parts.append(f"where {citation.filter}")
    return " · ".join(parts)


def _rows(rows: tuple[int, ...]) -> str:
    shown = ", ".join(str(row) for row in rows[:10])
    more = f" and {len(rows) - 10} more" if len(rows) > 10 else ""
    return f"_row {shown}{more}"


def _html_table(columns: tuple[str, ...], rows: list[Row]) -> str:
    head = "".join(f"<th>{_escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_cell(value: object) -> str:
    return f"<td>{_escape(as_read(value) or '')}</td>"


def _escape(text: str) -> str:
    import html

    return html.escape(text)
