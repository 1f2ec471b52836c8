import pytest

from retrieval.metrics import (
    Fact,
    first_rank,
    holds_pair,
    holds_strictly,
    mean_reciprocal_rank,
    recall_at,
)

FEE = Fact("Gold plan", "Fee", "12 EUR")


def test_the_strict_check_wants_name_header_and_value_in_one_chunk():
    assert holds_strictly("Plan: Gold plan | Fee: 12 EUR", FEE)
    assert holds_strictly("fee\ngold plan 12 eur", FEE)
    assert not holds_strictly("Gold plan 12 EUR", FEE)


def test_the_pair_check_wants_header_and_value_as_one_pair():
    assert holds_pair("Plan: Gold plan | Fee: 12 EUR", FEE)
    assert not holds_pair("Plan | Fee\nGold plan | 12 EUR", FEE)


def test_ranks_become_recall_and_mean_reciprocal_rank():
    ranks = [0, 2, None, 9]
    assert recall_at(1, ranks) == 0.25
    assert recall_at(3, ranks) == 0.5
    assert mean_reciprocal_rank(ranks) == pytest.approx((1 + 1 / 3 + 1 / 10) / 4)
    assert recall_at(3, []) == mean_reciprocal_rank([]) == 0.0


def test_the_first_chunk_that_passes_gives_the_rank():
    chunks = ["nothing", "Fee\nGold plan 12 EUR", "Gold plan | Fee: 12 EUR"]
    assert first_rank(chunks, FEE) == 1
    assert first_rank(chunks, FEE, pair=True) == 2
    assert first_rank([], FEE) is None
