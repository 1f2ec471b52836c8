"""No row, or 0, is an answer as any other where every word of the question found its place."""

import pytest

from router import Router

ROWS = """\
Hut,Valley,Beds,Kind
Alm,Ost,12,open
Berg,Ost,30,open
Col,West,18,closed
Dent,West,44,open
Eck,Sud,9,closed
Fels,Sud,25,open
"""


@pytest.fixture(scope="module")
def huts(tmp_path_factory):
    path = tmp_path_factory.mktemp("huts") / "huts.csv"
    path.write_text(ROWS, encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(path)
        yield tables


@pytest.mark.parametrize(
    "question",
    [
        "Which huts in Ost are closed?",
        "Huts with more than 50 beds",
        "Huts in Sud with more than 30 beds",
        "Open huts in West with fewer than 20 beds",
    ],
)
def test_no_row_is_given_as_none(huts, question):
    answer = huts.ask(question)
    assert answer.route == "sql"
    assert list(answer.rows) == []


@pytest.mark.parametrize("question", ["Huts in Ost of the kind shut", "Huts of Nord", "Grey huts"])
def test_what_no_cell_says_is_declined_and_not_none(huts, question):
    assert huts.ask(question).route == "declined"


@pytest.mark.parametrize(
    "question",
    [
        "which valley has the highest median beds with more than 50 beds",
        "top 2 valleys by median beds with more than 50 beds",
    ],
)
def test_groups_of_no_rows_are_none_and_no_fault(huts, question):
    answer = huts.ask(question)
    assert list(answer.rows) == [], answer.text


STAYS = """\
Guest,Arrived,Total
Harriet Dunn,2025-01-04,120
Owen Marsh,2025-02-11,90
Ines Porter,2025-02-20,75
Tom Birch,2025-03-02,60
"""


def test_none_is_no_answer_about_somebody_whose_name_is_only_like_a_cell(tmp_path):
    path = tmp_path / "stays.csv"
    path.write_text(STAYS, encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(path)
        assert tables.ask("What is the total of Harriet Dunn in May?").route == "sql"
        assert tables.ask("What is the total of Harriet Dunne in May?").route == "declined"
