"""Sheets of one header whose names differ in a month or number are one table; others are not."""

import openpyxl
import pytest

from retrieval.reading import read_source
from router import Router


def workbook(folder, sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    path = folder / "shops.xlsx"
    book.save(path)
    return path


def month(first, second):
    rows = [["Shop", "Guests"], ["Leith", first], ["Portobello", second]]
    return [*rows, ["Total", first + second]]


def test_months_become_one_table_that_names_each_row_s_sheet(tmp_path):
    path = workbook(tmp_path, {"Jan": month(4, 6), "Feb": month(5, 9), "Mär": month(2, 3)})
    (result,) = read_source(path)
    (table,) = result.document.tables
    assert table.name == "shops"
    assert table.column("Month").cells()[::3] == ["Jan", "Feb", "Mär"]
    assert table.totals == {2, 5, 8}
    assert "3 sheets of one header are read as one table" in result.report.tables[0].warnings


@pytest.mark.parametrize(
    ("names", "column"),
    [
        (("2023", "2024"), "Year"),
        (("Week 1", "Week 2"), "Sheet"),
        (("Mar 2024", "Apr 2024"), "Month"),
    ],
)
def test_the_column_is_called_by_what_the_sheets_names_tell(tmp_path, names, column):
    path = workbook(tmp_path, {name: month(4, 6) for name in names})
    (table,) = read_source(path)[0].document.tables
    assert list(dict.fromkeys(table.column(column).cells())) == list(names)


def test_a_sheet_of_another_header_stays_a_table_of_its_own(tmp_path):
    notes = [["Topic", "Text"], ["Leith", "closed on Mondays"]]
    path = workbook(tmp_path, {"Jan": month(4, 6), "Notes": notes, "Feb": month(5, 9)})
    first, second = read_source(path)[0].document.tables
    assert (first.row_count, second.headers) == (6, ("Topic", "Text"))


def test_sheets_named_by_subject_are_not_joined(tmp_path):
    path = workbook(tmp_path, {"Leeds": month(4, 6), "York": month(5, 9)})
    assert len(read_source(path)[0].document.tables) == 2


def test_a_sum_over_the_months_counts_each_shop_once(tmp_path):
    router = Router(writer="offline")
    router.add(workbook(tmp_path, {"Jan": month(4, 6), "Feb": month(5, 9)}))
    assert list(router.sql('SELECT SUM("Guests") FROM shops').rows) == [(24,)]
    by_month = router.sql('SELECT "Month", SUM("Guests") FROM shops GROUP BY 1 ORDER BY 2')
    assert list(by_month.rows) == [("Jan", 10), ("Feb", 14)]


@pytest.mark.parametrize(
    ("files", "columns"),
    [
        ({"enero.csv": "cliente;importe\nA;1,5\n", "febrero.csv": "cliente;importe\nB;4\n"}, 3),
        ({"r1.csv": "a;w\nx;1.234\n", "r2.csv": "a;w\ny;2.500\n"}, 3),
    ],
)
def test_files_of_one_schema_are_one_table(tmp_path, files, columns):
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    (result,) = read_source(tmp_path)
    assert len(result.document.tables[0].columns) == columns
    assert result.document.tables[0].columns[1].canonical_at(0) in ("1.5", "1234")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("item,on\nA,13/02/2023\nB,01/03/2023\n", "item,on\nA,02/13/2024\nB,03/01/2024\n"),
        ("item,paid\nA,$5\nB,$6\n", "item,paid\nA,€7\nB,€8\n"),
        ('item,paid\nA,"5,25"\nB,"6,50"\n', "item,paid\nA,7.25\nB,8.50\n"),
    ],
    ids=["day and month", "currency", "decimal mark"],
)
def test_files_that_are_written_otherwise_stay_tables_of_their_own(tmp_path, first, second):
    for year, content in ((2023, first), (2024, second)):
        (tmp_path / f"sales_{year}.csv").write_text(content, encoding="utf-8")
    assert len(read_source(tmp_path)) == 2
