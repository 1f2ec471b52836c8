"""Rows without a number are told where they are left out of a sum or mean, and only there."""

import datetime as dt

import pytest
from llm_world import table

from sql_engine.catalog import Catalog
from sql_engine.correct import answer
from sql_engine.database import Database
from sql_engine.linking import link
from sql_engine.writer import ScriptedWriter, SqlRequest

GIFTS = table(
    "gifts",
    "world",
    0,
    giver=["Ana", "Ben", "Cleo", "Dov", "Eli"],
    town=["Ulm", "Ulm", "Bonn", "Bonn", "Ulm"],
    amount=["50", "", "75", "n/a", "25"],
    year=["2021", "2022", "2021", "2022", "2022"],
    cost=["3", "4", "5", "", "6"],
)
CATALOG = Catalog().with_tables((GIFTS,))


@pytest.fixture(scope="module")
def database():
    database = Database(workers=1, spares=0)
    yield database
    database.close()


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT SUM(amount) FROM gifts", "2 of 5 rows have"),
        (
            "SELECT town, AVG(amount) FROM gifts GROUP BY town ORDER BY 2 LIMIT 1",
            "2 of 5 rows have",
        ),
        ("SELECT SUM(amount) FROM gifts WHERE town = 'Bonn'", "1 of 2 rows has"),
        (
            "WITH u AS (SELECT amount FROM gifts WHERE town='Ulm') SELECT AVG(amount) FROM u",
            "1 of 3",
        ),
        ("SELECT SUM(amount) FROM gifts WHERE year = 2021", None),
        ("SELECT SUM(amount) FROM gifts WHERE amount > 30", None),
        ("SELECT SUM(amount) FROM gifts WHERE amount IS NOT NULL", None),
        ("SELECT MAX(amount), COUNT(amount) FROM gifts", None),
        ("SELECT SUM(year) FROM gifts", None),
    ],
)
def test_rows_without_a_number_are_told_beside_a_sum_or_mean(database, sql, told):
    question = "What was given?"
    links = link(question, CATALOG)
    asked = SqlRequest(question, CATALOG, CATALOG.tables, links, dt.date(2025, 6, 1))
    found = answer(asked, ScriptedWriter([sql], max_attempts=1), database)
    problems = [problem for problem in found.problems if problem.code == "blank_numbers"]
    assert [told in problem.warning for problem in problems] == ([True] if told else [])


def test_such_rows_are_a_fact_that_no_better_draft_is_dropped_for(database):
    question = "What of the gifts in Bonn?"
    drafts = [
        "SELECT MAX(amount), MAX(cost) FROM gifts",
        "SELECT SUM(amount), SUM(cost) FROM gifts WHERE town = 'Bonn'",
    ]
    links = link(question, CATALOG)
    asked = SqlRequest(question, CATALOG, CATALOG.tables, links, dt.date(2025, 6, 1))
    found = answer(asked, ScriptedWriter(drafts), database)
    assert (found.draft.sql, found.doubts) == (drafts[1], ())
    assert len(found.warnings) == 2
