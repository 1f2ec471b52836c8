"""Conditions and columns as people mean them: denials of lists, dates, units, near names."""

import datetime as dt

import pytest

from router import Router

RENTALS = """\
Rental,Rental date,Due,Client,Age,Site,Model,Units,Unit price,Total,State
R1,2024-03-04,2024-03-09,Lena Roth,34,Norden,Canoe,2,$40.00,$80.00,Open
R2,2024-03-11,2024-04-02,Marc Dahl,61,Suden,Kayak,1,$90.00,$90.00,Closed
R3,2024-04-02,2024-04-05,Lena Roth,34,,Kayak,3,$85.00,$255.00,Void
R4,2024-04-15,2024-05-01,Nils Berg,19,Norden,Raft,1,$300.00,$300.00,Closed
R5,2024-05-20,2024-05-28,Olga Wirth,47,Suden,Canoe,6,$38.00,$228.00,Open
R6,2024-05-31,2024-06-02,Marc Dahl,61,Norden,Canoe,5,$39.00,$195.00,Void
"""
DEPOT = """\
Code,Good,Stock,Size (cm),Unit cost,Maker
A1,Rope,40,120,2.5,Kant
A2,Hook,0,4,0.9,Kant
A3,Sail,3,,88.0,Lund
"""
BALLOT = """\
Ward,Candidate,Party,Votes,Elected
Hill,Ida Storm,Blue,410,Yes
Hill,Jon Vik,Blue,300,No
Port,Kim Aas,Blue,120,No
Port,Liv Moe,Red,530,Yes
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    routers = {}
    for name, text in {"rentals": RENTALS, "depot": DEPOT, "ballot": BALLOT}.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
        routers[name] = Router(writer="offline", today=dt.date(2025, 6, 3))
        routers[name].add(folder / f"{name}.csv")
    yield routers
    for router in routers.values():
        router.close()


def firsts(answer):
    return [row[0] for row in answer.rows]


@pytest.mark.parametrize(
    ("question", "rentals"),
    [
        ("Which rentals are not open or void?", ["R2", "R4"]),
        ("rentals excluding open and void", ["R2", "R4"]),
        ("closed rentals, not open", ["R2", "R4"]),
        ("rentals without a site", ["R3"]),
        ("rentals over $200", ["R3", "R4", "R5"]),
    ],
)
def test_a_denial_is_said_of_every_cell_of_its_list(loaded, question, rentals):
    answer = loaded["rentals"].ask(question)
    assert answer.declined or firsts(answer) == rentals


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("How many rentals between 1 March and 15 April 2024?", 4),
        ("How many rentals from 1 May to 31 May?", 2),
        ("How many rentals on 15/04/2024?", 1),
        ("How many rentals between April and May?", 4),
        ("How many rentals were there in April 2024?", 2),
        ("How many rentals were not open or void?", 2),
        ("How many rentals are at least $228?", 3),
    ],
)
def test_a_range_has_one_year_and_a_bound_the_column_that_can_be_meant(loaded, question, count):
    assert loaded["rentals"].ask(question).value == count


def test_how_old_asks_for_the_age(loaded):
    assert loaded["rentals"].ask("How old is Olga Wirth?").value == 47


@pytest.mark.parametrize(
    "question", ["How many rentals in Sunden?", "How many rentals in Luden?", "rentals in Borden"]
)
def test_a_cell_with_another_first_letter_is_another_name(loaded, question):
    answer = loaded["rentals"].ask(question)
    told = [w for w in answer.warnings if "is read as" in w]
    assert answer.declined or told


def test_a_name_spelt_otherwise_is_told(loaded):
    answer = loaded["rentals"].ask("How many rentals in Nordenn?")
    assert answer.value == 3
    assert '"Nordenn" is read as "Norden"' in answer.warnings


@pytest.mark.parametrize(
    ("question", "goods"),
    [
        ("Which goods are out of stock?", ["Hook"]),
        ("Which goods are in stock?", ["Rope", "Sail"]),
        ("Which goods have no size?", ["Sail"]),
    ],
)
def test_a_stock_that_is_used_up_and_a_name_without_its_unit(loaded, question, goods):
    answer = loaded["depot"].ask(question)
    assert not answer.declined
    assert [next(c for c in row if c in ("Rope", "Hook", "Sail")) for row in answer.rows] == goods


@pytest.mark.parametrize(
    "question", ["Which goods are below their size?", "What is the selling price of the rope?"]
)
def test_what_compares_or_qualifies_is_not_left_out(loaded, question):
    assert loaded["depot"].ask(question).declined


def test_a_participle_is_no_noun_for_the_rows(loaded):
    answer = loaded["ballot"].ask("Which party had the most elected candidates?")
    assert answer.declined or sorted(answer.rows) == [("Blue",), ("Red",)]


def test_an_average_per_row_is_one_number(loaded):
    assert loaded["ballot"].ask("average votes per candidate").value == 340
    assert loaded["depot"].ask("average unit cost per good").value == pytest.approx(30.4666667)


def test_who_asks_for_the_one_who_is_named(loaded):
    assert loaded["ballot"].ask("Who got the most votes?").value == "Liv Moe"


def test_several_rows_that_match_alike_are_no_single_look_up(loaded):
    answer = loaded["rentals"].ask("Which clients took canoes?")
    assert answer.declined or set(firsts(answer)) == {"Lena Roth", "Olga Wirth", "Marc Dahl"}


def test_a_year_in_a_tables_name_chooses_it(tmp_path):
    for year, used in (("2023", 10), ("2024", 20)):
        (tmp_path / f"power_{year}.csv").write_text(f"Plant,Power\nX,{used}\nY,1\n")
    with Router(writer="offline") as router:
        for year in ("2023", "2024"):
            router.add(tmp_path / f"power_{year}.csv")
        assert router.ask("What was the total power in 2024?").value == 21
        assert router.ask("What was the total power?").declined


STAYS = """\
Ref,Visitor,Suite,Nights,Beds,Total,Settled,Cancelled
Q1,Ana Holt,Blue,3,2,$285.00,Yes,2025-01-09
Q2,Ben Holt,Red,1,1,$70.00,No,
Q3,Cal Orr,Green,4,3,$720.00,No,2025-02-01
Q4,Ana Holt,Blue,2,2,$196.00,Yes,
"""


@pytest.fixture(scope="module")
def stays(tmp_path_factory):
    path = tmp_path_factory.mktemp("stays") / "bookings.csv"
    path.write_text(STAYS, encoding="utf-8")
    with Router(writer="offline") as loaded:
        loaded.add(path)
        yield loaded


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many 2 bed bookings are there?", 2),
        ("How many nights did Ana Holt stay?", 5),
        ("How many reservations are there?", 4),
        ("Which booking has the highest total?", "Q3"),
        ("How many bookings were not cancelled?", 2),
        ("How many different suites were booked?", 3),
    ],
)
def test_numbers_before_a_noun_and_deeds_that_a_blank_denies(stays, question, value):
    answer = stays.ask(question)
    assert answer.value == value or value in answer.rows[0]


@pytest.mark.parametrize(
    "question",
    [
        "What is the total for Ana Holt in May?",
        "How many nights did Holt stay?",
        "What is the total for Ana Holt?",
    ],
)
def test_a_month_a_shared_name_and_another_noun_are_not_passed_over(stays, question):
    answer = stays.ask(question)
    assert answer.declined or answer.value == 481


def test_a_column_called_total_is_added_up_over_several_rows(stays):
    assert stays.ask("total by visitor").rows == [
        ("Ana Holt", 481),
        ("Ben Holt", 70),
        ("Cal Orr", 720),
    ]


def test_the_upper_header_that_is_said_chooses_among_the_lower(tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.append(["Area", "May", None, "June", None])
    sheet.append([None, "Plan", "Actual", "Plan", "Actual"])
    for row in (["North", 40, 42, 41, 39], ["South", 55, 51, 56, 58], ["West", 20, 21, 22, 27]):
        sheet.append(row)
    for cells in ("A1:A2", "B1:C1", "D1:E1"):
        sheet.merge_cells(cells)
    book.save(tmp_path / "terms.xlsx")
    with Router(writer="offline") as router:
        router.add(tmp_path / "terms.xlsx")
        question = "What is the difference between plan and actual in June for West?"
        assert router.ask(question).value == 5
        assert router.ask("Which areas had a June actual above 30?").rows == [
            ("North",),
            ("South",),
        ]
        assert router.ask("average plan in May").value == pytest.approx(115 / 3)


def test_a_bound_with_a_unit_is_about_the_column_that_has_it(tmp_path):
    (tmp_path / "plots.csv").write_text("Plot,Size (ha),Wall (m)\nA,12,300\nB,8,900\nC,3,10\n")
    with Router(writer="offline") as router:
        router.add(tmp_path / "plots.csv")
        assert [r[0] for r in router.ask("plots larger than 9 ha").rows] == ["A"]
        assert [r[0] for r in router.ask("plots with more than 200 m").rows] == ["A", "B"]


MARKS = """\
Pupil,Group,Quiz (pts),Exam
Max points,,10,100
Ada,East wing,7,81
Bob,West wing,9,66
Cyd,East wing,4,90
Dee,West wing,8,71
"""
WARES = """\
Code,Ware,In stock,Unit price,Weight,Opened,Keeper,Rating
W1,Rope,40,$2.50,3 kg,2020-01-04,Nora,4
W2,Hook,71,$0.90,1 kg,2021-06-09,Otto,2
W3,Sail,3,$88.00,9 kg,2022-03-01,Nora,5
W4,Mast,5,$120.00,30 kg,2022-03-02,Pia,3
"""


@pytest.fixture(scope="module")
def wares(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wares")
    (folder / "wares.csv").write_text(WARES, encoding="utf-8")
    (folder / "marks.csv").write_text(MARKS, encoding="utf-8")
    with Router(writer="offline") as goods, Router(writer="offline") as marks:
        goods.add(folder / "wares.csv")
        marks.add(folder / "marks.csv")
        yield goods, marks


@pytest.mark.parametrize(
    "question",
    [
        "price per kg of W3",
        "stock value of W2",
        "What is the stock value of W2?",
        "W1 + W2 in stock",
        "Who opened W3?",
        "why is W2 out?",
        "how long did W3 stay opened?",
        "best keeper",
        "how many ropes, and how many hooks?",
        "third highest rating",
    ],
)
def test_what_is_no_published_cell_is_not_answered_by_one(wares, question):
    answer = wares[0].ask(question)
    assert answer.declined or answer.value in (3,)


def test_the_best_rating_of_a_group_is_its_average(wares):
    answer = wares[0].ask("which keeper has the best rating?")
    assert answer.value == "Nora"
    assert "average Rating" in answer.text


def test_what_records_are_measured_against_is_no_record(wares):
    marks = wares[1]
    assert marks.ask("Which pupil has the highest exam?").value == "Cyd"
    assert marks.ask("average exam").value == 77
    assert marks.ask("How many pupils are there?").value == 4


def test_by_a_word_that_the_cells_share_groups_them(wares):
    assert wares[1].ask("total exam by wing").rows == [("East wing", 171), ("West wing", 137)]


def test_equal_amounts_are_listed_each_with_its_name(tmp_path):
    text = "Hand,Place,Hours\nAna,Bergen,7\nBo,Bergen,7\nCy,Oslo,9\n"
    (tmp_path / "hands.csv").write_text(text)
    with Router(writer="offline") as router:
        router.add(tmp_path / "hands.csv")
        assert len(router.ask("hours in Bergen").rows) == 2
        answer = router.ask("Which place has the most hands, and how many?")
        assert answer.rows == [("Bergen", 2)]


def test_people_who_come_several_times_are_counted_once(tmp_path):
    text = "Day,Worker,Job\n2025-01-02,Ana,Roof\n2025-01-03,Ana,Roof\n2025-01-03,Bo,Roof\n"
    (tmp_path / "timesheet.csv").write_text(text)
    with Router(writer="offline") as router:
        router.add(tmp_path / "timesheet.csv")
        assert router.ask("How many people worked on Roof?").value == 2


def test_a_noun_is_no_verb_of_its_stem(tmp_path):
    (tmp_path / "ships.csv").write_text(
        "Quay,Departs,Arrives\nEast,06:40,07:10\nWest,07:00,08:20\n"
    )
    with Router(writer="offline") as router:
        router.add(tmp_path / "ships.csv")
        assert router.ask("list all departments").declined


SHIFTS = """\
Shift,Day,Hand,Billed,Hours
S1,2025-01-02,Ana Holm,yes,7
S2,2025-01-03,Bo Lind,no,5
S3,2025-01-04,Ana Holm,yes,9
S4,2025-01-05,Cy Moe,yes,6
S5,2025-01-06,Bo Lind,yes,9
"""


@pytest.fixture(scope="module")
def shifts(tmp_path_factory):
    path = tmp_path_factory.mktemp("shifts") / "shifts.csv"
    path.write_text(SHIFTS, encoding="utf-8")
    with Router(writer="offline") as loaded:
        loaded.add(path)
        yield loaded


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many billed shifts does Bo Lind have?", 1),
        ("What is the second highest hours?", 7),
        ("third highest hours", 6),
    ],
)
def test_a_flag_is_a_condition_and_an_ordinal_one_place(shifts, question, value):
    answer = shifts.ask(question)
    assert answer.declined or answer.value == value


@pytest.mark.parametrize(
    "question",
    [
        "billed shifts of Bo Lind",
        "which hands have only billed shifts?",
        "shifts added after S3",
        "sort shifts by hours",
    ],
)
def test_flags_deeds_and_orders_are_not_passed_over(shifts, question):
    answer = shifts.ask(question)
    firsts_ = [row[0] for row in answer.rows]
    assert answer.declined or firsts_ in (["S5"], ["Ana Holm", "Cy Moe"], ["S4", "S5"])


def test_an_amount_whose_name_begins_as_the_rows_do_is_ranked_itself(tmp_path):
    (tmp_path / "orders.csv").write_text("Order,Order total,Area\nA,5,x\nB,9,y\nC,7,x\n")
    with Router(writer="offline") as router:
        router.add(tmp_path / "orders.csv")
        assert router.ask("What is the highest order total?").value == 9


def test_a_word_among_numbers_is_a_condition_beside_another(tmp_path):
    crews = "Crew,Members,Union,Open from\nPilots,400,North,2021\nCooks,120,South,2023\n"
    crews += "Porters,90,North,In talks\nGuards,33,West,2020\nClerks,75,South,2022\n"
    (tmp_path / "crew.csv").write_text(crews, encoding="utf-8")
    router = Router(writer="offline")
    router.add(tmp_path / "crew.csv")
    assert router.ask("how many crews of union North are In talks?").value == 1
    assert router.ask("number of members of North with open from In talks").value == 90
