"""Whole tables and paragraphs that hold a question's words and yet are no answer: a total beside a
column Total, a month of many, a mark's meaning, a figure of each, what was so of all.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from router import Route, Router

MILLS = """Valley mills monthly output 2031 (t)
Source: meters; * = mill idle the whole month
Mill,Valley,Jan,Feb,Mar,Total
Alder,North,12,9,7,28
Birch,North,*,4,6,10
Cedar,South,5,8,3,16
"""
YARD = """# Otter yard

Boats lie at four piers. Wood above 15 % damp is not sold, and wood is stacked at two piers.

## Piers

| Pier | Side |
|---|---|
| P1 | north |
| P2 | south |
"""
STAYS = """Booking,Guest,Nights,Guests,Total
B-1,Ada Poll,3,2,90
B-2,Ben Rask,5,4,200
B-3,Ada Poll,1,1,40
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Router]]:
    folder = tmp_path_factory.mktemp("parts")
    routers = {}
    for name, text in {"mills.csv": MILLS, "yard.md": YARD, "stays.csv": STAYS}.items():
        (folder / name).write_text(text, encoding="utf-8")
        routers[name] = Router(writer="offline")
        routers[name].add(folder / name)
    yield routers
    for router in routers.values():
        router.close()


@pytest.mark.parametrize(
    ("file", "question"),
    [
        ("mills.csv", "Which mills were idle in some month?"),
        ("mills.csv", "Which mills were idle?"),
        ("mills.csv", "What was the output in March?"),
        ("yard.md", "wood by pier"),
        ("yard.md", "wood per pier"),
        ("yard.md", "Was the wood of all piers above 15 % damp?"),
    ],
)
def test_a_part_is_not_told_by_the_whole(
    asked: dict[str, Router], file: str, question: str
) -> None:
    answer = asked[file].ask(question)
    assert answer.route not in (Route.TABLE, Route.TEXT), answer.text
    assert answer.declined or "March" in question


def test_a_legend_above_a_table_is_a_note_and_no_title(asked: dict[str, Router]) -> None:
    table = asked["mills.csv"].catalog.tables[0].table
    assert table.title == "Valley mills monthly output 2031 (t)"
    assert any("mill idle" in note.text for note in table.notes)
    assert table.columns[2].type.unit == "t"


def test_a_total_of_a_column_is_computed_beside_a_column_total(asked: dict[str, Router]) -> None:
    assert asked["stays.csv"].ask("What is the total nights?").value == 9
    assert asked["stays.csv"].ask("What is the total of B-2?").value == 200


def test_of_headers_that_differ_in_their_ending_the_written_one_is_meant(
    asked: dict[str, Router],
) -> None:
    assert asked["stays.csv"].ask("What is the guests of B-2?").value == 4
    assert asked["stays.csv"].ask("Who is the guest of B-2?").value == "Ben Rask"


def test_words_of_a_tables_whole_name_are_no_condition_on_it(tmp_path) -> None:
    (tmp_path / "hires_x.csv").write_text("Hire,Fee,Paid\nH-1,10,x\nH-2,20,\nH-3,5,x\n")
    (tmp_path / "rowing.csv").write_text("Crew,Seat\nHeron,8\nTern,4\n")
    with Router(writer="offline") as tables:
        tables.add(tmp_path)
        assert tables.ask("What is the total fee in hires x?").value == 35
        assert tables.ask("How many rows does hires x have?").value == 3
        assert tables.ask("How many rows does rowing have?").value == 2
