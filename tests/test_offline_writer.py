"""The offline writer: what it says beside an answer, when it declines, and that SQL agrees."""

import datetime as dt

import pytest
from everyday_tables import TABLES, TODAY, connect, table

from sql_engine.catalog import Catalog
from sql_engine.errors import CannotWrite
from sql_engine.linking import link
from sql_engine.links import Links
from sql_engine.offline import DEFAULT_MIN_CONFIDENCE, OfflineWriter
from sql_engine.offline.periods import periods
from sql_engine.offline.question import read_question
from sql_engine.offline.search import Search
from sql_engine.offline.to_sql import to_sql
from sql_engine.writer import SqlRequest

QUESTIONS = (
    "How many {rows} are there per {label}?",
    "Which {label} has the highest total {number}?",
    "List the {rows} with {number} over {bound}",
    "What is the median {number} of {value}?",
    "Which {rows} come right after {value}?",
    "What is the difference between the highest and the lowest {number}?",
    "Show the 3 {rows} with the smallest {number}",
    "What percentage of {rows} are {value}?",
    "How many {rows} are not {value} and have {number} above {bound}?",
    "What is the total {number} by month?",
    "{rows} sorted by {number} descending",
    "What was the last {row}?",
    "Which {rows} have a {number} above the average?",
    "What is the average and the maximum {number}?",
)
GAPS = {
    "orders": ("orders", "order", "region", "amount", "paid", "400"),
    "staff": ("employees", "employee", "department", "salary", "Sales", "50000"),
    "sensors": ("readings", "reading", "room", "temperature", "Attic", "20"),
    "invoices": ("invoices", "invoice", "supplier", "net amount", "overdue", "500"),
}


def catalog_of(*tables) -> Catalog:
    return Catalog().with_tables(tables)


def draft(question, catalog, today=TODAY, min_confidence=DEFAULT_MIN_CONFIDENCE):
    return OfflineWriter().write(
        SqlRequest(question, catalog, catalog.tables, Links(), today, min_confidence=min_confidence)
    )


def plain(rows):
    return sorted((tuple(_plain(cell) for cell in row) for row in rows), key=repr)


def _plain(cell):
    if isinstance(cell, dt.datetime | dt.date | str | bool) or cell is None:
        return str(cell)
    return f"{float(cell):.4f}"


@pytest.mark.parametrize("name", TABLES)
def test_the_sql_of_every_tree_gives_what_the_arrays_gave(name):
    catalog = catalog_of(TABLES[name]())
    connection = connect(catalog)
    gaps = dict(zip(("rows", "row", "label", "number", "value", "bound"), GAPS[name], strict=True))
    compared = 0
    for wording in QUESTIONS:
        question = read_question(wording.format(**gaps), TODAY)
        for computed in Search(question, catalog.tables).computed():
            sql = to_sql(computed.proposal.tree, computed.proposal.relation)
            got = connection.execute(sql).fetchall()
            assert plain(got) == plain(computed.denotation.rows), sql
            compared += 1
    assert compared > 200


def test_joined_tables_are_read_through_the_key_they_share():
    shops = table("shops", ["shop_id", "city"], [["1", "Oslo"], ["2", "Rome"], ["3", "Bern"]])
    sales = table(
        "sales",
        ["sale_id", "shop_id", "amount"],
        [["10", "1", "5"], ["11", "1", "7"], ["12", "2", "1"], ["13", "2", "2"], ["14", "3", "4"]],
    )
    catalog = catalog_of(shops, sales)
    found = draft("What is the total amount by city?", catalog, min_confidence=0.0)
    assert sorted(connect(catalog).execute(found.sql).fetchall()) == [
        ("Bern", 4),
        ("Oslo", 12),
        ("Rome", 3),
    ]


OWNERS = table(
    "owners", ["owner_id", "name"], [["1", "Ada"], ["2", "Bo"], ["3", "Cy"], ["4", "Di"]]
)
BOATS = table(
    "boats",
    ["boat_id", "owner_id", "length"],
    [["10", "1", "5"], ["11", "1", "7"], ["12", "2", "1"], ["13", "4", "2"], ["14", "4", "4"]],
)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("What are the names of the owners that have no boats?", [("Cy",)]),
        ("Show the names of owners with more than one boat", [("Ada",), ("Di",)]),
        ("How many owners have at least two boats?", [(2,)]),
    ],
)
def test_rows_that_point_to_a_row_are_counted(question, rows):
    catalog = catalog_of(OWNERS, BOATS)
    found = draft(question, catalog, min_confidence=0.0)
    assert sorted(connect(catalog).execute(found.sql).fetchall()) == rows


def test_the_oldest_has_the_smallest_year():
    mills = table(
        "mills", ["mill", "built"], [["Alder", "1832"], ["Birch", "1790"], ["Cole", "1901"]]
    )
    catalog = catalog_of(mills)
    for word, mill in (("oldest", "Birch"), ("youngest", "Cole")):
        found = draft(f"Which mill is the {word}?", catalog, min_confidence=0.0)
        assert connect(catalog).execute(found.sql).fetchall() == [(mill,)]


GAMES = table(
    "games",
    ["round", "opponent", "venue", "crowd", "result"],
    [
        ["1", "Fern", "North Park", "400", "W 3-1"],
        ["2", "Moss", "Hill Road", "700", "L 0-2"],
        ["3", "Reed", "North Park", "900", "W 2-0"],
        ["4", "Sage", "Quay", "250", "W 1-0"],
    ],
)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which opponent has the same venue as Fern?", [("Reed",)]),
        ("Which opponents had a larger crowd than Fern?", [("Moss",), ("Reed",)]),
        ("How many games were won?", [(3,)]),
        ("How many more games were won than lost?", [(2,)]),
    ],
)
def test_rows_are_held_against_a_row_and_results_are_read(question, rows):
    catalog = catalog_of(GAMES)
    found = draft(question, catalog, min_confidence=0.0)
    assert sorted(connect(catalog).execute(found.sql).fetchall()) == rows


