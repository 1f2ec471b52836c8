"""What a query that ran is doubted for: held against the question, the keys and the data."""

import datetime as dt

import pytest
from llm_world import table

from sql_engine.catalog import Catalog
from sql_engine.correct import answer
from sql_engine.database import Database
from sql_engine.linking import link
from sql_engine.writer import ScriptedWriter, SqlRequest

FERRIES = table(
    "ferries",
    "world",
    0,
    ferry_id=["1", "2", "3", "4"],
    ferry=["Skua", "Tern", "Gull", "Auk"],
    harbour=["Oban", "Oban", "Mallaig", "Oban"],
    seats=["120", "80", "300", "9"],
)
SAILINGS = table(
    "sailings",
    "world",
    1,
    sailing_id=["1", "2", "3", "4", "5"],
    ferry_id=["1", "1", "2", "1", "4"],
    left_at=[
        "2025-01-01 08:00:00",
        "2025-01-30 09:00:00",
        "2025-01-31 17:30:00",
        "2025-02-01 00:00:00",
        "2025-03-03 10:00:00",
    ],
    paid_on=["2025-01-02", "2025-01-31", "2025-02-01", "2025-02-02", "2025-03-04"],
    fare=["10", "10", "20", "5", "10"],
    route=["North", "North", "South", "East", "North"],
)
CREWS = table(
    "crews",
    "world",
    2,
    crew_id=["7", "8"],
    sailing_id=["1", "3"],
    boarded=["2", "5"],
    id=["70", "80"],
)
CATALOG = Catalog().with_tables((FERRIES, SAILINGS, CREWS))
BY_HARBOUR = "SELECT harbour, COUNT(*) FROM sailings s JOIN ferries f ON {} GROUP BY 1"
LEFT = "SELECT COUNT(*) FROM sailings WHERE left_at {}"
PAID = "SELECT COUNT(*) FROM sailings WHERE paid_on {}"
IN_JANUARY = "How many sailings in January 2025?"


@pytest.fixture(scope="module")
def database():
    database = Database(workers=1, spares=0)
    yield database
    database.close()


def doubts_of(question, sql, database):
    asked = SqlRequest(
        question, CATALOG, CATALOG.tables, link(question, CATALOG), dt.date(2025, 6, 1)
    )
    found = answer(asked, ScriptedWriter([sql], max_attempts=1), database)
    return {problem.code for problem in found.problems}, found


@pytest.mark.parametrize(
    ("question", "sql", "codes"),
    [
        (IN_JANUARY, LEFT.format(">= '2025-01-01' AND left_at < '2025-02-01'"), set()),
        (IN_JANUARY, LEFT.format(">= '2025-01-01' AND left_at <= '2025-01-30'"), {"other_bound"}),
        (IN_JANUARY, LEFT.format(">= '2025-01-01' AND left_at <= '2025-02-01'"), {"other_bound"}),
        (IN_JANUARY, LEFT.format("BETWEEN '2025-01-01' AND '2025-01-31'"), {"other_bound"}),
        (IN_JANUARY, PAID.format("BETWEEN '2025-01-01' AND '2025-01-31'"), set()),
        (IN_JANUARY, PAID.format("BETWEEN '2025-01-01' AND '2025-01-30'"), {"other_bound"}),
        (
            "How many sailings last month?",
            LEFT.format(">= '2025-05-01' AND left_at < '2025-05-31'"),
            {"other_bound"},
        ),
        (
            "How many sailings since January 2025?",
            LEFT.format(">= '2025-01-01' AND left_at < '2025-06-01'"),
            set(),
        ),
        ("How many sailings in 2025?", LEFT.format(">= '2025-01-01'"), {"open_period"}),
    ],
)
def test_a_period_that_is_asked_for_is_taken_whole_and_no_more(database, question, sql, codes):
    assert doubts_of(question, sql, database)[0] == codes


@pytest.mark.parametrize(
    ("condition", "codes"),
    [
        ("s.ferry_id = f.ferry_id", set()),
        ("f.ferry_id = s.ferry_id AND s.fare > 1", set()),
        ("s.sailing_id = f.ferry_id", {"wrong_key"}),
        ("s.ferry_id = f.seats", {"wrong_key"}),
    ],
)
def test_tables_are_joined_along_their_keys(database, condition, codes):
    found, _ = doubts_of("How many sailings by harbour?", BY_HARBOUR.format(condition), database)
    assert found & {"wrong_key"} == codes


