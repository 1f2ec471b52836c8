"""A rival reading that could not be computed is told, never taken to agree."""

import pytest

from router import Router
from sql_engine.writer import Alternative, Draft

ROWS = "\n".join(["n", *(str(i) for i in range(3000))])
ENDLESS = 'SELECT COUNT(*) FROM "many" a, "many" b, "many" c, "many" d WHERE a.n + b.n > c.n * d.n'


class TwoReadings:
    """Writes one quick query, and beside it one that never ends."""

    name = "two"
    max_attempts = 1
    knows_language = True

    def __init__(self, rival):
        self._rival = Alternative("pairs of pairs", ENDLESS, rival)

    def write(self, request):
        return Draft('SELECT SUM("n") FROM "many"', "the sum", 0.8, (self._rival,))


@pytest.fixture
def many(tmp_path):
    path = tmp_path / "many.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


@pytest.mark.parametrize(("confidence", "declined"), [(0.78, True), (0.3, False)])
def test_a_likely_rival_that_ran_out_of_time_is_asked_back(many, confidence, declined):
    with Router(writer=TwoReadings(confidence), timeout_s=0.5) as tables:
        tables.add(many)
        answer = tables.ask("What is the total of n?")
    assert answer.declined is declined
    assert any("not computed" in other.reading for other in answer.alternatives)
