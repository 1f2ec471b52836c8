"""The six tools a language model holds: one typed function each, and what is made of them.

A function's name, docstring and annotations are its definition: `definitions` turns them into
OpenAI tools (strict schema) or MCP tools (plain schema), `call` takes what models really send and
gives a JSON-safe result within the character budget, or an error that says what to send instead.
"""

from __future__ import annotations

import inspect
import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

from router import tool_results
from router.errors import BadArguments, UnknownTool, describe_error, nearest
from router.json_values import Json, to_json
from router.wording import quoted
from sql_engine.errors import CannotWrite, InvalidQuery, NoSqlInReply, Refused
from sql_engine.extract import extract_sql
from sql_engine.guard import check

if TYPE_CHECKING:
    from router.router import Router
    from sql_engine.pool import Cancellation

Style = Literal["openai", "mcp"]
ToolResult = dict[str, Json]


@dataclass(frozen=True)
class Arg:
    """What an annotation adds to a parameter: its description and its bounds."""

    description: str
    minimum: int | None = None
    maximum: int | None = None


Question = Annotated[str, Arg("The question in plain words, as a person would ask it.")]
TableName = Annotated[str, Arg("A table's name as list_tables gives it.")]


@dataclass(frozen=True)
class ToolContext:
    """What every tool works with; no part of its definition."""

    tables: Router
    cancellation: Cancellation | None = None

    @property
    def max_rows(self) -> int:
        """Rows of a result."""
        return self.tables.settings.tool_max_rows

    @property
    def max_chars(self) -> int:
        """Characters of a result."""
        return self.tables.settings.tool_max_chars


def ask_tables(
    context: ToolContext,
    question: Question,
    reading: Annotated[
        int | None,
        Arg(
            "Only after `alternatives` came back for this question: the number of the one meant.",
            1,
            9,
        ),
    ] = None,
) -> ToolResult:
    """Answer a question from the loaded tables, with the SQL and the rows it rests on.

    Counts, sums, rankings, filters, comparisons, look-ups of one cell, rules told beside the
    tables. Says "declined" with the reason where the data does not hold the answer. A question that
    can be read in several ways comes back with `alternatives`: ask the user which is meant, then
    call again with its number in `reading`; the choice is remembered.
    """
    answer = context.tables.ask(
        question, max_rows=context.max_rows, cancellation=context.cancellation
    )
    if reading is not None:
        answer = context.tables.choose(answer, reading)
    return tool_results.of_answer(answer, context.max_chars)


def search_rows(
    context: ToolContext,
    query: Annotated[str, Arg("Words to find: a name, a code, a phrase of a cell or header.")],
    k: Annotated[int, Arg("How many rows to return, best first.", 1, 100)] = 3,
    whole_table: Annotated[
        bool | None,
        Arg(
            "Give the best row's table beside it: whole under 2,000 tokens, else the part that the"
            " query needs; left out, it comes where no row matches exactly."
        ),
    ] = None,
) -> ToolResult:
    """Find the rows that match some words best, each with its column names.

    For looking something up. Not for counting: `total` tells how many match, the rest is not shown.
    """
    payload: Literal["row", "table", "near"]
    payload = "near" if whole_table is None else "table" if whole_table else "row"
    hits = context.tables.lookup(query, k=k, payload=payload)
    return tool_results.of_hits(hits, context.max_chars)


def run_sql(
    context: ToolContext,
    sql: Annotated[str, Arg("One DuckDB SELECT over the loaded tables. Quote names with spaces.")],
    max_rows: Annotated[int | None, Arg("Rows to return at most; 50 if left out.", 1, 1000)] = None,
) -> ToolResult:
    """Run one read-only SQL query over the loaded tables.

    Totals rows are already left out; `_row` is each row's position in its source. A result that
    is cut says so in `truncated`: aggregate or filter in SQL instead of reading many rows.
    """
    tables = context.tables
    statement = _statement(sql, tables)
    try:
        result = tables.sql(
            statement, max_rows=max_rows or context.max_rows, cancellation=context.cancellation
        )
    except (InvalidQuery, Refused) as error:
        mark = " " if error.hint.endswith((".", "?")) else "; "
        where = _where_to_look(tables, f"{statement} {error.hint}")
        error.hint = f"{error.hint}{mark}{where}"
        raise
    warnings = tables.sql_warnings(statement, result, cancellation=context.cancellation)
    ran = None if statement == sql else statement
    return tool_results.of_result(result, context.max_chars, warnings=warnings, ran=ran)


