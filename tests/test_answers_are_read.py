"""What a person reads of an answer: units, short titles, and no reading that nobody means."""

import pytest

from router import Router

TITLE = "Regional haulage cooperative - running costs by depot, all figures in GBP thousand"
TRIPS = [
    {
        "trip": f"T{n}",
        "booking date": f"2025-0{1 + n % 3}-05",
        "return date": f"2025-0{2 + n % 3}-09",
        "paid": f"{100 + n}.50",
    }
    for n in range(12)
]


@pytest.fixture(scope="module")
def costs(tmp_path_factory):
    path = tmp_path_factory.mktemp("costs") / "costs.csv"
    rows = ["Depot,Fuel,Wages", "Kelso,310,900", "Perth,295,1200", "Wick,120,400", "Total,725,2500"]
    path.write_text("\n".join([f'"{TITLE}"', *rows]), encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(path)
        yield tables


def test_a_computed_figure_has_the_unit_of_what_it_is_taken_of(costs):
    assert costs.ask("average fuel").text.startswith("241.6667 GBP thousand (")
    assert costs.ask("how many depots are there?").text.startswith("3 (")
    told = costs.ask("which depots have wages over 500?").text
    assert "thousand" not in told or "Wages in GBP thousand" in told


@pytest.mark.parametrize(
    ("sql", "units"),
    [
        ('SELECT sum("Fuel") FROM costs', ("GBP thousand",)),
        ('SELECT max("Wages") - min("Wages") FROM costs', ("GBP thousand",)),
        ('SELECT "Depot", "Fuel" + "Wages" AS both FROM costs', (None, "GBP thousand")),
        ('SELECT count("Fuel"), sum("Fuel") / sum("Wages") FROM costs', (None, None)),
        ('SELECT n FROM (SELECT count("Fuel") AS n FROM costs) q', ()),
    ],
)
def test_counts_and_quotients_have_no_unit(costs, sql, units):
    from sql_engine.guard import check
    from sql_engine.output_units import units_of

    assert units_of(check(sql, costs.catalog)) == units


def test_a_long_title_is_cut_where_it_is_told_beside_the_answer(costs):
    shown = str(costs.ask("average fuel"))
    assert TITLE[:50] in shown
    assert TITLE not in shown
    assert costs.ask("average fuel").citations[0].title == TITLE


def test_no_column_is_offered_for_one_that_is_named_in_full():
    with Router(writer="offline") as tables:
        tables.add(TRIPS, name="trips")
        answer = tables.ask("total paid by month of booking date")
    assert [row[0] for row in answer.rows] == ["2025-01", "2025-02", "2025-03"]
    assert not [r for r in answer.alternatives if "return date" in str(r.sql)]


def test_an_empty_cell_is_no_missing_row():
    rows = [
        {"hut": "Alp", "warden": "Ines", "lease until": "2026-01-31"},
        {"hut": "Bell", "warden": "Otto", "lease until": "n/a"},
        {"hut": "Crag", "warden": "Otto", "lease until": "2027-05-31"},
    ]
    with Router(writer="offline") as tables:
        tables.add(rows, name="huts")
        told = tables.ask("lease until of the hut Bell")
        assert "No row" not in told.text
        assert told.declined or told.value in (None, "n/a")


def test_tables_on_one_sheet_are_named_by_their_titles(tmp_path):
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Yard"
    berths = [["Berths"], ["Berth", "Length"], ["A1", 9], ["A2", 12], ["B1", 7], [], []]
    boats = [["Winter storage"], ["Boat", "Fee"], ["Tern", 90], ["Skua", 120], ["Gull", 75]]
    for row in berths + boats:
        sheet.append(row)
    book.create_sheet("Staff").append(["Name", "Role"])
    for row in (["Ana", "rigger"], ["Bo", "clerk"]):
        book["Staff"].append(row)
    book.save(tmp_path / "yard.xlsx")
    with Router(writer="offline") as tables:
        tables.add(tmp_path / "yard.xlsx")
        names = [table.name for table in tables.tables()]
    assert names == ["yard_Berths", "yard_Winter storage", "yard_Staff"]
