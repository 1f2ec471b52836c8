"""Comparisons in look-ups: rows that satisfy them come first, others are never "exact"."""

import pytest

from retrieval.bounds import bounds
from retrieval.build import build_table
from retrieval.index import Index
from retrieval.question import Question
from retrieval.table import Document

HEADERS = ("boat", "built", "crew", "length m", "harbour")
ROWS = [
    ("Alba", "1921", "12", "24.5", "Leith"),
    ("Brisa", "1932", "4", "9.8", "Vigo"),
    ("Corvo", "1948", "20", "31.0", "Leith"),
    ("Duna", "1960", "8", "14.2", "Vigo"),
    ("Ebb", "1975", "1,150", "180", "Leith"),
]


@pytest.fixture(scope="module")
def boats() -> Index:
    columns = [((h,), [row[i] for row in ROWS]) for i, h in enumerate(HEADERS)]
    table = build_table(columns, document="boats.csv", name="boats", title="Boats", key=0)
    index = Index()
    index.add(Document("boats.csv", "v1", (table,)))
    return index


@pytest.mark.parametrize(
    ("question", "boats_found"),
    [
        ("which boat has a crew of more than 20?", ["Ebb"]),
        ("boat with a length under 10", ["Brisa"]),
        ("boats with at least 20 crew", ["Corvo", "Ebb"]),
        ("boats built before 1932", ["Alba"]),
        ("boats built after 1932 with a crew below 10", ["Duna"]),
        ("boats with a crew of 8 or fewer", ["Brisa", "Duna"]),
        ("boats with a crew over 1,000", ["Ebb"]),
    ],
)
def test_rows_that_satisfy_the_comparisons_come_first(boats, question, boats_found):
    hits = boats.search_rows(question, k=len(boats_found))
    assert sorted(hit.cells["boat"] for hit in hits) == boats_found


def test_a_comparison_chooses_among_the_rows_that_a_word_names(boats):
    assert boats.search_rows("Leith boat built after 1950")[0].cells["boat"] == "Ebb"


def test_a_row_that_fails_a_comparison_is_only_near(boats):
    by_boat = {hit.cells["boat"]: hit.match for hit in boats.search_rows("Vigo crew over 5", k=5)}
    assert by_boat["Duna"] == "exact"
    assert by_boat.get("Brisa", "near") == "near"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("more than 20 laps", [(True, False, 20)]),
        ("20 or more laps", [(True, True, 20)]),
        ("no later than 1932", [(False, True, 1932)]),
        ("at most 3 and at least 1", [(False, True, 3), (True, True, 1)]),
        ("20 laps", []),
        ("over the hills", []),
    ],
)
def test_comparisons_are_read_from_the_words_around_a_number(text, read):
    found = bounds(Question.of(text))
    assert [(b.above, b.inclusive, b.value) for b in found] == read


def test_a_comparison_that_no_found_row_has_the_words_of_does_no_harm(boats):
    assert boats.search_rows("harbour Zanzibar 7 with a crew over 5 before 1932") is not None
    assert not boats.matching_rows("crew over 5", "boats.csv#0").rows.size
