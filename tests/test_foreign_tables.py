"""Tables in another language than the question: English words find their headers, cells, months."""

import pytest
from each_alone import each_alone

from router import Router

LIFTS = [
    ["Monat", "Talstation", "Fahrgäste ges.", "davon Kinder", "Umsatz (EUR)", "Bemerkung"],
    ["Jän 2024", "Almkogel", "5.200", "1.100", "31.200,50", ""],
    ["Jän 2024", "Seeberg", "2.400", "700", "12.100,00", ""],
    ["März 2024", "Almkogel", "4.800", "1.400", "28.400,00", "Föhnsturm"],
    ["März 2024", "Seeberg", "1.900", "500", "9.300,00", ""],
    ["Mai 2024", "Almkogel", "0", "0", "0,00", "geschlossen"],
    ["Mai 2024", "Seeberg", "800", "200", "4.100,00", ""],
    ["Summe", "", "15.100", "3.900", "85.100,50", ""],
]
GITES = [
    ["Chambre", "Étage", "Prix", "Ouvert", "État"],
    ["Bleuet", "1", "80", "mai", "libre"],
    ["Lilas", "2", "95", "juin", "occupé"],
    ["Rose", "2", "70", "mai", "libre"],
]
CITAS = [
    ["Cliente", "Fecha", "Importe", "Pagado"],
    ["Lola Gil", "2024-02-01", 40, "sí"],
    ["Ana Paz", "2024-02-09", 55, "no"],
    ["Eva Sol", "2024-03-01", 20, "sí"],
]
PLAIN = [
    ["Name", "Art", "Total", "Note"],
    ["Finch", "bird", 3, "shy"],
    ["Otter", "beast", 2, "fast"],
]


@pytest.fixture(scope="module")
def asked():
    with each_alone({"lifts": LIFTS, "rooms": GITES, "visits": CITAS, "plain": PLAIN}) as routers:
        yield routers


@pytest.mark.parametrize(
    ("table", "question", "value"),
    [
        ("lifts", "How many children were there in March?", 1900),
        ("lifts", "total revenue of Seeberg", 25500),
        ("lifts", "Which month had the highest revenue?", "Jän 2024"),
        ("lifts", "How many children did Seeberg have in May?", 200),
        ("lifts", "total revenue from January to March", 81000.5),
        ("rooms", "What is the price of Lilas?", 95),
        ("rooms", "How many rooms are free?", 2),
        ("visits", "total amount in February", 95),
        ("visits", "how many customers have paid", 2),
    ],
)
def test_english_words_name_what_headers_and_cells_say_in_another_language(
    asked, table, question, value
):
    answer = asked[table].ask(question)
    assert not answer.declined, answer.text
    assert answer.value == value or float(answer.value) == pytest.approx(value)


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ("lifts", "total cost of Seeberg"),
        ("lifts", "How many adults were there in March?"),
        ("lifts", "children in Almkogel in July"),
        ("lifts", "average price in March"),
        ("lifts", "staff wages of Seeberg"),
        ("rooms", "What is the rent of Lilas?"),
        ("visits", "discount of Lola Gil"),
        ("plain", "What kind is the finch's grade?"),
        ("plain", "What kind is the Otter?"),
    ],
)
def test_a_word_for_something_else_is_no_word_of_the_table(asked, table, question):
    assert asked[table].ask(question).declined


def test_numbers_are_read_as_the_table_writes_them(asked):
    answer = asked["lifts"].ask("months in which Almkogel had a revenue of more than 30.000")
    assert [row[0] for row in answer.rows] == ["Jän 2024"]
    assert '"30.000" is read as "30,000"' in answer.warnings


def test_a_month_of_another_language_is_that_month(asked):
    answer = asked["visits"].ask("total Importe in Februar")
    assert answer.value == 95
    assert '"Februar" is read as "February"' in answer.warnings


DELIVERIES = """Lieferschein;Datum;Kunde;Artikel;Menge (l);Preis/l;Bezahlt
LS-1;02.07.2024;Café Linde;Vollmilch;120;0,95;ja
LS-2;02.07.2024;Hotel Post;Sahne;30;2,40;nein
LS-3;09.07.2024;Café Linde;Sahne;12;2,40;ja
LS-4;06.08.2024;Schule Nord;Kakao;60;1,20;nein
"""


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("how many deliveries in July?", 3),
        ("how many deliveries are not paid?", 2),
        ("price of LS-4", 1.2),
        ("average price of Sahne", 2.4),
        ("how many suppliers in July?", None),
        ("how many orders in July?", None),
    ],
)
def test_rows_are_called_as_the_title_says_in_english(tmp_path, question, value):
    (tmp_path / "lieferungen.csv").write_text(DELIVERIES, encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(tmp_path / "lieferungen.csv")
        answer = tables.ask(question)
        assert answer.declined if value is None else float(answer.value) == float(value), (
            answer.text
        )
