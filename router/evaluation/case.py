"""A question with its gold, as a user writes it down: JSON lines or CSV.

Takes a file, gives `Case`s. Every field but the question is optional; a case is judged by what it
tells:

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

In a CSV file `rows`, `accepted` and `row` positions are written as JSON, `route` and `tags` take
several values separated by ";".
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
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
    """A cases file cannot be used; the message names the line."""

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


def load_cases(path: Path) -> list[Case]:
    """Read a cases file; the suffix tells the format (.csv, else JSON lines).

    Raises:
        CasesError: the file cannot be read, or a line is no case; names the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CasesError(f"cannot read {path}: {error}") from error
    records = _csv_records(text) if path.suffix.casefold() == ".csv" else _json_records(text)
    cases = parse_cases(records)
    if not cases:
        raise CasesError(f"{path} holds no cases", hint='each line needs at least a "question"')
    return cases


def parse_cases(records: Iterable[tuple[int, Mapping[str, Any]]]) -> list[Case]:
    """Cases of numbered records; a record with `of` takes the gold of the case it names."""
    by_id: dict[str, Case] = {}
    cases = []
    for number, record in records:
        case = _case(number, record)
        if record.get("of"):
            origin = by_id.get(str(record["of"]))
            if origin is None:
                raise CasesError(f"line {number}: no case {record['of']!r} before this line")
            case = replace(origin, id=case.id, question=case.question)
        by_id[case.id] = case
        cases.append(case)
    return cases


def _json_records(text: str) -> Iterable[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise CasesError(f"line {number} is not JSON: {error}") from error
        if not isinstance(record, dict):
            raise CasesError(f"line {number} is not a JSON object")
        yield number, record


_JSON_FIELDS = ("rows", "accepted")
_LIST_FIELDS = ("route", "tags")
_FLAG_FIELDS = ("ordered", "declined")


def _csv_records(text: str) -> Iterable[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(text.splitlines())
    for record in reader:
        number = reader.line_num
        yield (
            number,
            {
                name: _csv_value(name, value.strip(), number)
                for name, value in record.items()
                if name and isinstance(value, str) and value.strip()
            },
        )


def _csv_value(name: str, text: str, number: int) -> Any:
    if name in _LIST_FIELDS:
        return [part.strip() for part in text.split(";") if part.strip()]
    if name in _FLAG_FIELDS:
        return text.casefold() in ("true", "yes", "1", "x")
    if name in _JSON_FIELDS or (name == "row" and text[0] in "[0123456789"):
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            if name == "row":
                return text
            raise CasesError(f"line {number}: {name} is not JSON: {error}") from error
    return text


def _case(number: int, record: Mapping[str, Any]) -> Case:
    question = record.get("question")
    if not isinstance(question, str) or not question.strip():
        raise CasesError(f'line {number} has no "question"')
    unknown = sorted(record.keys() - set(FIELDS) - {"kind"})
    if unknown:
        raise CasesError(
            f"line {number}: unknown field {', '.join(unknown)}",
            hint=f"the fields are {', '.join(FIELDS)}",
        )
    keys, positions = _row(record.get("row"), number)
    results = [record["rows"]] if "rows" in record else []
    results += record.get("accepted", [])
    return Case(
        id=str(record.get("id", number)),
        question=question.strip(),
        routes=_texts(record.get("route")),
        table=record.get("table"),
        keys=keys,
        positions=positions,
        column=record.get("column"),
        cell=None if record.get("cell") is None else str(record["cell"]),
        results=tuple(_rows(result, number) for result in results),
        ordered=bool(record.get("ordered", False)),
        sql=record.get("sql"),
        contains=record.get("contains"),
        declined=bool(record.get("declined", False)),
        tags=_texts(record.get("tags")) or _texts(record.get("kind")),
    )


def _row(told: Any, number: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
    parts = told if isinstance(told, list) else [] if told is None else [told]
    if all(isinstance(part, str) for part in parts):
        return tuple(parts), ()
    if all(isinstance(part, int) and not isinstance(part, bool) for part in parts):
        return (), tuple(parts)
    raise CasesError(f'line {number}: "row" takes texts or positions, not both')


def _rows(result: Any, number: int) -> GoldRows:
    if not isinstance(result, list) or not all(isinstance(row, list) for row in result):
        raise CasesError(f"line {number}: a result is a list of rows, each a list of cells")
    return tuple(tuple(row) for row in result)


def _texts(value: str | Sequence[str] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(str(item) for item in value)
