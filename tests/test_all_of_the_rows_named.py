"""The rows told are all that the words name; one that is a piece of a cell leaves none out."""

import pytest

from router import Router

CALLS = [
    ["Call", "Vessel", "Cargo", "Flag", "Berth", "Agent"],
    ["C1", "Alma", "timber", "Norway", "G1", "Cory Bros"],
    ["C2", "Brio", "grain", "Panama", "B2", "Quay Shipping"],
    ["C3", "Cleo", "timber", "Norway", "G2", "Quay Shipping"],
    ["C4", "Dora", "coal", "Panama", "B1", "Cory Bros"],
    ["C5", "Enno", "grain", "Panama", "B3", "Quay Shipping"],
    ["C6", "Fado", "oil", "Malta", "T1", "Quay Shipping"],
]
HOMES = [
    ["Ref", "Address", "Kind", "Baths"],
    ["H1", "14 Alma Street", "flat", "1"],
    ["H2", "The Old House", "house", "2"],
    ["H3", "27 Fern Road", "house", "1"],
    ["H4", "3 Mill Lane", "house", "3"],
    ["H5", "9 Quay Row", "flat", "2"],
]


@pytest.fixture(scope="module")
def calls():
    with Router(writer="offline") as router:
        router.add(CALLS, name="calls")
        yield router


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ("berth of timber ships", {"G2"}),
        ("berth of Norway ships", {"G2"}),
        ("vessel of the Panama ships", {"Brio", "Enno"}),
    ],
)
def test_no_few_rows_are_told_as_all(calls, question, wrong):
    answer = calls.ask(question)
    told = {cell for row in answer.rows for cell in row}
    assert answer.route == "declined" or not (wrong & told) or len(answer.rows) > len(wrong)


def test_the_one_row_with_all_the_words_is_told(calls):
    assert calls.ask("berth of the oil ships").value == "T1"


def test_a_plural_of_a_whole_cell_is_all_its_rows():
    with Router(writer="offline") as router:
        router.add(HOMES, name="homes")
        answer = router.ask("baths of houses")
        assert answer.route == "declined" or len(answer.rows) == 3
        assert router.ask("baths of The Old House").value == 2
