"""A denied cell of a typed column: yes and no, numbers and dates are compared as what they are."""

import pytest

from router import Router

FORMS = {"yes/no": ("yes", "no"), "Y/N": ("Y", "N"), "TRUE/FALSE": ("TRUE", "FALSE")}
ROWS = (
    ("P-1", "red", True, 4),
    ("P-2", "red", False, 4),
    ("P-3", "blue", False, 7),
    ("P-4", "red", True, 9),
    ("P-5", "green", False, 4),
)


@pytest.fixture(scope="module", params=sorted(FORMS))
def parts(request, tmp_path_factory):
    yes, no = FORMS[request.param]
    lines = [f"{code},{colour},{yes if gone else no},{size}" for code, colour, gone, size in ROWS]
    path = tmp_path_factory.mktemp("parts") / "parts.csv"
    path.write_text("\n".join(["Part,Colour,Discontinued,Drawer", *lines]), encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(path)
        yield tables


def _parts(answer):
    return [row[0] for row in answer.rows]


def test_red_parts_that_are_not_discontinued_are_those(parts):
    answer = parts.ask("red parts that are not discontinued")
    assert _parts(answer) == ["P-2"], answer.text


def test_both_of_two_denials_hold(parts):
    answer = parts.ask("parts that are not discontinued and not red")
    assert answer.declined or _parts(answer) == ["P-3", "P-5"], answer.text


def test_a_cell_denied_first_leaves_the_second_denial_alone(parts):
    answer = parts.ask("not red and not discontinued parts")
    assert answer.declined or _parts(answer) == ["P-3", "P-5"], answer.text


def test_the_share_of_what_is_not_so_is_no_whole(parts):
    answer = parts.ask("What share of the parts are not discontinued?")
    assert answer.declined or answer.value == 60, answer.text


def test_a_count_of_what_is_not_so(parts):
    assert parts.ask("How many parts are not discontinued?").value == 3


def test_a_header_that_asks_is_named_by_its_word(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text("Job,Vehicle,Paid?\nJ-1,Car,yes\nJ-2,Car,no\nJ-3,Van,no\n", encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(path)
        assert _parts(tables.ask("jobs that are not paid")) == ["J-2", "J-3"]
        assert tables.ask("What percentage of car jobs are paid?").value == 50
