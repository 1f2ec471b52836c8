"""Walks DuckDB's own syntax tree of a statement and decides whether it may run.

Takes the tree as `json_serialize_sql` gives it; returns the `Contents` (tables, columns, names it
uses), or raises `Refused`. Every node, field and value must be one that `syntax.py` and the policy
lists know; whatever is unknown is refused. Which tables exist is not looked at here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sql_engine import node_rules, policy, syntax
from sql_engine.errors import InvalidQuery, Refused
from sql_engine.faults import Fault
from sql_engine.node_rules import Node, refuse, too_big, unreviewed
from sql_engine.sql_names import fold
from sql_engine.syntax import Field

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
            raise unreviewed("tree")
        if len(statements) != 1:
            raise unreviewed("statements")
        walk.fields(statements[0], syntax.STATEMENT, frozenset(), 0)
    except (Refused, InvalidQuery):
        raise
    except (RecursionError, KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        raise unreviewed("shape") from error
    return walk.contents


class _Walk:
    def __init__(self) -> None:
        self.contents = Contents()
        self.counts: Counter[str] = Counter()
        self.lambdas = 0
        self.named = False
        """Whether the outputs of the query that is walked are used by name."""

    # fields

    def fields(self, node: Node, known: Mapping[str, Field], scope: Scope, depth: int) -> None:
        if depth > policy.SIZES["nesting"]:
            too_big("nesting")
        self.count("nodes")
        for name, value in node.items():
            holds = known.get(name)
            if holds is None:
                if value:
                    raise unreviewed(f"field {name}")
                continue
            if holds is Field.PLAIN:
                if value.__class__ in _COMPOUND:
                    self.plain(value)
            elif value is not None and value != "" and value != []:
                _FIELDS[holds](self, value, scope, depth + 1)

    def plain(self, value: Any) -> None:
        if isinstance(value, dict):
            if not value.keys() <= syntax.PLAIN_KEYS:
                raise unreviewed("value")
            for item in value.values():
                self.plain(item)
        elif isinstance(value, list):
            if len(value) > policy.SIZES["list items"]:
                too_big("list items")
            for item in value:
                self.plain(item)
        elif not isinstance(value, str | int | float | bool | None):
            raise unreviewed("value")

    def nothing(self, value: Any, scope: Scope, depth: int) -> None:
        if value:
            raise refuse("this clause", "leave it out")

    def count(self, what: str, number: int = 1) -> None:
        self.counts[what] += number
        if self.counts[what] > policy.SIZES[what]:
            too_big(what)

    # queries

    def query(self, value: Any, scope: Scope, depth: int) -> None:
        if isinstance(value, list):
            for item in value:
                self.query(item, scope, depth)
            return
        kind = value["type"]
        known = syntax.QUERIES.get(kind)
        if known is None:
            raise refuse(
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
            too_big("output columns")
        elif len(value["group_sets"]) > policy.SIZES["grouping sets"]:
            too_big("grouping sets")
        if self.named and any(map(_unnamed, value.get("select_list", ()))):
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
            raise unreviewed("CTE map")
        for entry in cte_map["map"]:
            if entry.keys() != {"key", "value"}:
                raise unreviewed("CTE")
            self.count("CTEs")
            self.define(entry["key"], *entry["value"].get("aliases", ()))
            with self.outputs_used(by_name=True):
                self.fields(entry["value"], syntax.CTE, scope, depth + 1)
            scope |= {fold(entry["key"])}
        return scope

    def statement(self, value: Any, scope: Scope, depth: int) -> None:
        self.count("subqueries")
        with self.outputs_used(by_name=False):
            self.fields(value, syntax.STATEMENT, scope, depth)

    def source(self, value: Any, scope: Scope, depth: int) -> None:
        self.count("subqueries")
        with self.outputs_used(by_name=True):
            self.fields(value, syntax.STATEMENT, scope, depth)

    @contextmanager
    def outputs_used(self, *, by_name: bool) -> Iterator[None]:
        before, self.named = self.named, by_name
        yield
        self.named = before

    # tables

    def table(self, value: Any, scope: Scope, depth: int) -> None:
        kind = value["type"]
        known = syntax.TABLES.get(kind)
        if known is None:
            raise unreviewed("table")
        self.define(value.get("alias"), *(value.get("column_name_alias") or ()))
        if value.get("sample"):
            self.contents.volatile = True
        if kind == "BASE_TABLE":
            self.base_table(value, scope)
        elif kind == "JOIN":
            self.count("joins")
        elif kind == "TABLE_FUNCTION":
            node_rules.check_table_function(value["function"])
        elif kind == "SHOW_REF":
            node_rules.check_show(value)
        elif kind == "PIVOT":
            self.define(*value.get("unpivot_names", ()))
        if kind in _MAKES_NAMES:
            self.contents.open_names = True
        self.fields(value, known, scope, depth)

    def base_table(self, node: Node, scope: Scope) -> None:
        name, schema, catalog = node["table_name"], node["schema_name"], node["catalog_name"]
        path = (node.get("qualified_name") or {}).get("path", [])
        if path != [part for part in (catalog, schema, name) if part] or not name:
            raise unreviewed("table name")
        if node.get("at_clause"):
            raise refuse("AT", "tables have no earlier versions; leave AT out")
        if not catalog and fold(schema) in ("", "recurring") and fold(name) in scope:
            self.count("references to CTEs")
        elif fold(schema) in ("", "main") and fold(catalog) in ("", "memory"):
            self.contents.tables.append(TableRef(name, node["query_location"]))
            if node.get("alias"):
                self.contents.table_aliases.add(fold(node["alias"]))
        elif {fold(schema), fold(catalog)} & policy.ENGINE_SCHEMAS:
            raise refuse("a table in a schema", _SCHEMA_HINT)
        else:
            raise Fault(
                "schema",
                f"there is no schema {schema!r}",
                name=fold(schema),
                position=node["query_location"],
                hint=_SCHEMA_HINT,
            )

    # expressions

    def expression(self, value: Any, scope: Scope, depth: int) -> None:
        if isinstance(value, list):
            if len(value) > policy.SIZES["list items"]:
                too_big("list items")
            for item in value:
                if item is not None:
                    self.expression(item, scope, depth)
            return
        kind = value.get("class")
        known = syntax.EXPRESSIONS.get(kind)
        if known is None or value["type"] not in syntax.EXPRESSION_TYPES:
            raise unreviewed("expression")
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
            too_big("nested lambdas")
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
        name = node_rules.function_name(node)
        if name in policy.VOLATILE:
            self.contents.volatile = True
        if name == "unnest":
            self.contents.open_names = True

    def type_name(self, node: Node) -> None:
        node_rules.check_type(node)

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
                raise unreviewed("modifier")
            self.fields(item, known, scope, depth)

    def each(self, value: Any, known: Mapping[str, Field], scope: Scope, depth: int) -> None:
        if len(value) > policy.SIZES["list items"]:
            too_big("list items")
        for item in value:
            self.fields(item, known, scope, depth)

    def define(self, *names: str | None) -> None:
        self.contents.defined.update(fold(name) for name in names if name)


_COMPOUND = (list, dict)
_MAKES_NAMES = frozenset({"TABLE_FUNCTION", "PIVOT", "SHOW_REF", "EXPRESSION_LIST"})
_SCHEMA_HINT = "write table names without a schema; only the loaded tables can be read"

_FIELDS: dict[Field, Callable[[_Walk, Any, Scope, int], None]] = {
    Field.NOTHING: _Walk.nothing,
    Field.QUERY: _Walk.query,
    Field.STATEMENT: _Walk.statement,
    Field.SOURCE: _Walk.source,
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
