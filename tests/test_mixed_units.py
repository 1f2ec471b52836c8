"""Amounts of several units in one column are never put together as if of one."""

import pytest

from router import Router

FLATS = [
    ("Ref", "Kind", "Rent", "Size", "Beds"),
    ("F1", "flat", "£850 pcm", "61 m²", "2"),
    ("F2", "flat", "£160 pw", "52 m²", "1"),
    ("F3", "house", "£1,300 pcm", "80 m²", "3"),
    ("F4", "house", "£1,150 pcm", "75 m²", "3"),
    ("F5", "flat", "£790 pcm", "50 m²", "1"),
    ("F6", "room", "£95 pw", "14 m²", "1"),
    ("F7", "room", "£105 pw", "480 sq ft", "1"),
]


@pytest.fixture(scope="module")
def tables():
    with Router(writer="offline") as router:
        router.add([list(row) for row in FLATS], name="flats")
        yield router


@pytest.mark.parametrize(
    ("question", "units"),
    [
        ("average rent", ()),
        ("what is the average rent of flats", ("pcm", "pw")),
        ("average size", ("m2", "sq ft")),
        ("total size of rooms", ("m2", "sq ft")),
        ("which ref has the largest size?", ("m2", "sq ft")),
        ("how many have a size over 60", ("m2", "sq ft")),
    ],
)
def test_amounts_of_several_units_are_not_put_together(tables, question, units):
    answer = tables.ask(question)
    assert answer.route == "declined"
    assert all(unit in answer.text for unit in units)


@pytest.mark.parametrize(
    ("question", "value"),
    [("average rent of rooms", 100), ("total size of houses", 155), ("total beds", 12)],
)
def test_rows_of_one_unit_are(tables, question, value):
    assert tables.ask(question).value == value


def test_the_cell_alone_is_told_as_published(tables):
    assert tables.ask("size of F7").value == "480 sq ft"


def test_places_are_of_no_unit():
    rows = [["Crew", "Place"], ["Otter", "1st"], ["Smew", "3rd"], ["Teal", "2nd"], ["Coot", "4th"]]
    with Router(writer="offline") as router:
        router.add(rows, name="regatta")
        assert router.ask("which crew has the lowest place?").value == "Otter"
