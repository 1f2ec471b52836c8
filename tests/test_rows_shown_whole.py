"""Where it is clear which rows are meant, and not which of their columns, all of them are shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from router import Router
from tests.each_alone import each_alone

TOOLS = """Code,Tool,Maker,Kind,Latin,Price,Hired,Sharp
A1,Adze,Holt,axe,ascia,14.00,Mon,y
A2,Froe,Brandt,wedge,cuneus,11.50,Tue,n
A3,Hatchet,Holt,axe,securis,19.00,Mon,n
A4,Maul,Voss,hammer,malleus,22.00,Wed,n
A5,Felling axe,Voss,axe,bipennis,31.00,Fri,y
"""


@pytest.fixture(scope="module")
def routers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Router]]:
    with each_alone({"tools": TOOLS}, tmp_path_factory.mktemp("whole")) as routers:
        yield routers


@pytest.mark.parametrize(
    ("question", "codes"),
    [("which axes are sharp", {"A1", "A5"}), ("list the axes by Voss", {"A5"})],
)
def test_all_columns_of_the_rows_are_shown(
    routers: dict[str, Router], question: str, codes: set[str]
) -> None:
    answer = routers["tools"].ask(question)
    assert {row[0] for row in answer.rows} == codes, answer.text


def test_a_named_column_is_shown_alone(routers: dict[str, Router]) -> None:
    answer = routers["tools"].ask("which makers have axes")
    assert {cell for row in answer.rows for cell in row} == {"Holt", "Voss"}, answer.text


def test_who_is_no_whole_row(routers: dict[str, Router]) -> None:
    answer = routers["tools"].ask("who is on Monday")
    assert answer.route == "declined", answer.text
