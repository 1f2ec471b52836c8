"""Questions about what is not filled in: "missing weight", "the weight is unknown"."""

import pytest

from router import Router

GOODS = """\
Code,Colour,Weight,State
G-1,red,5,{lost}
G-2,red,,sold
G-3,blue,7,{lost}
G-4,green,,sold
"""


def _loaded(folder, lost):
    path = folder / "goods.csv"
    path.write_text(GOODS.format(lost=lost), encoding="utf-8")
    tables = Router(writer="offline")
    tables.add(path)
    return tables


@pytest.fixture(scope="module")
def goods(tmp_path_factory):
    with _loaded(tmp_path_factory.mktemp("goods"), "stored") as tables:
        yield tables


@pytest.mark.parametrize(
    "question",
    [
        "Which goods have no weight?",
        "goods with a missing weight",
        "For which goods is the weight unknown?",
        "goods whose weight is blank",
    ],
)
def test_rows_without_a_value_are_those_whose_cell_is_empty(goods, question):
    answer = goods.ask(question)
    assert [row[0] for row in answer.rows] == ["G-2", "G-4"], answer.text
    assert not answer.warnings


def test_a_cell_that_says_missing_is_a_cell(tmp_path):
    with _loaded(tmp_path, "missing") as tables:
        answer = tables.ask("How many goods are missing?")
        assert answer.value == 2
        answer = tables.ask("goods whose weight is not missing")
        assert answer.declined or [row[0] for row in answer.rows] == ["G-1", "G-3"]


@pytest.mark.parametrize(
    "question", ["goods whose weight is not missing", "goods without a missing weight"]
)
def test_what_is_not_missing_is_never_answered_with_what_is(goods, question):
    answer = goods.ask(question)
    assert answer.declined or [row[0] for row in answer.rows] == ["G-1", "G-3"]


REMARKED = """code,item,category,price,remark
K1,Oak shelf,Wood,40,end of line
K2,Steel shelf,Metal,55,
K3,Pine box,Wood,12,
K4,Tin box,Metal,9,two sizes
"""


@pytest.mark.parametrize(
    "question",
    ["which items have a remark", "items with a remark", "Which items have any remark?"],
)
def test_things_that_have_something_are_those_whose_cell_is_filled(tmp_path, question):
    (tmp_path / "shelves.csv").write_text(REMARKED, encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(tmp_path / "shelves.csv")
        answer = tables.ask(question)
        assert answer.rows == [("Oak shelf",), ("Tin box",)], answer.text
        assert tables.ask("how many items have a remark?").value == 2
        assert tables.ask("how many wood items have a remark?").value == 1
