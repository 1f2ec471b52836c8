"""Safe repairs of SQL that another dialect would accept.

Takes text that failed and its `Fault`; gives the edits that mend it with a note, or None. A repair
is here only where the other dialects that write so agree on the meaning and DuckDB can say it
exactly; where they differ (`RLIKE`, `REGEXP_LIKE`, weeks, `TO_CHAR` formats) the fault's hint says
what to write. Each is an edit of the text, and what comes of it is checked like any statement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sql_engine.catalog import Catalog
from sql_engine.edits import Edit
from sql_engine.faults import Fault
from sql_engine.sql_names import quote
from sql_engine.tokens import Call, Token, Words, source, span, tokens


@dataclass(frozen=True)
class Repair:
    """Edits that mend one fault, and what they do in one sentence."""

    edits: tuple[Edit, ...]
    note: str


def repair(sql: str, fault: Fault, catalog: Catalog) -> Repair | None:
    """The repair of this fault, if a safe one is known."""
    words = Words([token for token in tokens(sql) if token.kind != "comment"])
    for mend in _MENDS[fault.kind]:
        found = mend(words, fault, catalog)
        if found is not None:
            return found
    return None


# syntax


def _limit_offset(words: Words, fault: Fault, catalog: Catalog) -> Repair | None:
    """LIMIT m, n: MySQL's and SQLite's order of offset and count."""
    comma = words.at(fault.position)
    if comma is None or words.lower(comma) != "," or words.lower(comma - 2) != "limit":
        return None
    offset, count = words.tokens[comma - 1], words.tokens[comma + 1 : comma + 2]
    if not count or not (offset.text + count[0].text).isdigit():
        return None
    text = f"{count[0].text} OFFSET {offset.text}"
    return Repair((Edit(offset.start, count[0].end, text),), f"read LIMIT m, n as LIMIT {text}")


def _top(words: Words, fault: Fault, catalog: Catalog) -> Repair | None:
    """SELECT TOP n: a LIMIT, where the statement is one SELECT."""
    selects, number = words.indexes("select"), words.at(fault.position)
    if number is None or words.lower(number - 1) != "top" or not words.lower(number).isdigit():
        return None
    if len(selects) != 1 or words.lower(number + 1) in ("percent", "with") or _has_limit(words):
        return None
    top, end = words.tokens[number - 1], words.tokens[-1].end
    text = f" LIMIT {words.tokens[number].text}"
    edits = (Edit(top.start, words.tokens[number].end, ""), Edit(end, end, text))
    return Repair(edits, f"read TOP as{text}")


def _has_limit(words: Words) -> bool:
    return any(token.text.lower() in ("limit", "offset", "fetch") for token in words.tokens)


def _safe_cast(words: Words, fault: Fault, catalog: Catalog) -> Repair | None:
    for index in words.indexes("safe_cast", "("):
        token = words.tokens[index]
        edit = Edit(token.start, token.end, "TRY_CAST")
        return Repair((edit,), f"read {token.text} as TRY_CAST")
    return None


def _minus(words: Words, fault: Fault, catalog: Catalog) -> Repair | None:
    """Oracle's MINUS is EXCEPT."""
    select = words.at(fault.position)
    if select is None or words.lower(select - 1) != "minus":
        return None
    token = words.tokens[select - 1]
    return Repair((Edit(token.start, token.end, "EXCEPT"),), "read MINUS as EXCEPT")


def _within_group(words: Words, fault: Fault, catalog: Catalog) -> Repair | None:
    """LISTAGG(x, ',') WITHIN GROUP (ORDER BY y): DuckDB writes the order inside."""
    for index in words.indexes(")", "within", "group", "(", "order", "by"):
        opening = words.opening(index)
        if opening is None or words.lower(opening - 1) not in _JOINS_TEXTS:
            continue
        close, order = words.tokens[index], words.tokens[index + 4]
        edit = Edit(close.start, order.start, " ")
        return Repair((edit,), "moved the order of WITHIN GROUP into the aggregate")
    return None


