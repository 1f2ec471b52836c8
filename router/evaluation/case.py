"""A question with its gold: every field but the question is optional.

A case is judged by what it tells:

    question    the question
    id          a name for reports; else the line number
    route       "row", "table", "sql", "text", "declined", or a list of those admissible
    table       document, table name or table id that holds the answer
    row         the row's key text, a list of texts that together name it, or 0-based positions
    column      header of the cell asked for
    cell        the cell as published
    rows        result rows; columns beyond the gold's are allowed in the answer
    accepted    further admissible results, each a list of rows
    ordered     whether the order of the rows matters
    sql         a query whose result is the gold
    contains    text that the answering paragraph holds
    declined    true where the data does not hold the answer
    tags        words to report by
    of          id of another case whose gold this wording shares

`case_files.py` reads them from JSON lines and CSV.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from router.errors import UsageError

GoldRows = tuple[tuple[Any, ...], ...]

FIELDS = [
    "question",
    "id",
    "route",
    "table",
    "row",
    "column",
    "cell",
    "rows",
    "accepted",
    "ordered",
    "sql",
    "contains",
    "declined",
    "tags",
    "of",
]
"""The fields of a case, in the order of the table above."""


class CasesError(UsageError):
    """Cases cannot be used; the message names the line, the hint what to write there."""

    code = "bad_cases"


@dataclass(frozen=True)
class Case:
    """One question and what is known of its answer."""

    id: str
    question: str
    routes: tuple[str, ...] = ()
    """Admissible routes; empty where the case does not tell."""
    table: str | None = None
    keys: tuple[str, ...] = ()
    """Texts that together name the gold row."""
    positions: tuple[int, ...] = ()
    """0-based data rows, any of which is gold."""
    column: str | None = None
    cell: str | None = None
    results: tuple[GoldRows, ...] = ()
    """Every admissible result."""
    ordered: bool = False
    sql: str | None = None
    contains: str | None = None
    declined: bool = False
    tags: tuple[str, ...] = ()
    line: int = field(default=0, compare=False, repr=False)
    """Where it stands in its file."""

    @property
    def tells_row(self) -> bool:
        """Whether the gold row is known, so that retrieval can be measured."""
        return bool(self.keys or self.positions)

    @property
    def tells_answer(self) -> bool:
        """Whether an answer can be judged right or wrong."""
        return bool(
            self.declined
            or self.results
            or self.sql
            or self.cell is not None
            or self.contains
            or self.tells_row
        )
