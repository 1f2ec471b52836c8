"""Follow-ups, offline: what is changed in the last question, and what is left alone."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from benchmarks.dialogues import DEFAULT, run
from router import Route, Router
from router.errors import UsageError

ANALYST = DEFAULT.parent / "dialogues_of_an_analyst"
GOLDEN = Path(__file__).parent / "data" / "follow_ups"


@pytest.fixture(scope="module")
def tables():
    with Router(writer="offline") as loaded:
        loaded.add(str(DEFAULT / "*.csv"))
        yield loaded


def whole(tables, *questions):
    """What the last of some questions was read as."""
    history = []
    for question in questions:
        history.append(tables.ask(question, history=history))
    return history[-1].read_as


READINGS = [
    ("What is the total hours by team?", "and by agent?", "What is the total hours by agent"),
    ("How many tickets are open?", "and closed?", "How many tickets are closed"),
    ("What is the total hours?", "and the average?", "What is the average hours"),
    (
        "How many tickets were opened in March 2025?",
        "and in April 2025?",
        "How many tickets were opened in April 2025",
    ),
    (
        "What is the total hours by team?",
        "only Lena",
        "What is the total hours where agent is Lena by team",
    ),
    (
        "What is the priority of ticket T0100?",
        "and the agent?",
        "What is the agent of ticket T0100",
    ),
]


@pytest.mark.parametrize(("first", "second", "expected"), READINGS)
def test_a_follow_up_changes_one_thing_of_the_last_question(tables, first, second, expected):
    assert whole(tables, first, second) == expected


MORE_READINGS = [
    ("How many tickets are open?", "only Lena and Jutta",
     "How many tickets are open where agent is Lena or Jutta"),
    ("Total hours by agent", "by team instead", "Total hours by team"),
    ("Tickets with hours over 20", "and over 22?", "Tickets with hours over 22"),
    ("Tickets of Lena", "how many?", "How many Tickets of Lena"),
    ("How many tickets does Jutta have?", "how many does Lena?",
     "How many tickets does Lena have"),
    ("What is the average hours by team?", "just by agent", "What is the average hours by agent"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "expected"), MORE_READINGS)
def test_short_lines_of_an_analyst_are_read(tables, first, second, expected):
    assert whole(tables, first, second) == expected


def ask(tables, *questions):
    history = []
    for question in questions:
        history.append(tables.ask(question, history=history))
    return history[-1]


def test_what_has_the_extreme_is_found_by_a_column(tables):
    (highest,) = tables.sql("SELECT max(hours) FROM tickets").rows[0]
    rows = tables.sql(f"SELECT DISTINCT agent FROM tickets WHERE hours = {highest}").rows
    answer = ask(tables, "highest hours", "which agent?")
    assert sorted(answer.rows) == sorted(rows)
    opened = ask(tables, "highest hours", "which agent?", "when was it?")
    assert "opened" in opened.columns


def test_an_average_is_of_no_one_row(tables):
    assert ask(tables, "average hours", "which agent?").declined


def test_groups_are_sorted_and_the_most_is_told(tables):
    by_size = ask(tables, "number of tickets by team", "sort by count, highest first")
    counts = [row[1] for row in by_size.rows]
    assert counts == sorted(counts, reverse=True)
    most = ask(tables, "number of tickets by team", "which is the most common?")
    assert {row[1] for row in most.rows} == {counts[0]}


@pytest.mark.parametrize(
    ("said", "order"),
    [("sort descending", -1), ("lowest first", 1), ("now sort them, ascending", 1)],
)
def test_groups_of_one_measure_are_sorted_by_it(tables, said, order):
    counts = [row[1] for row in ask(tables, "number of tickets by team", said).rows]
    assert len(counts) > 1
    assert counts == sorted(counts)[::order]


def test_counts_are_told_as_shares_and_means_are_not(tables):
    shares = [row[1] for row in ask(tables, "number of tickets by team", "as a percentage").rows]
    assert sum(shares) == pytest.approx(100)
    assert ask(tables, "average hours by team", "as a percentage").declined


def test_a_bare_measure_after_some_rows_is_asked_back(tables):
    asked_back = ask(tables, "How many tickets are open?", "total hours")
    assert asked_back.declined
    assert "their total hours" in asked_back.text
    assert not ask(tables, "How many tickets are there?", "total hours").declined


def test_what_a_share_is_of_is_never_narrowed(tables):
    assert ask(tables, "share of tickets that are open", "only Lena").declined


def test_a_line_that_was_not_understood_is_told_with_the_next_answer(tables):
    answer = ask(tables, "How many tickets are open?", "only the urgent bananas", "and by team?")
    assert not answer.declined
    assert any("only the urgent bananas" in warning for warning in answer.warnings)


def test_a_whole_question_is_left_alone(tables):
    assert whole(tables, "How many tickets are open?", "What is the total hours?") is None


BOATS = [
    {"boat": boat, "berth": berth, "owner": owner, "length": length, "draught": draught}
    for boat, berth, owner, length, draught in [
        ("Alma", "B-101", "Voss, Ida", 9, 1),
        ("Brise", "B-102", "Voss, Jan", 12, 2),
        ("Corvo", "B-103", "Lund, Per", 7, 1),
    ]
]


@pytest.fixture(scope="module")
def boats():
    with Router(writer="offline") as loaded:
        loaded.add(BOATS, name="boats")
        yield loaded


def test_a_code_that_does_not_exist_never_becomes_one_that_does(boats):
    first = boats.ask("What is the length of B-102?")
    assert first.value == 12
    for other in ("and B-109?", "what about B-1010?", "and of C-103?"):
        assert boats.ask(other, history=[first]).declined
    assert boats.ask("and B-103?", history=[first]).value == 7


def test_a_name_that_several_rows_have_is_not_one_of_them(boats):
    first = boats.ask("What is the length of Lund, Per?")
    assert first.value == 7
    assert boats.ask("and Voss?", history=[first]).value is None


def test_another_column_is_named_as_said(boats):
    first = boats.ask("What is the length of Corvo?")
    assert boats.ask("and the draught?", history=[first]).value == 1
    assert boats.ask("and the price?", history=[first]).declined


def test_what_was_asked_for_is_denied_in_its_place(tables):
    for denied in ("and not open?", "other than open?", "without the open ones"):
        assert (
            whole(tables, "How many tickets are open?", denied) == "How many tickets are not open"
        )


def test_them_are_the_rows_that_were_counted(tables):
    first = tables.ask("How many tickets are open?")
    for line in ("list them", "which ones?", "who are they?"):
        listed = tables.ask(line, history=[first])
        assert (listed.read_as, len(listed.rows)) == ("How many tickets are open", first.value)


def test_a_line_that_points_at_the_last_answer_is_never_asked_alone(tables):
    first = tables.ask("What is the total hours by team?")
    for line in ("who are they?", "and their average?", "sort these"):
        assert tables.ask(line, history=[first]).declined


def test_words_that_have_no_place_are_never_dropped(tables):
    first = tables.ask("How many tickets are open?")
    for line in ("and closed bananas?", "only the urgent network ones"):
        answer = tables.ask(line, history=[first])
        assert answer.declined or "urgent" in (answer.read_as or "")


def test_a_month_keeps_its_year(tables):
    first = "How many tickets were opened in March 2025?"
    assert whole(tables, first, "and in May?") == "How many tickets were opened in May 2025"


def test_a_follow_up_that_was_declined_is_passed_over(tables):
    first = tables.ask("What is the total hours by team?")
    lost = tables.ask("and the bananas?", history=[first])
    again = tables.ask("and by agent?", history=[first, lost])
    assert again.read_as == "What is the total hours by agent"


def test_why_gives_the_grounds_of_the_last_answer(tables):
    first = tables.ask("How many tickets are open?")
    why = tables.ask("why?", history=[first])
    assert first.sql in why.text
    assert "tickets.csv" in why.text


def test_a_follow_up_that_cannot_be_placed_is_declined_and_never_guessed(tables):
    first = tables.ask("How many tickets are open?")
    answer = tables.ask("and the bananas?", history=[first])
    assert answer.declined
    assert "whole question" in answer.text


def test_nothing_is_built_on_a_declined_answer(tables):
    declined = tables.ask("How many tickets are about bananas?")
    assert declined.declined
    assert tables.ask("and by team?", history=[declined]).declined


def test_history_may_be_texts_pairs_and_mappings(tables):
    for history in (
        ["How many tickets are open?"],
        [("How many tickets are open?", "SELECT 1")],
        [{"question": "How many tickets are open?", "sql": None}],
    ):
        answer = tables.ask("and closed?", history=history)
        assert answer.read_as == "How many tickets are closed"
    with pytest.raises(UsageError):
        tables.ask("and closed?", history=[5])


@pytest.mark.parametrize("folder", [DEFAULT, ANALYST], ids=lambda folder: folder.name)
def test_no_follow_up_turns_a_right_dialogue_wrong(folder):
    dialogues = defaultdict(list)
    for turn in run(folder):
        dialogues[turn.dialogue].append(turn)
    begun_right = [turns for turns in dialogues.values() if turns[0].outcome == "right"]
    followed = [turn for turns in begun_right for turn in turns[1:]]
    assert [turn for turn in followed if turn.outcome == "wrong"] == []
    assert sum(turn.outcome == "right" for turn in followed) >= 0.8 * len(followed)


LINES = (GOLDEN / "follow_ups.jsonl").read_text(encoding="utf-8").splitlines()
DIALOGUES = [json.loads(line) for line in LINES]


@pytest.fixture(scope="module")
def harbour():
    with Router(writer="offline") as loaded:
        loaded.add(str(GOLDEN / "*.csv"))
        yield loaded


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=lambda dialogue: dialogue["id"])
def test_each_turn_of_a_dialogue_is_answered_or_declined_as_told(harbour, dialogue):
    history = []
    for turn in dialogue["turns"]:
        answer = harbour.ask(turn["question"], history=history)
        history.append(answer)
        told = (turn["question"], answer.read_as, answer.text)
        assert answer.declined == turn.get("declined", False), told
        if "value" in turn:
            assert str(answer.value) == turn["value"], told
        elif isinstance(turn.get("rows"), int):
            assert len(answer.rows) == turn["rows"], told
        elif "rows" in turn:
            rows = [[str(cell) for cell in row] for row in answer.rows]
            assert sorted(rows) == sorted(turn["rows"]), told


def test_a_code_that_is_not_there_is_told_with_those_near_it(harbour):
    first = harbour.ask("Berth of Petrel")
    answer = harbour.ask("and Petrol?", history=[first])
    assert answer.text == 'No Vessel is called "Petrol". Near: "Petrel".'


def test_a_name_that_fits_two_rows_is_told_with_both(harbour):
    first = harbour.ask("Quiz 1 of Berg, Nils")
    answer = harbour.ask("and Aziz?", history=[first])
    assert '"Aziz, Samir", "Aziz, Sara"' in answer.text


def test_listed_rows_say_which_question_they_belong_to(harbour):
    first = harbour.ask("How many loans are late?")
    answer = harbour.ask("list them", history=[first])
    assert answer.read_as == "How many loans are late"
    assert answer.reason == "The rows of the last answer."
    assert {row[3] for row in answer.rows} == {"late"}


def test_a_declined_whole_question_is_no_base(harbour):
    history = [harbour.ask("How many loans are late?")]
    history.append(harbour.ask("How many loans were eaten by wolves?", history=history))
    assert history[-1].declined
    assert harbour.ask("by branch", history=history).declined


def test_among_many_tables_a_follow_up_finds_the_one_that_was_asked_about():
    with Router(writer="offline") as tables:
        for number in range(50):
            lines = [["crate", "quay", f"load {number}"]]
            lines += [[f"C{number}-{row}", ("Rope", "Tar")[row % 2], str(row)] for row in range(6)]
            tables.add(lines, name=f"manifest {number}")
        first = tables.ask("What is the total load 37 of manifest 37?")
        assert first.value == 15
        second = tables.ask("and only on the Tar quay?", history=[first])
        third = tables.ask("and on Rope?", history=[first, second])
    assert (second.value, third.value) == (9, 6)


@pytest.fixture(scope="module")
def gifts(tmp_path_factory):
    path = tmp_path_factory.mktemp("gifts") / "gifts.csv"
    lines = ["Gift,Giver,Fund,Way,Day,Amount,Thanked"]
    lines += ["G1,Ann,Well,card,2025-03-04,10,yes", "G2,Bob,Roof,cash,2025-01-09,20,no"]
    lines += ["G3,Ann,Roof,card,2025-02-11,40,no", "G4,Cal,Well,cash,2025-01-02,80,yes"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with Router(writer="offline") as loaded:
        loaded.add(path)
        yield loaded


@pytest.mark.parametrize(
    ("follow_up", "expected"),
    [
        ("only the thanked ones", [("Well", 90)]),
        ("only by card", [("Roof", 40), ("Well", 10)]),
        ("by way", [("card", 50), ("cash", 100)]),
    ],
)
def test_a_flag_or_a_cell_narrows_and_the_groups_stay(gifts, follow_up, expected):
    first = gifts.ask("total amount by fund")
    assert gifts.ask(follow_up, history=[first]).rows == expected


def test_who_was_first_after_some_rows_may_be_of_them_or_of_all(gifts):
    listed = gifts.ask("gifts to the Roof fund")
    assert gifts.ask("who was first?", history=[listed]).declined


def test_rows_that_have_both_are_no_whole_table(gifts):
    assert gifts.ask("gifts with both a fund and a way").route is not Route.TABLE