def _separator(words: Words, fault: Fault, catalog: Catalog) -> Repair | None:
    """GROUP_CONCAT(x ORDER BY y SEPARATOR ';'): MySQL's way to write the second argument."""
    index = words.at(fault.position)
    opening = None if index is None else words.opening(index)
    if index is None or opening is None or words.lower(index) != "separator":
        return None
    separator, text = words.tokens[index], words.tokens[index + 1]
    orders = [i for i in words.indexes("order", "by") if opening < i < index]
    if words.lower(index + 2) != ")" or any(words.opening(i) != opening for i in orders):
        return None
    before = words.tokens[(orders[0] if orders else index) - 1].end
    edits = (
        Edit(before, before, f", {text.text}"),
        Edit(words.tokens[index - 1].end, text.end, ""),
    )
    return Repair(edits, f"read {separator.text} as the second argument")


_JOINS_TEXTS = frozenset({"listagg", "string_agg", "group_concat", "array_agg"})


def _keyword_table(words: Words, fault: Fault, catalog: Catalog) -> Repair | None:
    """FROM show: a table whose name is a word of the grammar."""
    index = words.at(fault.position)
    if index is None or words.lower(index - 1) not in ("from", "join", ","):
        return None
    token = words.tokens[index]
    if catalog.get(token.text) is None:
        return None
    quoted = quote(token.text)
    return Repair((Edit(token.start, token.end, quoted),), f"read {token.text} as a table")


# schemas

DEFAULT_SCHEMAS = frozenset({"public", "dbo"})
"""Where other databases put a table that is in no schema."""


def _default_schema(words: Words, fault: Fault, catalog: Catalog) -> Repair | None:
    index = words.at(fault.position)
    if index is None or fault.name not in DEFAULT_SCHEMAS or words.lower(index + 1) != ".":
        return None
    edit = Edit(words.tokens[index].start, words.tokens[index + 1].end, "")
    return Repair((edit,), f"read {fault.name} as no schema")


# functions


RENAMED = {
    "nvl": "coalesce",
    "iif": "if",
    "stdev": "stddev_samp",
    "stdevp": "stddev_pop",
    "var": "var_samp",
    "varp": "var_pop",
    "startswith": "starts_with",
    "endswith": "ends_with",
    "curdate": "current_date",
    "getdate": "current_localtimestamp",
    "current_timestamp": "now",
    "rand": "random",
    "average": "avg",
    "count_big": "count",
    "datefromparts": "make_date",
    "eomonth": "last_day",
    "mid": "substr",
    "regexp_contains": "regexp_matches",
    "replicate": "repeat",
    "truncate": "trunc",
}
"""Functions of other dialects that DuckDB has under another name, with the same arguments."""

FULL_UNITS = {"timestampdiff": "date_sub"}
"""Counts complete units; the unit is written without quotes."""

DATE_PARTS = frozenset(
    {"year", "quarter", "month", "day", "hour", "minute", "second", "years", "months", "days"}
)
"""Units on which dialects agree; on weeks they do not."""

TAKES_PART = frozenset(
    {"date_trunc", "datetrunc", "datediff", "date_diff", "datepart", "date_part"}
)


def _renamed(words: Words, fault: Fault, catalog: Catalog) -> Repair | None:
    call = _called(words, fault)
    if call is None:
        return None
    name = fault.name
    new = RENAMED.get(name)
    if name == "isnull" and len(call.arguments) == 2:
        new = "coalesce"
    if new is None:
        return None
    return Repair((Edit(call.name.start, call.name.end, new),), f"read {name} as {new}")


def _date_add(words: Words, fault: Fault, catalog: Catalog) -> Repair | None:
    """DATEADD(day, n, d): a sum."""
    call = _called(words, fault)
    if call is None or fault.name != "dateadd" or len(call.arguments) != 3:
        return None
    part, number, day = call.arguments
    if _unit(part) is None:
        return None
    text = f"({source(day)} + INTERVAL ({source(number)}) {_unit(part)})"
    return Repair((Edit(call.name.start, call.close.end, text),), f"read DATEADD as {text}")


