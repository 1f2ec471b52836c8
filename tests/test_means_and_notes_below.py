"""A mean by any name and the notes below it are no records; a record that only sounds so is one."""

import pytest

from router import Router

ROWS = [
    ("Asha", "Oak", 50, 46),
    ("Bram", "Elm", 41, 57),
    ("Chloe", "Oak", 43, 32),
    ("Dario", "Elm", 68, 66),
    ("Elif", "Oak", 60, 81),
    ("Finn", "Elm", 75, 78),
]
HEADER = ("No", "Pupil", "House", "Maths", "Art")


def asked(last, question, *, notes=(), numbered=True):
    """The answer to a question about the rows, a last one of these cells, and lines below."""
    rows = [HEADER, *((i, *row) for i, row in enumerate(ROWS, 1)), *last]
    cut = 0 if numbered else 1
    lines = [[str(cell) for cell in row[cut:]] for row in rows]
    lines += [[note, *[""] * (len(lines[0]) - 1)] for note in notes]
    with Router(writer="offline") as tables:
        report = tables.add(lines, name="class")
        return report.tables[0], tables.ask(question)


LAST = {
    "Class average": (56.2, 60.0),
    "Group mean": (56.2, 60.0),
    "Klassendurchschnitt": (56.2, 60.0),
    "Highest": (75, 81),
    "Lowest": (41, 32),
    "Count": (6, 6),
}


@pytest.mark.parametrize("numbered", [True, False])
@pytest.mark.parametrize("label", LAST)
def test_a_row_that_states_a_figure_of_the_others_is_no_record(label, numbered):
    last = [("", label, "", *LAST[label])]
    told, answer = asked(last, "what is the total maths?", numbered=numbered)
    assert told.totals == (6,)
    assert answer.value == 337


def test_a_row_called_a_mean_that_states_another_number_is_a_record():
    told, answer = asked([(7, "Average Joe", "Elm", 20, 30)], "what is the total maths?")
    assert told.totals == ()
    assert answer.value == 357


def test_a_record_named_max_that_leads_its_table_is_a_record():
    told, _ = asked([(7, "Max", "", 99, 98)], "what is the total maths?")
    assert told.totals == ()


@pytest.mark.parametrize(
    "note", ["x = absent. Pass mark 40.", "Marks are out of a hundred", "Marked by hand."]
)
def test_a_line_of_words_below_numbers_is_a_note(note):
    rows = [(7, "Gwen", "Oak", "x", 40), ("", "Class average", "", 56.2, 57.1)]
    told, answer = asked(rows, "how many pupils are there?", notes=[note])
    assert [line.text for line in told.set_aside] == [note]
    assert answer.value == 7
    assert dict(told.columns)["No"].kind == "integer"
    assert not dict(told.columns)["No"].mixed


def test_a_lone_name_below_names_stays_a_record():
    told, _ = asked([], "how many pupils are there?", notes=["Gwen Mary Ann Jones"], numbered=False)
    assert told.rows_kept == 7
