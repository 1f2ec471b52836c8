"""From SQL text to DuckDB's own syntax tree: text limits, one statement, cut at its end.

The parser is a DuckDB connection of its own without tables or access to anything outside; it runs
nothing but `json_serialize_sql`. Which syntax may run is decided in `tree.py`.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass
from functools import cache
from typing import Any

import duckdb

from sql_engine import policy
from sql_engine.dialect_hints import syntax_hint
from sql_engine.engine import keyboard_interrupts, locked_connection
from sql_engine.engine_errors import engine_message, place_in
from sql_engine.errors import InvalidQuery, Refused
from sql_engine.faults import Fault
from sql_engine.tokens import tokens

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5"
    "\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Control characters, and those that look like nothing or like a space: parsers differ on them."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")


PARSER_BYTES = 256_000_000


@dataclass(frozen=True)
class Statement:
    """One parsed statement."""

    text: str
    """Cut at its end: no semicolon, nothing after it."""
    tree: dict[str, Any]


def clean(sql: object) -> str:
    """The text, if it is one that a parser can be trusted with; a tab or line end is fine.

    Raises:
        Refused: too long, or with characters that cannot be seen.
        InvalidQuery: empty, or no text.
    """
    if not isinstance(sql, str):
        raise InvalidQuery("the query is not text", hint="pass SQL as one string")
    if len(sql) > policy.MAX_CHARACTERS:
        raise Refused(
            f"the statement is longer than {policy.MAX_CHARACTERS} characters",
            hint="write a shorter query",
        )
    found = _INVISIBLE.search(outside_quotes(sql)) or _CONTROL.search(sql)
    if found:
        raise Refused(
            f"the statement holds the invisible character U+{ord(found[0]):04X}",
            hint="write plain spaces and line ends",
        )
    return sql


def outside_quotes(sql: str) -> str:
    """The text without what stands in quotes, where every character is only data."""
    return _QUOTED.sub("''", sql)


def cut(sql: str) -> str:
    """The text up to its first statement's end; what follows must be nothing but remarks.

    Raises:
        Refused: more than one statement.
        InvalidQuery: none.
    """
    if ";" not in sql:
        return sql
    end = None
    for token in tokens(sql):
        if token.kind == "comment":
            continue
        if token.text == ";":
            end = token.start if end is None else end
        elif end is not None:
            raise Refused("more than one statement", hint="write one SELECT")
    return sql if end is None else sql.encode()[:end].decode()


def parse(sql: str) -> Statement:
    """Parse one statement.

    Raises:
        Fault: the text does not parse.
        Refused: it is no query.
        InvalidQuery: there is no statement.
    """
    with _LOCK, keyboard_interrupts():
        connection = _connection()
        try:
            statements = connection.extract_statements(sql)
            kinds = [statement.type.name for statement in statements]
            row = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
        except duckdb.ParserException as error:
            raise _syntax_fault(sql, error) from None
        except (duckdb.Error, ValueError) as error:
            raise Refused(
                "this kind of statement is not allowed", hint="write one SELECT that only reads"
            ) from error
    if not kinds:
        raise InvalidQuery("there is no statement", hint="write one SELECT")
    if kinds == ["MULTI"]:
        raise Refused(
            "a PIVOT without its values is not allowed",
            hint="name the values: PIVOT … ON column IN ('a', 'b') USING sum(x)",
        )
    if len(kinds) > 1:
        raise Refused("more than one statement", hint="write one SELECT")
    if kinds != ["SELECT"]:
        raise Refused(f"{kinds[0]} is not allowed", hint="write one SELECT that only reads")
    tree = json.loads(row[0]) if row else {}
    if tree.get("error") is not False:
        raise Refused("this statement is not allowed", hint="write one SELECT that only reads")
    return Statement(sql, tree)


def _syntax_fault(sql: str, error: duckdb.Error) -> Fault:
    message, position = engine_message(error)
    place = "" if position is None else place_in(sql, position)
    return Fault("syntax", message + place, position=position, hint=syntax_hint(message))


_LOCK = threading.Lock()


@cache
def _connection() -> duckdb.DuckDBPyConnection:
    return locked_connection(PARSER_BYTES)
