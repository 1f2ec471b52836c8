"""What is asked with "no", "not" or "never": computed or declined, never answered without it."""

import pytest

from router import Route, Router

CREW = """\
Name,Deck,Duty,Pay,Cabin
Ada Holm,Upper,Asleep,410,12
Bo Lind,Upper,Awake,380,14
Cy Moe,Lower,Asleep,,15
Di Nes,Lower,Asleep,455,
Ed Oen,Middle,Awake,420,19
"""


@pytest.fixture(scope="module")
def crew(tmp_path_factory):
    path = tmp_path_factory.mktemp("crew") / "crew.csv"
    path.write_text(CREW, encoding="utf-8")
    with Router(writer="offline") as loaded:
        loaded.add(path)
        yield loaded


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who has no pay?", {"Cy Moe"}),
        ("Who has no cabin?", {"Di Nes"}),
        ("Which deck has no crew awake?", {"Lower"}),
        ("Which decks have nobody asleep?", {"Middle"}),
        ("Which decks without awake crew?", {"Lower"}),
        ("Which decks were never asleep?", {"Middle"}),
        ("Which deck has no awake crew with a pay over 400?", {"Lower", "Upper"}),
        ("Which decks have neither pay nor cabin?", set()),
        ("Which names have no deck?", set()),
    ],
)
def test_a_denial_is_computed_or_declined_and_never_dropped(crew, question, expected):
    answer = crew.ask(question)
    if answer.route is not Route.DECLINED:
        assert answer.route is Route.SQL
        assert {row[0] for row in answer.rows} == expected


def test_groups_with_no_such_row_are_all_groups_but_those_that_have_one(crew):
    answer = crew.ask("Which deck has no awake crew?")
    assert answer.rows == [("Lower",)]
    assert crew.ask("How many decks have no awake crew?").value == 1


def test_whether_there_are_none_is_no_filter(crew):
    assert crew.ask("Are there no crew awake?").value is not True


def test_a_blank_cell_is_what_who_has_no_asks_for(crew):
    assert crew.ask("Who has no pay?").rows == [("Cy Moe",)]


@pytest.mark.parametrize("route", [Route.ROW, Route.TABLE, Route.TEXT])
@pytest.mark.parametrize("word", ["no", "without", "not on", "never", "none of the", "neither"])
def test_a_quoted_row_or_table_does_not_drop_a_denial(crew, route, word):
    assert crew.ask(f"Which crew {word} duty?", route=route).route is Route.DECLINED


def test_a_denial_that_a_cell_or_header_says_is_no_denial():
    rows = [
        {"Job no": "12", "State": "Not started", "Hours": 4},
        {"Job no": "15", "State": "Under way", "Hours": 7},
    ]
    with Router(writer="offline") as loaded:
        loaded.add(rows, name="jobs")
        assert loaded.ask("What are the hours of job no 15?").value == 7
        assert str(loaded.ask("Which job is not started?").rows[0][0]) == "12"


def test_what_a_rules_case_denies_leaves_the_rule_open_to_quote(tmp_path):
    path = tmp_path / "pool.md"
    path.write_text("# Pool\n\nLockers left locked overnight are emptied by staff.\n")
    with Router(writer="offline") as loaded:
        loaded.add(path)
        answer = loaded.ask("What happens to lockers left overnight when they are not emptied?")
        assert answer.route is Route.TEXT
