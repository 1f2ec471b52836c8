"""Numbers that belong to a header are no cells, bounds or counts: "week 2", "24/25"."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from router import Router
from tests.each_alone import each_alone

SCORES = """No,Rider,Club,Stage 1 > Sprint,Stage 1 > Climb,Stage 2 > Sprint,Stage 2 > Climb
1,Ana Ferro,North,12,33,25,40
2,Ben Achterberg,South,22,31,17,28
3,Cleo Vance,North,18,45,11,37
4,Dov Marek,South,9,27,30,22
5,Eli Sorn,East,15,38,19,31
"""
GRANTS = """Programme,Area,2022/23 spent,2023/24 spent,2024/25 planned
Footpaths,Parks,120,135,150
Playgrounds,Parks,310,280,295
Archive,Culture,90,95,60
Choirs,Culture,45,52,58
Harbour lights,Roads,400,380,410
"""


@pytest.fixture(scope="module")
def routers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Router]]:
    tables = {"riders": SCORES, "grants": GRANTS}
    with each_alone(tables, tmp_path_factory.mktemp("headers")) as routers:
        yield routers


@pytest.mark.parametrize(
    ("table", "question", "value"),
    [
        ("riders", "sum of stage 1 sprint", 76),
        ("riders", "lowest stage 2 climb", 22),
        ("riders", "highest stage 1 climb", 45),
        ("riders", "how many riders had more than 18 in stage 2 sprint", 3),
        ("grants", "which programme has the largest spent in 23/24", "Harbour lights"),
        ("grants", "total spent on parks in 22/23", 430),
        ("grants", "lowest planned 24/25", 58),
        ("grants", "difference between choirs and archive 23/24", 43),
    ],
)
def test_the_number_names_the_column(
    routers: dict[str, Router], table: str, question: str, value: object
) -> None:
    answer = routers[table].ask(question)
    told = answer.value if isinstance(value, str) else int(float(str(answer.value)))
    assert told == value, answer.text


def test_the_top_three_of_a_numbered_column_are_three_rows(routers: dict[str, Router]) -> None:
    answer = routers["riders"].ask("top 3 riders by stage 2 climb")
    names = {cell for row in answer.rows for cell in row if isinstance(cell, str)}
    assert {"Ana Ferro", "Cleo Vance", "Eli Sorn"} <= names, answer.text
    assert "Ben Achterberg" not in names


def test_a_year_that_no_header_says_is_not_left_out(routers: dict[str, Router]) -> None:
    answer = routers["grants"].ask("which programme has the largest budget in 25/26")
    assert answer.route == "declined", answer.text


def test_a_dash_between_two_numbers_that_follow_is_a_range(routers: dict[str, Router]) -> None:
    answer = routers["riders"].ask("how many riders had a stage 2 sprint of 17-18")
    assert answer.value == 1, answer.text
