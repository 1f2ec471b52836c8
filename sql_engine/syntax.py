"""The shape of DuckDB's syntax trees, as reviewed: which fields a node has and what each may hold.

Data only. `tree.py` walks a tree by these tables and refuses every node, field or value that is
not in them, so syntax that a new engine version adds is refused until somebody has reviewed it.
"""

from __future__ import annotations

from enum import Enum, auto


class Field(Enum):
    """What a field of a node holds."""

    PLAIN = auto()
    """Text, numbers, flags and lists of them; nothing that could be a node."""
    NOTHING = auto()
    """Must be empty."""
    QUERY = auto()
    STATEMENT = auto()
    """A query wrapped as `{"node": …}`, whose outputs are used as values."""
    SOURCE = auto()
    """The same in FROM, where its outputs are used by name."""
    TABLE = auto()
    EXPRESSION = auto()
    ARGUMENTS = auto()
    """Named expressions."""
    CTES = auto()
    MODIFIERS = auto()
    ORDERS = auto()
    CASES = auto()
    REPLACEMENTS = auto()
    PIVOTS = auto()
    SAMPLE = auto()


_LOCATION = {"query_location": Field.PLAIN, "query_location_length": Field.PLAIN}
_EXPRESSION = {"class": Field.PLAIN, "type": Field.PLAIN, "alias": Field.PLAIN} | _LOCATION
_TABLE = {"type": Field.PLAIN, "alias": Field.PLAIN, "sample": Field.SAMPLE} | _LOCATION
_QUERY = {"type": Field.PLAIN, "modifiers": Field.MODIFIERS, "cte_map": Field.CTES}
_NAME = {"schema": Field.PLAIN, "catalog": Field.PLAIN, "qualified_name": Field.PLAIN}

QUERIES = {
    "SELECT_NODE": _QUERY
    | {
        "select_list": Field.EXPRESSION,
        "from_table": Field.TABLE,
        "where_clause": Field.EXPRESSION,
        "group_expressions": Field.EXPRESSION,
        "group_sets": Field.PLAIN,
        "aggregate_handling": Field.PLAIN,
        "having": Field.EXPRESSION,
        "sample": Field.SAMPLE,
        "qualify": Field.EXPRESSION,
    },
    "SET_OPERATION_NODE": _QUERY
    | {
        "setop_type": Field.PLAIN,
        "setop_all": Field.PLAIN,
        "left": Field.QUERY,
        "right": Field.QUERY,
        "children": Field.QUERY,
    },
    "RECURSIVE_CTE_NODE": _QUERY
    | {
        "cte_name": Field.PLAIN,
        "union_all": Field.PLAIN,
        "aliases": Field.PLAIN,
        "left": Field.QUERY,
        "right": Field.QUERY,
        "key_targets": Field.EXPRESSION,
        "payload_aggregates": Field.EXPRESSION,
    },
}
"""Query nodes. What writes (INSERT, UPDATE, DELETE, COPY as a CTE) is not among them."""

TABLES = {
    "EMPTY": _TABLE,
    "BASE_TABLE": _TABLE
    | {
        "table_name": Field.PLAIN,
        "schema_name": Field.PLAIN,
        "catalog_name": Field.PLAIN,
        "qualified_name": Field.PLAIN,
        "column_name_alias": Field.PLAIN,
        "at_clause": Field.NOTHING,
    },
    "SUBQUERY": _TABLE | {"subquery": Field.SOURCE, "column_name_alias": Field.PLAIN},
    "JOIN": _TABLE
    | {
        "left": Field.TABLE,
        "right": Field.TABLE,
        "condition": Field.EXPRESSION,
        "join_type": Field.PLAIN,
        "ref_type": Field.PLAIN,
        "using_columns": Field.PLAIN,
        "is_implicit": Field.PLAIN,
        "delim_flipped": Field.PLAIN,
        "duplicate_eliminated_columns": Field.NOTHING,
        "ranking_expression": Field.EXPRESSION,
        "nearest_count": Field.PLAIN,
        "nearest_order_type": Field.PLAIN,
        "nearest_approx": Field.PLAIN,
    },
    "TABLE_FUNCTION": _TABLE
    | {
        "function": Field.EXPRESSION,
        "column_name_alias": Field.PLAIN,
        "with_ordinality": Field.PLAIN,
    },
    "EXPRESSION_LIST": _TABLE
    | {
        "expected_names": Field.PLAIN,
        "expected_types": Field.NOTHING,
        "values": Field.EXPRESSION,
    },
    "PIVOT": _TABLE
    | {
        "source": Field.TABLE,
        "aggregates": Field.EXPRESSION,
        "unpivot_names": Field.PLAIN,
        "pivots": Field.PIVOTS,
        "groups": Field.PLAIN,
        "column_name_alias": Field.PLAIN,
        "include_nulls": Field.PLAIN,
    },
    "SHOW_REF": _TABLE
    | {
        "query": Field.QUERY,
        "show_type": Field.PLAIN,
        "table_name": Field.NOTHING,
        "schema_name": Field.NOTHING,
        "catalog_name": Field.NOTHING,
        "qualified_name": Field.PLAIN,
    },
}
"""What may stand in FROM."""