@pytest.mark.parametrize(
    ("question", "sql", "codes"),
    [
        (
            "Number of different routes of each ferry?",
            "SELECT ferry, COUNT(route) FROM sailings JOIN ferries USING (ferry_id) GROUP BY 1",
            {"other_operation"},
        ),
        (
            "Number of different routes of each ferry?",
            "SELECT ferry, COUNT(*) FROM sailings JOIN ferries USING (ferry_id) GROUP BY 1",
            {"other_operation", "dropped_condition"},
        ),
        (
            "What is the average fare by seat?",
            "SELECT SUM(fare / seats) FROM sailings JOIN ferries USING (ferry_id)",
            {"other_operation"},
        ),
        (
            "Number of different routes of each ferry?",
            "SELECT ferry, COUNT(DISTINCT route) FROM sailings JOIN ferries USING (ferry_id) "
            "GROUP BY 1",
            set(),
        ),
        ("How many harbours are there?", "SELECT COUNT(DISTINCT harbour) FROM ferries", set()),
        ("How many ferries are there?", "SELECT COUNT(*) FROM ferries", set()),
        (
            "Which ferry ids have sailed on the North route?",
            "SELECT ferry_id FROM sailings WHERE route = 'North'",
            {"listed_twice"},
        ),
        ("What is the total fare?", "SELECT SUM(DISTINCT fare) FROM sailings", {"other_operation"}),
        ("What is the total seats?", "SELECT SUM(DISTINCT seats) FROM ferries", set()),
        ("Sum of the different fares?", "SELECT SUM(DISTINCT fare) FROM sailings", set()),
        (
            "What is the average fare?",
            "SELECT AVG(m) FROM (SELECT AVG(fare) AS m FROM sailings GROUP BY ferry_id) AS g",
            {"other_operation"},
        ),
        (
            "What is the average over ferries of their average fare?",
            "SELECT AVG(m) FROM (SELECT AVG(fare) AS m FROM sailings GROUP BY ferry_id) AS g",
            set(),
        ),
        (
            "What is the average fare?",
            "SELECT SUM(fare) AS average_fare FROM sailings",
            {"other_operation"},
        ),
    ],
)
def test_each_thing_is_counted_and_added_as_often_as_is_asked(database, question, sql, codes):
    assert doubts_of(question, sql, database)[0] == codes


@pytest.mark.parametrize(
    ("shown", "codes"),
    [
        ("COUNT(DISTINCT ferry) / COUNT(DISTINCT route)", set()),
        ("COUNT(ferry) / COUNT(DISTINCT route)", {"paired_rows"}),
    ],
)
def test_pairs_are_harmless_where_each_thing_is_counted_once(database, shown, codes):
    found, _ = doubts_of(
        "Ratio of ferries to routes?", f"SELECT {shown} FROM ferries, sailings", database
    )
    assert found == codes


def test_rows_counted_for_things_that_repeat_are_told(database):
    found, _ = doubts_of("How many harbours are there?", "SELECT COUNT(*) FROM ferries", database)
    assert "counted_key" in found


@pytest.mark.parametrize(
    ("question", "order", "codes"),
    [
        ("Top 2 harbours by total seats", "total DESC", set()),
        ("Top 2 harbours by total seats", "total", {"other_operation"}),
        ("Top 2 harbours with the lowest total seats", "total", set()),
        ("Top 2 harbours, fewest total seats first", "total", set()),
    ],
)
def test_the_top_ones_are_those_with_the_most(database, question, order, codes):
    sql = f"SELECT harbour, SUM(seats) AS total FROM ferries GROUP BY 1 ORDER BY {order} LIMIT 2"
    assert doubts_of(question, sql, database)[0] == codes


@pytest.mark.parametrize(
    ("ending", "codes"),
    [
        (" WHERE s.sailing_id IS NULL", set()),
        ("", {"dropped_denial", "listed_twice"}),
    ],
)
def test_an_outer_join_alone_leaves_nothing_out(database, ending, codes):
    sql = "SELECT ferry FROM ferries f LEFT JOIN sailings s ON s.ferry_id = f.ferry_id"
    assert doubts_of("Which ferries have not sailed?", sql + ending, database)[0] == codes


@pytest.mark.parametrize(
    ("sql", "codes"),
    [
        ("SELECT ferry FROM ferries ORDER BY seats DESC LIMIT 1", set()),
        ("SELECT ferry FROM ferries ORDER BY seats::TEXT DESC LIMIT 1", {"numbers_as_text"}),
        (
            "SELECT ferry FROM ferries WHERE seats = (SELECT MAX(CAST(seats AS VARCHAR)) "
            "FROM ferries)",
            {"numbers_as_text"},
        ),
    ],
)
def test_numbers_are_no_texts(database, sql, codes):
    assert doubts_of("Which ferry has the most seats?", sql, database)[0] == codes


@pytest.mark.parametrize(
    ("question", "sql", "codes"),
    [
        (
            "Which sailing IDs have a ferry?",
            "SELECT sailing_id FROM sailings WHERE ferry_id IS NOT NULL",
            set(),
        ),
        (
            "How many ferries have code 3, where 3 stands for large and 4 stands for small?",
            "SELECT COUNT(*) FROM ferries WHERE ferry_id = 3",
            set(),
        ),
        ("Top 2 ferries by seats", "SELECT ferry FROM ferries ORDER BY seats DESC LIMIT 2", set()),
        (
            "Top 2 ferries by seats",
            "SELECT ferry FROM ferries ORDER BY seats DESC LIMIT 3",
            {"dropped_condition"},
        ),
    ],
)
def test_words_within_a_name_and_codes_that_are_explained_are_no_conditions(
    database, question, sql, codes
):
    assert doubts_of(question, sql, database)[0] == codes


