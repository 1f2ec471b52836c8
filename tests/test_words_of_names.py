"""Where a table's or column's name is cut into words."""

import pytest

from sql_engine.words import split_name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("UnitPrice", ("Unit", "Price")),
        ("IsPaid", ("Is", "Paid")),
        ("InStock", ("In", "Stock")),
        ("paid_on", ("paid", "on")),
        ("kWh", ("kWh",)),
        ("total_kWh", ("total", "kWh")),
        ("iPhone", ("iPhone",)),
    ],
)
def test_a_name_is_cut_before_a_capital_but_not_after_one_small_letter(name, words):
    assert split_name(name) == words
