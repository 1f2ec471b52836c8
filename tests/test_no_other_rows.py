"""Rows and queries that hold a question's words and yet are no answer: another number's, another
column's, those of which it does hold where all are asked about, an amount where a time is.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from router import Router

STAYS = """Stay,Guest,Room,Pick-in,Pick-out,Age,Wait (min),Fee,Paid
S-01,Aalto,Attic,2025-03-01,2025-03-04,41,33,60,Yes
S-02,Brandt,Attic,2025-03-09,2025-03-10,64,12,85,Yes
S-03,Costa,Loft,2025-04-02,2025-04-06,29,25,60,No
S-04,Brandt,Loft,2025-04-28,2025-05-03,64,40,120,Yes
S-05,Dietz,Attic,2025-05-11,2025-05-12,35,60,45,Yes
"""


@pytest.fixture(scope="module")
def stays(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Router]:
    path = tmp_path_factory.mktemp("stays") / "stays.csv"
    path.write_text(STAYS)
    with Router(writer="offline") as router:
        router.add(path)
        yield router


@pytest.mark.parametrize(
    "question",
    [
        "attic stay with a fee of 33",
        "attic guests aged 12",
        "loft guests aged 12 to 25",
        "Which stays have a fee of 40?",
    ],
)
def test_a_number_counts_only_in_the_column_it_stands_beside(stays: Router, question: str) -> None:
    answer = stays.ask(question)
    assert answer.declined or not answer.rows or answer.value == 0, answer.text


def test_a_number_in_its_column_is_found(stays: Router) -> None:
    answer = stays.ask("attic stay with a fee of 85")
    assert "S-02" in str(answer.rows)


@pytest.mark.parametrize(
    "question",
    [
        "Are all attic stays paid?",
        "Is every loft stay paid?",
        "Did everyone in the attic pay?",
        "Are there only paid stays in the loft?",
        "Does every stay have a fee?",
    ],
)
def test_those_for_which_it_holds_do_not_tell_that_it_holds_for_all(
    stays: Router, question: str
) -> None:
    answer = stays.ask(question)
    assert answer.declined
    assert not answer.alternatives


@pytest.mark.parametrize(
    "question", ["When was the highest fee?", "When was the longest wait of Brandt?"]
)
def test_when_is_not_answered_by_an_amount(stays: Router, question: str) -> None:
    answer = stays.ask(question)
    assert answer.declined or "2025-" in answer.text or "2025-" in str(answer.rows)


def test_a_decimal_comma_makes_no_other_number(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("comma") / "jobs.csv"
    path.write_text("Job;Kind;Hours\nJ-1;roof;3,5\nJ-2;roof;2,25\nJ-3;wall;35,0\n")
    with Router(writer="offline") as router:
        router.add(path)
        answer = router.ask("roof job with hours of 35")
        assert answer.declined or not answer.rows
        assert "J-1" in str(router.ask("roof job with hours of 3.5").rows)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many stays have a pick-in in May 2025?", 1),
        ("How many stays have a pick-out in May 2025?", 2),
        ("latest pick-in of Brandt", "2025-04-28"),
        ("earliest pick-out of Brandt", "2025-03-10"),
    ],
)
def test_headers_that_a_small_word_tells_apart_are_not_exchanged(
    stays: Router, question: str, value: object
) -> None:
    assert str(stays.ask(question).value) == str(value)


FLEET = """# Fleet

Every van is serviced once a year. Vans off road are not insured.

## Vans

| Van | Make | Last service | Premium |
|---|---|---|---|
| V-1 | Alpha | 2025-02-03 | 410 |
| V-2 | Beta | 2024-11-20 | 390 |
| V-3 | Alpha | | 520 |

## Trips