EXPRESSIONS = {
    "BETWEEN": {
        "input": Field.EXPRESSION,
        "lower": Field.EXPRESSION,
        "upper": Field.EXPRESSION,
    },
    "CASE": {"case_checks": Field.CASES, "else_expr": Field.EXPRESSION},
    "CAST": {
        "child": Field.EXPRESSION,
        "try_cast": Field.PLAIN,
        "type_expr": Field.EXPRESSION,
    },
    "COLLATE": {"child": Field.EXPRESSION, "collation": Field.PLAIN},
    "COLUMN_REF": {"column_names": Field.PLAIN},
    "COMPARISON": {"left": Field.EXPRESSION, "right": Field.EXPRESSION},
    "CONJUNCTION": {"children": Field.EXPRESSION},
    "CONSTANT": {"literal": Field.PLAIN},
    "FUNCTION": _NAME
    | {
        "function_name": Field.PLAIN,
        "arguments": Field.ARGUMENTS,
        "filter": Field.EXPRESSION,
        "order_bys": Field.MODIFIERS,
        "distinct": Field.PLAIN,
        "is_operator": Field.PLAIN,
        "export_state": Field.NOTHING,
        "is_legacy_function_call": Field.PLAIN,
    },
    "LAMBDA": {
        "lhs": Field.EXPRESSION,
        "expr": Field.EXPRESSION,
        "syntax_type": Field.PLAIN,
    },
    "OPERATOR": {"children": Field.EXPRESSION},
    "PARAMETER": {"identifier": Field.PLAIN},
    "POSITIONAL_REFERENCE": {"index": Field.PLAIN},
    "STAR": {
        "relation_name": Field.PLAIN,
        "exclude_list": Field.PLAIN,
        "qualified_exclude_list": Field.PLAIN,
        "replace_list": Field.REPLACEMENTS,
        "rename_list": Field.PLAIN,
        "columns": Field.PLAIN,
        "expr": Field.EXPRESSION,
    },
    "SUBQUERY": {
        "subquery_type": Field.PLAIN,
        "subquery": Field.STATEMENT,
        "child": Field.EXPRESSION,
        "comparison_type": Field.PLAIN,
    },
    "TYPE": _NAME | {"type_name": Field.PLAIN, "children": Field.EXPRESSION},
    "WINDOW": _NAME
    | {
        "function_name": Field.PLAIN,
        "arguments": Field.ARGUMENTS,
        "partitions": Field.EXPRESSION,
        "orders": Field.ORDERS,
        "arg_orders": Field.ORDERS,
        "start": Field.PLAIN,
        "end": Field.PLAIN,
        "start_expr": Field.EXPRESSION,
        "end_expr": Field.EXPRESSION,
        "offset_expr": Field.EXPRESSION,
        "default_expr": Field.EXPRESSION,
        "filter_expr": Field.EXPRESSION,
        "exclude_clause": Field.PLAIN,
        "distinct": Field.PLAIN,
        "ignore_nulls": Field.PLAIN,
        "has_ignore_nulls": Field.PLAIN,
        "is_legacy_function_call": Field.PLAIN,
    },
}
EXPRESSIONS = {name: _EXPRESSION | fields for name, fields in EXPRESSIONS.items()}
"""Expression classes."""

