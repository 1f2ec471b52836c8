"""Questions over two tables that nothing was made for: odd names, blanks, currency signs."""

import json
from collections import Counter

import pytest

from benchmarks.golden import EVERYDAY
from router import Router
from router.evaluate import Verdict, evaluate, parse_cases


def verdicts(outcomes):
    return Counter(outcome.verdict for outcome in outcomes)


def wrong(outcomes):
    return [o.question for o in outcomes if o.verdict in (Verdict.WRONG, Verdict.FAILED)]


@pytest.mark.parametrize(("table", "least"), [("loans.csv", 24), ("trips.csv", 20)])
def test_tables_that_nothing_was_made_for_are_answered_right_or_declined(table, least):
    lines = (EVERYDAY / "unprepared.jsonl").read_text(encoding="utf-8").splitlines()
    records = [record for line in lines if (record := json.loads(line))["table"] == table]
    with Router(writer="offline") as tables:
        tables.add(EVERYDAY / table)
        outcomes = evaluate(tables, parse_cases(enumerate(records, 1))).outcomes
    assert wrong(outcomes) == []
    assert verdicts(outcomes)[Verdict.RIGHT] >= least
