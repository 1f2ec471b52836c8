"""Made questions, which the ranker learns from: each is whole, and its tree can be computed."""

import random

import pytest

from benchmarks.offline_everyday import WORDINGS, everyday, strange
from benchmarks.offline_invented import invented
from sql_engine.offline.columns import table_data
from sql_engine.offline.evaluate import Evaluator
from sql_engine.offline.tree import Values


@pytest.fixture(scope="module")
def tables():
    rng = random.Random(3)
    return [invented(rng) for _ in range(12)]


def test_made_questions_are_whole_and_their_trees_are_computed(tables):
    kinds = set()
    for table in tables:
        evaluator = Evaluator(table_data(table))
        for made in everyday(table, random.Random(1)):
            kinds.add(made.kind)
            assert "{" not in made.question
            assert evaluator.run(made.tree).count >= 0
    assert len(kinds) > 0.8 * len(WORDINGS)


def test_rows_that_are_listed_are_told_apart_by_one_of_their_columns(tables):
    for table in tables:
        data = table_data(table)
        for made in everyday(table, random.Random(2)):
            if made.told_by is not None:
                assert isinstance(made.tree, Values)
                assert data.columns[made.told_by.index].encoded().unique


def test_a_made_question_is_the_same_for_the_same_seed(tables):
    once, again = (list(everyday(tables[0], random.Random(5))) for _ in range(2))
    assert once == again


def test_strange_questions_name_what_the_table_does_not_say(tables):
    one, other = tables[:2]
    asked = [question for _, question in strange(one, other, random.Random(4))]
    assert asked
    assert all("{" not in question for question in asked)
