"""Questions in Chinese and Japanese: read where every piece is known, else declined."""

import pytest

from router import Router

STOCK = [
    ["仓库", "产品", "数量", "价格"],
    ["东仓", "茶杯", 30, "12.50"],
    ["西仓", "茶杯", 20, "11.50"],
    ["东仓", "饭碗", 15, "8.00"],
]
SHOPS = [["店舗", "売上", "客数"], ["名古屋", 120, 30], ["神戸", 80, 25], ["京都", 60, 10]]


@pytest.fixture(scope="module")
def stock():
    with Router(writer="offline") as router:
        router.add(STOCK, name="库存")
        yield router


@pytest.fixture(scope="module")
def shops():
    with Router(writer="offline") as router:
        router.add(SHOPS, name="売上")
        yield router


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("东仓的数量总和是多少?", 45),
        ("茶杯的平均价格是多少？", 12),
        ("西仓的数量是多少", 20),
        ("总数量是多少?", 65),
        ("东仓和西仓的数量合计", 65),
        ("有多少条记录?", 3),
        ("有多少个产品?", 2),
        ("最低价格是多少?", 8),
        ("哪个产品的价格最低?", "饭碗"),
    ],
)
def test_a_chinese_question_is_answered(stock, question, value):
    assert stock.ask(question).value == value


def test_groups_are_asked_for_before_or_after_their_column(stock, shops):
    assert sorted(stock.ask("每个仓库的数量合计").rows) == [("东仓", 45), ("西仓", 20)]
    rows = sorted(shops.ask("店舗ごとの売上の合計は?").rows)
    assert rows == [("京都", 60), ("名古屋", 120), ("神戸", 80)]


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("神戸の売上は何ですか?", 80),
        ("売上の合計は?", 260),
        ("売上が最も高い店舗は?", "名古屋"),
        ("客数が一番少ない店舗はどこですか?", "京都"),
    ],
)
def test_a_japanese_question_is_answered(shops, question, value):
    assert shops.ask(question).value == value


@pytest.mark.parametrize(
    "question",
    [
        "南仓的数量合计是多少?",
        "东仓的重量合计是多少?",
        "不是东仓的数量合计",
        "除了东仓的数量合计",
        "数量大于20的产品",
        "东仓2024年的数量合计",
        "东仓和产品的数量合计",
    ],
)
def test_a_question_with_an_unknown_piece_is_declined(stock, question):
    assert stock.ask(question).declined


def test_the_answer_tells_how_the_question_was_read(stock):
    answer = stock.ask("东仓的数量总和是多少?")
    assert answer.question == "东仓的数量总和是多少?"
    assert answer.read_as == "What is the total 数量 of 东仓?"
