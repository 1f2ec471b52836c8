"""A condition that the words tell is kept, or the question is declined; never half of it told."""

import pytest
from each_alone import each_alone

from router import Router

CREW = [
    ["Sailor", "Ship", "Age", "Trips", "Mentor", "Sponsor"],
    ["Ines Vall", "Petrel", 24, 31, "Odo Fenn", "Brightline"],
    ["Karl Moss", "Petrel", 45, 12, "Odo Fenn", "none"],
    ["Odo Fenn", "Skua", 52, 28, "Ray Tull", "none"],
    ["Uma Ray", "Skua", 29, 8, "Ines Vall", "Tidewell"],
    ["Nils Arp", "Gannet", 33, 17, "Ines Vall", "Brightline"],
]
HIRES = [
    ["Hire", "Keeper ID", "From", "To"],
    ["H1", "K7", "2025-02-20", "2025-03-04"],
    ["H2", "K2", "2025-03-02", "2025-03-09"],
    ["H3", "K7", "2025-03-15", "2025-04-01"],
    ["H4", "K5", "2025-06-01", "2025-06-03"],
]
GOODS = [
    ["Article", "Unit", "Price", "Carrier"],
    ["Rope", "coil", 30, "Norve"],
    ["Cleat", "each", 4, ""],
    ["Shackle", "each", 6, "Harker"],
    ["Sailcloth", "bolt", 90, "Norve"],
]
GATES = [
    ["Hall", "Opens on", "Charge"],
    ["Linden", "Monday", "free"],
    ["Alder", "Friday", "12 euro"],
    ["Maple", "Monday", "free"],
]


@pytest.fixture(scope="module")
def tables():
    with each_alone({"crew": CREW, "hires": HIRES, "goods": GOODS, "halls": GATES}) as routers:
        yield routers


@pytest.mark.parametrize(
    ("table", "question", "first"),
    [
        ("crew", "sailors younger than 35 with more than 10 trips", ["Ines Vall", "Nils Arp"]),
        ("crew", "sailors with a sponsor", ["Ines Vall", "Uma Ray", "Nils Arp"]),
        ("crew", "sailors of the Petrel with a sponsor", ["Ines Vall"]),
        ("hires", "hires starting in march", ["H2", "H3"]),
        ("hires", "hires from march on", ["H2", "H3", "H4"]),
        ("goods", "articles sold each", ["Cleat", "Shackle"]),
        ("goods", "articles never carried by Norve", ["Cleat", "Shackle"]),
        ("halls", "what's free", ["Linden", "Maple"]),
    ],
)
def test_what_restricts_the_rows_is_heeded(tables, table, question, first):
    answer = tables[table].ask(question)
    assert not answer.declined, answer.text
    assert [row[0] for row in answer.rows] == first


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ("crew", "who sails on both Petrel and Skua"),
        ("crew", "how many sailors are in both Petrel and Skua"),
        ("crew", "who mentors Ines Vall"),
        ("crew", "who is the mentor of Ines Vall"),
        ("crew", "which sailors had no lesson for the Skua"),
        ("hires", "who made hire H2"),
        ("hires", "who has hire H4"),
        ("hires", "hires ending in march"),
        ("halls", "where does Linden open"),
    ],
)
def test_half_of_what_is_asked_is_no_answer(tables, table, question):
    answer = tables[table].ask(question)
    right = {"who mentors Ines Vall", "who is the mentor of Ines Vall"}
    assert answer.declined or (question in right and answer.value == "Odo Fenn"), answer.text


@pytest.mark.parametrize(
    ("table", "question", "value"),
    [
        ("crew", "total trips of both Petrel and Skua", 79),
        ("crew", "how many sailors have a sponsor", 3),
        ("crew", "how many sailors are older than 30", 3),
        ("hires", "how many hires in march", 2),
        ("goods", "number of articles sold each", 2),
        ("halls", "how many are free", 2),
    ],
)
def test_the_same_words_elsewhere_mean_what_they_say(tables, table, question, value):
    assert tables[table].ask(question).value == value


def test_where_is_told_by_no_player():
    with Router(writer="offline") as router:
        router.add([["Player", "Club"], ["Ida Falk", "Heron"], ["Per Lund", "Swift"]], name="squad")
        assert router.ask("where does the Heron play").declined


LODGES = [
    ["Lodge", "Elev. (m)", "Tel.", "Hrs", "Fee"],
    ["Brack Lodge", 1420, "041 22", 3, 30],
    ["Tarn Cabin", 1890, "041 23", 5, 20],
    ["Moor Cabin", 990, "041 24", 2, 10],
]


@pytest.fixture(scope="module")
def lodges():
    with Router(writer="offline") as router:
        router.add(LODGES, name="lodges and cabins")
        yield router


@pytest.mark.parametrize("question", ["average fee of the cabins", "how many cabins are there"])
def test_one_of_two_kinds_that_a_title_names_is_not_all_rows(lodges, question):
    answer = lodges.ask(question)
    assert answer.declined or answer.value in (15, 2)


@pytest.mark.parametrize(
    ("question", "value"),
    [("phone of Tarn Cabin", "041 23"), ("total hours", 10), ("how many lodges are there", 3)],
)
def test_short_headers_are_named_in_full(lodges, question, value):
    assert lodges.ask(question).value == value
