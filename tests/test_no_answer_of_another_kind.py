"""What has the words of a question and is no answer: totals, ingredients, dates for people."""

import pytest

from router import Route, Router

HARVEST = [
    ["Vineyard", "Zone", "Crates", "Price per crate (€)", "In stock", "Picked on", "Foreman"],
    ["Alma", "Upper", "120", "€31.00", "14", "2025-09-02", "Ruiz"],
    ["Brisa", "Upper", "80", "€28.50", "9", "2025-09-05", "Costa"],
    ["Cumbre", "Lower", "200", "€22.00", "31", "2025-09-11", "Ruiz"],
    ["Delta", "Lower", "150", "€24.75", "20", "2025-05-14", "Moya"],
    ["Total", "", "550", "", "74", "", ""],
]


@pytest.fixture(scope="module")
def harvest():
    with Router(writer="offline") as router:
        router.add(HARVEST, name="harvest")
        yield router


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("total crates by zone", [("Lower", 350), ("Upper", 200)]),
        ("crates per zone", [("Lower", 350), ("Upper", 200)]),
        ("price per kg of Alma", None),
        ("What's the stock value of Alma?", None),
        ("Who picked Alma?", None),
        ("Why was Brisa picked?", None),
        ("How long did it take to pick Cumbre?", None),
        ("vineyards picked in May", [("Delta",)]),
        ("Vineyards with more crates than Brisa", [("Alma",), ("Cumbre",), ("Delta",)]),
    ],
)
def test_what_is_asked_is_computed_or_declined(harvest, question, right):
    answer = harvest.ask(question)
    rows = sorted(tuple(row[:2]) if len(row) > 1 else tuple(row) for row in answer.rows)
    assert answer.declined or (right is not None and [r[: len(right[0])] for r in rows] == right)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("Who is the foreman of Alma?", "Ruiz"),
        ("What is the price per crate of Brisa?", "28.50"),
        ("When was Cumbre picked?", "2025-09-11"),
    ],
)
def test_what_a_header_says_is_looked_up(harvest, question, value):
    assert str(harvest.ask(question).value) == value


AWARDS = [
    ["Award", "Field", "Worth", "Judges", "Longest speech (min)", "Score for", "Year", "Outcome"],
    ["A-1", "Film", "9000", "3", "12", "41", "2023", "awarded"],
    ["A-2", "Dance", "4000", "2", "31", "30", "2023", "withheld"],
    ["A-3", "Film", "7500", "5", "8", "27", "2022", "awarded"],
]


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ("worth per judge of A-1", 9000),
        ("Which field had the longest speech?", "Film"),
        ("How many awards were awarded in 2023?", 2),
        ("What is the score difference of A-1?", 41),
    ],
)
def test_what_a_word_changes_is_not_left_out(question, wrong):
    with Router(writer="offline") as router:
        router.add(AWARDS, name="awards")
        answer = router.ask(question)
    assert answer.declined or (len(answer.rows) == 1 and wrong not in answer.rows[0])


def test_a_paragraph_without_a_number_tells_no_amount(tmp_path):
    (tmp_path / "lease.md").write_text(
        "# Lease\n\nWho leaves early loses the deposit.\n\n"
        "| Room | Rent |\n| --- | --- |\n| Attic | 400 |\n| Cellar | 250 |\n",
        encoding="utf-8",
    )
    with Router(writer="offline") as router:
        router.add(tmp_path / "lease.md")
        assert router.ask("How much is the deposit?").declined
        assert router.ask("What happens to the deposit when one leaves early?").route == "text"


WATER = [
    ["Meter", "Holder", "Street", "Rate", "Used"],
    ["W-1", "Ada Holm", "Mill Lane", "home", "120"],
    ["W-2", "Bo Falk", "Mill Lane", "farm", "310"],
    ["W-3", "Cy Thorn", "Quay", "home", "95"],
]


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("who used the most water in all", "Bo Falk"),
        ("who has meters in streets with more than 100 used", "Holm"),
        ("how long can I pay for a meter?", None),
        ("when are meters read?", None),
    ],
)
def test_persons_times_and_terms_are_told_or_nothing_is(question, shown):
    with Router(writer="offline") as router:
        router.add(WATER, name="meters")
        answer = router.ask(question)
    assert answer.declined or (shown is not None and shown in f"{answer.text} {answer.rows}")


HUTS = [
    ["Hut", "Region", "Warden", "Opened"],
    ["Larch Hut", "North", "yes", "1990"],
    ["Stone Hut", "South", "no", "1985"],
    ["Lake Hut", "North", "yes", "2001"],
    ["Col Hut", "East", "no", "1977"],
]


@pytest.mark.parametrize(
    "question",
    [
        "Who is the warden of Larch Hut?",
        "warden's name at Stone Hut",
        "What is the name of the warden of Lake Hut?",
    ],
)
def test_a_column_of_yes_and_no_tells_no_name(question):
    with Router(writer="offline") as router:
        router.add(HUTS, name="huts")
        assert router.ask(question).declined
        assert router.ask("Does Larch Hut have a warden?").value is True


INCOME = [
    ["Item", "2017", "2018"],
    ["Operating revenue", "37784", "41303"],
    ["Net income", "1143", "1122"],
    ["Rent", "621", "433"],
    ["Fuel", "6913", "9307"],
]


@pytest.fixture(scope="module")
def income():
    with Router(writer="offline") as router:
        router.add(INCOME, name="income")
        yield router


@pytest.mark.parametrize(
    "question",
    [
        "How much did the net income grow from 2017 to 2018?",
        "How much did the net income fall in 2018?",
        "how much did fuel go up in 2018",
        "What was the fall in net income in 2018?",
    ],
)
def test_how_far_a_figure_moved_is_neither_the_figure_nor_a_sum(income, question):
    assert income.ask(question).declined


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How much higher was the net income in 2018 than in 2017?", -21),
        ("How much more was the fuel in 2018 than in 2017?", 2394),
        ("How much less was the rent in 2018 than in 2017?", 188),
        ("What is the difference between the net income of 2017 and 2018?", 21),
    ],
)
def test_how_much_more_one_column_is_than_another_has_a_sign(income, question, value):
    assert income.ask(question).value == value


def test_a_number_of_something_else_is_no_count_of_the_noun_after_it(tmp_path):
    pages = "# Plots\n\nRents are due in May. After 60 days the plot may be let again.\n"
    path = tmp_path / "plots.md"
    path.write_text(pages, encoding="utf-8")
    with Router(writer="offline") as router:
        router.add(path)
        assert router.ask("How many plots are let?").declined


GALA = """<html><body><h1>Spring regatta</h1>
<p>Times in minutes. RT = retired, LC = late at start.</p>
<table><tr><th>Boat</th><th>Time</th></tr><tr><td>Ibis</td><td>4.1</td></tr>
<tr><td>Kite</td><td>LC</td></tr><tr><td>Swan</td><td>4.4</td></tr></table></body></html>"""


def test_a_legend_tells_what_a_sign_means_and_of_no_row(tmp_path):
    (tmp_path / "regatta.html").write_text(GALA, encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(tmp_path / "regatta.html")
        for question in ("anyone retired?", "was anyone retired?", "who was retired?"):
            assert tables.ask(question).route is not Route.TEXT, question
        told = tables.ask("what does RT mean?")
        assert told.route is Route.TEXT
        assert "RT = retired" in told.text
