"""What a count, a list and a denial are of: rows, goods, amounts, different values."""

import pytest

from router import Route, Router

STALL = """\
Sale,Day,Buyer,Item,Qty,Amount
1,2025-05-02,Nora,Bench,4,400
2,2025-05-03,Otto,Shelf,1,90
3,2025-05-03,Nora,Bench,2,200
4,2025-05-09,Pia,Hook,7,35
5,2025-05-11,Otto,Sofa,1,900
6,2025-05-12,Pia,Hook,2,10
"""
SQUAD = """\
Player,Side,Caps
Ana,North,3
Bea,,1
Cid,South,2
Dan,North,5
Eve,,0
Fay,West,6
"""
CLINIC = """\
Call no,Guest,Ward,Fee
101,Ann Lee,Eyes,120
102,Bob Ray,Skin,80
103,Ann Lee,Eyes,
104,Cid Fox,Ears,60
105,Bob Ray,Ears,
"""
ROOMS = """\
No,Guest,Nights,Discount,Not paid
1,Ann,3,10,5
2,Bob,2,,0
3,Cid,5,,20
4,Dee,1,5,0
"""
PURSE = """\
Date,What,Amount
2025-01-01,Opening balance,1000
2025-01-03,Rent,-400
2025-01-05,Pay,2000
2025-01-09,Food,-120
2025-01-31,Balance carried forward,2480
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    routers = {}
    texts = {"stall": STALL, "squad": SQUAD, "clinic": CLINIC, "rooms": ROOMS, "purse": PURSE}
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
        routers[name] = Router(writer="offline")
        routers[name].add(folder / f"{name}.csv")
    yield routers
    for router in routers.values():
        router.close()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which item sold most?", "Hook"),
        ("How many benches were sold?", 6),
        ("How many hooks did we sell?", 9),
        ("How many hooks?", 9),
        ("How many benches did Nora buy?", 6),
        ("How many sales are there?", 6),
        ("How many sales of benches?", 2),
        ("How many benches were sold on 3 May 2025?", 2),
    ],
)
def test_goods_are_counted_by_their_quantity_and_sales_by_their_rows(loaded, question, expected):
    assert loaded["stall"].ask(question).value == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many caps does Dan have?", 5),
        ("How many caps in North?", 8),
        ("Which side has the most caps?", "North"),
        ("Which player has the most caps?", "Fay"),
        ("How many sides are there?", 3),
    ],
)
def test_an_amount_that_is_named_is_added_up(loaded, question, expected):
    assert loaded["squad"].ask(question).value == expected


@pytest.mark.parametrize("question", ["List all sides", "Which sides are there?"])
def test_a_list_of_values_has_each_once_and_no_blank(loaded, question):
    answer = loaded["squad"].ask(question)
    assert sorted(answer.rows) == [("North",), ("South",), ("West",)]


def test_rows_and_amounts_by_a_column_are_grouped(loaded):
    assert loaded["clinic"].ask("calls by ward").rows == [("Ears", 2), ("Eyes", 2), ("Skin", 1)]
    assert loaded["stall"].ask("amount by buyer").rows == [
        ("Nora", 600),
        ("Otto", 990),
        ("Pia", 45),
    ]


@pytest.mark.parametrize(
    "question", ["calls with no fee", "Which calls have no fee?", "calls that have no fee"]
)
def test_a_no_that_a_header_has_too_still_denies(loaded, question):
    answer = loaded["clinic"].ask(question)
    assert answer.declined or [row[0] for row in answer.rows] == [103, 105]


def test_a_no_beside_the_headers_word_is_the_headers(loaded):
    assert loaded["clinic"].ask("What is the call no of Cid Fox?").value == 104
    assert loaded["rooms"].ask("guest of room no 3").value == "Cid"
    assert loaded["rooms"].ask("What is the total not paid?").value == 25


def test_a_column_called_no_does_not_take_up_a_denial(loaded):
    assert loaded["rooms"].ask("guests with no discount").rows == [("Bob",), ("Cid",)]


@pytest.mark.parametrize("file", ["patients.csv", "visit.csv"])
def test_a_noun_for_rows_and_for_values_that_repeat_is_asked_back(tmp_path, file):
    text = "Patient,Visit,Fee\nAnn,Check-up,20\nBob,Surgery,200\nAnn,Check-up,25\n"
    (tmp_path / file).write_text(text, encoding="utf-8")
    noun = file.removesuffix(".csv").removesuffix("s") + "s"
    with Router(writer="offline") as router:
        router.add(tmp_path / file)
        assert router.ask(f"How many {noun} are there?").declined
        assert router.ask(f"How many different {noun} are there?").value == 2


def test_a_stated_balance_with_its_own_date_is_no_record(loaded):
    answer = loaded["purse"].ask("What is the total amount?")
    assert answer.value == 1480
    assert "2 totals rows are left out of purse" in answer.warnings
    assert loaded["purse"].ask("Opening balance amount").value == 1000
    assert loaded["purse"].ask("What is the opening balance?").route is Route.ROW


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("What percentage of the sales of benches were to Nora?", 100.0),
        ("What percentage of Nora's sales were hooks?", 0.0),
        ("What percentage of sales were hooks?", 100 / 3),
        ("share of the hooks that Pia bought on 9 May 2025", None),
    ],
)
def test_a_share_is_of_the_rows_that_are_told_before_the_verb(loaded, question, share):
    answer = loaded["stall"].ask(question)
    assert answer.declined or answer.value == pytest.approx(share)


def test_several_at_an_end_stand_beside_what_ranks_them(loaded):
    answer = loaded["stall"].ask("Top 2 items by amount")
    assert answer.rows == [("Sofa", 900), ("Bench", 600)]
    assert loaded["squad"].ask("top 2 players by caps").rows[0][:2] == ("Fay", 6)


@pytest.mark.parametrize("question", ["Who claimed the most?", "Who claimed least?"])
def test_a_most_that_names_nothing_is_no_count_of_rows(question, tmp_path):
    path = tmp_path / "claims.csv"
    path.write_text("Claim,Who,Cost\n1,Ada,5\n2,Ada,6\n3,Ben,90\n4,Ada,1\n5,Cy,7\n6,Ben,9\n")
    with Router(writer="offline") as tables:
        tables.add(path)
        answer = tables.ask(question)
    assert answer.declined or "COUNT" not in (answer.sql or "")


def test_how_often_is_no_amount_that_nothing_names(tmp_path):
    (tmp_path / "halls.csv").write_text("hall,seats\nAsh,90\nBay,20\nElm,40\n")
    visits = "visit,hall,guests\n1,Bay,5\n2,Bay,9\n30,Ash,50\n4,Elm,7\n5,Bay,2\n"
    (tmp_path / "visits.csv").write_text(visits)
    with Router(writer="offline") as tables:
        tables.add(tmp_path)
        answer = tables.ask("Which hall is visited most often?")
        assert answer.declined or answer.value == "Bay"


def test_a_cell_that_a_header_has_a_synonym_for_is_a_cell(tmp_path):
    path = tmp_path / "tickets.csv"
    path.write_text("state,hours,agent\nopen,3,Ada\nopen,4.5,Ben\nclosed,2,Ada\nopen,9,Ada\n")
    with Router(writer="offline") as tables:
        tables.add(path)
        assert tables.ask("How many open tickets are there?").value == 3


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many tickets have priority p2?", 10),
        ("how many tickets are there in total", 30),
        ("Count the tickets of desk 4", 5),
    ],
)
def test_numbers_of_rows_are_counted_where_a_column_is_called_as_they_are(question, value):
    rows = [{"ticket": i + 1, "priority": f"p{i % 3 + 1}", "desk": i % 6} for i in range(30)]
    with Router(writer="offline") as tables:
        tables.add(rows, name="tickets")
        assert tables.ask(question).value == value


def test_a_cell_that_begins_with_total_is_no_total():
    gear = [["item", "qty"], ["Total Theodolite TT-4", "3"], ["Ladder", "6"], ["Cello", "1"]]
    with Router(writer="offline") as tables:
        tables.add(gear, name="gear")
        assert tables.ask("What is the total qty?").value == 10


TIP = """# Ash Lane tip

