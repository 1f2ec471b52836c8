"""A source that changed since it was loaded is named at the next question; a call reads it."""

import os
import time

import pytest

from retrieval.reading import read_source
from retrieval.sources import differences
from router import Router
from router.errors import StateError


def rewrite(path, text):
    path.write_text(text, encoding="utf-8")
    later = time.time() + 5
    os.utime(path, (later, later))


def test_a_changed_file_is_named_and_refresh_brings_it_up_to_date(tmp_path, monkeypatch):
    monkeypatch.setattr("retrieval.sources.CHECK_EVERY_S", 0.0)
    path = tmp_path / "shops.csv"
    path.write_text("city,sales\nOslo,3\nRome,4\n", encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(path)
        assert tables.ask("What is the total sales?").warnings == ()
        rewrite(path, "city,sales\nOslo,3\nRome,4\nBonn,5\n")
        answer = tables.ask("What is the total sales?")
        assert answer.value == 7
        assert any("shops.csv changed" in warning for warning in answer.warnings)
        report = tables.refresh()
        assert "shops.csv: shops: 1 rows added" in report.warnings
        again = tables.ask("What is the total sales?")
        assert (again.value, again.warnings) == (12, ())
        assert tables.refresh().documents == ()


def test_a_saved_state_remembers_what_its_sources_looked_like(tmp_path, monkeypatch):
    monkeypatch.setattr("retrieval.sources.CHECK_EVERY_S", 0.0)
    path = tmp_path / "shops.csv"
    path.write_text("city,sales\nOslo,3\nRome,4\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with Router(writer="offline") as tables:
        tables.add("shops.csv")
        tables.save(tmp_path / "state")
    monkeypatch.chdir(tmp_path / "state")
    with Router.open(tmp_path / "state") as tables:
        assert tables.ask("What is the total sales?").warnings == ()
        rewrite(path, "city,revenue\nOslo,3\nRome,9\n")
        assert any("changed" in told for told in tables.ask("What is the total sales?").warnings)
        assert 'shops.csv: shops: header "sales" is now "revenue"' in tables.refresh().warnings
        assert tables.ask("What is the total revenue?").value == 12
    path.unlink()
    with Router.open(tmp_path / "state") as tables:
        assert tables.ask("What is the total sales?").warnings == ()


def test_a_damaged_note_of_sources_is_a_state_error(tmp_path):
    with Router(writer="offline") as tables:
        tables.add([{"city": "Oslo", "sales": 3}], name="shops")
        tables.save(tmp_path)
    (tmp_path / "sources.json").write_text('[{"path": 1}]', encoding="utf-8")
    with pytest.raises(StateError):
        Router.open(tmp_path)


def test_a_file_that_left_its_folder_is_dropped(tmp_path, monkeypatch):
    monkeypatch.setattr("retrieval.sources.CHECK_EVERY_S", 0.0)
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("x,y\n1,2\n", encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(tmp_path)
        (tmp_path / "b.csv").unlink()
        assert "b.csv: it is gone" in tables.refresh().warnings
        assert tables.documents == ("a.csv",)


def test_a_file_that_is_gone_is_named_at_the_next_question(tmp_path, monkeypatch):
    monkeypatch.setattr("retrieval.sources.CHECK_EVERY_S", 0.0)
    path = tmp_path / "shops.csv"
    path.write_text("city,sales\nOslo,3\nRome,4\n", encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(path)
        path.unlink()
        answer = tables.ask("What is the total sales?")
        assert answer.value == 7
        assert any("shops.csv changed" in told for told in answer.warnings)


def test_what_changed_is_told_by_header_rows_and_tables():
    (old,) = read_source([{"id": 1, "sales": 2}], name="d")
    (new,) = read_source([{"id": 1, "revenue": 2}, {"id": 2, "revenue": 3}], name="d")
    assert differences(old.document, new.document) == [
        'd: header "sales" is now "revenue"',
        "d: 1 rows added",
    ]


def test_refresh_looks_at_once_though_a_question_has_just_looked(tmp_path):
    path = tmp_path / "shops.csv"
    path.write_text("city,sales\nOslo,3\n", encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(path)
        assert tables.ask("What is the total sales?").value == 3
        rewrite(path, "city,sales\nOslo,3\nRome,4\n")
        assert "shops.csv: shops: 1 rows added" in tables.refresh().warnings
        assert tables.ask("What is the total sales?").value == 7
