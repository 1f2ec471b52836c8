"""Confirmed pairs: a readable file, found by the same words, given as examples by likeness."""

from llm_world import CATALOG

from sql_engine.catalog import Catalog
from sql_engine.verified import VerifiedQueries

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
