"""Headers without their noun, what lists are sorted by, and cells told by a part of them."""

import pytest
from everyday_tables import connect, table
from test_offline_writer import catalog_of, draft

from sql_engine.errors import CannotWrite

ROWS = [
    ["1", "Alder", "tall and grey", "Bergen", "40"],
    ["2", "Birch", "white bark", "Oslo", "12"],
    ["3", "Cedar", "smells of resin", "Bergen", "7"],
    ["4", "Birdcherry", "bitter fruit", "Oslo", "31"],
]
HEADERS = ["tree_id", "tree_name", "tree_description", "city", "planted_count"]


def answer(question: str) -> list[tuple[object, ...]]:
    catalog = catalog_of(table("trees", HEADERS, ROWS))
    return connect(catalog).execute(draft(question, catalog).sql).fetchall()


def test_a_header_is_said_without_the_noun_of_its_table():
    found = answer("What are the names and descriptions of all the trees?")
    assert found == [(row[1], row[2]) for row in ROWS]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("List the names of the trees in ascending order of planted count", "CBBA"),
        ("List the names and cities of trees, ordered by tree name descending", "CBBA"),
        ("Show the descriptions of the trees in descending order of planted count", "tbws"),
    ],
)
def test_a_list_is_sorted_by_what_follows_the_words_that_sort(question, names):
    assert "".join(str(row[0])[0] for row in answer(question)) == names


def test_groups_are_told_by_a_column_that_is_named_before_as_well():
    found = answer("Show the different cities of trees and the number of trees of each city")
    assert sorted(found) == [("Bergen", 2), ("Oslo", 2)]


def test_what_stands_in_all_is_where_and_no_total():
    found = answer("What is the average planted count in all trees?")
    assert found == [(22.5,)]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What are the cities of trees whose name contains the substring 'edar'?", {"Bergen"}),
        ("Find the descriptions of trees whose name starts with the letters 'Bir'", None),
        ("Find the names of trees whose description has the word bark", {"Birch"}),
    ],
)
def test_cells_are_told_by_a_part_of_them(question, names):
    found = {row[0] for row in answer(question)}
    assert found == (names or {"white bark", "bitter fruit"})


def test_a_part_that_no_cell_has_is_not_left_out():
    with pytest.raises(CannotWrite):
        answer("Find the descriptions of trees whose name contains the substring 'xyz'")