def list_tables(context: ToolContext) -> ToolResult:
    """List the loaded tables with their columns. Start here, then describe_table for one."""
    tables = context.tables
    return tool_results.of_tables(tables.tables(), tables.skipped(), context.max_chars)


def describe_table(context: ToolContext, table: TableName) -> ToolResult:
    """One table's columns with types, units, samples and missing counts, and its joins."""
    name = table if context.tables.catalog.get(table) else table.strip("\"'` ")
    return tool_results.of_description(context.tables.describe(name), context.max_chars)


def explain_question(context: ToolContext, question: Question) -> ToolResult:
    """How a question would be answered (route, reason, names recognised), without answering it."""
    return tool_results.of_decision(context.tables.route(question), context.max_chars)


TOOLS: tuple[Callable[..., ToolResult], ...] = (
    ask_tables,
    search_rows,
    run_sql,
    list_tables,
    describe_table,
    explain_question,
)

MAX_NAMED_COLUMNS = 60

COMMAND_NAMES = {
    "ask": "ask_tables",
    "lookup": "search_rows",
    "sql": "run_sql",
    "tables": "list_tables",
    "describe": "describe_table",
    "route": "explain_question",
}
"""A tool also answers to the name of the command that does the same."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a tool, from its annotation."""

    name: str
    type: type
    arg: Arg
    required: bool
    default: Any = None


def names() -> list[str]:
    """The tools' names, in order."""
    return [tool.__name__ for tool in TOOLS]


def definitions(style: Style = "openai") -> list[dict[str, Any]]:
    """The definitions for a language model.

    Args:
        style: "openai" gives `{"type": "function", "function": {…, "strict": True}}`; "mcp" gives
            `{"name", "description", "inputSchema", "annotations"}`.
    """
    if style not in ("openai", "mcp"):
        raise BadArguments(f'no tool style "{style}"', hint='Use "openai" or "mcp".')
    build = _openai_definition if style == "openai" else _mcp_definition
    return [build(tool) for tool in TOOLS]


def call(
    tables: Router, name: str, arguments: object = None, cancellation: Cancellation | None = None
) -> ToolResult:
    """Call a tool by name; errors come back as `{"error": {"code", "message", "hint"}}`."""
    try:
        tool = find(name)
        context = ToolContext(tables, cancellation)
        return tool(context, **read_arguments(tool, arguments))
    except Exception as error:  # the top of a tool: whatever happens, the model gets a usable reply
        return error_result(error)


def error_result(error: Exception) -> ToolResult:
    """An error as a model reads it."""
    told = to_json(describe_error(error))
    assert isinstance(told, dict)
    return told


def find(name: str) -> Callable[..., ToolResult]:
    """The tool of this name, as a client may write it: in any letter case, behind a name space
    ("functions.run_sql", "mcp__tables__run_sql"). Raises UnknownTool with the nearest names.
    """
    by_name = {_folded(tool.__name__): tool for tool in TOOLS}
    aliases = {_folded(alias): _folded(known) for alias, known in COMMAND_NAMES.items()}
    own = re.split(r"__|[.:/]", str(name))[-1]
    wanted = aliases.get(_folded(own), _folded(own))
    if wanted in by_name:
        return by_name[wanted]
    close = nearest(own, names())
    meant = f"Did you mean {' or '.join(close)}? " if close else ""
    raise UnknownTool(f'no tool "{name}"', hint=f"{meant}The tools are {', '.join(names())}.")


def _folded(name: str) -> str:
    """A name without what clients and models change: letter case, underscores, hyphens."""
    return name.casefold().replace("_", "").replace("-", "")


