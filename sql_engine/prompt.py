"""What the language model is told: one pure function from a request to chat messages.

Takes an `SqlRequest`, the part of the schema chosen for it, and options; gives the messages. Names
and cell values are quoted and escaped, so that text in a cell stays a value. `share` bounds what
of the data is in the messages; a budget of tokens bounds their length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from sql_engine.catalog import CatalogColumn
from sql_engine.errors import BudgetExceeded
from sql_engine.glossary import Glossary
from sql_engine.prompts import render
from sql_engine.pruning import PrunedSchema, PrunedTable
from sql_engine.sql_names import quote
from sql_engine.writer import Attempt, Example, SqlRequest

Share = Literal["schema", "samples", "rows"]
"""What of the data may be in a prompt: names and types; also sample values; also whole rows."""

_CELL_CHARS = 60
_SAMPLES = 5
_ROWS = 3
_TIME_WORDS = re.compile(
    r"\b(today|yesterday|tomorrow|tonight|now|currently?|ago|recent(ly)?|latest|overdue|"
    r"to date|so far|(this|last|past|previous|next|coming|upcoming|since|until)\b"
    r"(?=.*\b(days?|weeks?|months?|quarters?|years?|hours?|weekend|now)\b))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Message:
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class PromptOptions:
    """Bounds on what is told."""

    share: Share = "samples"
    max_tokens: int = 6000
    """Of the whole prompt, estimated from above by `estimate_tokens`."""
    json_reply: bool = False


def render_prompt(
    request: SqlRequest, schema: PrunedSchema, options: PromptOptions = PromptOptions()
) -> tuple[Message, ...]:
    """The messages of one draft. Where the budget asks for it, sample values, then examples, then
    columns and tables are left out.

    Raises:
        BudgetExceeded: not even one column of one table fits.
    """
    for smaller_request, smaller_schema, samples in _reductions(request, schema):
        messages = _messages(smaller_request, smaller_schema, options, samples)
        if sum(estimate_tokens(m.content) for m in messages) <= options.max_tokens:
            return messages
    raise BudgetExceeded(
        f"the prompt does not fit in {options.max_tokens} tokens",
        hint="raise max_prompt_tokens, or shorten the question",
    )


def _reductions(
    request: SqlRequest, schema: PrunedSchema
) -> Iterator[tuple[SqlRequest, PrunedSchema, int]]:
    yield request, schema, _SAMPLES
    yield request, schema, 2
    request = replace(request, examples=(), history=request.history[-1:])
    yield request, schema, 2
    smaller: PrunedSchema | None = schema
    while smaller is not None:
        yield request, smaller, 1
        smaller = smaller.smaller()


def estimate_tokens(text: str) -> int:
    """How many tokens a text costs, from above for usual tokenizers: a token for three bytes."""
    return len(text.encode()) // 3 + 1


def sql_literal(text: str, max_chars: int = _CELL_CHARS) -> str:
    """A cell as a SQL string literal on one line; a cut one ends with an ellipsis outside it."""
    cut = text[:max_chars]
    plain = cut.replace("'", "''")
    escaped = "".join(map(_escape, plain.replace("\\", "\\\\"))).replace("</", "\\x3C/")
    special = escaped != plain.replace("\\", "\\\\")
    return (f"E'{escaped}'" if special else f"'{plain}'") + ("…" if len(text) > max_chars else "")


def _escape(char: str) -> str:
    """Control and format characters as DuckDB's E'' strings write them."""
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char not in ("\u2028", "\u2029") and unicodedata.category(char) not in ("Cc", "Cf"):
        return char
    return "".join(f"\\x{byte:02X}" for byte in char.encode())


_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _messages(
    request: SqlRequest, schema: PrunedSchema, options: PromptOptions, samples: int
) -> tuple[Message, ...]:
    reply = render("reply_json" if options.json_reply else "reply_sql")
    asked = render(
        "question",
        tables="\n\n".join(
            _table(t, options.share, samples, request.glossary) for t in schema.tables
        ),
        joins=_block("Keys along which tables join:", schema.join_conditions()),
        values=_block("Values that the question names:", _linked(request, schema, options.share)),
        metrics=_block("Metrics:", map(_metric, request.glossary.metrics_in(request.question))),
        examples=_block("Confirmed queries:", map(_example, request.examples)),
        history=_block("Earlier in this conversation:", map(_example, request.history)),
        today=f"\nToday is {request.today:%Y-%m-%d}.\n" if _tells_time(request) else "",
        question=_one_line(request.question),
    )
    messages = [
        Message("system", render("system", reply_format=reply)),
        Message("user", asked),
    ]
    for attempt in request.attempts:
        messages += _repair(request, attempt, options.share)
    return tuple(messages)


