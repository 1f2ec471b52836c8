"""Medians and quantiles of decimals keep the digits between two values."""

from __future__ import annotations

import pytest

from router import Router


@pytest.fixture
def tables():
    with Router(writer="offline") as router:
        router.add(
            [
                {"stall": "Ash", "price": "1.1", "kilos": "3"},
                {"stall": "Elm", "price": "1.2", "kilos": "4"},
            ],
            name="stalls",
        )
        yield router


@pytest.mark.parametrize(
    "taken",
    [
        "median(price)",
        "MEDIAN(DISTINCT s.price)",
        "quantile_cont(price, 0.5)",
        "percentile_cont(0.5) WITHIN GROUP (ORDER BY price DESC)",
        'median("price" * 1)',
    ],
)
def test_the_median_of_two_decimals_lies_between_them(tables, taken):
    result = tables.sql(f"SELECT {taken} AS middle FROM stalls s")
    assert result.rows[0][0] == pytest.approx(1.15)
    assert not result.warnings


def test_a_changed_argument_keeps_the_label_that_was_written(tables):
    assert tables.sql("SELECT median(price) FROM stalls").columns == ("median(price)",)


def test_whole_numbers_are_left_alone(tables):
    result = tables.sql("SELECT median(kilos), median(stall) FROM stalls")
    assert result.rows == ((3.5, "Ash"),)
    assert not result.warnings


def test_where_the_argument_cannot_be_told_the_cut_is_warned_of(tables):
    sql = "SELECT median(cost) FROM (SELECT price + 0 AS cost FROM stalls)"
    (warning,) = tables.sql(sql).warnings
    assert "lost digits" in warning


def test_a_division_by_zero_is_none_and_told(tables):
    result = tables.sql("SELECT stall, (kilos - 3) / (kilos - 3) AS share FROM stalls ORDER BY 1")
    assert result.rows == (("Ash", None), ("Elm", 1.0))
    assert result.warnings == (
        '"share" is empty where what was computed is no number, as after a division by zero',
    )
