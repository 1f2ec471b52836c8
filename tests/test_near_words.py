"""Words that no name says, read by the names nearest in meaning where the extra is installed."""

import pytest
from everyday_tables import table
from test_offline_writer import catalog_of, draft

from retrieval import vectors
from sql_engine.errors import CannotWrite

needs_extra = pytest.mark.skipif(not vectors.available(), reason="the dense extra is missing")
ROWS = [["Ada", "Porto", "31"], ["Bea", "Turin", "28"], ["Cleo", "Porto", "44"]]


def singers():
    return catalog_of(table("singers", ["Full name", "City", "Age"], ROWS))


@needs_extra
def test_a_near_word_costs_confidence_and_is_told():
    found = draft("How many vocalists are from Porto?", singers(), min_confidence=0.0)
    assert "City is Porto" in found.reading
    assert found.confidence < 0.5
    assert any('"vocalists" is no name here' in note for note in found.notes)


@needs_extra
def test_no_answer_at_the_default_threshold_rests_on_a_near_word():
    with pytest.raises(CannotWrite):
        draft("How many vocalists are from Porto?", singers())


def test_without_the_extra_the_word_is_left_out(monkeypatch):
    monkeypatch.setattr(vectors, "available", lambda: False)
    found = draft("How many vocalists are from Porto?", singers(), min_confidence=0.0)
    assert not any("vocalists" in note for note in found.notes)


def test_words_that_have_a_place_are_read_as_before(monkeypatch):
    asked = "How many singers are from Porto?"
    found = draft(asked, singers())
    monkeypatch.setattr(vectors, "available", lambda: False)
    assert draft(asked, singers()) == found


@needs_extra
def test_why_it_is_declined_names_the_word_as_without_the_extra(monkeypatch):
    reasons = []
    for installed in (True, False):
        monkeypatch.setattr(vectors, "available", lambda installed=installed: installed)
        with pytest.raises(CannotWrite) as declined:
            draft("How many vocalists are from Porto?", singers())
        reasons.append((str(declined.value), declined.value.unplaced))
    assert reasons[0] == reasons[1]
    assert reasons[0][1] == ("vocalists",)
