"""Small words that are cells: "IT", "US", "A" in capitals restrict, and so does the month May."""

import pytest

from router import Router

CREW = """\
name,team,state,grade,pay
Ada,IT,IN,A,40
Ben,IT,ME,B,50
Cleo,HR,OR,A,60
Dan,HR,IN,C,70
Eve,Sales,TX,B,80
Fay,US,TX,C,90
"""


@pytest.fixture(scope="module")
def crew(tmp_path_factory):
    path = tmp_path_factory.mktemp("crew") / "staff.csv"
    path.write_text(CREW, encoding="utf-8")
    with Router(writer="offline") as loaded:
        loaded.add(path)
        yield loaded


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many people in IT?", 2),
        ("How many IT people are there?", 2),
        ("What is the total pay in IT?", 90),
        ("What is the total pay of people in US?", 90),
        ("Total pay in IN", 110),
        ("Total pay in ME", 50),
        ("Total pay in OR", 60),
        ("Total pay of TX or ME", 220),
        ("Total pay in IN OR ME", 160),
        ("Total pay of grade A", 100),
        ("Total pay of grade A or B", 230),
        ("How many people in IT are in ME?", 1),
    ],
)
def test_a_small_word_in_capitals_that_is_a_cell_restricts(crew, question, value):
    assert crew.ask(question).value == value


@pytest.mark.parametrize(
    "question",
    [
        "How many people in it?",
        "how many people in it earn more than 45?",
        "HOW MANY PEOPLE IN IT",
        "total pay of us",
        "total pay in in",
        "who is in it",
        "who in it is in Texas",
        "pay of it staff",
    ],
)
def test_a_small_word_where_a_cell_may_stand_is_not_left_out_in_silence(crew, question):
    assert crew.ask(question).declined


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("Tell us the total pay", 390),
        ("Give me the total pay of a person in Sales", 80),
        ("How much is it in total pay?", 390),
        ("How many people are in TX or Sales?", 2),
    ],
)
def test_a_small_word_in_lower_case_stays_one(crew, question, value):
    answer = crew.ask(question)
    assert answer.declined or answer.value == value


def test_a_follow_up_may_name_a_cell_that_looks_like_a_small_word(crew):
    first = crew.ask("What is the total pay?")
    assert first.value == 390
    assert crew.ask("only in IT", history=[first]).value == 90
    assert crew.ask("What about IT?", history=[crew.ask("Total pay in HR")]).value == 90


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("Of the barns larger than 2,000, how many are there?", 2),
        ("For barns with a size over 1,000,000, how many are there?", 1),
        ("How many barns have a size over 2,000?", 2),
    ],
)
def test_a_comma_after_a_number_with_commas_is_no_part_of_it(tmp_path, question, count):
    path = tmp_path / "barns.csv"
    path.write_text("Barn,Size\nNorth,900\nSouth,2500\nWest,1250000\n", encoding="utf-8")
    with Router(writer="offline", min_confidence=0) as tables:
        tables.add(path)
        assert tables.ask(question).value == count


@pytest.mark.parametrize(
    ("question", "counted"),
    [
        ("How many came from the us?", 2),
        ("How many are in the it team?", 2),
        ("How many did the lists give us?", 4),
    ],
)
def test_a_pronoun_after_an_article_is_a_name(tmp_path, question, counted):
    path = tmp_path / "guests.csv"
    path.write_text(
        "Guest,Land,Team\nAda,US,IT\nBo,US,Law\nCy,UK,IT\nDi,FR,Law\n", encoding="utf-8"
    )
    with Router(writer="offline") as tables:
        tables.add(path)
        answer = tables.ask(question)
        assert answer.value == counted or answer.route == "declined"


def test_a_pronoun_after_an_article_that_no_cell_says_is_not_left_out(tmp_path):
    path = tmp_path / "guests.csv"
    path.write_text("Guest,Land\nAda,Canada\nBo,Canada\nCy,Spain\n", encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(path)
        assert tables.ask("How many guests are from the us?").route == "declined"
        assert tables.ask("How many guests came from the us?").route == "declined"


def test_by_is_no_code_of_a_country(tmp_path):
    path = tmp_path / "tongues.csv"
    path.write_text("Tongue,Land,Code\nRu,Belarus,BY\nUk,Peru,PE\nPl,Peru,PE\n", encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(path)
        rows = tables.ask("How many tongues by land?").rows
        assert sorted(rows) == [("Belarus", 1), ("Peru", 2)]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Which camp comes after Oslo?", "Turku"),
        ("Which camp is listed before Turku?", "Oslo"),
    ],
)
def test_what_stands_beside_several_rows_is_none_of_them(tmp_path, question, named):
    path = tmp_path / "stops.csv"
    path.write_text("Stop,Camp\n1,Bergen\n2,Oslo\n3,Oslo\n4,Turku\n5,Turku\n", encoding="utf-8")
    with Router(writer="offline", min_confidence=0) as tables:
        tables.add(path)
        assert [row[-1] for row in tables.ask(question).rows] == [named]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Who is older, Ada or Bo?", "Ada"),
        ("Who is younger, Ada or Bo?", "Bo"),
        ("Which is longer, the talk of Ada or of Bo?", "Bo"),
    ],
)
def test_a_comparative_runs_against_years_of_birth(tmp_path, question, named):
    path = tmp_path / "speakers.csv"
    path.write_text("Speaker,Born,Minutes\nAda,1951,20\nBo,1978,45\nCy,1960,30\n", encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(path)
        answer = tables.ask(question)
        assert answer.route == "declined" or answer.rows[0][0] == named


def test_a_small_number_that_names_no_column_is_no_year(tmp_path):
    path = tmp_path / "films.csv"
    path.write_text(
        "Film,Year,Prize\nAsh,1999,Otter\nElm,2004,\nFir,2010,Otter\n", encoding="utf-8"
    )
    with Router(writer="offline") as tables:
        tables.add(path)
        assert tables.ask("How many films won more than 1 thing?").route == "declined"
        assert tables.ask("How many films are after 2003?").value in (2, None)


@pytest.mark.parametrize(
    ("question", "total"),
    [
        ("What is the total number of boats of North and South?", 30),
        ("total boats in North and West", 45),
    ],
)
def test_a_total_that_is_asked_for_is_no_row_beside_its_parts(tmp_path, question, total):
    path = tmp_path / "ports.csv"
    path.write_text("Port,Boats\nTotal,61\nNorth,20\nSouth,10\nWest,25\nEast,6\n", encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(path)
        answer = tables.ask(question)
        assert answer.route == "declined" or answer.value == total


RAIN = """\
month,site,rain
April,Hill,10
May,Hill,31
June,Hill,7
April,Dale,12
May,Dale,9
June,Dale,5
"""


@pytest.fixture(scope="module")
def rain(tmp_path_factory):
    path = tmp_path_factory.mktemp("rain") / "rain.csv"
    path.write_text(RAIN, encoding="utf-8")
    with Router(writer="offline") as loaded:
        loaded.add(path)
        yield loaded


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the total rain in May?", 40),
        ("What was the rain in May at Dale?", 9),
        ("total rain in may", 40),
    ],
)
def test_may_is_a_month_where_it_is_written_as_one(rain, question, value):
    assert rain.ask(question).value == value
