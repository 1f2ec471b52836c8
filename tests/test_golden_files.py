"""The gold of the sample and everyday questions is what plain pandas says of the same files."""

import json
from pathlib import Path

import pytest

from benchmarks.gold import differences

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "sample_tables"
EVERYDAY = ROOT / "tests" / "data" / "everyday"


def load(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_stored_gold_equals_what_pandas_computes():
    assert differences() == []


@pytest.mark.parametrize("path", [SAMPLE, EVERYDAY], ids=lambda path: path.name)
def test_no_question_is_asked_twice(path):
    questions = load(path / "questions.jsonl")
    asked = [(q.get("kind", "").split(".")[0], q["question"].casefold()) for q in questions]
    assert len(set(asked)) == len(asked)
    assert len({q["id"] for q in questions}) == len(questions)


def test_every_question_has_gold_that_can_be_checked():
    for question in load(SAMPLE / "questions.jsonl") + load(EVERYDAY / "questions.jsonl"):
        gold = {"cell", "rows", "contains", "declined"} & question.keys()
        assert gold, question["id"]


def test_every_sample_question_has_three_paraphrases():
    originals = [q["id"] for q in load(SAMPLE / "questions.jsonl")]
    paraphrases = load(SAMPLE / "paraphrases.jsonl")
    assert sorted(p["of"] for p in paraphrases) == sorted(originals * 3)


def test_the_sample_questions_cover_every_route():
    routes = {str(q["route"]) for q in load(SAMPLE / "questions.jsonl")}
    assert {"row", "table", "sql", "text", "declined"} <= routes
