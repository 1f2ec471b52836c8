"""Questions over tables that join: what another table says against a reading."""

import pytest

from router import Router

PLAYS = """Play ID,Title,Author,Premiere
P1,Low Water,Ada Roth,2019
P2,The Gate,Ben Oku,2021
P3,Salt,Ada Roth,2023
P4,Two Doors,Cem Aral,2008
P5,Harbour Songs,Ben Oku,2022
"""
VENUES = """Venue ID,Venue,Town,Seats
V1,Corona,Ashby,420
V2,Lux,Ashby,90
V3,Rex,Denham,310
V4,Town Hall,Marlow,250
"""
PERFORMANCES = """Perf. No.,Play ID,Venue ID,Date,Sold
1001,P1,V1,2025-05-02,388
1002,P1,V1,2025-05-07,240
1003,P2,V3,2025-05-09,301
1004,P2,V4,2025-05-14,198
1005,P3,V1,2025-06-01,420
1006,P4,V2,2025-06-03,77
1007,P3,V4,2025-06-11,230
1008,P5,V3,2025-06-20,150
"""
VOLUNTEERS = (
    "Vol. ID,Name,Joined,First aider\n1,Ira Voss,2019-06-02,no\n2,Mo Lund,2021-05-15,yes\n"
    "3,Pia Rask,2020-01-20,no\n"
)
SHIFTS = "Shift,Vol. ID,Date,Hours\nA,1,2025-05-03,4\nB,2,2025-06-04,5\nC,1,2025-05-08,3\n"


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    yield from _loaded(tmp_path_factory, plays=PLAYS, venues=VENUES, performances=PERFORMANCES)


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory):
    yield from _loaded(tmp_path_factory, volunteers=VOLUNTEERS, shifts=SHIFTS)


def _loaded(factory, **tables):
    folder = factory.mktemp("joined")
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    with Router(writer="offline") as router:
        router.add(folder)
        yield router


def test_things_that_a_bridge_names_several_times_are_not_counted_by_its_rows(stage):
    answer = stage.ask("How many plays were performed in Ashby?")
    assert answer.declined or answer.value == 3, answer.text
    assert stage.ask("How many plays were performed in Marlow?").value == 2


def test_rows_of_another_table_than_the_question_opens_with_are_no_answer(stage):
    answer = stage.ask("plays that were never performed in Marlow")
    told = {str(cell) for row in answer.rows for cell in row}
    assert answer.declined or "Low Water" in told, answer.text


def test_a_list_leaves_out_none_that_no_row_points_to(kitchen):
    answer = kitchen.ask("volunteers who are not first aiders")
    assert len(answer.rows) == 2, answer.text


def test_the_date_of_what_somebody_did_is_not_that_of_the_first_table(kitchen):
    answer = kitchen.ask("volunteers with shifts in June")
    assert answer.declined or {row[0] for row in answer.rows} & {2, "Mo Lund"}, answer.text
    assert len(answer.rows) < 2
