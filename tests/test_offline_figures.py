"""Tables of figures: quarters in headers, ends over all rows, two ends, yes or no by a figure."""

import pytest
from each_alone import each_alone

from router import Route

GUESTS = """\
Inn,Local,,Non-local,
,Men,Women,Men,Women
Anchor,120,140,60,75
Bellows,90,85,130,110
Crown,45,60,20,0
Drover,200,180,95,90
"""
HARVEST = """\
,Crop,2021 Quarters,,,,Year
,,1,2,3,4,2021
A,Barley,12,30,55,9,106
B,Oats,7,22,41,12,82
C,Rye,3,18,20,5,46
"""
PORTS = """\
Port,Ferries,Tugs,Arrivals 2022,Arrivals 2023
Hythe,12,4,310,290
Looe,3,9,120,150
Mull,7,7,95,95
Oban,20,2,410,520
"""
VISITS = """\
Visit,Clinic,Vet,Fee,Weight
1,North,Ada,40,12.5
2,North,Ben,55,3.0
3,South,Ada,30,8.2
4,West,Cid,70,22.0
5,West,Ada,25,4.1
"""
WAGES = """\
Trade,All,,Men,,Non-members,Members
,Mean wage,Workers,Mean wage,Workers,,
Baker,410,30,430,12,5,25
Cooper,520,22,540,20,9,13
Dyer,380,41,395,17,30,11
"""
MORE = (("Mull", 7, 7), ("Oban", 20, 2))
TABLES = {"wages": WAGES, "guests": GUESTS, "harvest": HARVEST, "ports": PORTS, "visits": VISITS}


@pytest.fixture(scope="module")
def routers(tmp_path_factory):
    with each_alone(TABLES, tmp_path_factory.mktemp("figures")) as opened:
        yield opened


@pytest.mark.parametrize(
    ("table", "question", "rows"),
    [
        ("guests", "What is the highest number of local men across all inns?", [(200,)]),
        ("guests", "What is the total of non-local women across all inns?", [(275,)]),
        ("guests", "How many local women were there in Bellows?", [(85,)]),
        ("guests", "How many non-local men stayed at the Anchor?", [(60,)]),
        ("guests", "How many inns had more than 100 local men?", [(2,)]),
        ("guests", "What is the minimum number of non-local women?", [(0,)]),
        ("guests", "Which inn has the minimum number of non-local women?", [("Crown",)]),
        (
            "guests",
            "What is the maximum number of local men and the minimum number of non-local women?",
            [(200, 0)],
        ),
        ("wages", "What is the lowest mean wage across all trades?", [(380,)]),
        ("wages", "What is the lowest mean wage of men?", [(395,)]),
        ("wages", "How many members are bakers?", [(25,)]),
        ("wages", "How many non-members has the trade Dyer?", [(30,)]),
        ("wages", "top 2 trades by members", [("Baker", 25), ("Cooper", 13)]),
        ("harvest", "What was the harvest of barley in the third quarter of 2021?", [(55,)]),
        ("harvest", "How much rye was there in the 2nd quarter?", [(18,)]),
        ("harvest", "What is the difference of quarters 1 and 4 for oats?", [(5,)]),
        ("harvest", "What is the first crop?", [("Barley",)]),
        ("ports", "What were the ferries and tugs of Oban?", [(20, 2)]),
        ("ports", "ports with more than 5 ferries and under 5 tugs", [("Hythe",), ("Oban",)]),
        ("ports", "ferries and tugs by port", [("Hythe", 12, 4), ("Looe", 3, 9), *MORE]),
        ("ports", "Does Oban have the highest number of ferries?", [(True,)]),
        ("ports", "Does Looe have the highest number of tugs?", [(True,)]),
        ("ports", "Does Hythe have the lowest number of tugs?", [(False,)]),
        ("ports", "What are the lowest number of ferries and the highest of tugs?", [(3, 9)]),
        ("ports", "How many ports are there?", [(4,)]),
        ("ports", "How many ports have more than 5 tugs?", [(2,)]),
        ("ports", "How many ferries are there in Looe?", [(3,)]),
        ("ports", "What is the total of arrivals in 2022 and 2023 for Looe?", [(270,)]),
        ("visits", "total fee across each vet", [("Ada", 95), ("Ben", 55), ("Cid", 70)]),
        ("visits", "fee of Ada by visit", [(1, 40), (3, 30), (5, 25)]),
        ("visits", "How many visits has Ada?", [(3,)]),
        ("visits", "What is the number of visits in West?", [(2,)]),
        ("visits", "What is the fee of the visit with the highest weight?", [(70,)]),
    ],
)  # fmt: skip
def test_a_figure_is_told_by_its_row_and_column(routers, table, question, rows):
    assert list(routers[table].ask(question).rows) == rows


@pytest.mark.parametrize(
    ("table", "question", "wrong"),
    [
        ("harvest", "What was the harvest of barley in the third quarter of 2022?", 55),
        ("guests", "How many men were there in Bellows?", 1),
        ("ports", "How many sailors are there in Looe?", 1),
        ("visits", "What is the average number of visits across all clinics?", 3),
    ],
)
def test_what_no_header_tells_is_no_figure(routers, table, question, wrong):
    answer = routers[table].ask(question)
    assert answer.route is Route.DECLINED or wrong not in [
        cell for row in answer.rows for cell in row
    ]