| Item | Bay | Most per visit |
|---|---|---|
| Mattresses | 4 | 2 |
| Fridges | 5 | 1 |
| Doors | 4 | 6 |
"""
LEAGUE = """\
Day,Home,Away,Star of the match
2025-01-04,Elms,Oaks,Ann
2025-01-11,Oaks,Firs,Bo
2025-01-18,Firs,Elms,Ann
"""


def test_one_row_of_a_name_in_the_plural_is_not_counted(tmp_path):
    (tmp_path / "tip.md").write_text(TIP, encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(tmp_path / "tip.md")
        for question in ("how many mattresses can I bring", "how many fridges are allowed"):
            answer = tables.ask(question)
            assert answer.declined or (answer.value in (2, 1) and "Most per visit" in answer.text)
        assert tables.ask("how many items are in bay 4?").value == 2


def test_what_a_column_only_tells_something_of_is_not_counted_by_it(tmp_path):
    (tmp_path / "league.csv").write_text(LEAGUE, encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(tmp_path / "league.csv")
        answer = tables.ask("how many matches were there?")
        assert answer.declined or answer.value == 3
        assert tables.ask("how many different stars of the match are there?").value == 2


SONGS = """\
Song no,Title,Singer,Plays
01,Harbour,Ann Lee,40
02,Meadow,Bo Ray,35
03,Lantern,Cy Fox,52
"""


def test_rows_that_a_key_names_are_not_counted_for_what_else_is_asked(tmp_path):
    (tmp_path / "records.csv").write_text(SONGS, encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(tmp_path / "records.csv")
        for question in ("how many songs are on Harbour?", "how many awards did Ann Lee win?"):
            assert tables.ask(question).declined, question
        assert tables.ask("how many plays did Ann Lee get?").value == 40
        assert tables.ask("what is the song no of Meadow?").value in ("02", 2)
        assert tables.ask("how many rows are by Ann Lee?").value == 1


SHOWS = """\
Show,Season,Host,Listeners
Dams,1,Ann,90
Locks,1,Bo,80
Weirs,2,Ann,70
Piers,2,Bo,75
Quays,2,Cy,85
Ports,3,Cy,60
"""


def test_one_of_each_is_not_the_first_of_all(tmp_path):
    (tmp_path / "shows.csv").write_text(SHOWS, encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(tmp_path / "shows.csv")
        for question in (
            "show with the most listeners of each season",
            "best show of each host by listeners",
            "smallest show in every season",
        ):
            answer = tables.ask(question)
            assert answer.declined or len(answer.rows) > 1, (question, answer.text)
        assert len(tables.ask("highest listeners of each season").rows) == 3


def test_a_series_ranked_by_single_shows_or_by_all_of_them_is_asked_back(tmp_path):
    (tmp_path / "shows.csv").write_text(SHOWS, encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(tmp_path / "shows.csv")
        answer = tables.ask("season with the most listeners")
        assert answer.declined or answer.value == 2


HEATS = """\
Race,Runner,Time
60 m,Ada,8.1
60 m,Bob,8.4
100 m,Ada,13.2
200 m,Ada,27.9
"""
YIELDS = """\
Week,Milk,Eggs,Total
1,40,22,62
2,46,19,65
3,51,30,81
"""
NURSERY = """\
Code,Plant,Sold as,Price (EUR)
N1,Plum 180,each,29.5
N2,Sage 15,tray,2.6
N3,Larch 160,each,12
N4,Yew 40,bundle,POA
"""
CREW = {
    "crew.csv": "Rower,Club,Post\nMo Ash,Heron,cox\nTy Elm,Heron,bow\n"
    "Jo Fir,Otter,cox\nAl Oak,Otter,bow\n",
    "clubs.csv": "Club,Place\nHeron,Dunley\nOtter,Arlow\n",
}


@pytest.mark.parametrize(
    ("name", "held", "question", "right"),
    [
        ("heats.csv", HEATS, "runners in at least 3 races", {"Ada"}),
        ("heats.csv", HEATS, "who ran in at least 2 races", {"Ada"}),
        ("yields.csv", YIELDS, "total milk and total eggs", {137, 71}),
        ("nursery.csv", NURSERY, "second most expensive plant", {"Larch 160"}),
    ],
)
def test_what_is_told_is_what_is_asked_or_nothing(tmp_path, name, held, question, right):
    (tmp_path / name).write_text(held, encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(tmp_path / name)
        answer = tables.ask(question)
        told = {cell for row in answer.rows for cell in row}
        assert answer.declined or right <= told, answer.text


def test_the_cox_of_a_club_is_no_club(tmp_path):
    for name, held in CREW.items():
        (tmp_path / name).write_text(held, encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(tmp_path)
        answer = tables.ask("who is the cox of the club in Arlow")
        assert answer.declined or "Jo Fir" in str(answer.rows), answer.text
        assert "Mo Ash" in str(tables.ask("who is the cox of Heron?").rows)


def test_an_average_per_week_of_one_row_a_week_is_no_list_of_single_figures(tmp_path):
    (tmp_path / "yields.csv").write_text(YIELDS, encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(tmp_path / "yields.csv")
        answer = tables.ask("average eggs per week")
        assert answer.declined or abs(float(answer.value or 0) - 23.67) < 0.01, answer.text
