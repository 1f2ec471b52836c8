"""What a column's text means, decided on all its rows."""

import datetime as dt
from collections import Counter
from decimal import Decimal

import pytest

from retrieval.cells import Hints, decide, parse_date, parse_number
from retrieval.table import Kind


def column(*cells, header="", unit=None, hints=None):
    counts = Counter(cell for cell in cells if cell)
    kind, forms = decide(list(counts), list(counts.values()), header=header, unit=unit, hints=hints)
    return kind, list(counts) if forms is None else list(forms)


@pytest.mark.parametrize(
    ("cells", "kind", "forms"),
    [
        (["1", "-2", "30"], Kind.INTEGER, ["1", "-2", "30"]),
        (["$1,200.50", "$99"], Kind.DECIMAL, ["1200.50", "99"]),
        (["(120)", "$ (3)", "−5"], Kind.INTEGER, ["-120", "-3", "-5"]),
        (["1.234,56", "99,10"], Kind.DECIMAL, ["1234.56", "99.10"]),
        (["1 150", "2 300"], Kind.INTEGER, ["1150", "2300"]),
        (["12,34,567", "5"], Kind.INTEGER, ["1234567", "5"]),
        (["1.2M", "3 million"], Kind.INTEGER, ["1200000", "3000000"]),
        (["3 1/2", "4½"], Kind.DECIMAL, ["3.5", "4.5"]),
        (["1.5e3", "2e-4"], Kind.DOUBLE, ["1.5e3", "2e-4"]),
        (["1,520*", "950"], Kind.INTEGER, ["1520", "950"]),
        (["5 kg", "7 kg"], Kind.INTEGER, ["5", "7"]),
        (["10:30", "9:15 pm"], Kind.TIME, ["10:30:00", "21:15:00"]),
        (["5 March 2024", "Mar 6, 2024"], Kind.DATE, ["2024-03-05", "2024-03-06"]),
        (["true", "false"], Kind.BOOLEAN, ["true", "false"]),
    ],
)
def test_values_are_read_as_people_write_them(cells, kind, forms):
    decided, canonical = column(*cells)
    assert (decided.kind, canonical) == (kind, forms)


@pytest.mark.parametrize(
    "cells",
    [
        ["1", "002", "13"],
        ["71E0252", "71E0253"],
        ["1734902211847365217", "1734902211847365219"],
        ["+1 555 123", "555-1234"],
        ["MAR1", "10-12", "1/2"],
        ["3 July", "4 July"],
    ],
)
def test_identifiers_and_look_alikes_stay_text(cells):
    assert column(*cells)[0].kind is Kind.TEXT


def test_missing_marks_are_missing_only_in_a_column_of_values():
    decided, forms = column("4", "n/a", "-")
    assert decided.kind is Kind.INTEGER
    assert decided.missing == {"n/a", "-"}
    assert forms == ["4", None, None]
    assert column("NA", "DE", "NO")[0].kind is Kind.TEXT


def test_a_column_of_numbers_with_some_words_is_mixed_and_one_of_words_is_text():
    decided, forms = column("5", "10", "Unlimited")
    assert (decided.kind, decided.mixed) == (Kind.INTEGER, True)
    assert forms == ["5", "10", None]
    assert column("5", "Custom", "Unlimited")[0].kind is Kind.TEXT


def test_one_cell_that_allows_one_order_decides_day_and_month_for_the_column():
    decided, forms = column("05/03/2024", "13/03/2024")
    assert decided.day_first is True
    assert forms == ["2024-03-05", "2024-03-13"]
    assert column("05/13/2024", "13/05/2024")[0].kind is Kind.TEXT


@pytest.mark.parametrize("cells", [["01/02/24", "03/04/24"], ["1,234", "2,500"]])
def test_where_both_readings_fit_a_warning_says_so(cells):
    assert column(*cells)[0].warnings


def test_the_rest_of_the_table_settles_what_a_column_leaves_open():
    decided, forms = column("1,234", "2,500", hints=Hints(decimal_mark=","))
    assert (decided.kind, forms, decided.warnings) == (Kind.DECIMAL, ["1.234", "2.500"], ())


def test_units_come_from_cells_headers_and_captions():
    assert column("12%", "8.5%")[0].unit == "%"
    assert column("12", header="Weight (kg)")[0].unit == "kg"
    assert column("12", unit="millions of euro")[0].unit == "millions of euro"
    assert column("2019", "2020", unit="millions of euro")[0].unit is None


def test_several_currencies_leave_no_unit_and_warn():
    decided, _ = column("$10", "€10", "£10")
    assert decided.unit is None
    assert "3 currencies" in decided.warnings[0]


def test_error_cells_are_missing_and_counted():
    decided, forms = column("2", "#DIV/0!", "4", "#N/A")
    assert forms == ["2", None, "4", None]
    assert "2 error cells" in decided.warnings[0]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [("1,200", "1200", None), ("$3 billion", "3000000000", "$"), ("12%", "12", "%")],
)
def test_one_number_of_a_question_is_read(text, value, unit):
    number = parse_number(text)
    assert number is not None
    assert (number.value, number.unit) == (Decimal(value), unit)


@pytest.mark.parametrize("text", ["abc", "007", "", "10-12"])
def test_what_is_no_number_is_none(text):
    assert parse_number(text) is None


def test_a_date_that_could_be_two_needs_the_column_to_decide():
    assert parse_date("01/02/24") is None
    assert parse_date("01/02/24", day_first=True) == dt.date(2024, 2, 1)
    assert parse_date("13/02/24") == dt.date(2024, 2, 13)
    assert parse_date("May 5, 2024") == dt.date(2024, 5, 5)
    assert parse_date("2024-02-30") is None
