"""Charts: a line where labels stand in time, else bars with their values; files by the extra."""

import datetime as dt
from decimal import Decimal

import pytest

from router import chart_files, charts
from router.chart_data import chart_of
from router.errors import UsageError

MONTHS = [(f"2024-{month:02}", month * 10) for month in range(1, 7)]


def test_groups_are_bars_with_their_values_as_published():
    rows = [("Oslo", Decimal("2.50")), ("上海", Decimal("5.00")), (None, Decimal("-1.25"))]
    assert charts.chart(("shop", "total"), rows, width=40).splitlines() == [
        "total by shop",
        "Oslo    █████████████ 2.50",
        "上海    ██████████████████████████ 5.00",
        "<null> -██████▌ -1.25",
    ]


def test_months_are_a_line_in_their_order():
    drawn = charts.chart(("month", "total"), list(reversed(MONTHS)), width=60)
    assert chart_of(("month", "total"), list(reversed(MONTHS))).lines[0].points[0] == (
        dt.datetime(2024, 1, 1),
        10.0,
    )
    assert "2024-01-01" in drawn
    assert "█" not in drawn
    assert all(len(line) <= 60 for line in drawn.splitlines())


def test_a_second_label_makes_a_line_each():
    rows = [(month, shop, total) for month, total in MONTHS for shop in ("Oslo", "Rome")]
    found = chart_of(("month", "shop", "total"), rows)
    assert [line.name for line in found.lines] == ["Oslo", "Rome"]
    assert "Rome" in charts.chart(("month", "shop", "total"), rows)


def test_years_are_labels_and_a_label_that_stands_twice_makes_bars():
    assert chart_of(("year", "n"), [(2020, 5), (2021, 6), (2022, 4)]).lines
    assert not chart_of(("day", "n"), [(dt.date(2024, 1, 1), 5)] * 4).lines
    assert not chart_of(("code", "n"), [("2024-13", 5), ("2024-14", 6), ("2024-15", 1)]).lines


def test_what_is_not_drawn_is_told():
    rows = [(f"item {i}", i) for i in range(60)] + [("none", None)]
    drawn = charts.chart(("item", "n"), rows)
    assert "(20 rows not drawn)" in drawn
    assert "1 row without a value" in drawn


@pytest.mark.parametrize("column", ["shop", "totl"])
def test_a_column_that_cannot_be_drawn_is_an_error_with_those_that_can(column):
    with pytest.raises(UsageError) as raised:
        charts.chart(("shop", "total"), [("Oslo", 1)], column=column)
    assert "total" in raised.value.hint


@pytest.mark.parametrize(
    ("name", "starts"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.html", b"<!doctype html>")]
)
@pytest.mark.parametrize(
    "rows", [MONTHS, [("$a$ <b>", 3.5), ("上海", -2.0)]], ids=["series", "groups"]
)
def test_a_chart_file_is_written_in_its_format(tmp_path, name, starts, rows):
    pytest.importorskip("matplotlib")
    chart_files.write_chart(tmp_path / name, ("label", "total"), rows)
    data = (tmp_path / name).read_bytes()
    assert data.startswith(starts)
    if name == "a.html":
        assert b"<b>" not in data
        assert b"<svg" in data


def test_an_unknown_format_and_a_missing_folder_are_errors(tmp_path):
    pytest.importorskip("matplotlib")
    with pytest.raises(UsageError, match="cannot draw"):
        chart_files.write_chart(tmp_path / "a.pdfx", ("label", "total"), MONTHS)
    with pytest.raises(UsageError, match="cannot write"):
        chart_files.write_chart(tmp_path / "none" / "a.png", ("label", "total"), MONTHS)
