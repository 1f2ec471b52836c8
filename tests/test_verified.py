"""Confirmed pairs: a readable file, found by the same words, given as examples by likeness."""

import pytest
from llm_world import CATALOG

from sql_engine.catalog import Catalog
from sql_engine.errors import Refused
from sql_engine.verified import VerifiedError, VerifiedQueries

COUNT = "SELECT COUNT(*)\nFROM firings -- all; of them"
POTS = "SELECT SUM(pots) FROM firings WHERE glaze = 'a;b'"


def pairs():
    return VerifiedQueries().with_pair("How many firings?", COUNT).with_pair("Total pots?", POTS)


def test_a_file_gives_back_what_was_written_and_reads_as_sql(tmp_path):
    path = tmp_path / "kept" / "verified.sql"
    pairs().write(path)
    assert VerifiedQueries.read(path) == pairs()
    assert path.read_text(encoding="utf-8").startswith("-- How many firings?\nSELECT COUNT(*)\n")


def test_no_file_is_no_pairs(tmp_path):
    assert VerifiedQueries.read(tmp_path / "none.sql") == VerifiedQueries()


def test_the_same_words_are_the_same_question():
    assert pairs().same("how many FIRINGS", CATALOG).sql == COUNT
    assert pairs().same("How many kilns?", CATALOG) is None


def test_a_later_pair_replaces_the_earlier_and_may_be_taken_back():
    later = pairs().with_pair("how many firings", "SELECT 5")
    assert len(later.examples) == 2
    assert later.same("How many firings?", CATALOG).sql == "SELECT 5"
    assert later.without("How many firings").same("How many firings?", CATALOG) is None


def test_similar_questions_are_examples():
    (found,) = pairs().similar("How many firings were there in May?", CATALOG)
    assert found.sql == COUNT


def test_a_pair_over_tables_that_are_gone_is_not_given():
    assert pairs().same("How many firings?", Catalog()) is None
    assert pairs().similar("How many firings?", Catalog()) == ()


def router_over(tmp_path, **options):
    from router import Router

    (tmp_path / "firings.csv").write_text("glaze,pots\nash,3\nceladon,4\n", encoding="utf-8")
    tables = Router(writer="offline", **options)
    tables.add(tmp_path / "firings.csv")
    return tables


def test_a_remembered_question_is_answered_by_its_query(tmp_path):
    kept = tmp_path / "verified.sql"
    with router_over(tmp_path, verified=str(kept)) as tables:
        tables.remember("Our yield?", "SELECT SUM(pots) * 2 FROM firings")
        answer = tables.ask("our yield")
    assert (answer.value, answer.reason) == (14, "A verified query answers this.")
    with router_over(tmp_path, verified=str(kept)) as again:
        assert again.ask("Our yield?").value == 14
        again.forget("our yield?")
        assert again.ask("Our yield?").value != 14


def test_what_is_remembered_is_saved_with_the_state(tmp_path):
    from router import Router

    with router_over(tmp_path) as tables:
        tables.remember("Our yield?", "SELECT SUM(pots) * 2 FROM firings")
        tables.save(tmp_path / "state")
    with Router.open(tmp_path / "state") as opened:
        assert opened.ask("Our yield?").value == 14


def test_only_a_query_that_may_run_is_remembered(tmp_path):
    with router_over(tmp_path) as tables, pytest.raises(Refused):
        tables.remember("Clear?", "DELETE FROM firings")


def test_a_glossary_names_tables_in_other_words_and_hides_columns(tmp_path):
    told = tmp_path / "glossary.yaml"
    told.write_text("synonyms: {vessels: pots}\nforbidden: [firings.glaze]\n", encoding="utf-8")
    with router_over(tmp_path, glossary=str(told)) as tables:
        answer = tables.ask("What is the total vessels?")
        assert answer.value == 7
        assert '"vessels" is read as "pots" (glossary)' in answer.warnings
        assert tables.sql("SELECT * FROM firings").columns == ("pots",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT 1;\n", "line 1: a statement without its question"),
        ("-- How many?\nSELECT 1;\n\nSELECT 2;\n", "line 4: a statement without its question"),
        (
            "-- How many?\nSELECT 1;\n\n-- how many\nSELECT 2;\n",
            "line 4: 'how many' is there twice",
        ),
        (b"-- Wie viele M\xf6wen?\nSELECT 1;\n", "is not UTF-8"),
    ],
)
def test_a_mistake_made_by_hand_is_told_with_its_line(tmp_path, text, message):
    path = tmp_path / "verified.sql"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(VerifiedError, match=message):
        VerifiedQueries.read(path)


def test_remarks_apart_from_a_question_and_inside_its_sql_are_no_question(tmp_path):
    path = tmp_path / "verified.sql"
    path.write_text("-- Seen in May.\n\n-- How many\n-- firings?\nSELECT\n-- all\n1;\n", "utf-8")
    (pair,) = VerifiedQueries.read(path).examples
    assert (pair.question, pair.sql) == ("How many firings?", "SELECT\n-- all\n1")


@pytest.mark.parametrize(
    ("sql", "fault"),
    [
        ("SELECT sum(potz) FROM firings", "there is no column 'potz'"),
        ("DELETE FROM firings", "DELETE is not allowed"),
    ],
)
def test_a_confirmed_query_that_may_not_run_is_told_and_not_passed_over(tmp_path, sql, fault):
    from router import Router

    path = tmp_path / "verified.sql"
    path.write_text(f"-- How many pots?\n{sql};\n", "utf-8")
    with Router(writer="offline", verified=str(path)) as tables:
        tables.add([{"kiln": "a", "pots": 3}, {"kiln": "b", "pots": 4}], name="firings")
        warnings = tables.ask("How many pots?").warnings
    assert f"the confirmed query of this question is not used: {fault}" in warnings
