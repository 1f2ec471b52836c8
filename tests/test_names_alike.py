"""A name that is spelt otherwise than the cell which answers is told; a plural is none."""

import pytest

from router import Router

PAY = [
    {"Name": "Harriet Dunn", "Dept": "Ops", "Total": 120},
    {"Name": "Tom Birch", "Dept": "Sales", "Total": 340},
    {"Name": "Ana Reeve", "Dept": "Sales", "Total": 210},
]


@pytest.fixture(scope="module")
def pay():
    with Router(writer="offline") as router:
        router.add(PAY, name="pay")
        yield router


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("What is the total of Tom Birches?", '"Birches" is read as "Tom Birch"'),
        ("total for Ana Reeves", '"Reeves" is read as "Ana Reeve"'),
    ],
)
def test_a_name_of_the_same_stem_is_told(pay, question, note):
    answer = pay.ask(question)
    assert answer.declined or note in answer.warnings


@pytest.mark.parametrize("question", ["total for Tom Birch's", "What is the total of Tom Birch?"])
def test_the_same_name_is_told_without_a_note(pay, question):
    answer = pay.ask(question)
    assert (answer.value, answer.warnings) == (340, ())