def read_arguments(tool: Callable[..., Any], arguments: object) -> dict[str, Any]:
    """The arguments as a model sent them, as the function's own types.

    One that the tool does not have and that says nothing is passed over. Raises BadArguments for
    any other: it may be misspelt, or a condition that would be dropped.
    """
    known = {parameter.name: parameter for parameter in parameters(tool)}
    folded = {_folded(name): name for name in known}
    given = {folded.get(_folded(str(k)), str(k)): v for k, v in _given(tool, arguments).items()}
    unknown = [n for n, value in given.items() if n not in known and value not in _NOTHING]
    if unknown:
        lacking = [p.name for p in known.values() if p.required and given.get(p.name) is None]
        close = (nearest(unknown[0], known) or lacking)[:1]
        meant = f"; did you mean {quoted(close)}?" if close else ""
        raise _bad(tool, f"no argument {quoted(unknown)}{meant}")
    values: dict[str, Any] = {}
    for parameter in known.values():
        value = given.get(parameter.name)
        if value is None:
            if parameter.required:
                raise _bad(tool, f'the argument "{parameter.name}" is missing')
            values[parameter.name] = parameter.default
        else:
            values[parameter.name] = _convert(tool, parameter, value)
    return values


_NOTHING: tuple[object, ...] = (None, "", [], {})
"""What clients send for tools without arguments; left out, nothing is lost."""


def _given(tool: Callable[..., Any], arguments: object) -> Mapping[str, Any]:
    """The arguments, also where they are wrapped once more: {"arguments": {…}}."""
    given = _as_mapping(tool, arguments)
    if len(given) != 1:
        return given
    ((name, inner),) = given.items()
    return inner if name in _WRAPPERS and isinstance(inner, Mapping) else given


_WRAPPERS = ("arguments", "args", "input", "kwargs", "parameters", "params")


_WRAPPED = re.compile(r"\A\s*[{`~]|```|~~~")
"""What a statement comes in when it does not come alone: a code fence, a JSON object."""


def _statement(sql: str, tables: Router) -> str:
    """The statement inside a code fence or JSON object, where all of the text is none."""
    try:
        check(sql, tables.catalog)
    except InvalidQuery:
        if _WRAPPED.search(sql):
            with suppress(NoSqlInReply, CannotWrite):
                return extract_sql(sql)
    except Refused:
        pass
    return sql


def _where_to_look(tables: Router, sql: str) -> str:
    """All columns of the tables that a failed query names, so that a model need not guess again;
    where it names none, where they are listed.
    """
    folded = sql.casefold()
    named = [entry for entry in tables.tables() if entry.name.casefold() in folded]
    shown = [f"{t.name} has {', '.join(t.columns[:MAX_NAMED_COLUMNS])}" for t in named[:3]]
    return "; ".join(shown) or "list_tables names the tables, describe_table their columns"


@cache
def parameters(tool: Callable[..., Any]) -> tuple[Parameter, ...]:
    """A tool's parameters, the `context` aside."""
    hints = get_type_hints(tool, include_extras=True)
    found = []
    for parameter in list(inspect.signature(tool).parameters.values())[1:]:
        annotated, arg = get_args(hints[parameter.name])
        required = parameter.default is inspect.Parameter.empty
        default = None if required else parameter.default
        found.append(Parameter(parameter.name, _plain(annotated), arg, required, default))
    return tuple(found)


def description(tool: Callable[..., Any]) -> str:
    """A tool's docstring as one clean text."""
    return inspect.cleandoc(tool.__doc__ or "").replace("\n\n", "¶").replace("\n", " ").replace(
        "¶", "\n"
    )  # fmt: skip


_JSON_TYPES = {str: "string", int: "integer", bool: "boolean"}


def _plain(annotation: Any) -> type:
    if get_origin(annotation) is None:
        return annotation  # type: ignore[no-any-return]
    (plain,) = (part for part in get_args(annotation) if part is not NoneType)
    return plain  # type: ignore[no-any-return]