| Date | Home | Away |
|---|---|---|
| 2025-05-02 | Alpha | Beta |
| 2025-05-09 | Beta | Alpha |
"""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Router]:
    path = tmp_path_factory.mktemp("fleet") / "fleet.md"
    path.write_text(FLEET)
    with Router(writer="offline") as router:
        router.add(path)
        yield router


def test_how_often_is_told_by_prose_and_by_no_list_of_rows(fleet: Router) -> None:
    assert "once a year" in fleet.ask("How often is a van serviced?").text


@pytest.mark.parametrize("question", ["Vans not serviced this year", "vans serviced this year"])
def test_a_paragraph_about_all_times_does_not_tell_of_one(fleet: Router, question: str) -> None:
    assert fleet.ask(question).route != "text"


def test_a_header_of_another_table_is_not_what_a_row_is_about(fleet: Router) -> None:
    answer = fleet.ask("What is the premium of V-1 at home?")
    assert answer.value != 410


def test_two_words_of_a_header_tell_which_column_a_number_stands_in() -> None:
    rows = [
        {"Package": "P1", "2023 Plan": 157, "2024 Plan": 140},
        {"Package": "P2", "2023 Plan": 63, "2024 Plan": 157},
    ]
    with Router(writer="offline") as router:
        router.add(rows, name="plans")
        answer = router.ask("packages with a plan of 157 in 2023")
    assert answer.declined or "P2" not in answer.text + str(answer.rows)


@pytest.mark.parametrize("question", ["vans with only one trip", "makes that only have new vans"])
def test_rows_do_not_tell_what_else_there_is(fleet: Router, question: str) -> None:
    assert fleet.ask(question).declined


ROUTES = [
    {"Trip": "T1", "From": "Oslo", "To": "Rome", "Minutes": 100},
    {"Trip": "T2", "From": "Rome", "To": "Oslo", "Minutes": 120},
    {"Trip": "T3", "From": "Oslo", "To": "Paris", "Minutes": 90},
    {"Trip": "T4", "From": "Paris", "To": "Oslo", "Minutes": 60},
]


@pytest.mark.parametrize("headers", [("From", "To"), ("Origin", "Destination"), ("Home", "Away")])
@pytest.mark.parametrize(
    "question", ["trips from Rome to Oslo", "minutes from Rome to Oslo", "Rome Oslo minutes"]
)
def test_cells_of_two_columns_do_not_change_places(headers: tuple[str, str], question: str) -> None:
    names = {"From": headers[0], "To": headers[1]}
    rows = [{names.get(name, name): cell for name, cell in row.items()} for row in ROUTES]
    with Router(writer="offline") as router:
        router.add(rows, name="trips")
        answer = router.ask(question)
    found = str(answer.rows)
    assert answer.declined or "T3" not in found
    assert answer.declined or not ("from" in question and ("T1" in found or "100" in found))


def test_a_header_beside_its_cell_tells_which_of_two_it_is() -> None:
    with Router(writer="offline") as router:
        router.add(ROUTES, name="trips")
        assert router.ask("total minutes of trips from Oslo to Paris").value == 90


def test_a_year_is_no_bound_of_an_amount() -> None:
    members = [
        {"Name": "Ida", "Joined": "2021-04-02"},
        {"Name": "Max", "Joined": "2023-01-09"},
        {"Name": "Eva", "Joined": "2020-07-30"},
    ]
    fines = [
        {"Fine no": n, "Name": name, "Fine": fine}
        for n, name, fine in ((1, "Ida", 4.5), (2, "Max", 3.0), (3, "Ida", 2.5), (4, "Eva", 6.0))
    ]
    with Router(writer="offline") as router:
        router.add(members, name="members")
        router.add(fines, name="fines")
        answer = router.ask("total fines of members who joined before 2022")
    assert answer.declined or answer.value == 13


def test_groups_are_compared_by_the_one_amount_that_adds_up(stays: Router) -> None:
    answer = stays.ask("Do attic stays bring in more than loft stays?")
    assert answer.value is True
    assert answer.text.count("total Fee") == 2


@pytest.mark.parametrize("question", ["which lines are over plan?", "is rent over plan?"])
def test_a_figure_is_not_given_where_two_are_compared(question: str) -> None:
    lines = [
        {"Line": "Rent", "Plan": 20, "Actual": 22},
        {"Line": "Power", "Plan": 8, "Actual": 7},
        {"Line": "Wages", "Plan": 80, "Actual": 79},
    ]
    with Router(writer="offline") as router:
        router.add(lines, name="budget")
        answer = router.ask(question)
    assert answer.declined or answer.value is True or answer.value == "Rent"


BERTHS = """Berth,Harbour,Length m,Nights
B-1,Aldhavn,21.5,4
B-2,Brekkvik,9.0,16
B-3,Brekkvik,21.5,7
B-4,Aldhavn,12.0,11
"""


@pytest.fixture(scope="module")
def berths(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("berths") / "berths.csv"
    path.write_text(BERTHS)
    return path


@pytest.mark.parametrize(
    "question", ["How long is the longest stay in nights?", "What is the longest berth in nights?"]
)
def test_what_is_longest_in_nights_is_not_told_by_another_length(
    berths: Path, question: str
) -> None:
    with Router(writer="offline") as router:
        router.add(berths)
        answer = router.ask(question)
    assert answer.declined or answer.value in (16, "B-2")


def test_the_name_of_the_table_is_no_measure(tmp_path: Path) -> None:
    (tmp_path / "lots.csv").write_text("Lot,Stand,Bid\n11,4,60\n12,9,45\n13,2,80\n")
    with Router(writer="offline") as router:
        router.add(tmp_path / "lots.csv")
        assert router.ask("What is the highest bid in lots?").value == 80
        highest = router.ask("What is the highest lot?")
    assert highest.declined or highest.value == 13


@pytest.mark.parametrize("least", [0.0, 0.5])
def test_rows_without_a_cell_that_is_named_are_shown_at_no_confidence(
    tmp_path: Path, least: float
) -> None:
    path = tmp_path / "prizes.csv"
    path.write_text(
        "Year,Prize,Part,Singer,Result\n"
        "1981,Silver Lyre,Mimi,Rosa Kern,Won\n"
        "1984,Golden Harp,Tosca,Rosa Kern,Won\n"
        "1990,Silver Lyre,Aida,Lea Moll,Shortlisted\n"
    )
    with Router(writer="offline", min_confidence=least) as router:
        router.add(path)
        answer = router.ask("Which year was Rosa Kern up for the Silver Lyre?")
    assert "1984" not in str(answer.rows)
    assert "1981" in str(answer.rows)
