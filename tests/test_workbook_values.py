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
