"""What people plainly ask is answered, and what only sounds alike is not.

A golden case has `value`, `rows`, `row` (cells of the one row of the answer), `declined`, or `not`
(an answer that would be wrong).
"""

import datetime as dt
import json
from pathlib import Path

import pytest

from router import Router

FOLDER = Path(__file__).parent / "data" / "plain"
CASES = [json.loads(line) for line in (FOLDER / "questions.jsonl").read_text().splitlines()]
TODAY = dt.date(2025, 6, 3)


@pytest.fixture(scope="module")
def loaded():
    routers = {}
    for table in dict.fromkeys(case["table"] for case in CASES):
        routers[table] = Router(writer="offline", today=TODAY)
        for file in table.split("+"):
            routers[table].add(FOLDER / file)
    yield routers
    for router in routers.values():
        router.close()


def plain(value):
    if isinstance(value, dt.date | dt.time):
        return str(value)
    if isinstance(value, float) or type(value).__name__ == "Decimal":
        return round(float(value), 2)
    return value


def test_every_case_has_an_id_of_its_own():
    assert len({case["id"] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_plain_question_is_read_as_it_is_meant(loaded, case):
    answer = loaded[case["table"]].ask(case["question"])
    rows = [[plain(cell) for cell in row] for row in answer.rows]
    if case.get("declined"):
        assert answer.declined, answer.text
    elif "not" in case:
        wrong = case["not"]
        told = rows == wrong if isinstance(wrong, list) else plain(answer.value) == wrong
        assert answer.declined or not told, answer.text
    elif "value" in case:
        assert plain(answer.value) == case["value"], answer.text
    elif "row" in case:
        assert len(rows) == 1, answer.text
        assert not answer.declined
        assert set(case["row"]) <= set(rows[0]), answer.text
    else:
        assert sorted(rows, key=str) == sorted(case["rows"], key=str), answer.text
