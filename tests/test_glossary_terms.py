"""Metrics and usual filters hold for every writer: computed, told, and missed where left out."""

from __future__ import annotations

import pytest

from router import Route, Router
from sql_engine.writer import ScriptedWriter

SALES = """sale_id,stall,state,amount,refund
1,Ash,paid,100,10
2,Ash,paid,50,0
3,Elm,paid,80,20
4,Elm,void,500,0
"""
GLOSSARY = """
metrics: {net revenue: SUM(amount) - SUM(refund)}
filters: {sales: state <> 'void'}
"""


def selling(tmp_path, writer="offline", glossary=GLOSSARY):
    (tmp_path / "sales.csv").write_text(SALES, encoding="utf-8")
    (tmp_path / "glossary.yaml").write_text(glossary, encoding="utf-8")
    router = Router(writer=writer, glossary=str(tmp_path / "glossary.yaml"))
    router.add(tmp_path / "sales.csv")
    return router


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("What is the net revenue?", [(200,)]),
        ("What is the total net revenue?", [(200,)]),
        ("What is the net revenue of stall Ash?", [(140,)]),
        ("Net revenue by stall", [("Ash", 140), ("Elm", 60)]),
        ("How many sales are there?", [(3,)]),
        ("What is the total amount by stall?", [("Ash", 150), ("Elm", 80)]),
        ("How many sales are void?", [(1,)]),
    ],
)
def test_the_offline_writer_computes_by_the_glossary(tmp_path, question, rows):
    with selling(tmp_path) as tables:
        answer = tables.ask(question)
    assert answer.route is Route.SQL
    assert sorted(answer.rows) == rows


def test_what_was_used_is_told(tmp_path):
    with selling(tmp_path) as tables:
        answer = tables.ask("What is the net revenue?")
    assert '"net revenue" is SUM(amount) - SUM(refund) (glossary)' in answer.warnings
    assert any("state <> 'void' (glossary)" in warning for warning in answer.warnings)


def test_the_answer_says_what_was_computed_and_over_which_rows(tmp_path):
    with selling(tmp_path) as router:
        assert router.ask("What is the net revenue?").text == (
            "200 (net revenue of all rows of sales where state <> 'void')"
        )


def test_an_average_of_a_metric_is_declined(tmp_path):
    with selling(tmp_path) as tables:
        answer = tables.ask("What is the average net revenue?")
    assert answer.declined


def test_sql_of_a_model_that_leaves_the_metric_or_the_filter_out_is_told(tmp_path):
    replies = [
        "SELECT SUM(amount) FROM sales",
        "SELECT SUM(amount) FROM sales WHERE state = 'paid'",
    ]
    with selling(tmp_path, ScriptedWriter(replies)) as tables:
        answer = tables.ask("What is the net revenue?")
    assert any("which the query does not compute" in warning for warning in answer.warnings)
    assert "usual filter" not in str(answer.warnings)
    assert "state <> 'void'" in str(answer.attempts[0].error)


def test_sql_that_heeds_both_is_not_doubted(tmp_path):
    sql = "SELECT SUM(amount) - SUM(refund) FROM sales WHERE state <> 'void'"
    with selling(tmp_path, ScriptedWriter([sql])) as tables:
        answer = tables.ask("What is the net revenue?")
    assert (answer.value, answer.warnings) == (200, ())