def _full_units(words: Words, fault: Fault, catalog: Catalog) -> Repair | None:
    call = _called(words, fault)
    if call is None or fault.name not in FULL_UNITS or len(call.arguments) != 3:
        return None
    part, new = call.arguments[0], FULL_UNITS[fault.name]
    if _unit(part) is None:
        return None
    edits = (
        Edit(call.name.start, call.name.end, new),
        Edit(*span(part), f"'{_unit(part)}'"),
    )
    return Repair(edits, f"read {fault.name} as {new}")


def _glued_sign(words: Words, fault: Fault, catalog: Catalog) -> Repair | None:
    """`7 %-3`: DuckDB reads one operator where two stand."""
    if len(fault.name) < 2 or fault.name[-1] not in "+-" or fault.position is None:
        return None
    for token in words.tokens:
        if token.text == fault.name and token.start >= fault.position:
            edit = Edit(token.end - 1, token.end - 1, " ")
            return Repair((edit,), f"read {fault.name} as two operators")
    return None


def _called(words: Words, fault: Fault) -> Call | None:
    index = words.at(fault.position)
    return None if index is None else words.call(index)


def _unit(tokens: tuple[Token, ...]) -> str | None:
    word = tokens[0].text.strip("'\"").lower()
    return word if len(tokens) == 1 and word in DATE_PARTS else None


# columns


def _date_part(words: Words, fault: Fault, catalog: Catalog) -> Repair | None:
    """DATE_TRUNC(month, d): the unit is text to DuckDB."""
    index = words.at(fault.position)
    if index is None or fault.name.lower() not in DATE_PARTS or words.lower(index - 1) != "(":
        return None
    if words.lower(index - 2) not in TAKES_PART:
        return None
    token = words.tokens[index]
    return Repair((Edit(token.start, token.end, f"'{token.text}'"),), f"read {token.text} as text")


def _quoted_text(words: Words, fault: Fault, catalog: Catalog) -> Repair | None:
    """MySQL and SQLite read double quotes as text; here only a cell's text that is compared."""
    index = words.at(fault.position)
    if index is None or not fault.is_cell or not words.tokens[index].text.startswith('"'):
        return None
    opening = words.opening(index)
    listed = opening is not None and words.lower(opening - 1) == "in"
    if not (words.lower(index - 1) in _COMPARES or listed) or words.lower(index + 1) == ".":
        return None
    token = words.tokens[index]
    text = "'" + token.text[1:-1].replace('""', '"').replace("'", "''") + "'"
    return Repair((Edit(token.start, token.end, text),), f"read {token.text} as text")


_COMPARES = frozenset({"=", "==", "!=", "<>", "like", "ilike"})


# lambdas


def _lambda_arrow(words: Words, fault: Fault, catalog: Catalog) -> Repair | None:
    """`x -> x + 1`: the arrow is JSON's alone in DuckDB 2."""
    index = words.at(fault.position)
    if index is None:
        return None
    arrow = next((i for i in range(index, len(words.tokens)) if words.lower(i) == "->"), None)
    if arrow is None:
        return None
    names = [t for t in words.tokens[index:arrow] if t.text not in ("(", ")", ",", "row")]
    first = words.tokens[index - 1] if words.lower(index - 1) == "(" else words.tokens[index]
    opened = arrow - 1 > index and words.lower(arrow - 1) == ")"
    start = first.start if opened else words.tokens[index].start
    text = "lambda " + ", ".join(token.text for token in names) + ":"
    return Repair((Edit(start, words.tokens[arrow].end, text),), f"read -> as {text}")


_MENDS: dict[str, tuple[Callable[[Words, Fault, Catalog], Repair | None], ...]] = {
    "syntax": (_limit_offset, _top, _safe_cast, _minus, _within_group, _separator, _keyword_table),
    "schema": (_default_schema,),
    "function": (_renamed, _date_add, _full_units, _glued_sign),
    "column": (_date_part, _quoted_text),
    "lambda": (_lambda_arrow,),
}
