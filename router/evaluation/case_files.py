"""Cases as a user writes them down: JSON lines, or CSV with a header row.

Takes a file, gives `Case`s. A file that cannot be used as it stands is refused with the line, what
is wrong with it and what to write instead; nothing in it is guessed or left out.

In a CSV file `rows`, `accepted` and `row` positions are written as JSON, `route` and `tags` take
several values separated by ";", `ordered` and `declined` take "yes" or "no".
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from router.answer import Route
from router.errors import nearest
from router.evaluation.case import FIELDS, Case, CasesError, GoldRows

Record = Mapping[str, Any]

_DELIMITERS = ",;\t|"
_JSON_FIELDS = ("rows", "accepted")
_LIST_FIELDS = ("route", "tags")
_FLAGS = {
    **dict.fromkeys(("true", "yes", "1", "x"), True),
    **dict.fromkeys(("false", "no", "0"), False),
}
_ROUTES = tuple(route.value for route in Route)
_ROWS_HINT = 'write rows as lists of cells: "rows": [["North", 12], ["South", 7]]'


def load_cases(path: Path) -> list[Case]:
    """Read a cases file; the suffix tells the format (.csv, else JSON lines).

    Raises:
        CasesError: the file cannot be read, or a line is no case; names the line.
    """
    return read_cases(_text_of(path), path.name, table=path.suffix.casefold() == ".csv")


def read_cases(text: str, name: str, *, table: bool = False) -> list[Case]:
    """Cases of a text: CSV where `table`, else JSON lines. Raises CasesError; it tells `name`."""
    try:
        cases = parse_cases((_csv_records if table else _json_records)(text))
    except CasesError as error:
        raise CasesError(f"{name}, {error}", hint=error.hint) from error
    if not cases:
        raise CasesError(f"{name} holds no cases", hint=_START_HINT)
    return cases


_START_HINT = (
    'Write one JSON object a line with at least a "question", or draft some: '
    "tabroute eval --suggest PATH"
)


def parse_cases(records: Iterable[tuple[int, Record]]) -> list[Case]:
    """Cases of numbered records; a record with `of` takes the gold of the case it names."""
    by_id: dict[str, Case] = {}
    for number, record in records:
        case = _case(number, record)
        if record.get("of"):
            origin = by_id.get(str(record["of"]))
            if origin is None:
                raise CasesError(
                    f"line {number}: no case {record['of']!r} before this line",
                    hint='"of" names the id of an earlier case whose gold this wording shares',
                )
            case = replace(origin, id=case.id, question=case.question, line=number)
        if case.id in by_id:
            raise CasesError(
                f"line {number}: the id {case.id!r} is that of line {by_id[case.id].line}",
                hint="give each case an id of its own, or none: the line number is used then",
            )
        by_id[case.id] = case
    return list(by_id.values())


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise CasesError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise CasesError(
            f"cannot read {path}: line {line} is not UTF-8", hint="save the file as UTF-8"
        ) from error


# JSON lines


def _json_records(text: str) -> Iterator[tuple[int, Record]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            told = f"line {number} is not JSON: {error.msg} at character {error.pos + 1}"
            raise CasesError(told, hint=_JSON_HINT) from error
        if not isinstance(record, dict):
            raise CasesError(f"line {number} is not a JSON object", hint=_JSON_HINT)
        yield number, record


_JSON_HINT = (
    'each line is one object, with no list around them: {"question": "…", "cell": "…"}; '
    "a table of cases is named .csv"
)


# CSV


def _csv_records(text: str) -> Iterator[tuple[int, Record]]:
    delimiter = _delimiter(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        head = _csv_head(next(reader, []))
        start = reader.line_num + 1
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield start, _csv_record(head, cells, start)
            start = reader.line_num + 1
    except csv.Error as error:
        raise CasesError(
            f"line {start} is not CSV: {error}", hint="close the quotes that the line opens"
        ) from error


def _delimiter(text: str) -> str:
    """The one that the header row is parted by."""
    first = next(iter(text.splitlines()), "")
    return max(_DELIMITERS, key=first.count)


def _csv_head(cells: list[str]) -> list[str]:
    head = [cell.strip().casefold() for cell in cells]
    if head and "question" not in head:
        raise CasesError(
            f"line 1 has no column question, but {', '.join(cells)}",
            hint="the first line names the columns; one of them is question",
        )
    _known(1, filter(None, head))
    twice = next((name for name in head if name and head.count(name) > 1), None)
    if twice:
        raise CasesError(f"line 1 names the column {twice} twice", hint="keep one of them")
    return head


def _csv_record(head: list[str], cells: list[str], number: int) -> Record:
    if any(cell.strip() for cell in cells[len(head) :]):
        raise CasesError(
            f"line {number} has {len(cells)} values and the header {len(head)}",
            hint='put a value that holds the separator in quotes: "3,200"',
        )
    return {
        name: _csv_value(name, cell.strip(), number)
        for name, cell in zip(head, cells, strict=False)
        if name and cell.strip()
    }


def _csv_value(name: str, text: str, number: int) -> Any:
    if name in _LIST_FIELDS:
        return [part.strip() for part in text.split(";") if part.strip()]
    if name in ("ordered", "declined"):
        return _flag(name, text, number)
    if name in _JSON_FIELDS or (name == "row" and text[0] in "[0123456789"):
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            if name == "row":
                return text
            raise CasesError(
                f"line {number}: {name} is not JSON: {text}", hint=_ROWS_HINT
            ) from error
    return text


def _flag(name: str, text: str, number: int) -> bool:
    if text.casefold() not in _FLAGS:
        raise CasesError(f"line {number}: {name} is {text!r}", hint="write yes or no")
    return _FLAGS[text.casefold()]


# One record


def _case(number: int, record: Record) -> Case:
    question = record.get("question")
    if not isinstance(question, str) or not question.strip():
        raise CasesError(
            f'line {number} has no "question"', hint="every case asks one, in plain words"
        )
    _known(number, record)
    for name, (fits, form) in _FORMS.items():
        if record.get(name) is not None and not fits(record[name]):
            shown = json.dumps(record[name], ensure_ascii=False, default=str)[:60]
            raise CasesError(f"line {number}: {name} is {shown}", hint=f"{name} takes {form}")
    _agrees(number, record)
    keys, positions = _row(record.get("row"))
    results = [] if record.get("rows") is None else [record["rows"]]
    results += record.get("accepted") or []
    return Case(
        id=str(record.get("id", number)),
        question=question.strip(),
        routes=_routes(record.get("route"), number),
        table=record.get("table"),
        keys=keys,
        positions=positions,
        column=record.get("column"),
        cell=None if record.get("cell") is None else str(record["cell"]),
        results=tuple(_rows(result) for result in results),
        ordered=bool(record.get("ordered", False)),
        sql=record.get("sql"),
        contains=record.get("contains"),
        declined=bool(record.get("declined", False)),
        tags=_texts(record.get("tags")) or _texts(record.get("kind")),
        line=number,
    )


def _agrees(number: int, record: Record) -> None:
    """A question that is to be declined has no answer beside that."""
    told = [name for name in _ANSWERS if record.get(name) is not None]
    if record.get("declined") and told:
        raise CasesError(
            f"line {number}: declined, and {told[0]} tells an answer",
            hint=f"take out declined if the tables answer it, else {' and '.join(told)}",
        )


_ANSWERS = ("cell", "rows", "accepted", "sql", "contains")


def _known(number: int, names: Iterable[str]) -> None:
    unknown = sorted(set(names) - {*FIELDS, "kind"})
    if unknown:
        close = nearest(unknown[0], FIELDS)
        meant = f"Did you mean {' or '.join(close)}? " if close else ""
        raise CasesError(
            f"line {number}: unknown field {', '.join(unknown)}",
            hint=f"{meant}The fields are {', '.join(FIELDS)}.",
        )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (str, int, float))


def _is_texts(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(map(_is_text, value)))


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_result(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, list) for row in value)


def _is_results(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_result, value))


def _is_row(value: Any) -> bool:
    parts = value if isinstance(value, list) else [value]
    return all(map(_is_text, parts)) or all(type(part) is int for part in parts)


_FORMS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "id": (_is_scalar, "a text or a number"),
    "route": (_is_texts, f"one of {', '.join(_ROUTES)}, or a list of them"),
    "table": (_is_text, "the name of a document or table"),
    "row": (_is_row, "the row's key, a list of texts that name it, or its position (0 is first)"),
    "column": (_is_text, "the header of the cell asked for"),
    "cell": (_is_scalar, "the cell as published"),
    "rows": (_is_result, f"a list of rows; {_ROWS_HINT}"),
    "accepted": (_is_results, "a list of results, each a list of rows"),
    "ordered": (_is_flag, "true or false, without quotes"),
    "sql": (_is_text, "a query"),
    "contains": (_is_text, "text of the answering paragraph"),
    "declined": (_is_flag, "true or false, without quotes"),
    "tags": (_is_texts, "a text or a list of texts"),
    "of": (_is_scalar, "the id of an earlier case"),
}
"""What each field may hold: a test, and words for a person."""


def _routes(told: Any, number: int) -> tuple[str, ...]:
    routes = _texts(told)
    unknown = next((route for route in routes if route not in _ROUTES), None)
    if unknown is not None:
        raise CasesError(
            f"line {number}: there is no route {unknown!r}", hint=f"routes: {', '.join(_ROUTES)}"
        )
    return routes


def _row(told: Any) -> tuple[tuple[str, ...], tuple[int, ...]]:
    parts = told if isinstance(told, list) else [] if told is None else [told]
    if all(isinstance(part, str) for part in parts):
        return tuple(parts), ()
    return (), tuple(parts)


def _rows(result: list[list[Any]]) -> GoldRows:
    return tuple(tuple(row) for row in result)


def _texts(value: str | list[str] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)
