"""Of thousands of groups those at an end are given, with all that tie."""

from __future__ import annotations

from router import Router

GROUPS = 2600


def rows() -> list[dict[str, object]]:
    """Two rows a buyer; two buyers share the highest total, and one has the lowest."""
    totals = [500 + number % 90 for number in range(GROUPS)]
    totals[1200] = totals[2400] = 9000
    totals[7] = 3
    return [
        {"Buyer": f"Firm {number:04}x", "Paid": amount}
        for number, total in enumerate(totals)
        for amount in (total, 1)
    ]


def test_the_groups_that_tie_at_the_top_are_all_given() -> None:
    with Router(writer="offline") as router:
        router.add(rows(), name="sales")
        answer = router.ask("which buyer has the highest total paid")
        assert {row[0] for row in answer.rows} == {"Firm 1200x", "Firm 2400x"}, answer.text
        assert any("2 rows share the first place" in warning for warning in answer.warnings)
        least = router.ask("which buyer has the lowest total paid")
        assert [row[0] for row in least.rows] == ["Firm 0007x"], least.text
