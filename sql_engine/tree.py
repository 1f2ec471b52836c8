"""Walks DuckDB's own syntax tree of a statement and decides whether it may run.

Takes the tree as `json_serialize_sql` gives it; returns the `Contents` (tables, columns, names it
uses), or raises `Refused`. Every node, field and value must be one that `syntax.py` and the policy
lists know; whatever is unknown is refused. Which tables exist is not looked at here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Never

from sql_engine import policy, syntax
from sql_engine.dialect_hints import function_hint
from sql_engine.errors import InvalidQuery, Refused
from sql_engine.faults import Fault
from sql_engine.sql_names import fold
from sql_engine.syntax import Field

Node = dict[str, Any]
Scope = frozenset[str]


@dataclass(frozen=True)
class TableRef:
    """A table named in FROM that no CTE in scope defines."""

    name: str
    location: int
    """Byte offset in the statement."""


@dataclass(frozen=True)
class ColumnRef:
    """A column reference: its dotted parts."""

    parts: tuple[str, ...]
    location: int


@dataclass
class Contents:
    """What a statement uses."""

    tables: list[TableRef] = field(default_factory=list)
    columns: list[ColumnRef] = field(default_factory=list)
    defined: set[str] = field(default_factory=set)
    """Folded names that the statement itself makes: aliases, CTEs, lambda parameters."""
    table_aliases: set[str] = field(default_factory=set)
    """Those of them that stand for a table of the catalog."""
    open_names: bool = False
    """Whether it also makes names that its text does not show (a PIVOT, a table function)."""
    volatile: bool = False
    """Whether a second run may give something else."""


def contents_of(tree: Mapping[str, Any]) -> Contents:
    """Check a serialised statement and tell what it uses.

    Raises:
        Refused: anything in the tree is not on the reviewed lists.
    """
    walk = _Walk()
    try:
        statements = tree["statements"]
        if tree.keys() != {"error", "statements"} or tree["error"] is not False:
            raise _unreviewed("tree")
        if len(statements) != 1:
            raise _unreviewed("statements")
        walk.fields(statements[0], syntax.STATEMENT, frozenset(), 0)
    except (Refused, InvalidQuery):
        raise
    except (RecursionError, KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        raise _unreviewed("shape") from error
    return walk.contents


class _Walk:
    def __init__(self) -> None:
        self.contents = Contents()
        self.counts: Counter[str] = Counter()
        self.lambdas = 0

    # fields

    def fields(self, node: Node, known: Mapping[str, Field], scope: Scope, depth: int) -> None:
        if depth > policy.SIZES["nesting"]:
            _too_big("nesting")
        self.count("nodes")
        for name, value in node.items():
            holds = known.get(name)
            if holds is None:
                if value:
                    raise _unreviewed(f"field {name}")
                continue
            if holds is Field.PLAIN:
                if value.__class__ in _COMPOUND:
                    self.plain(value)
            elif value is not None and value != "" and value != []:
                _FIELDS[holds](self, value, scope, depth + 1)

    def plain(self, value: Any) -> None:
        if isinstance(value, dict):
            if not value.keys() <= syntax.PLAIN_KEYS:
                raise _unreviewed("value")
            for item in value.values():
                self.plain(item)
        elif isinstance(value, list):
            if len(value) > policy.SIZES["list items"]:
                _too_big("list items")
            for item in value:
                self.plain(item)
        elif not isinstance(value, str | int | float | bool | None):
            raise _unreviewed("value")

    def nothing(self, value: Any, scope: Scope, depth: int) -> None:
        if value:
            raise _refuse("this clause", "leave it out")

    def count(self, what: str, number: int = 1) -> None:
        self.counts[what] += number
        if self.counts[what] > policy.SIZES[what]:
            _too_big(what)

    # queries

    def query(self, value: Any, scope: Scope, depth: int) -> None:
        if isinstance(value, list):
            for item in value:
                self.query(item, scope, depth)
            return
        kind = value["type"]
        known = syntax.QUERIES.get(kind)
        if known is None:
            raise _refuse(
                "a statement that is not a query",
                "write one SELECT that only reads; CTEs may not write either",
            )
        scope = self.ctes(value.get("cte_map"), scope, depth)
        rest = {k: v for k, v in value.items() if k != "cte_map"}
        if kind == "RECURSIVE_CTE_NODE":
            self.recursive(rest, known, scope, depth)
            return
        if kind == "SET_OPERATION_NODE":
            self.count("set operations", max(1, len(value["children"]) - 1))
        elif len(value["select_list"]) > policy.SIZES["output columns"]:
            _too_big("output columns")
        elif len(value["group_sets"]) > policy.SIZES["grouping sets"]:
            _too_big("grouping sets")
        if depth > 1 and any(map(_unnamed, value.get("select_list", ()))):
            self.contents.open_names = True
        if value.get("sample"):
            self.contents.volatile = True
        self.fields(rest, known, scope, depth)

    def recursive(self, node: Node, known: Mapping[str, Field], scope: Scope, depth: int) -> None:
        """The recursive arm alone sees the CTE, also as `recurring.<name>`."""
        inner = scope | {fold(node["cte_name"])}
        right = node.pop("right")
        self.define(*node.get("aliases", ()))
        self.fields(node, known, scope, depth)
        self.query(right, inner, depth + 1)

    def ctes(self, cte_map: Any, scope: Scope, depth: int) -> Scope:
        """Walk the CTEs in order, each seeing those before it; gives the scope after them."""
        if not cte_map:
            return scope
        if cte_map.keys() != {"map"}:
            raise _unreviewed("CTE map")
        for entry in cte_map["map"]:
            if entry.keys() != {"key", "value"}:
                raise _unreviewed("CTE")
            self.count("CTEs")
            self.define(entry["key"], *entry["value"].get("aliases", ()))
            self.fields(entry["value"], syntax.CTE, scope, depth + 1)
            scope |= {fold(entry["key"])}
        return scope

    def statement(self, value: Any, scope: Scope, depth: int) -> None:
        self.count("subqueries")
        self.fields(value, syntax.STATEMENT, scope, depth)

    # tables

    def table(self, value: Any, scope: Scope, depth: int) -> None:
        kind = value["type"]
        known = syntax.TABLES.get(kind)
        if known is None:
            raise _unreviewed("table")
        self.define(value.get("alias"), *(value.get("column_name_alias") or ()))
        if value.get("sample"):
            self.contents.volatile = True
        if kind == "BASE_TABLE":
            self.base_table(value, scope)
        elif kind == "JOIN":
            self.count("joins")
        elif kind == "TABLE_FUNCTION":
            self.table_function(value["function"])
        elif kind == "SHOW_REF":
            _check_show(value)
        elif kind == "PIVOT":
            self.define(*value.get("unpivot_names", ()))
        if kind in _MAKES_NAMES:
            self.contents.open_names = True
        self.fields(value, known, scope, depth)

    def base_table(self, node: Node, scope: Scope) -> None:
        name, schema, catalog = node["table_name"], node["schema_name"], node["catalog_name"]
        path = (node.get("qualified_name") or {}).get("path", [])
        if path != [part for part in (catalog, schema, name) if part] or not name:
            raise _unreviewed("table name")
        if node.get("at_clause"):
            raise _refuse("AT", "tables have no earlier versions; leave AT out")
        if not catalog and fold(schema) in ("", "recurring") and fold(name) in scope:
            self.count("references to CTEs")
        elif fold(schema) in ("", "main") and fold(catalog) in ("", "memory"):
            self.contents.tables.append(TableRef(name, node["query_location"]))
            if node.get("alias"):
                self.contents.table_aliases.add(fold(node["alias"]))
        elif {fold(schema), fold(catalog)} & policy.ENGINE_SCHEMAS:
            raise _refuse("a table in a schema", _SCHEMA_HINT)
        else:
            raise InvalidQuery(f"there is no schema {schema!r}", hint=_SCHEMA_HINT)

    def table_function(self, function: Node) -> None:
        if function.get("class") != "FUNCTION":
            raise _unreviewed("table function")
        name = fold(function["function_name"])
        if name not in policy.TABLE_FUNCTIONS:
            if name not in policy.REFUSED_FUNCTIONS:
                raise InvalidQuery(f"there is no table function {name!r}", hint=_TABLES_HINT)
            raise _refuse(
                f"the table function {name!r}",
                _TABLES_HINT,
            )

    # expressions

    def expression(self, value: Any, scope: Scope, depth: int) -> None:
        if isinstance(value, list):
            if len(value) > policy.SIZES["list items"]:
                _too_big("list items")
            for item in value:
                if item is not None:
                    self.expression(item, scope, depth)
            return
        kind = value.get("class")
        known = syntax.EXPRESSIONS.get(kind)
        if known is None or value["type"] not in syntax.EXPRESSION_TYPES:
            raise _unreviewed("expression")
        self.define(value.get("alias"))
        visit = _EXPRESSIONS.get(kind)
        if visit is not None:
            visit(self, value)
        if kind == "LAMBDA":
            self.lambda_(value, known, scope, depth)
        else:
            self.fields(value, known, scope, depth)

    def lambda_(self, node: Node, known: Mapping[str, Field], scope: Scope, depth: int) -> None:
        self.lambdas += 1
        if self.lambdas > policy.SIZES["nested lambdas"]:
            _too_big("nested lambdas")
        self.fields(node, known, scope, depth)
        self.lambdas -= 1

    def column(self, node: Node) -> None:
        self.contents.columns.append(
            ColumnRef(tuple(node["column_names"]), node.get("query_location", 0))
        )

    def parameters(self, node: Node) -> None:
        for part in (node["lhs"], *(a["expression"] for a in node["lhs"].get("arguments", ()))):
            self.define(*part.get("column_names", ()))

    def conjunction(self, node: Node) -> None:
        self.count("terms of AND and OR", len(node["children"]))

    def function(self, node: Node) -> None:
        name = fold(node["function_name"])
        path = (node.get("qualified_name") or {}).get("path", [])
        qualifiers = [part for part in (node["catalog"], node["schema"]) if part]
        if path != [*qualifiers, node["function_name"]]:
            raise _unreviewed("function name")
        if name not in policy.FUNCTIONS and name not in policy.TABLE_FUNCTIONS:
            raise _no_function(name, node)
        if any(fold(part) in policy.ENGINE_SCHEMAS for part in qualifiers):
            raise _refuse("a function in a schema", "write the function's name alone")
        if name in policy.VOLATILE:
            self.contents.volatile = True
        if name == "unnest":
            self.contents.open_names = True
        if name in policy.TAKES_LAMBDA:
            _check_arrows(node["arguments"])
        if name in policy.REPEATING or name in policy.SERIES:
            _check_literals(name, node["arguments"])

    def type_name(self, node: Node) -> None:
        if node["schema"] or node["catalog"]:
            raise _refuse("a type in a schema", "use one of the built-in types")

    def star(self, node: Node) -> None:
        if node.get("relation_name"):
            self.contents.open_names = True  # may spread a struct
        for entry in node.get("rename_list") or ():
            self.define(entry["value"])

    # lists of small nodes

    def arguments(self, value: Any, scope: Scope, depth: int) -> None:
        self.each(value, syntax.ARGUMENT, scope, depth)

    def orders(self, value: Any, scope: Scope, depth: int) -> None:
        self.each(value, syntax.ORDER, scope, depth)

    def cases(self, value: Any, scope: Scope, depth: int) -> None:
        self.each(value, syntax.CASE, scope, depth)

    def replacements(self, value: Any, scope: Scope, depth: int) -> None:
        self.each(value, syntax.REPLACEMENT, scope, depth)

    def pivots(self, value: Any, scope: Scope, depth: int) -> None:
        for item in value:
            entry = "star_expr" in item
            self.define(*item.get("unpivot_names", ()))
            self.fields(item, syntax.PIVOT_ENTRY if entry else syntax.PIVOT, scope, depth)

    def sample(self, value: Any, scope: Scope, depth: int) -> None:
        self.fields(value, syntax.SAMPLE, scope, depth)

    def modifiers(self, value: Any, scope: Scope, depth: int) -> None:
        for item in value if isinstance(value, list) else [value]:
            known = syntax.MODIFIERS.get(item["type"])
            if known is None:
                raise _unreviewed("modifier")
            self.fields(item, known, scope, depth)

    def each(self, value: Any, known: Mapping[str, Field], scope: Scope, depth: int) -> None:
        if len(value) > policy.SIZES["list items"]:
            _too_big("list items")
        for item in value:
            self.fields(item, known, scope, depth)

    def define(self, *names: str | None) -> None:
        self.contents.defined.update(fold(name) for name in names if name)


_COMPOUND = (list, dict)
_MAKES_NAMES = frozenset({"TABLE_FUNCTION", "PIVOT", "SHOW_REF", "EXPRESSION_LIST"})
_FUNCTION_HINT = "use another function, or compute with SQL operators"
_SCHEMA_HINT = "write table names without a schema; only the loaded tables can be read"
_TABLES_HINT = "only the loaded tables can be read; of functions, FROM may hold " + ", ".join(
    sorted(policy.TABLE_FUNCTIONS)
)

_FIELDS: dict[Field, Callable[[_Walk, Any, Scope, int], None]] = {
    Field.NOTHING: _Walk.nothing,
    Field.QUERY: _Walk.query,
    Field.STATEMENT: _Walk.statement,
    Field.TABLE: _Walk.table,
    Field.EXPRESSION: _Walk.expression,
    Field.ARGUMENTS: _Walk.arguments,
    Field.MODIFIERS: _Walk.modifiers,
    Field.ORDERS: _Walk.orders,
    Field.CASES: _Walk.cases,
    Field.REPLACEMENTS: _Walk.replacements,
    Field.PIVOTS: _Walk.pivots,
    Field.SAMPLE: _Walk.sample,
}

_EXPRESSIONS: dict[str, Callable[[_Walk, Node], None]] = {
    "COLUMN_REF": _Walk.column,
    "CONJUNCTION": _Walk.conjunction,
    "FUNCTION": _Walk.function,
    "WINDOW": _Walk.function,
    "LAMBDA": _Walk.parameters,
    "TYPE": _Walk.type_name,
    "STAR": _Walk.star,
}


def _unnamed(expression: Node) -> bool:
    """Whether an output's name is not written in the text."""
    return not expression.get("alias") and expression.get("class") not in ("COLUMN_REF", "STAR")


