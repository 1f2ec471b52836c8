"""What a workbook stores is read as its cells show it, a column at a time."""

import datetime as dt

import openpyxl
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.readers.workbook_columns import cell_text, column_strip
from retrieval.reading import read_source


def test_lengths_of_time_beyond_a_day_are_numbers_with_their_unit(tmp_path):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Job", "Took"])
    for row, (job, hours) in enumerate((("scan", 26.5), ("print", 8.25), ("bind", 100)), 2):
        sheet.append([job, dt.timedelta(hours=hours)])
        sheet.cell(row, 2).number_format = "[h]:mm:ss"
    book.save(tmp_path / "jobs.xlsx")
    table = read_source(tmp_path / "jobs.xlsx")[0].document.tables[0]
    took = table.column("Took")
    assert took.cells() == ["26:30:00", "08:15:00", "100:00:00"]
    assert [took.canonical_at(row) for row in range(3)] == ["1590", "495", "6000"]
    assert took.type.unit == "minutes"


VALUES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-(10**6), 10**6).map(float),
    st.booleans(),
    st.text(alphabet=" ab1.", max_size=4),
    st.dates(),
    st.just(""),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(VALUES, max_size=4), st.lists(st.floats(-1e6, 1e6) | st.just(""), max_size=20))
def test_a_column_read_in_bulk_has_the_texts_of_its_cells(head, numbers):
    values = [*head, *numbers]
    read = column_strip(values).cells()
    assert read == [cell_text(value).strip() for value in values]


def _book_of_dates(path, number_format, down):
    book = openpyxl.Workbook()
    sheet = book.active
    months = [dt.datetime(2024, month, 1) for month in (1, 2, 3)]
    rows = [["Item", *months], ["Cup", 1, 2, 3], ["Pan", 4, 5, 6]]
    for row in zip(*rows, strict=True) if down else rows:
        sheet.append(row)
    for cell in sheet["A"][1:] if down else sheet[1][1:]:
        cell.number_format = number_format
    book.save(path)
    return read_source(path)[0].document.tables[0]


def test_dates_in_a_header_are_named_as_they_are_shown(tmp_path):
    def headers(number_format):
        return _book_of_dates(tmp_path / "a.xlsx", number_format, down=False).headers[1:]

    named = ("Jan 2024", "Feb 2024", "Mar 2024")
    assert headers("mmm yy") == headers("mmm-yy") == headers('[$-409]mmmm\\ "of" yyyy;@') == named
    assert headers("dd/mm/yyyy") == ("2024-01-01", "2024-02-01", "2024-03-01")
    assert headers("yyyy") == ("2024", "2024_2", "2024_3")


def test_a_language_in_a_number_format_is_no_currency(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["Cup", "Sold"])
    book.active.append(["red", 12.5])
    book.active["B2"].number_format = "[$-409]#,##0.00"
    book.save(tmp_path / "a.xlsx")
    sold = read_source(tmp_path / "a.xlsx")[0].document.tables[0].column("Sold")
    assert (sold.cells(), sold.type.unit) == (["12.5"], None)


def test_months_in_a_body_are_dates(tmp_path):
    column = _book_of_dates(tmp_path / "a.xlsx", "mmm yy", down=True).columns[0]
    assert (column.type.kind, column.cells()[0]) == ("date", "2024-01-01")