def _property(parameter: Parameter) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": _JSON_TYPES[parameter.type],
        "description": parameter.arg.description,
    }
    if parameter.arg.minimum is not None:
        schema["minimum"] = parameter.arg.minimum
    if parameter.arg.maximum is not None:
        schema["maximum"] = parameter.arg.maximum
    return schema


def _openai_definition(tool: Callable[..., Any]) -> dict[str, Any]:
    """Strict mode wants every property required; an optional one admits null instead."""
    properties = {}
    for parameter in parameters(tool):
        schema = _property(parameter)
        if not parameter.required:
            schema["type"] = [schema["type"], "null"]
        properties[parameter.name] = schema
    return {
        "type": "function",
        "function": {
            "name": tool.__name__,
            "description": description(tool),
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            },
        },
    }


def _mcp_definition(tool: Callable[..., Any]) -> dict[str, Any]:
    """Plain types, optional parameters simply left out of `required`: what every client takes."""
    properties = {}
    for parameter in parameters(tool):
        properties[parameter.name] = _property(parameter)
        if parameter.default is not None:
            properties[parameter.name]["default"] = parameter.default
    return {
        "name": tool.__name__,
        "description": description(tool),
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": [p.name for p in parameters(tool) if p.required],
            "additionalProperties": False,
        },
        "annotations": {
            "title": tool.__name__.replace("_", " ").capitalize(),
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    }


def _as_mapping(tool: Callable[..., Any], arguments: object) -> Mapping[str, Any]:
    """An object, or the JSON text of one; a text within a text is read as well."""
    for _ in range(2):
        if not isinstance(arguments, str | bytes) or not arguments:
            break
        try:
            arguments = json.loads(arguments)
        except ValueError as error:
            raise _bad(tool, f"the arguments are not valid JSON ({error})") from None
    if arguments is None or arguments in ("", [], ()):
        return {}
    if isinstance(arguments, Mapping):
        return arguments
    raise _bad(tool, f"the arguments are {_JSON_NAMES[type(arguments)]}, not a JSON object")


_JSON_NAMES = defaultdict(
    lambda: "no JSON",
    {list: "a list", str: "a text", int: "a number", float: "a number", bool: "true or false"},
)


def _convert(tool: Callable[..., Any], parameter: Parameter, value: object) -> Any:
    if parameter.type is str:
        if not isinstance(value, str):
            raise _bad(tool, f'"{parameter.name}" must be a string, not {json.dumps(value)[:80]}')
        if not value.strip():
            raise _bad(tool, f'"{parameter.name}" is empty')
        return value
    shown = json.dumps(value, default=str)[:80]
    if parameter.type is bool:
        truth = _TRUTHS.get(str(value).strip().casefold())
        if truth is None:
            raise _bad(tool, f'"{parameter.name}" must be true or false, not {shown}')
        return truth
    number = _integer(value)
    if number is None:
        raise _bad(tool, f'"{parameter.name}" must be a whole number, not {shown}')
    low, high = parameter.arg.minimum, parameter.arg.maximum
    if (low is not None and number < low) or (high is not None and number > high):
        raise _bad(tool, f'"{parameter.name}" must be from {low} to {high}, not {number}')
    return number


_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
"""As models send them: true, "true", 1."""


def _integer(value: object) -> int | None:
    """A whole number as models send it: 10, 10.0 or "10"."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str):
        digits = value.strip()
        return int(digits) if digits.lstrip("+-").isdecimal() and len(digits) < 20 else None
    return None


def _bad(tool: Callable[..., Any], problem: str) -> BadArguments:
    return BadArguments(f"{tool.__name__}: {problem}", hint=f"Send {usage(tool)}.")


def usage(tool: Callable[..., Any]) -> str:
    """A call's arguments as a model should send them, optional ones marked."""
    return "{" + ", ".join(map(_told, parameters(tool))) + "}"


def _told(parameter: Parameter) -> str:
    low, high = parameter.arg.minimum, parameter.arg.maximum
    bounds = f" from {low} to {high}" if high is not None else ""
    needed = "" if parameter.required else " (optional)"
    return f'"{parameter.name}": {_JSON_TYPES[parameter.type]}{bounds}{needed}'
