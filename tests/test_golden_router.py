"""The sample and everyday questions through `Router.ask`, offline, against gold from elsewhere.

`python -m benchmarks golden NAME` prints every failing case in full. The paraphrases and the three
tables' wordings are many: each run here asks every fifth, `GOLDEN=all` asks all of them.
"""

import os

import pytest

from benchmarks import golden
from router.evaluate import Verdict
from router.evaluation.run import Run

STEP = 1 if os.environ.get("GOLDEN") == "all" else 5


def share(run: Run, verdict: Verdict) -> float:
    return sum(outcome.verdict is verdict for outcome in run.outcomes) / len(run.outcomes)


def failing(run: Run) -> str:
    return "\n".join(golden.describe(run))


@pytest.mark.parametrize(
    ("name", "step", "right"),
    [
        ("sample", 1, 1.0),
        ("paraphrases", STEP, 0.9),
        ("everyday", 1, 0.95),
        ("three", STEP, 0.95),
        ("messy", 1, 0.86),
        ("neutral", 1 if STEP == 1 else 3, 0.6),
        ("analyst", 1, 0.8),
        ("newcomer", 1, 0.85),
        ("library", 1, 0.7),
    ],
)
def test_questions_are_right_or_declined_and_none_is_wrong(name, step, right):
    run = golden.run(name, step)
    assert share(run, Verdict.WRONG) + share(run, Verdict.FAILED) == 0, failing(run)
    assert share(run, Verdict.RIGHT) >= right, failing(run)
