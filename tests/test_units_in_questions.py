"""Units that a question says: they agree with the column's, or the question is declined."""

import pytest

from router import Router

TOWNS = """\
Town,Residents,Area,Rent,Turnout
Alba,5200000,10 km,€500,62%
Borg,7900000,20 km,€700,85%
Cato,3100000,30 km,€900,40%
"""
FIRMS = """\
Firm,Revenue ($ million),Mass (kg)
Dune,5.2,10
Esk,7.9,20
Fyr,3.1,30
"""


@pytest.fixture(scope="module", params=["towns", "firms"])
def loaded(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("units") / f"{request.param}.csv"
    path.write_text({"towns": TOWNS, "firms": FIRMS}[request.param], encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(path)
        yield request.param, tables


SAID = {
    "towns": [
        ("towns with a turnout below 70%", ["Alba", "Cato"]),
        ("towns with a turnout over 60 percent", ["Alba", "Borg"]),
        ("towns with a rent under 800 euros", ["Alba", "Borg"]),
        ("towns with a rent under €800", ["Alba", "Borg"]),
        ("towns with an area of at least 20km", ["Borg", "Cato"]),
        ("towns with an area of at least 20 kilometres", ["Borg", "Cato"]),
        ("towns with more than 5 million residents", ["Alba", "Borg"]),
        ("towns with residents between 5 and 8 million", ["Alba", "Borg"]),
    ],
    "firms": [
        ("firms with a revenue over 5 million", ["Dune", "Esk"]),
        ("firms with a revenue over 5 million dollars", ["Dune", "Esk"]),
        ("firms with a revenue over $5m", ["Dune", "Esk"]),
        ("firms over 15 kg", ["Esk", "Fyr"]),
        ("firms with a mass of at most 20 kilos", ["Dune", "Esk"]),
    ],
}
OTHER_UNITS = {
    "towns": [
        "towns with a rent under $800",
        "towns with a rent under 800 dollars",
        "What is the average rent in dollars?",
        "towns with an area of at least 20 miles",
    ],
    "firms": [
        "firms over 15 tonnes",
        "What is the total mass in tonnes?",
        "firms with a revenue over 5 million euros",
        "top 50% of firms by revenue",
    ],
}


def test_a_unit_that_is_the_columns_own_is_part_of_the_bound(loaded):
    name, tables = loaded
    for question, expected in SAID[name]:
        answer = tables.ask(question)
        assert [row[0] for row in answer.rows] == expected, (question, answer.text)


def test_another_unit_than_the_columns_is_declined(loaded):
    name, tables = loaded
    for question in OTHER_UNITS[name]:
        assert tables.ask(question).declined, question


def test_the_unit_of_a_measure_may_be_said(loaded):
    name, tables = loaded
    if name == "firms":
        assert tables.ask("What is the total mass in kg?").value == 60
    else:
        assert tables.ask("What is the average rent in euros?").value == 700


METERS = """# Quarry pumps; kWh per day
date,pump,kWh,peak kW
2025-02-01,P-1,30.5,4.1
2025-02-01,P-2,12.0,2.0
2025-02-02,P-1,28.5,3.9
2025-02-02,P-2,11.0,2.2
"""


def test_a_measure_that_is_called_by_its_unit_is_no_noun_of_the_title(tmp_path):
    (tmp_path / "pumps.csv").write_text(METERS, encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(tmp_path / "pumps.csv")
        assert dict(tables.ask("kWh by pump").rows) == {"P-1": 59, "P-2": 23}
        assert tables.ask("total kWh of P-1").value == 59
        assert float(tables.ask("highest peak kW").value) == 4.1
        assert tables.ask("how many rows have a kWh above 12?").value == 2
