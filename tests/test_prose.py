"""Paragraphs beside tables: found in one pool, and only told where they tell what is asked."""

import json

from benchmarks import prose, prose_search
from router import Router


def test_a_set_with_tables_and_documents_is_measured_as_one_pool(tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "tables" / "a.csv").write_text("mill,wheels\nOberon,3\nTitan,2\n")
    (tmp_path / "docs" / "a.md").write_text(
        "Flour is ground on Mondays only.\n\nThe sluice is opened by the oldest miller.\n"
    )
    (tmp_path / "docs" / "b.md").write_text("Bread is baked on Mondays by the whole town.\n")
    asked = [
        ("How many wheels has Oberon?", ["3"], "table"),
        ("When is flour ground?", ["Mondays"], "text"),
        ("Who opens the sluice?", ["oldest miller"], "text"),
    ]
    lines = [
        {"question": q, "answer": a, "answer_from": kind, "tables": ["a.csv"], "docs": ["a.md"]}
        for q, a, kind in asked
    ]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    found = prose_search.measure(tmp_path)
    assert (found["tables"], found["paragraphs"]) == (1, 3)
    assert (found["questions to tables"], found["questions to paragraphs"]) == (1, 2)
    assert found["table"]["@1"] == 1
    assert [one["@1"] for one in found["paragraph"].values()] == [1, 1, 1]


def test_every_question_of_the_own_documents_has_one_paragraph_or_cell():
    for text in prose.texts():
        blocks = text.markdown.split("\n\n")
        assert len(text.to_paragraphs) == 10
        assert len(text.to_tables) == 5
        for asked in text.to_paragraphs:
            assert sum(asked.words[0] in block for block in blocks) == 1, asked
        for asked in text.to_tables:
            assert f" {asked.words[0]} |" in text.markdown, asked


PAGE = """# The mill

Supper is served at half past six in the long room.

In August the miller fills the barrel before supper.
"""


def asked(tmp_path, question, page=PAGE):
    (tmp_path / "mill.md").write_text(page, encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(tmp_path / "mill.md")
        return tables.ask(question)


def test_a_time_told_in_words_is_a_time(tmp_path):
    answer = asked(tmp_path, "When is supper served?")
    assert answer.route == "text"
    assert "half past six" in answer.text


def test_a_paragraph_that_says_less_does_not_answer_for_one_that_cannot(tmp_path):
    told = PAGE.replace(" at half past six", "")
    answer = asked(tmp_path, "When is supper served?", told)
    assert answer.route == "declined"
