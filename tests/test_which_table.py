"""Which of several tables is meant, and which words are no cell."""

import openpyxl
import pytest
from everyday_tables import TODAY, table

from router import Router
from sql_engine.catalog import Catalog
from sql_engine.errors import CannotWrite
from sql_engine.links import Links
from sql_engine.offline import DEFAULT_MIN_CONFIDENCE, OfflineWriter
from sql_engine.offline.question import read_question
from sql_engine.offline.search import Search
from sql_engine.writer import SqlRequest

ISLANDS = table(
    "islands",
    ["island", "population", "area"],
    [["Varo", "9100", "310"], ["Teln", "4300", "120"], ["Oske", "15200", "95"]],
)
VILLAGES = table(
    "villages",
    ["village", "island", "population"],
    [
        ["Hamre", "Varo", "2100"],
        ["Lund", "Varo", "900"],
        ["Brekke", "Teln", "1300"],
        ["Sande", "Oske", "4800"],
        ["Nes", "Oske", "300"],
    ],
)


def draft(question, *tables):
    catalog = Catalog().with_tables(tables)
    return OfflineWriter().write(
        SqlRequest(
            question,
            catalog,
            catalog.tables,
            Links(),
            TODAY,
            min_confidence=DEFAULT_MIN_CONFIDENCE,
        )
    )


def best(question, *tables):
    catalog = Catalog().with_tables(tables)
    return Search(read_question(question, TODAY), catalog.tables).readings()[0]


def test_an_amount_is_that_of_the_table_whose_row_is_named():
    assert best("What is the population of Varo?", ISLANDS, VILLAGES).denotation.rows == ((9100,),)


@pytest.mark.parametrize("size", ["largest", "biggest"])
def test_the_largest_thing_of_a_row_is_no_count_of_such_things(size):
    found = best(f"What is the {size} village of Varo?", ISLANDS, VILLAGES)
    assert found.denotation.rows[0][0] == "Hamre"


def test_the_most_things_are_still_counted():
    assert best("Which island has the most villages?", ISLANDS, VILLAGES).denotation.count == 2


VANS = table(
    "vans",
    ["van", "state", "last service"],
    [["V1", "In service", "2023-04-02"], ["V2", "Off road", ""], ["V3", "In service", ""]],
)


def test_a_word_of_a_header_is_no_part_of_a_cell():
    try:
        sql = draft("How many vans have not been serviced?", VANS).sql
    except CannotWrite:
        return
    assert "In service" not in sql


def test_the_noun_of_the_rows_is_no_cell_that_looks_like_it():
    bookings = table(
        "bookings",
        ["guest", "channel", "nights"],
        [["Ito", "Bookly", "2"], ["Maas", "Phone", "3"], ["Roy", "Bookly", "4"]],
    )
    assert best("How many bookings of 3 nights?", bookings).denotation.rows == ((1,),)
    assert best("How many bookings through Bookly?", bookings).denotation.rows == ((2,),)


def test_a_file_of_purchases_makes_no_orders_of_its_sheet_of_suppliers(tmp_path):
    book = openpyxl.Workbook()
    firms, orders = book.worksheets[0], book.create_sheet("Purchase orders")
    firms.title = "Suppliers"
    for row in (["No", "Supplier", "Country"], ["S1", "Alba", "Spain"], ["S2", "Brix", "Chile"]):
        firms.append(row)
    for row in (["PO", "Supplier no", "Net"], ["P1", "S1", 5], ["P2", "S1", 7], ["P3", "S2", 9]):
        orders.append(row)
    book.save(tmp_path / "purchasing.xlsx")
    with Router(writer="offline") as tables:
        tables.add(tmp_path / "purchasing.xlsx")
        answer = tables.ask("how many orders went to Spain?")
        assert answer.declined or answer.value == 2, answer.text
        assert tables.ask("how many suppliers are in Spain?").value == 1