EXPRESSION_TYPES = frozenset(
    {
        "ARRAY_CONSTRUCTOR",
        "ARRAY_EXTRACT",
        "ARRAY_SLICE",
        "ARROW",
        "CASE_EXPR",
        "COLLATE",
        "COLUMN_REF",
        "COMPARE_BETWEEN",
        "COMPARE_DISTINCT_FROM",
        "COMPARE_EQUAL",
        "COMPARE_GREATERTHAN",
        "COMPARE_GREATERTHANOREQUALTO",
        "COMPARE_IN",
        "COMPARE_LESSTHAN",
        "COMPARE_LESSTHANOREQUALTO",
        "COMPARE_NOTEQUAL",
        "COMPARE_NOT_BETWEEN",
        "COMPARE_NOT_DISTINCT_FROM",
        "COMPARE_NOT_IN",
        "CONJUNCTION_AND",
        "CONJUNCTION_OR",
        "FUNCTION",
        "GROUPING_FUNCTION",
        "LAMBDA",
        "OPERATOR_CAST",
        "OPERATOR_COALESCE",
        "OPERATOR_IS_NOT_NULL",
        "OPERATOR_IS_NULL",
        "OPERATOR_NOT",
        "OPERATOR_NULLIF",
        "OPERATOR_TRY",
        "OPERATOR_UNPACK",
        "POSITIONAL_REFERENCE",
        "STAR",
        "STRUCT_EXTRACT",
        "SUBQUERY",
        "TYPE",
        "VALUE_CONSTANT",
        "VALUE_PARAMETER",
        "WINDOW_AGGREGATE",
        "WINDOW_CUME_DIST",
        "WINDOW_FILL",
        "WINDOW_FIRST_VALUE",
        "WINDOW_LAG",
        "WINDOW_LAST_VALUE",
        "WINDOW_LEAD",
        "WINDOW_NTH_VALUE",
        "WINDOW_NTILE",
        "WINDOW_PERCENT_RANK",
        "WINDOW_RANK",
        "WINDOW_RANK_DENSE",
        "WINDOW_ROW_NUMBER",
    }
)

MODIFIERS = {
    "LIMIT_MODIFIER": {
        "type": Field.PLAIN,
        "limit": Field.EXPRESSION,
        "offset": Field.EXPRESSION,
        "limit_type": Field.PLAIN,
    },
    "ORDER_MODIFIER": {"type": Field.PLAIN, "orders": Field.ORDERS},
    "DISTINCT_MODIFIER": {"type": Field.PLAIN, "distinct_on_targets": Field.EXPRESSION},
}
"""What follows a query: ORDER BY, LIMIT, DISTINCT."""

ORDER = {"type": Field.PLAIN, "null_order": Field.PLAIN, "expression": Field.EXPRESSION}
CASE = {"when_expr": Field.EXPRESSION, "then_expr": Field.EXPRESSION}
REPLACEMENT = {"key": Field.PLAIN, "value": Field.EXPRESSION}
ARGUMENT = {"name": Field.PLAIN, "expression": Field.EXPRESSION}
PIVOT = {
    "pivot_expressions": Field.EXPRESSION,
    "unpivot_names": Field.PLAIN,
    "entries": Field.PIVOTS,
    "pivot_enum": Field.NOTHING,
}
PIVOT_ENTRY = {
    "values": Field.PLAIN,
    "star_expr": Field.EXPRESSION,
    "alias": Field.PLAIN,
}
SAMPLE = {
    "sample_size": Field.PLAIN,
    "is_percentage": Field.PLAIN,
    "method": Field.PLAIN,
    "seed": Field.PLAIN,
    "repeatable": Field.PLAIN,
    "sample_rate": Field.PLAIN,
}
CTE = {
    "aliases": Field.PLAIN,
    "materialized": Field.PLAIN,
    "key_targets": Field.EXPRESSION,
    "payload_aggregates": Field.EXPRESSION,
    "query_node": Field.QUERY,
}
"""A CTE's outputs are used by name as well."""
STATEMENT = {"node": Field.QUERY, "named_param_map": Field.PLAIN}

PLAIN_KEYS = frozenset(
    # names, literals, the value of a sample, an entry of a named list
    {"path", "kind", "text", "key", "value", "type", "id", "type_info", "is_null"}
    | {"catalog", "schema", "table", "column"}
)
"""Keys of the small objects that a plain field may hold."""