def _table(pruned: PrunedTable, share: Share, samples: int, glossary: Glossary) -> str:
    table = pruned.table
    left_out = len(table.columns) - len(pruned.columns)
    lines = [f"table {quote(table.name)} ({table.row_count:,} rows)"]
    if table.table.title != table.table.name:
        lines[0] += f": {_one_line(table.table.title)}"
    if about := glossary.about(table.name):
        lines.append(f"  about: {_one_line(about)}")
    if condition := glossary.filter_of(table.name):
        lines.append(f"  unless the question says otherwise: WHERE {_one_line(condition)}")
    for column in pruned.columns:
        about = glossary.about(table.name, column.name)
        told = f" -- {_one_line(about)}" if about else ""
        lines.append(f"  {quote(column.name)} {_column(column, share, samples)}{told}")
    if left_out:
        lines.append(f"  and {left_out} further columns that seem not to be needed")
    if share == "rows":
        lines += _rows(pruned)
    return "\n".join(lines)


def _column(column: CatalogColumn, share: Share, samples: int) -> str:
    facts = column.profile
    parts = [column.sql_type]
    if column.unit:
        parts.append(f"in {_one_line(column.unit)}")
    if facts.unique:
        parts.append("unique")
    if facts.nulls:
        parts.append("has NULLs")
    if share != "schema" and facts.low is not None:
        parts.append(f"from {facts.low} to {facts.high}")
    elif share != "schema" and facts.samples:
        shown = [_value(column, value) for value in facts.samples[:samples]]
        whole = facts.distinct <= len(shown) and column.sql_type == "VARCHAR"
        parts.append(("all values: " if whole else "e.g. ") + ", ".join(shown))
    return ", ".join(parts)


def _value(column: CatalogColumn, value: str) -> str:
    return sql_literal(value) if column.sql_type == "VARCHAR" else _one_line(value)


def _rows(pruned: PrunedTable) -> list[str]:
    table = pruned.table.table
    rows = table.data_rows[:_ROWS].tolist()
    if not rows:
        return []
    lines = ["  first rows:"]
    for row in rows:
        cells = (sql_literal(column.source.text_at(row)) for column in pruned.columns)
        lines.append(f"    {', '.join(cells)}")
    return lines


def _linked(request: SqlRequest, schema: PrunedSchema, share: Share) -> Iterable[str]:
    """One line a linked value; with `share="schema"` none, since a cell may say more than the
    question did.
    """
    if share == "schema":
        return
    seen = set()
    for link in sorted(request.links.values, key=lambda link: -link.score):
        key = (link.table.casefold(), link.column.casefold(), link.value)
        if key in seen or not schema.holds(link.table, link.column):
            continue
        seen.add(key)
        place = f"{quote(link.table)}.{quote(link.column)}"
        yield f"{sql_literal(link.span.text)}: {place} holds {sql_literal(link.value, 200)}"


def _metric(metric: tuple[str, str]) -> str:
    name, sql = metric
    return f"{name}: {_one_line(sql)}"


def _example(example: Example) -> str:
    return f"{_one_line(example.question)}\n  {_one_line(example.sql)}"


def _repair(request: SqlRequest, attempt: Attempt, share: Share) -> list[Message]:
    draft = f"```sql\n{attempt.sql}\n```" if attempt.sql else "(no query)"
    error = attempt.error or ""
    if share == "schema":
        error = _without_values(error, attempt.sql + request.question)
    told = render("repair", error=error, question=_one_line(request.question))
    return [Message("assistant", draft), Message("user", told)]


def _without_values(message: str, known: str) -> str:
    """The message with each quoted text blanked that the model did not write itself."""
    return re.sub(
        r"'((?:[^']|'')*)'",
        lambda text: text[0] if text[1] in known else "'(not shown)'",
        message,
    )


def _tells_time(request: SqlRequest) -> bool:
    return _TIME_WORDS.search(request.question) is not None


def _block(title: str, lines: Iterable[str]) -> str:
    listed = [f"- {line}" for line in lines]
    return "\n".join(["", title, *listed, ""]) if listed else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
