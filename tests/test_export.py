"""A result as a file: every format holds what was shown, exactly or as text."""

import csv
import datetime as dt
import json
from decimal import Decimal

import pytest
from openpyxl import load_workbook

from router import export
from router.errors import UsageError
from sql_engine.result import Interval

COLUMNS = ("name", "n", "price", "day", "at", "big", "nothing")
ROWS = [
    ("=1+1", 3, Decimal("2.50"), dt.date(2024, 5, 1), dt.datetime(2024, 5, 1, 10, 30), 2**60, None),
    ("Łódź | ab\x07", -7, Decimal("0.10"), None, dt.datetime(1999, 1, 1), 5, None),
]


def test_excel_gets_dates_and_numbers_and_no_formula(tmp_path):
    path = tmp_path / "a.xlsx"
    export.write(path, COLUMNS, ROWS)
    sheet = load_workbook(path)["result"]
    first, second = list(sheet.iter_rows(min_row=2))
    assert [cell.value for cell in first] == [
        "=1+1", 3, 2.5, dt.datetime(2024, 5, 1), dt.datetime(2024, 5, 1, 10, 30), str(2**60), None,
    ]  # fmt: skip
    assert first[0].data_type == "s"
    assert second[0].value == "Łódź | ab\ufffd"


def test_excel_keeps_long_numbers_and_odd_values_as_text(tmp_path):
    path = tmp_path / "a.xlsx"
    long = Decimal("1234567890123456.78")
    month = Interval("1 month", dt.timedelta(30))
    utc = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
    export.write(path, ("a", "b", "c", "d", "e"), [(long, month, utc, float("nan"), [1, {"x": 2}])])
    row = next(load_workbook(path)["result"].iter_rows(min_row=2, values_only=True))
    assert row == (str(long), "1 month", "2024-01-01 00:00:00+00:00", None, '[1, {"x": 2}]')


def test_a_text_that_excel_cannot_hold_is_an_error_and_never_cut(tmp_path):
    with pytest.raises(UsageError, match="40,000 characters"):
        export.write(tmp_path / "a.xlsx", ("a",), [("x" * 40_000,)])


def test_parquet_keeps_types_and_gives_mixed_columns_as_text(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    export.write(path, (*COLUMNS, "mixed"), [(*ROWS[0], 1), (*ROWS[1], "two")])
    rows = pq.read_table(path).to_pylist()
    assert rows[0]["price"] == Decimal("2.50")
    assert rows[0]["day"] == dt.date(2024, 5, 1)
    assert [row["mixed"] for row in rows] == ["1", "two"]
    export.write(path, ("huge",), [(2**80,), (1,)])
    assert [row["huge"] for row in pq.read_table(path).to_pylist()] == [str(2**80), "1"]
    export.write(path, ("none",), [])
    assert pq.read_table(path).num_rows == 0


def test_text_formats_hold_every_cell_in_full(tmp_path):
    export.write(tmp_path / "a.csv", COLUMNS, ROWS)
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as lines:
        read = list(csv.reader(lines))
    assert read[1] == ["=1+1", "3", "2.50", "2024-05-01", "2024-05-01 10:30:00", str(2**60), ""]
    export.write(tmp_path / "a.json", COLUMNS, ROWS)
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))[0]["big"] == str(2**60)
    export.write(tmp_path / "a.md", COLUMNS, ROWS)
    assert "Łódź \\| ab" in (tmp_path / "a.md").read_text("utf-8")
    export.write(tmp_path / "a.html", ("a",), [("<b>",)])
    assert "&lt;b&gt;" in (tmp_path / "a.html").read_text("utf-8")


def test_an_unknown_format_names_those_there_are(tmp_path):
    with pytest.raises(UsageError) as raised:
        export.write(tmp_path / "a.docx", COLUMNS, ROWS)
    assert ".xlsx" in raised.value.hint


@pytest.mark.parametrize("name", ["a.xlsx", "a.csv", "a.html"])
def test_a_folder_that_is_not_there_is_told(tmp_path, name):
    with pytest.raises(UsageError, match="no folder"):
        export.write(tmp_path / "absent" / name, COLUMNS, ROWS)
