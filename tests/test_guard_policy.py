"""The reviewed lists are the engine's own: what a new version adds fails here until reviewed."""

import duckdb
import pytest
from node_kinds import node_kinds

from sql_engine import policy, syntax

FUNCTION_LISTS = ("functions", "table_functions", "refused_functions")


@pytest.fixture(scope="module")
def engine():
    with duckdb.connect() as connection:
        yield connection


def names(engine, sql):
    return {name for (name,) in engine.execute(sql).fetchall()}


def test_every_function_of_the_engine_was_reviewed(engine):
    here = names(engine, "SELECT function_name FROM duckdb_functions()")
    reviewed = {name for each in FUNCTION_LISTS for name in policy.listed(each)}
    assert here == reviewed


def test_no_function_is_both_allowed_and_refused():
    assert not policy.FUNCTIONS & policy.REFUSED_FUNCTIONS
    assert not policy.TABLE_FUNCTIONS & policy.REFUSED_FUNCTIONS


def test_every_setting_of_the_engine_was_reviewed(engine):
    assert names(engine, "SELECT name FROM duckdb_settings()") == policy.listed("settings")


def test_every_keyword_of_the_grammar_was_reviewed(engine):
    here = names(engine, "SELECT keyword_name FROM duckdb_keywords()")
    assert here == policy.listed("keywords")


def test_every_kind_of_statement_was_reviewed():
    kinds = {kind for kind in dir(duckdb.StatementType) if kind.isupper()}
    assert kinds == policy.listed("statements")


def test_every_kind_of_syntax_node_was_reviewed(engine):
    reviewed = policy.listed("node_kinds")
    assert node_kinds(engine, reviewed) == reviewed


def test_what_may_be_used_is_among_what_was_reviewed():
    known = policy.listed("node_kinds")
    used = (
        [f"QueryNodeType.{kind}" for kind in syntax.QUERIES]
        + [f"TableReferenceType.{kind}" for kind in syntax.TABLES]
        + [f"ExpressionClass.{kind}" for kind in syntax.EXPRESSIONS]
        + [f"ExpressionType.{kind}" for kind in syntax.EXPRESSION_TYPES]
        + [f"ResultModifierType.{kind}" for kind in syntax.MODIFIERS]
    )
    assert set(used) <= known
    writing = {kind for kind in known if "QUERY_NODE" in kind or "STATEMENT" in kind}
    assert not writing & set(used)
