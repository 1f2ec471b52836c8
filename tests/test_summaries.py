"""A language model may say what a table holds: its words find the table, and answer nothing."""

from __future__ import annotations

import json

import pytest
from loopback_openai import Failure, LoopbackServer

from router import Router
from sql_engine.openai_writer import OpenAIWriter

KILNS = "kiln,chambers,glaze\nBig Bertha,4,ash\nLittle Tom,2,salt\nOld Ned,5,ash\n"
BOATS = "boat,oars,hull\nPetrel,4,oak\nTern,2,ash\nDunlin,6,elm\n"
SAID = {"summary": "Ovens in which potters fire their ware, with how many rooms each has."}
OTHER = {"summary": "Vessels that are rowed, and the wood of which each is built."}


def loaded(tmp_path, *replies, **options):
    (tmp_path / "a_kilns.csv").write_text(KILNS, encoding="utf-8")
    (tmp_path / "b_boats.csv").write_text(BOATS, encoding="utf-8")
    with LoopbackServer([json.dumps(r) if isinstance(r, dict) else r for r in replies]) as server:
        options = {"writes_summaries": True, "max_attempts": 1, "max_retries": 0, **options}
        tables = Router(writer=OpenAIWriter("m", base_url=server.base_url, **options))
        return tables, tables.add(tmp_path), server


def best_table(tables: Router, question: str) -> str | None:
    found = tables._index.search_tables(question, 1)
    return found[0].table if found else None


def test_a_table_is_found_by_words_that_only_its_summary_has(tmp_path):
    tables, report, server = loaded(tmp_path, SAID, OTHER)
    assert len(server.requests) == 2
    assert not report.warnings
    assert best_table(tables, "ovens of potters") == "a_kilns"
    assert best_table(tables, "vessels") == "b_boats"
    assert SAID["summary"] in tables.describe("a_kilns").card


def test_what_only_a_summary_says_is_no_evidence(tmp_path):
    tables, _, _ = loaded(tmp_path, SAID, OTHER)
    hit = tables._index.search_tables("ovens of potters", 1)[0]
    assert hit.coverage.share == 0
    assert not tables.lookup("potters")
    assert tables.ask("potters", route="row").declined


def test_summaries_are_kept_with_a_saved_state(tmp_path):
    tables, _, _ = loaded(tmp_path, SAID, OTHER)
    tables.save(tmp_path / "state")
    again = Router.open(tmp_path / "state")
    assert best_table(again, "ovens of potters") == "a_kilns"
    assert SAID["summary"] in again.describe("a_kilns").card


def test_no_cell_reaches_the_model_where_the_schema_alone_is_shared(tmp_path):
    _, _, server = loaded(tmp_path, SAID, OTHER, share="schema")
    sent = str(server.requests[0]["messages"])
    assert "chambers" in sent
    assert "Bertha" not in sent
    assert "2 to 5" not in sent
    (tmp_path / "more").mkdir()
    _, _, server = loaded(tmp_path / "more", SAID, OTHER, share="samples")
    assert "Bertha" in str(server.requests[0]["messages"])


@pytest.mark.parametrize("reply", ["no JSON at all", {"summary": 7}, {"summary": "x" * 900}, {}])
def test_a_reply_without_a_summary_leaves_the_card_as_it_is(tmp_path, reply):
    tables, report, _ = loaded(tmp_path, reply, OTHER)
    assert not report.warnings
    assert "as a model says" not in tables.describe("a_kilns").card
    assert OTHER["summary"] in tables.describe("b_boats").card


def test_a_model_that_fails_leaves_the_tables_loaded_and_is_told(tmp_path):
    tables, report, _ = loaded(tmp_path, Failure(500), Failure(500))
    assert [table.name for table in tables.tables()] == ["a_kilns", "b_boats"]
    assert "no summary from the model" in " ".join(report.warnings)
    assert tables.ask("chambers of Old Ned", route="row").value == 5
