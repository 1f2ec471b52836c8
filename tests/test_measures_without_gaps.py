"""Whole numbers without gaps are a measure unless they stand as a table is numbered."""

import pytest

from router import Router

RAIN = (7, 3, 5, 9, 4, 6, 8, 12, 10, 11, 14, 13)
LINES = [f"2025-01-{day:02d},{'AB'[day % 2]},{10 + day / 2},{mm}" for day, mm in enumerate(RAIN, 1)]


def loaded(tmp_path, name, *lines):
    (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    tables = Router(writer="offline")
    tables.add(tmp_path / name)
    return tables


def test_amounts_that_happen_to_have_no_gaps_are_added_up(tmp_path):
    with loaded(tmp_path, "gauge.csv", "day,meter,cost,rain", *LINES) as tables:
        assert tables.ask("total rain").value == sum(RAIN)
        assert tables.ask("average rain").value == sum(RAIN) / len(RAIN)
        assert dict(tables.ask("rain by meter").rows) == {
            "A": sum(RAIN[1::2]),
            "B": sum(RAIN[::2]),
        }


@pytest.mark.parametrize("header", ["lot,day,cost", "day,lot,cost"])
def test_numbers_that_rise_from_row_to_row_are_no_amount(tmp_path, header):
    rows = [f"{n},2025-01-{n - 20:02d},{n}.5" for n in range(21, 40)]
    if header.startswith("day"):
        rows = [",".join((b, a, c)) for a, b, c in (row.split(",") for row in rows)]
    with loaded(tmp_path, "sale.csv", header, *rows) as tables:
        assert tables.ask("total lot").value != sum(range(21, 40))


def test_a_measure_that_the_table_is_called_by_is_not_counted(tmp_path):
    rows = ["Ash,North,130,5", "Elm,North,90,2", "Oak,South,250,7", "Fir,South,20,9"]
    with loaded(tmp_path, "turnout.csv", "Ward,Area,Turnout,Seats", *rows) as tables:
        assert dict(tables.ask("turnout by area").rows) == {"North": 220, "South": 270}
        assert tables.ask("how many rows are in the north?").value == 2