def _no_function(name: str, node: Node) -> Refused | Fault:
    if name in policy.REFUSED_FUNCTIONS:
        return _refuse(f"the function {name!r}", _FUNCTION_HINT)
    near = get_close_matches(name, policy.FUNCTIONS, n=3, cutoff=0.7)
    hint = function_hint(name) or ("did you mean " + " or ".join(near) + "?" if near else "")
    return Fault(
        "function",
        f"there is no function {name!r}",
        name=name,
        position=node.get("query_location"),
        hint=hint or _FUNCTION_HINT,
    )


def _check_show(node: Node) -> None:
    if not node.get("query") or node.get("show_type") not in ("DESCRIBE", "SUMMARY"):
        raise _refuse(
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
            raise _refuse(f"{name} to {size:.0f}", f"at most {policy.MAX_LITERAL_REPEAT}")
        return
    if not numbers or numbers[0] is None or (len(numbers) > 1 and numbers[1] is None):
        return
    start, stop = (0.0, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1] or 0.0)
    step = numbers[2] if len(numbers) > 2 else 1.0
    if step and abs((stop - start) / step) > policy.MAX_LITERAL_SERIES:
        raise _refuse(f"a {name} this long", f"at most {policy.MAX_LITERAL_SERIES} values")


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


def _refuse(what: str, hint: str) -> Refused:
    return Refused(f"{what} is not allowed", hint=hint)


def _unreviewed(what: str) -> Refused:
    return Refused(
        f"this statement holds syntax that has not been reviewed ({what})",
        hint="write it as a plain SELECT over the loaded tables",
    )


def _too_big(what: str) -> Never:
    raise Refused(
        f"the statement is too big: more than {policy.SIZES[what]} {what}",
        hint="split it, or say it with fewer parts",
    )
