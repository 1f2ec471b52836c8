"""What a reading gives is of the kind that is asked for: one of two, the next, a cell's count."""

import pytest

from router import Route, Router

REGATTA = """\
Heat,Boat,Club,Harbour,Built,Sails,Crew,Time (s),Rower
1,Comet,Hull,Ostend,1998,3 main,4,312,Ann Lee
2,Heron,York,Calais,2003,2,5,298,Bo Ray
3,Otter,Hull,Calais,2001,five,4,305,Cy Fox
4,Kestrel,Leeds,Dover,2010,4,6,290,Di Orr
5,Comet,Hull,Dover,1998,3 main,4,301,"Ed Pym, Flo Roe"
6,Plover,York,Ostend,2012,1,5,333,Gus Tye
"""
ROUTE = """\
Stop,Town,Opened,Platforms
A,Brook,1990,2
B,Alder,1992,3
C,Cedar,1995,2
D,Brook,1999,4
E,Elm,2004,6
F,,2008,1
"""
SHOWS = """\
Place,Title,Station,Score,Years on air,Seats of hall,Singles,First shown
3,Dawn,Red One,3–1,"1990, 1994",200,2,2004-05-01
1,Dusk,Blue Four,2–2,"1988, 1991, 1995",340,4,2003-02-11
2,Noon,Red One,0–5,1999,150,1,2009-09-09
4,Night,Green Six,1–0,"2001, 2004",900,3,2001-01-20
"""
TABLES = {"regatta": REGATTA, "route": ROUTE, "shows": SHOWS}


@pytest.fixture(scope="module")
def routers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    loaded = {}
    for name, text in TABLES.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
        loaded[name] = Router(writer="offline")
        loaded[name].add(folder / f"{name}.csv")
    yield loaded
    for router in loaded.values():
        router.close()


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("is Heron from Hull or York?", "York"),
        ("was Otter or Heron built in 2003?", "Heron"),
        ("is Kestrel or Plover from Dover?", "Kestrel"),
    ],
)
def test_a_question_that_offers_two_is_answered_by_one_of_them(routers, question, right):
    answer = routers["regatta"].ask(question)
    assert right in [cell for row in answer.rows for cell in row]
    assert answer.value is not True


def test_a_number_that_a_row_tells_is_no_count_of_its_values(routers):
    assert routers["regatta"].ask("how many sails does the Otter have?").value == "five"


def test_at_least_is_no_superlative_whatever_follows(routers):
    answer = routers["regatta"].ask("how many boats had at least a crew of 5?")
    assert answer.route is Route.DECLINED or answer.value == 3


def test_years_are_not_held_against_each_other_for_how_many_there_are(routers):
    answer = routers["route"].ask("which towns have more stops than Cedar?")
    assert answer.route is Route.DECLINED


def test_what_comes_after_rows_of_one_name_is_asked_back(routers):
    answer = routers["route"].ask("which town comes after Brook?")
    assert answer.route is Route.DECLINED


def test_cells_side_by_side_are_no_alternatives(routers):
    answer = routers["regatta"].ask("which boat of Hull is in York?")
    assert answer.route is Route.DECLINED


def test_what_one_comes_before_is_the_row_after_it(routers):
    assert routers["shows"].ask("Dusk comes before which title?").value == "Noon"


def test_a_blank_beside_a_row_is_no_answer(routers):
    assert routers["route"].ask("which town comes after Elm?").route is Route.DECLINED


@pytest.mark.parametrize(
    ("name", "question", "right"),
    [
        ("shows", "which has more singles, Dawn or Night?", [("Night",)]),
        ("shows", "what is the first title on the list?", [("Dawn",)]),
        ("shows", "which stations have only one show?", [("Blue Four",), ("Green Six",)]),
        ("shows", "how many more singles does Dusk have than Noon?", [(3,)]),
        ("shows", "did Dusk have more than 3 singles?", [(True,)]),
    ],
)
def test_what_the_words_ask_for_is_given(routers, name, question, right):
    assert routers[name].ask(question).rows == right


@pytest.mark.parametrize(
    "question",
    [
        "what is the average score?",
        "which show had the highest score?",
        "which title had the most years on air?",
        "how many singles since 2003?",
    ],
)
def test_scores_and_stretches_are_no_numbers_and_years_bound_no_amounts(routers, question):
    assert routers["shows"].ask(question).route is Route.DECLINED


def test_a_bound_on_the_number_of_rows_is_one_of_groups(routers):
    answer = routers["regatta"].ask("clubs whose number of entries is above 2")
    assert answer.rows == [("Hull",)]


REGIONS = """\
region,inhabitants,area,seat
Aldor,52000,310,Mirn
Brevin,81000,640,Tosk
Corvay,17000,95,Lund
"""
VILLAGES = """\
village,inhabitants,region
Mirn,9100,Aldor
Pell,400,Brevin
Lund,3000,Corvay
"""


@pytest.fixture(scope="module")
def land(tmp_path_factory):
    folder = tmp_path_factory.mktemp("land")
    (folder / "regions.csv").write_text(REGIONS, encoding="utf-8")
    (folder / "villages.csv").write_text(VILLAGES, encoding="utf-8")
    with Router(writer="offline") as router:
        router.add(folder)
        yield router


def test_the_row_of_a_name_tells_its_figures_and_no_row_that_points_to_it(land):
    assert land.ask("how many inhabitants are there in Brevin?").value in (81000, None)
    assert land.ask("what are the inhabitants of Corvay?").value != 3000


def test_a_sum_takes_no_row_once_for_each_row_that_points_to_it(tmp_path):
    pairs = ["Aldor,Mirish", "Aldor,Toskan", "Aldor,Lundic", "Brevin,Mirish", "Corvay,Lundic"]
    tongues = "\n".join(["region,tongue", *pairs])
    (tmp_path / "regions.csv").write_text(REGIONS, encoding="utf-8")
    (tmp_path / "tongues.csv").write_text(tongues, encoding="utf-8")
    with Router(writer="offline") as router:
        router.add(tmp_path)
        asked = "what is the total number of inhabitants of regions whose tongue is not Mirish?"
        answer = router.ask(asked)
    assert answer.route is Route.DECLINED


def test_above_or_below_joins_no_conditions(routers):
    answer = routers["regatta"].ask("was the Heron's crew above or below 4?")
    assert answer.route is not Route.SQL or "OR" not in answer.sql


def test_numbers_of_names_are_added_up_by_no_total():
    pitches = [
        {"Booking": "B-1", "Pitch": "Tent 4", "Arrival": "2025-06-03", "Price": 80},
        {"Booking": "B-2", "Pitch": "Hut 1", "Arrival": "2025-06-20", "Price": 210},
        {"Booking": "B-3", "Pitch": "Tent 2", "Arrival": "2025-07-02", "Price": 64},
        {"Booking": "B-4", "Pitch": "Tent 4", "Arrival": "2025-08-11", "Price": 96},
    ]
    with Router(writer="offline") as router:
        router.add(pitches, name="bookings")
        answer = router.ask("total for June")
    assert (answer.value, answer.alternatives) == (290, ())
