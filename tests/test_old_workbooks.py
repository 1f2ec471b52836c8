"""Workbooks of the old binary format are read as their cells show them."""

from pathlib import Path

import pytest

from retrieval.readers.xls_marks import read_xls_marks
from retrieval.reading import read_source

BOOK = Path(__file__).parent / "data" / "reading" / "formats.xls"


@pytest.fixture(scope="module")
def tables():
    return read_source(BOOK)[0].document.tables


@pytest.mark.parametrize(
    ("header", "cells", "unit"),
    [
        ("Rate", ["12%", "12.5%", "50%"], "%"),
        ("Fee", ["$950", "$1200.5", ""], "$"),
        ("Code", ["00007", "00042", ""], None),
        ("Start", ["2024-03-01", "2024-04-02", ""], None),
    ],
)
def test_number_formats_are_shown(tables, header, cells, unit):
    column = tables[0].column(header)
    assert (column.cells(), column.type.unit) == (cells, unit)


def test_hidden_rows_are_told_and_header_dates_named(tables):
    assert tables[0].warnings == ("1 hidden row(s) in the sheet (4); read all the same",)
    assert tables[1].headers == ("Item", "Jan 2024", "Feb 2024", "Mar 2024")


def test_formats_that_cannot_be_read_are_told():
    marks = read_xls_marks(b"no workbook", ["Rates"])
    assert "12 % may stand as 0.12" in marks["Rates"].warnings[0]