@pytest.mark.parametrize(
    ("question", "advice"),
    [
        ("Which ferries start with 'Sk'?", "ILIKE 'Sk%'"),
        ("Which ferries end in 'n'?", "ILIKE '%n'"),
        ("Which ferries have a name that contains the substring 'ul'?", "ILIKE '%ul%'"),
        ("Which ferry is 'Petrel'?", "compare with 'Petrel'"),
    ],
)
def test_the_advice_on_a_part_of_a_text_is_a_pattern(database, question, advice):
    _, found = doubts_of(question, "SELECT ferry FROM ferries", database)
    assert any(advice in problem.advice for problem in found.problems)


@pytest.mark.parametrize(
    ("question", "shown", "codes"),
    [
        ("Which ferry has the most seats, and how many are they?", "ferry", {"half_answered"}),
        ("Which ferry has the most seats, and how many are they?", "ferry, seats", set()),
        ("Which ferry has the most seats?", "ferry", set()),
    ],
)
def test_one_column_is_half_an_answer_to_two_questions(database, question, shown, codes):
    sql = f"SELECT {shown} FROM ferries ORDER BY seats DESC LIMIT 1"
    assert doubts_of(question, sql, database)[0] == codes


@pytest.mark.parametrize(
    ("question", "sql", "codes"),
    [
        ("Show the ferry and harbour of all.", "SELECT ferry, harbour FROM ferries", set()),
        ("Show the seats and harbour of all.", "SELECT ferry, harbour FROM ferries", {"not_shown"}),
        ("Show the seats and harbour of all.", "SELECT * FROM ferries", set()),
        ("Give the harbours with over 100 seats.", "SELECT seats FROM ferries", {"not_shown"}),
        (
            "List the route and fare of each sailing.",
            "WITH w AS (SELECT fare, route AS line FROM sailings) SELECT line, fare FROM w",
            set(),
        ),
        (
            "List each sailing's route and its fare.",
            "SELECT fare FROM sailings",
            {"not_shown"},
        ),
        (
            "Show the route and number of sailings of each.",
            "SELECT route FROM sailings GROUP BY route",
            {"not_shown"},
        ),
        (
            "Show the route and number of sailings of each.",
            "SELECT route, COUNT(*) FROM sailings GROUP BY route",
            set(),
        ),
        (
            "How many sailings are there by route?",
            "SELECT COUNT(*) FROM sailings GROUP BY route",
            {"not_shown"},
        ),
        (
            "What is the average fare and total seats?",
            "SELECT AVG(fare) FROM sailings JOIN ferries USING (ferry_id)",
            {"not_shown"},
        ),
        ("What are the minimum and maximum fare?", "SELECT MIN(fare) FROM sailings", {"not_shown"}),
        (
            "What are the minimum and maximum fare?",
            "SELECT MIN(fare), MAX(fare) FROM sailings",
            set(),
        ),
        (
            "Which ferries start at Oban?",
            "SELECT ferry FROM ferries WHERE harbour = 'Oban'",
            set(),
        ),
        (
            "Return the ferry id and fare of each sailing.",
            "SELECT f.ferry_id, s.fare FROM ferries f JOIN sailings s USING (ferry_id)",
            set(),
        ),
    ],
)
def test_all_that_the_question_lists_is_shown(database, question, sql, codes):
    assert doubts_of(question, sql, database)[0] & {"not_shown"} == codes


@pytest.mark.parametrize(
    ("question", "sql", "codes"),
    [
        ("How many ferries sailed?", "SELECT COUNT(*) FROM sailings", {"counted_key"}),
        ("How many ferries sailed?", "SELECT COUNT(DISTINCT ferry_id) FROM sailings", set()),
        ("How many different routes are there?", "SELECT COUNT(*) FROM sailings", {"counted_key"}),
        ("How many sailings are there?", "SELECT COUNT(*) FROM sailings", set()),
    ],
)
def test_things_that_rows_only_refer_to_are_counted_once(database, question, sql, codes):
    assert doubts_of(question, sql, database)[0] & {"counted_key"} == codes


@pytest.mark.parametrize(
    ("condition", "codes"),
    [
        ("> 80", set()),
        (">= 81", set()),
        ("> 81", {"other_bound"}),
        (">= 80", {"other_bound"}),
        ("> 79", {"other_bound"}),
    ],
)
def test_a_bound_takes_the_numbers_that_its_words_take(database, condition, codes):
    sql = f"SELECT COUNT(*) FROM ferries WHERE seats {condition}"
    found, _ = doubts_of("How many ferries have more than 80 seats?", sql, database)
    assert found & {"other_bound"} == codes


@pytest.mark.parametrize(
    ("condition", "codes"),
    [("f.harbour = s.route", {"wrong_key"}), ("f.ferry_id = s.ferry_id", set())],
)
def test_nothing_found_as_two_columns_share_no_value_is_told(database, condition, codes):
    sql = f"SELECT f.ferry FROM ferries f JOIN sailings s ON {condition} WHERE s.fare > 0"
    _, found = doubts_of("Which ferries have a sailing?", sql, database)
    told = [p.warning for p in found.problems if "share no value" in p.advice]
    assert bool(told) == bool(codes)
