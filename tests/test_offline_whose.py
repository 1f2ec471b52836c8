"""Whose a figure is, and of which rows it is told: asked back, or told with its name."""

import pytest
from each_alone import each_alone

from router import Route

CREW = """\
Name,Team,Manager
Ada,Deck,Bo
Bo,Galley,Cy
Cy,Bridge,
Di,Galley,Bo
Ed,Deck,Cy
"""
LEAVE = """\
Ref,Person,Kind,Days
1,Kim,Annual,12
2,Kim,Annual,11
3,Lou,Sick,3
4,Lou,Annual,8
5,Max,Annual,15
"""
LIMITS = """\
Material,Limit,Fee
Paint,10 litres,2
Oil,5 litres,0
Rubble,3 bags,4
Lamp large,2,1
Lamp small,6,1
"""
MAKERS = """\
Maker,Country,Rating
Alba,Italy,4.1
Brod,Czechia,3.2
Cole,Ireland,4.8
"""
SHOWS = """\
Show,Host,Aired,Minutes,Listens
A1,Nell,2022-02-01,41,100
A2,Otto,2022-03-01,60,250
A3,Nell,2023-01-05,60,400
A4,Pia,2023-02-09,55,120
A5,Otto,2023-04-02,75,90
A6,Pia,2023-05-02,52,310
"""
TABLES = {"crew": CREW, "leave": LEAVE, "limits": LIMITS, "makers": MAKERS, "shows": SHOWS}


@pytest.fixture(scope="module")
def routers(tmp_path_factory):
    with each_alone(TABLES, tmp_path_factory.mktemp("whose")) as opened:
        yield opened


@pytest.mark.parametrize(
    ("table", "question", "rows"),
    [
        ("makers", "best rated maker", [("Cole",)]),
        ("makers", "worst rated maker", [("Brod",)]),
        ("shows", "total listens in 2022 vs 2023", [("2022", 350), ("2023", 920)]),
        ("limits", "limit for oil and for paint", [("Paint", "10 litres"), ("Oil", "5 litres")]),
        ("limits", "fee for paint and oil", [("Paint", 2), ("Oil", 0)]),
        ("leave", "days of Kim and Lou", [("Kim", 12), ("Kim", 11), ("Lou", 3), ("Lou", 8)]),
    ],
)
def test_what_is_told_of_several_names_them(routers, table, question, rows):
    assert list(routers[table].ask(question).rows) == rows


def test_one_word_for_several_things_asks_for_what_is_told_of_them(routers):
    answer = routers["limits"].ask("What is the fee for lamps?")
    assert {float(row[-1]) for row in answer.rows} <= {1.0}


def test_a_figure_alone_is_told_where_no_thing_is_asked_for(routers):
    assert float(routers["makers"].ask("highest rating").value) == 4.8


def test_a_place_that_rows_share_is_told_with_all_of_them(routers):
    answer = routers["shows"].ask("second longest show")
    assert [row[0] for row in answer.rows] == ["A2", "A3"]
    assert any("share the place" in warning for warning in answer.warnings)


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ("crew", "staff whose manager is in the galley"),
        ("leave", "who has more than 20 days of leave"),
        ("leave", "who has more than 10 days"),
        ("shows", "third longest show"),
        ("shows", "listens in 2022 vs 2023"),
    ],
)
def test_what_may_be_told_in_two_ways_is_asked_back(routers, table, question):
    assert routers[table].ask(question).route is Route.DECLINED
