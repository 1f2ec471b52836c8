"""A slip of the pen is put right and told; a name that is only near another is another name."""

import pytest

from router import Router

LANDS = [
    ["country", "capital", "people"],
    ["Australia", "Canberra", 26],
    ["Slovakia", "Bratislava", 5],
    ["Niger", "Niamey", 25],
    ["Philippines", "Manila", 117],
    ["Dominican Republic", "Santo Domingo", 11],
    ["Iceland", "Reykjavik", 1],
]


@pytest.fixture(scope="module")
def lands():
    with Router(writer="offline") as router:
        router.add(LANDS, name="lands")
        yield router


@pytest.mark.parametrize(
    ("asked", "capital"),
    [
        ("Icelnad", "Reykjavik"),
        ("reykjavic", "Reykjavik"),
        ("the capital of the Phillipines", "Manila"),
        ("Slovakai", "Bratislava"),
    ],
)
def test_a_misspelt_word_finds_its_row_as_a_near_one(lands, asked, capital):
    hits = lands.lookup(asked)
    assert [(hit.cells["capital"], hit.match) for hit in hits] == [(capital, "near")]


@pytest.mark.parametrize(
    "asked", ["Austria", "Slovenia", "Nigeria", "Dominica", "Iran", "ISO-3166"]
)
def test_a_name_near_another_finds_nothing(lands, asked):
    assert not lands.lookup(asked)


@pytest.mark.parametrize("name", ["Austria", "Slovenia", "Nigeria", "Dominica"])
def test_a_name_near_another_is_not_answered_for_it(lands, name):
    assert lands.ask(f"What is the capital of {name}?").declined
    assert lands.ask(f"How many people live in {name}?").declined


def test_a_slip_in_a_question_is_answered_and_told(lands):
    answer = lands.ask("What is the capital of the Phillipines?")
    assert answer.value == "Manila"
    assert any('"Phillipines" is read as "Philippines"' in told for told in answer.warnings)


def test_of_two_names_that_are_as_near_none_is_taken():
    with Router(writer="offline") as router:
        router.add([["name", "pay"], ["Marion", 4], ["Marton", 9]], name="staff")
        assert not router.lookup("Marlon")
        assert router.ask("What is the pay of Marlon?").declined


def test_a_removed_word_is_not_found_by_its_misspelling():
    with Router(writer="offline") as router:
        router.add([["name", "pay"], ["Katrina", 4]], name="staff")
        assert router.lookup("Katrinna")[0].cells["pay"] == "4"
        router.add([["name", "pay"], ["Peter", 5]], name="staff")
        assert not router.lookup("Katrinna")


def test_arabic_and_hebrew_are_found_without_points_and_with_another_form_of_a_letter():
    with Router(writer="offline") as router:
        router.add([["name", "n"], ["الإسكندرية", 1], ["مصطفى", 2], ["שָׁלוֹם", 3]], name="names")
        for asked, n in (("الاسكندرية", "1"), ("مصطفي", "2"), ("שלום", "3")):
            assert router.lookup(asked)[0].cells["n"] == n


STALLS = [
    ["stall", "order", "weight", "sold"],
    ["Quince", "early", 40, 7],
    ["Medlar", "late", 12, 9],
    ["Damson", "late", 31, 4],
]


@pytest.fixture(scope="module")
def stalls():
    with Router(writer="offline") as router:
        router.add(STALLS, name="stalls")
        yield router


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("avrage weight", pytest.approx(83 / 3)),
        ("what is the higest weight", 40),
        ("wich stall has the smalest weight", "Medlar"),
        ("How many diffrent stalls are there", 3),
        ("whats the weight of Damson", 31),
    ],
)
def test_a_slip_in_a_plain_word_is_put_right_and_told(stalls, question, value):
    answer = stalls.ask(question)
    assert answer.value == value
    assert answer.read_as


@pytest.mark.parametrize(
    "question", ["larder weight of Quince", "weight of the coldset stall", "medial weight"]
)
def test_an_english_word_that_is_nearly_another_is_no_slip(stalls, question):
    assert stalls.ask(question).declined
