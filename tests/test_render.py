"""Results as text: they fit, nothing is dropped without a mark, machine formats read back."""

import csv
import io
import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from router import export, render
from router.errors import UsageError

COLUMNS = ("city", "sales")
ROWS = [("Łódź", Decimal("5.50")), ("上海", None)]


def test_a_table_aligns_numbers_right_and_counts_wide_characters_as_two():
    assert render.table(COLUMNS, ROWS, width=80) == (
        "city   sales\n----  ------\nŁódź    5.50\n上海  <null>"
    )


def test_the_long_decimals_of_a_division_are_rounded_where_a_person_reads_them():
    rows = [(2 / 3,), (129 / 7,), (6.0,), (52.520008,), (1e-7 / 3,)]
    assert render.table(("a",), rows).split()[2:] == [
        "0.6667", "18.4286", "6", "52.520008", "3.333e-08"
    ]  # fmt: skip
    assert "0.6666666666666666" in render.separated(("a",), rows)


def test_a_table_that_fits_no_width_becomes_vertical_records():
    columns = [f"column_{i:02}" for i in range(30)]
    shown = render.table(columns, [tuple("v" * 90 for _ in columns)], width=80)
    assert shown.startswith("-[ record 1 ]-")
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert "…" in shown


def test_a_cut_cell_is_marked_and_no_width_shows_all():
    row = [("x" * 300,)]
    assert render.table(("a",), row, width=40).splitlines()[2] == "x" * 39 + "…"
    assert render.table(("a",), row, width=None).splitlines()[2] == "x" * 300


def test_control_characters_of_a_cell_do_not_reach_the_terminal():
    assert "\x1b" not in render.table(("a",), [("\x1b[31mred\nnext",)])


def test_csv_keeps_cells_whole_and_missing_ones_empty():
    text = render.separated(("a", "b"), [('say "hi", you', None), ("two\nlines", 1)])
    assert list(csv.reader(io.StringIO(text))) == [
        ["a", "b"], ['say "hi", you', ""], ["two\nlines", "1"],
    ]  # fmt: skip


def test_json_lines_are_one_object_a_row():
    lines = render.json_lines(COLUMNS, ROWS).splitlines()
    assert [json.loads(line) for line in lines] == [
        {"city": "Łódź", "sales": "5.50"},
        {"city": "上海", "sales": None},
    ]


def test_markdown_escapes_pipes():
    assert render.markdown(("a",), [("x|y",)]).splitlines()[2] == "| x\\|y |"


CELLS = st.one_of(st.none(), st.text(max_size=50), st.integers(), st.floats(), st.booleans())


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 6).flatmap(
        lambda n: st.tuples(
            st.lists(st.text(min_size=1, max_size=20), min_size=n, max_size=n),
            st.lists(st.tuples(*[CELLS] * n), max_size=5),
        )
    ),
    st.integers(30, 120),
)
def test_no_line_of_a_table_is_wider_than_asked(result, width):
    columns, rows = result
    shown = render.table(columns, rows, width=width)
    assert all(render.display_width(line) <= width for line in shown.split("\n"))


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "jsonl", "md", "html", "xlsx", "parquet"])
def test_every_export_format_writes_all_rows(tmp_path, suffix):
    path = tmp_path / f"result.{suffix}"
    export.write(path, ("name", "n"), [("=1+1", 1), ("Łódź", 2)])
    assert path.stat().st_size > 10


def test_a_text_that_starts_with_an_equals_sign_is_no_formula_in_xlsx(tmp_path):
    from openpyxl import load_workbook

    path = tmp_path / "result.xlsx"
    export.write(path, ("name",), [("=1+1",)])
    assert load_workbook(path).active["A2"].data_type == "s"


def test_an_unknown_export_format_names_the_known_ones(tmp_path):
    with pytest.raises(UsageError) as caught:
        export.write(tmp_path / "result.doc", ("a",), [(1,)])
    assert ".csv" in caught.value.hint
