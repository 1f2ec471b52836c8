"""Rules on single nodes of a syntax tree: which functions, types and sizes may stand in it.

Each takes a node and raises where it breaks a rule. `tree.py` walks the tree and asks them.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, Never

from sql_engine import policy
from sql_engine.dialect_hints import function_hint
from sql_engine.errors import InvalidQuery, Refused
from sql_engine.faults import Fault
from sql_engine.sql_names import fold

Node = dict[str, Any]

_FUNCTION_HINT = "use another function, or compute with SQL operators"
_TABLES_HINT = "only the loaded tables can be read; of functions, FROM may hold " + ", ".join(
    sorted(policy.TABLE_FUNCTIONS)
)


def function_name(node: Node) -> str:
    """The folded name of a function that may be called. Raises Refused, Fault."""
    name = fold(node["function_name"])
    path = (node.get("qualified_name") or {}).get("path", [])
    qualifiers = [part for part in (node["catalog"], node["schema"]) if part]
    if path != [*qualifiers, node["function_name"]]:
        raise unreviewed("function name")
    if name not in policy.FUNCTIONS and name not in policy.TABLE_FUNCTIONS:
        raise _no_function(name, node)
    if any(fold(part) in policy.ENGINE_SCHEMAS for part in qualifiers):
        raise refuse("a function in a schema", "write the function's name alone")
    if name in policy.TAKES_LAMBDA:
        _check_arrows(node["arguments"])
    if name in policy.REPEATING or name in policy.SERIES:
        _check_literals(name, node["arguments"])
    return name


def check_table_function(node: Node) -> None:
    """Raises Refused or InvalidQuery where FROM may not hold this function."""
    if node.get("class") != "FUNCTION":
        raise unreviewed("table function")
    name = fold(node["function_name"])
    if name in policy.REFUSED_FUNCTIONS:
        raise refuse(f"the table function {name!r}", _TABLES_HINT)
    if name not in policy.TABLE_FUNCTIONS:
        raise InvalidQuery(f"there is no table function {name!r}", hint=_TABLES_HINT)


def check_type(node: Node) -> None:
    """Raises Refused for a type that is not built in."""
    if node["schema"] or node["catalog"]:
        raise refuse("a type in a schema", "use one of the built-in types")


def _no_function(name: str, node: Node) -> Refused | Fault:
    if name in policy.REFUSED_FUNCTIONS:
        return refuse(f"the function {name!r}", _FUNCTION_HINT)
    near = get_close_matches(name, policy.FUNCTIONS, n=3, cutoff=0.7)
    hint = function_hint(name) or ("did you mean " + " or ".join(near) + "?" if near else "")
    return Fault(
        "function",
        f"there is no function {name!r}",
        name=name,
        position=node.get("query_location"),
        hint=hint or _FUNCTION_HINT,
    )


def check_show(node: Node) -> None:
    """Raises Refused for what lists more than one table's columns."""
    if not node.get("query") or node.get("show_type") not in ("DESCRIBE", "SUMMARY"):
        raise refuse(
            "SHOW",
            "use DESCRIBE <table> for one table's columns; the loaded tables are listed "
            "by the program, not by SQL",
        )


def _check_arrows(arguments: list[Node]) -> None:
    for argument in arguments[1:]:
        value = argument["expression"]
        if value.get("class") == "LAMBDA" and value.get("syntax_type") == "SINGLE_ARROW":
            raise Fault(
                "lambda",
                "-> does not make a lambda",
                position=value["lhs"].get("query_location"),
                hint="write lambda x: x + 1",
            )


def _check_literals(name: str, arguments: list[Node]) -> None:
    numbers = [_literal(argument["expression"]) for argument in arguments]
    if name in policy.REPEATING:
        size = numbers[1] if len(numbers) > 1 else None
        if size is not None and abs(size) > policy.MAX_LITERAL_REPEAT:
            raise refuse(f"{name} to {size:.0f}", f"at most {policy.MAX_LITERAL_REPEAT}")
        return
    if not numbers or numbers[0] is None or (len(numbers) > 1 and numbers[1] is None):
        return
    start, stop = (0.0, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1] or 0.0)
    step = numbers[2] if len(numbers) > 2 else 1.0
    if step and abs((stop - start) / step) > policy.MAX_LITERAL_SERIES:
        raise refuse(f"a {name} this long", f"at most {policy.MAX_LITERAL_SERIES} values")


def _literal(expression: Node) -> float | None:
    """The number that an expression spells out, if it does."""
    if expression.get("class") == "FUNCTION" and expression.get("function_name") == "-":
        arguments = expression["arguments"]
        inner = _literal(arguments[0]["expression"]) if len(arguments) == 1 else None
        return None if inner is None else -inner
    literal = expression.get("literal") if expression.get("class") == "CONSTANT" else None
    if not literal or literal.get("kind") not in ("INTEGER", "NUMERIC", "DECIMAL", "DOUBLE"):
        return None
    return float(literal["text"])


def refuse(what: str, hint: str) -> Refused:
    """The refusal of something known."""
    return Refused(f"{what} is not allowed", hint=hint)


def unreviewed(what: str) -> Refused:
    """The refusal of something on no list."""
    return Refused(
        f"this statement holds syntax that has not been reviewed ({what})",
        hint="write it as a plain SELECT over the loaded tables",
    )


def too_big(what: str) -> Never:
    """Raise for a size beyond `policy.SIZES`."""
    raise Refused(
        f"the statement is too big: more than {policy.SIZES[what]} {what}",
        hint="split it, or say it with fewer parts",
    )