TRIPS = table(
    "trips",
    ["driver", "city", "fare"],
    [["Lea", "Oslo", "10"], ["Lea", "Oslo", "14"], ["Max", "Bergen", "5"], ["Noa", "Bergen", "8"]],
)


@pytest.mark.parametrize(
    "question", ["What is the total fare in Narvik?", "Which driver drove in Narvik?"]
)
def test_a_value_that_is_not_in_the_data_is_named(question):
    with pytest.raises(CannotWrite, match="Narvik") as caught:
        draft(question, catalog_of(TRIPS))
    assert "Narvik" in caught.value.unplaced


def test_ties_at_the_cut_are_all_shown_and_said():
    sold = table("sales", ["product", "sold"], [["Cup", "31"], ["Pan", "26"], ["Jug", "26"]])
    sold = catalog_of(sold)
    found = draft("Top 2 products by sold", sold, min_confidence=0.0)
    assert len(connect(sold).execute(found.sql).fetchall()) == 3
    assert any("that tie are all shown" in note for note in found.notes)


def test_blank_cells_are_counted_as_not_being_so_and_said():
    tickets = catalog_of(
        table(
            "tickets", ["id", "state"], [["1", "open"], ["2", "closed"], ["3", ""], ["4", "open"]]
        )
    )
    found = draft("How many tickets are not closed?", tickets, min_confidence=0.0)
    assert connect(tickets).execute(found.sql).fetchall() == [(3,)]
    assert found.notes == ("1 row has no state; counted as not being so",)


EVENTS = table(
    "events",
    ["event", "held_on"],
    [["Fair", "2026-01-30"], ["Gig", "2026-02-03"], ["Run", "2026-02-27"], ["Show", "2026-03-01"]],
)


def test_last_month_counts_from_today_and_an_empty_window_is_said():
    catalog = catalog_of(EVENTS)
    question = "How many events were held last month?"
    found = draft(question, catalog, dt.date(2026, 3, 2), 0.0)
    assert connect(catalog).execute(found.sql).fetchall() == [(2,)]
    later = draft(question, catalog, dt.date(2027, 8, 15), 0.0)
    assert connect(catalog).execute(later.sql).fetchall() == [(0,)]
    assert "2027-07-01" in later.notes[0]
    assert "2026-03-01" in later.notes[0]


def test_amounts_in_different_currencies_are_not_added_up():
    paid = catalog_of(
        table(
            "payments",
            ["payer", "amount", "currency"],
            [["Ada", "10", "EUR"], ["Bo", "20", "USD"], ["Cy", "30", "EUR"]],
        )
    )
    with pytest.raises(CannotWrite, match="different units"):
        draft("What is the total amount?", paid, min_confidence=0.0)
    found = draft("What is the total amount by currency?", paid, min_confidence=0.0)
    assert connect(paid).execute(found.sql).fetchall() == [("EUR", 40), ("USD", 20)]


def test_a_question_without_words_is_declined():
    with pytest.raises(CannotWrite, match="no words"):
        draft("?!", catalog_of(TRIPS))


def test_links_name_tables_columns_and_values_with_their_place():
    links = link("Total fare of trips in Oslo", catalog_of(TRIPS))
    assert [t.table for t in links.tables] == ["trips"]
    assert [(c.column, c.span.text) for c in links.columns] == [("fare", "fare")]
    assert [(v.column, v.value, v.span.start) for v in links.values] == [("city", "Oslo", 23)]


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("in March 2024", "2024-03-01", "2024-04-01"),
        ("on 3 May 2021", "2021-05-03", "2021-05-04"),
        ("on May 3rd, 2021", "2021-05-03", "2021-05-04"),
        ("since 2020-02-29", "2020-02-29", "2020-03-01"),
        ("in Q2 2023", "2023-04-01", "2023-07-01"),
        ("last month", "2025-04-01", "2025-05-01"),
        ("this year", "2025-01-01", "2026-01-01"),
        ("last week", "2025-04-28", "2025-05-05"),
        ("yesterday", "2025-05-09", "2025-05-10"),
        ("the last 30 days", "2025-04-11", "2025-05-11"),
        ("past two weeks", "2025-04-27", "2025-05-11"),
        ("in 1998", "1998-01-01", "1999-01-01"),
    ],
)
def test_stretches_of_time_are_read(text, first, after):
    (period,) = periods(text, TODAY)
    assert (period.first.isoformat(), period.after.isoformat()) == (first, after)


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("from February 28 to March 3 2023", "2023-02-28", "2023-03-01"),
        ("from February 28 to March 3 2024", "2024-02-28", "2024-02-29"),
        ("from February 29 to March 3 2023", "2023-03-01", "2023-03-01"),
        ("from February to March 2023", "2023-02-01", "2023-03-01"),
        ("from February to March 2028", "2028-02-01", "2028-03-01"),
        ("from December 30 to January 4 2023", "2022-12-30", "2022-12-31"),
    ],
)
def test_days_are_the_same_in_every_year_but_for_the_leap_day(text, first, after):
    low, _ = periods(text, dt.date(2024, 5, 10))
    assert (low.first.isoformat(), low.after.isoformat()) == (first, after)
