"""Which tables and columns a prompt holds, over a catalog of several worlds."""

from __future__ import annotations

import datetime as dt

import pytest
from llm_world import table

from retrieval.build import build_table
from sql_engine.catalog import Catalog
from sql_engine.glossary import Glossary
from sql_engine.linking import link
from sql_engine.name_stems import likeness, stems
from sql_engine.pruning import prune
from sql_engine.writer import SqlRequest

WORLDS = {
    "boats/skippers": "skipper_id,full_name,port\n1,Ana,Horta\n2,Ben,Bergen",
    "boats/hulls": "hull_id,label,length_m\n1,Tern,9\n2,Skua,11",
    "boats/crossings": "crossing_id,skipper_id,hull_id,sender_id,start_dt,miles,amt,state\n"
    "1,1,1,7,2024-01-02,40,12.5,done\n2,2,1,8,2024-02-03,55,9.0,open",
    "boats/ratings": "crossing_id,punctual,thrilling\n1,4,5\n2,3,2",
    "school/pupils": "pupil_id,full_name,town\n1,Cat,Bergen\n2,Dan,Oslo",
    "school/lessons": "lesson_id,label,taught_by\n1,Maths,Kim\n2,Art,Lou",
    "school/marks": "pupil_id,lesson_id,mark\n1,1,5\n2,2,6",
}


@pytest.fixture(scope="module")
def catalog():
    tables = []
    for place, text in WORLDS.items():
        header, *rows = (line.split(",") for line in text.splitlines())
        columns = [((name,), [row[i] for row in rows]) for i, name in enumerate(header)]
        name = place.split("/")[1]
        tables.append(build_table(columns, document=f"{place}.csv", name=name))
    return Catalog().with_tables(tuple(tables))


def pruned(catalog, question, **told):
    request = SqlRequest(
        question, catalog, (), link(question, catalog), dt.date(2024, 1, 1), **told
    )
    return prune(request, max_tables=3, max_columns=8)


def names(schema):
    return [kept.table.name for kept in schema.tables]


def test_a_word_that_one_table_alone_has_brings_it_before_tables_that_repeat_the_others(catalog):
    assert "ratings" in names(pruned(catalog, "How many crossings did skippers find thrilling?"))


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("Which poets wrote plays of the genre farce?", "genre_play"),
        ("Which plays are by poets of the genre farce?", "genre_poet"),
    ],
)
def test_of_two_tables_that_link_the_one_whose_words_stand_together_is_named(question, kept):
    ids = ["1", "2", "3"]
    tables = [
        table("genre", "w", 0, gid=ids, label=["epic", "ode", "farce"]),
        table("poet", "w", 1, poet_id=ids, name=["Ono", "Reis", "Vale"]),
        table("play", "w", 2, play_id=ids, title=["Dawn", "Rain", "Salt"]),
        table("genre_poet", "w", 3, gid=["1", "1", "3"], poet_id=["2", "3", "1"]),
        table("genre_play", "w", 4, gid=["2", "2", "3"], play_id=["2", "3", "1"]),
        table("poet_play", "w", 5, poet_id=["2", "2", "3"], play_id=["2", "3", "1"]),
    ]
    assert kept in names(pruned(Catalog().with_tables(tuple(tables)), question))


def test_tables_between_the_named_ones_come_along(catalog):
    assert set(names(pruned(catalog, "Which skippers sailed the hull Tern?"))) == {
        "skippers",
        "hulls",
        "crossings",
    }


def test_the_tables_of_one_world_stay_together(catalog):
    assert set(names(pruned(catalog, "The best mark of each pupil"))) <= {
        "pupils",
        "lessons",
        "marks",
    }


def test_words_of_the_instruction_do_not_choose_tables(catalog):
    first = names(pruned(catalog, "The total number of hulls by label in order"))[0]
    assert first == "hulls"


def test_irregular_forms_find_their_table(catalog):
    assert stems("taught") == stems("teaches")
    assert "lessons" in names(pruned(catalog, "Who teaches?"))


def test_what_a_metric_is_computed_from_is_in_the_prompt(catalog):
    metrics = Glossary(metrics={"daring": "AVG(thrilling) / AVG(punctual)"})
    schema = pruned(catalog, "What is the daring by town?", glossary=metrics)
    assert schema.holds("ratings", "thrilling")
    assert schema.holds("ratings", "punctual")


def test_the_column_of_a_default_filter_is_in_the_prompt(catalog):
    filters = Glossary(filters={"crossings": "state = 'done'"})
    question = "Miles and amounts of crossings by hull label and length since May"
    assert pruned(catalog, question, glossary=filters).holds("crossings", "state")


@pytest.mark.parametrize(
    ("own", "said", "least"),
    [
        ("amt", "amount", 0.5),
        ("qty", "quantity", 0.5),
        ("diag", "diagnosi", 0.5),
        ("sender", "send", 0.7),
        ("registr", "regist", 0.7),
        ("send", "send", 1.0),
    ],
)
def test_short_and_kindred_words_are_alike(own, said, least):
    assert likeness(own, said) >= least


@pytest.mark.parametrize(("own", "said"), [("stat", "store"), ("mile", "milk"), ("id", "idea")])
def test_other_words_are_not(own, said):
    assert likeness(own, said) == 0.0
