"""A query that ran and does something else than was asked draws a doubt; a right one draws none."""

from __future__ import annotations

import datetime as dt

import pytest

from router import Router
from sql_engine.writer import ScriptedWriter

BOATS = """boat_id,boat,crew,length_m
1,Tern,4,9.5
2,Skua,2,11.0
3,Gull,,7.25
4,Knot,3,8.0
"""
VOYAGES = """trip_id,boat_id,port,skipper,left_on,tons
1,1,Horta,Ana,2024-03-01,10
2,1,Faro,Ben,2024-03-20,20
3,2,Horta,Ana,2024-04-02,5
4,3,Faro,Ana,2024-04-11,7
5,1,Horta,Ben,2025-01-05,2
"""
JOINED = "FROM boats b JOIN voyages v ON b.boat_id = v.boat_id"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("harbour")
    (folder / "boats.csv").write_text(BOATS, encoding="utf-8")
    (folder / "voyages.csv").write_text(VOYAGES, encoding="utf-8")
    return folder


def warnings(folder, question, sql, **options):
    with Router(writer=ScriptedWriter([sql], max_attempts=1), **options) as tables:
        tables.add(folder)
        return " | ".join(tables.ask(question, route="sql").warnings)


WRONG = [
    ("How many boats sailed to Horta?", f"SELECT COUNT(*) {JOINED} WHERE port = 'Horta'",
     "repeats"),
    ("Which boats sailed to Horta?", f"SELECT boat {JOINED} WHERE port = 'Horta'", "several times"),
    ("How many voyages did Tern make?", "SELECT COUNT(*) FROM boats, voyages WHERE boat = 'Tern'",
     "paired"),
    ("Which boats never sailed?", f"SELECT boat {JOINED} WHERE v.boat_id IS NULL", "inner join"),
    ("The 2 heaviest tons", "SELECT tons FROM voyages ORDER BY tons DESC LIMIT 3", "says 2"),
    ("What is the average of tons?", "SELECT SUM(tons) FROM voyages", "average"),
    ("What is the lowest tons?", "SELECT MAX(tons) FROM voyages", "other end"),
    ("Which port had the highest tons?", "SELECT port FROM voyages ORDER BY tons LIMIT 1",
     "other end"),
    ("How many different ports?", "SELECT COUNT(port) FROM voyages", "counts each row"),
    ("List the different ports", "SELECT port FROM voyages", "twice"),
    ("How many voyages took more than 7 tons?", "SELECT COUNT(*) FROM voyages WHERE tons >= 7",
     "bound"),
    ("How many voyages took at least 7 tons?", "SELECT COUNT(*) FROM voyages WHERE tons > 7",
     "bound"),
    ("How many voyages of Ana to Horta?",
     "SELECT COUNT(*) FROM voyages WHERE skipper = 'Ana' OR port = 'Horta'", "together"),
    ("How many voyages were not to Horta?", "SELECT COUNT(*) FROM voyages WHERE port = 'Horta'",
     "leaves nothing out"),
    ("How many voyages in 2024?", "SELECT COUNT(*) FROM voyages WHERE left_on >= '2024-01-01'",
     "goes on after"),
    ("What are the total tons?", "SELECT SUM(tons) FROM (SELECT tons FROM voyages LIMIT 2)",
     "few of the rows"),
    ("What are the total tons?", "SELECT SUM(tons) FROM voyages USING SAMPLE 2 ROWS", "sample"),
    ("How many boats have no crew?", "SELECT COUNT(*) FROM boats WHERE crew = NULL", "NULL"),
    ("How many boats are there?", "SELECT COUNT(crew) FROM boats", "is empty"),
    ("What is the average crew?", "SELECT SUM(crew) / COUNT(*) FROM boats", "over all rows"),
    ("How many boats made a voyage?", "SELECT COUNT(boat_id) FROM voyages", "several times"),
    ("How many skippers went to Horta?",
     "SELECT COUNT(skipper) FROM voyages WHERE port = 'Horta'", "several times"),
    ("When was the latest voyage?", "SELECT left_on FROM voyages ORDER BY left_on LIMIT 1",
     "other end"),
    ("Which boat is the longest?", "SELECT boat FROM boats ORDER BY length_m LIMIT 1", "other end"),
    ("Which skippers made more than one voyage?",
     "SELECT skipper FROM voyages GROUP BY skipper HAVING COUNT(*) >= 1", "bound"),
    ("How many boats do not have 4 crew?", "SELECT COUNT(*) FROM boats WHERE crew <> 4", "empty"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "sql", "told"), WRONG)
def test_what_is_done_otherwise_is_told(folder, question, sql, told):
    assert told in warnings(folder, question, sql)


RIGHT = [
    ("How many boats sailed to Horta?",
     f"SELECT COUNT(DISTINCT b.boat_id) {JOINED} WHERE port = 'Horta'"),
    ("How many voyages has each boat?", f"SELECT boat, COUNT(*) {JOINED} GROUP BY boat"),
    ("Which boats never sailed?",
     "SELECT boat FROM boats b LEFT JOIN voyages v USING (boat_id) WHERE v.boat_id IS NULL"),
    ("What is the average of tons?", "SELECT SUM(tons) / COUNT(tons) FROM voyages"),
    ("Which port had the lowest tons?", "SELECT port FROM voyages ORDER BY tons LIMIT 1"),
    ("How many voyages took at most 7 tons?", "SELECT COUNT(*) FROM voyages WHERE tons <= 7"),
    ("How many voyages took no more than 7 tons?", "SELECT COUNT(*) FROM voyages WHERE tons <= 7"),
    ("How many voyages went to Horta or were Ana's?",
     "SELECT COUNT(*) FROM voyages WHERE skipper = 'Ana' OR port = 'Horta'"),
    ("How many voyages since 2025?", "SELECT COUNT(*) FROM voyages WHERE left_on >= '2025-01-01'"),
    ("How many different ports?", "SELECT COUNT(DISTINCT port) FROM voyages"),
    ("How many skippers went to Faro?",
     "SELECT COUNT(skipper) FROM voyages WHERE port = 'Faro'"),
    ("What is the first name of the boats?", "SELECT boat FROM boats ORDER BY boat DESC LIMIT 9"),
    ("How many crew has Tern?", "SELECT crew FROM boats WHERE boat = 'Tern'"),
    ("What is the largest mean of tons by port?",
     "SELECT MAX(m) FROM (SELECT AVG(tons) AS m FROM voyages GROUP BY port)"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "sql"), RIGHT)
def test_what_is_done_as_asked_is_not_doubted(folder, question, sql):
    assert warnings(folder, question, sql) == ""


def test_the_machines_clock_is_not_todays_where_another_day_is_set(folder):
    question, day = "How many voyages were in the last year?", dt.date(2025, 2, 1)
    sql = "SELECT COUNT(*) FROM voyages WHERE left_on >= now() - INTERVAL 1 YEAR"
    assert "taken to be 2025-02-01" in warnings(folder, question, sql, today=day)


@pytest.mark.parametrize("told", ["CURRENT_DATE", "today()", "current_date ( )"])
def test_a_draft_that_asks_for_the_date_is_given_the_day_that_is_set(folder, told):
    sql = f"SELECT {told} AS day, 'today()' AS note FROM voyages LIMIT 1"
    with Router(writer=ScriptedWriter([sql]), today=dt.date(2025, 2, 1)) as tables:
        tables.add(folder)
        answer = tables.ask("How many voyages were in the last year?")
    assert answer.rows == [(dt.date(2025, 2, 1), "today()")]
    assert not any("clock" in warning for warning in answer.warnings)


def test_a_doubt_is_put_to_the_writer_once_with_what_to_do(folder):
    good = "SELECT AVG(tons) FROM voyages"
    with Router(writer=ScriptedWriter(["SELECT SUM(tons) FROM voyages", good])) as tables:
        tables.add(folder)
        answer = tables.ask("What is the average of tons?")
    assert (answer.sql, answer.warnings) == (good, ())
    assert "use AVG" in str(answer.attempts[0].error)
