"""The router as a Python caller meets it: loading, the five routes, citations, life of a router."""

import asyncio
import datetime as dt
import json
from decimal import Decimal

import pytest

import router
from retrieval.errors import SourceError, UnknownDocument
from router import Answer, Route, Router
from router.errors import NothingLoaded, StateError, UnknownTable, UsageError
from sql_engine.errors import InvalidQuery, Refused

FERRIES = """\
# Ferries

Bicycles travel free of charge on weekdays; on weekends a bicycle costs two euro.

## Fares

Fares in euro.

| Ticket | Adult fare | Child fare | Valid for |
| --- | ---: | ---: | --- |
| Single crossing | 6.50 | 3.00 | 1 day |
| Return crossing | 11.00 | 5.00 | 3 days |
| Ten crossings | 48.00 | 22.00 | 90 days |
| Island pass | 120.00 | 60.00 | 1 year |
"""
CATCHES = """\
landing_id,day,harbour,species,kilos
C-101,2024-05-01,Vik,cod,120
C-102,2024-05-01,Nes,cod,80
C-103,2024-05-02,Vik,haddock,45
C-104,2024-06-03,Nes,haddock,60
C-105,2024-06-04,Vik,cod,95
C-106,2024-06-04,Holm,ling,15
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("harbour")
    (path / "ferries.md").write_text(FERRIES, encoding="utf-8")
    (path / "catches.csv").write_text(CATCHES, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def tables(folder):
    with Router(writer="offline", today=dt.date(2024, 7, 1)) as loaded:
        loaded.add(folder)
        yield loaded


def test_the_package_exports_a_short_list_that_is_true():
    assert router.__all__ == sorted(router.__all__)
    assert all(hasattr(router, name) for name in router.__all__)


def test_a_look_up_quotes_the_cell_and_cites_its_row(tables):
    answer = tables.ask("What is the adult fare of the island pass?")
    assert answer.route is Route.ROW
    assert answer.value == Decimal("120.00")
    assert answer.text.startswith("120.00")
    (citation,) = answer.citations
    assert (citation.document, citation.rows, citation.columns) == (
        "ferries.md", (3,), ("Adult fare",),
    )  # fmt: skip
    assert FERRIES.splitlines()[citation.line - 1].startswith("| Island pass")


def test_a_question_about_the_table_gives_the_table(tables):
    answer = tables.ask("Which tickets are there?")
    assert answer.route is Route.TABLE
    assert [row[0] for row in answer.rows] == [
        "Single crossing", "Return crossing", "Ten crossings", "Island pass",
    ]  # fmt: skip
    assert (answer.truncated, answer.total_rows, answer.value) == (False, 4, None)


def test_a_computed_answer_carries_its_sql_and_the_rows_that_went_in(tables):
    answer = tables.ask("What is the total kilos of cod in Vik?")
    assert answer.route is Route.SQL
    assert answer.value == 215
    assert "sum" in answer.sql.casefold()
    assert answer.citations[0].rows == (0, 4)
    assert answer.attempts[-1].error is None


def test_a_rule_told_in_prose_is_quoted(tables):
    answer = tables.ask("Do bicycles travel free on weekdays?")
    assert answer.route is Route.TEXT
    assert "free of charge on weekdays" in answer.text
    assert (answer.citations[0].table_id, answer.columns, answer.rows) == (None, (), [])


@pytest.mark.parametrize(
    "question",
    [
        "What is the dog fare of the island pass?",
        "What is the adult fare of the lake pass?",
        "What is the adult fare of the island pass in 2019?",
        "How many kilos of tuna were landed?",
        "How many crews landed cod?",
        "Who is the harbour master of Vik?",
        "Which harbour has the cheapest diesel?",
    ],
)
def test_what_the_tables_do_not_hold_is_declined_with_the_reason(tables, question):
    answer = tables.ask(question)
    assert answer.declined
    assert answer.value is None
    assert answer.reason


def test_many_matching_rows_are_counted_in_sql_and_not_from_hits(tables):
    assert tables.ask("How many landings are there?").value == 6
    assert tables.ask("How many landings were in June 2024?").value == 3


def test_lookup_says_how_many_rows_match_as_well(tables):
    hits = tables.lookup("cod", k=2)
    assert [hit.row_position for hit in hits] == [0, 1]
    assert (hits.total, hits.truncated) == (3, True)


def test_sql_goes_through_the_guard(tables):
    result = tables.sql("SELECT harbour, sum(kilos) AS kilos FROM catches GROUP BY 1 ORDER BY 1")
    assert result.rows == (("Holm", 15), ("Nes", 140), ("Vik", 260))
    with pytest.raises(Refused):
        tables.sql("DROP TABLE catches")
    with pytest.raises(InvalidQuery, match="kilo"):
        tables.sql("SELECT kilo FROM catches")


def test_a_capped_result_says_so(tables):
    result = tables.sql("SELECT * FROM catches", max_rows=2)
    assert (len(result.rows), result.truncated, result.total_rows) == (2, True, 6)


def test_route_decides_without_answering(tables):
    decision = tables.route("What is the total kilos by harbour?")
    assert decision.route is Route.SQL
    assert 0 <= decision.confidence <= 1
    assert decision.reason.endswith(".")


def test_describe_tells_columns_and_unknown_names_get_the_nearest(tables):
    told = tables.describe("catches")
    assert [(c.name, c.type) for c in told.columns[:2]] == [
        ("landing_id", "VARCHAR"), ("day", "DATE"),
    ]  # fmt: skip
    with pytest.raises(UnknownTable) as caught:
        tables.describe("catchs")
    assert "catches" in caught.value.hint


@pytest.mark.parametrize("question", ["", "   ", "?!", "…", 5, None])
def test_a_question_without_words_is_a_usage_error(tables, question):
    with pytest.raises(UsageError):
        tables.ask(question)


def test_a_question_before_any_table_says_what_to_do():
    with Router(writer="offline") as empty, pytest.raises(NothingLoaded) as caught:
        empty.ask("How many?")
    assert "add" in caught.value.hint


def test_a_bad_source_leaves_what_was_loaded(folder, tmp_path):
    with Router(writer="offline") as tables:
        tables.add(folder)
        with pytest.raises(SourceError):
            tables.add(tmp_path / "missing.csv")
        assert tables.ask("How many landings are there?").value == 6


def test_adding_a_document_again_replaces_it_and_remove_drops_it(tmp_path):
    path = tmp_path / "stock.csv"
    with Router(writer="offline") as tables:
        path.write_text("item,left\nrope,4\nsail,2\n")
        tables.add(path)
        path.write_text("item,left\nrope,9\n")
        tables.add(path)
        assert tables.ask("How many rows are in stock?").value == 1
        assert tables.ask("left of rope").value == 9
        assert not tables.lookup("sail")
        tables.remove("stock.csv")
        assert tables.tables() == ()
        with pytest.raises(UnknownDocument):
            tables.remove("stock.csv")


def test_frames_and_lists_load(tables):
    import pandas as pd

    with Router(writer="offline") as own:
        own.add(pd.DataFrame({"crew": ["Ana", "Bo"], "age": [31, 44]}), name="crews")
        own.add([{"boat": "Tern", "length": 9}, {"boat": "Skua", "length": 11}], name="boats")
        assert own.ask("What is the age of Bo?").value == 44
        assert own.ask("What is the average length of the boats?").value == 10


def test_an_answer_is_strict_json_a_frame_and_html(tables):
    answer = tables.ask("What is the total kilos by harbour?")
    assert isinstance(answer, Answer)
    told = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    assert set(told) >= {"question", "route", "text", "value", "columns", "rows", "truncated",
                         "total_rows", "sql", "citations", "attempts", "alternatives",
                         "warnings", "confidence", "reason", "usage", "elapsed_ms"}  # fmt: skip
    assert list(answer.to_pandas().columns) == list(answer.columns)
    assert "<table>" in answer._repr_html_()
    assert answer.text in str(answer)
    assert "source: " in str(answer)


def test_a_frame_computes_and_plots():
    rows = [
        {"lot": "A7", "paid": "1.50", "sold": "2025-03-01", "open": "yes", "units": "3"},
        {"lot": "B2", "paid": "20.25", "sold": "2025-03-09", "open": "no", "units": ""},
    ]
    with Router(writer="offline") as tables:
        tables.add(rows, name="lots")
        summed = tables.ask("total paid by lot").to_pandas()
        assert summed.iloc[:, 1].tolist() == [1.5, 20.25]
        assert summed.dtypes.iloc[1].kind == "f"
        listed = tables.ask("list all lots").to_pandas()
        found = tables.ask("show the row of lot A7").to_pandas()
    assert "".join(kind.kind for kind in listed.dtypes) == "OfMbi"
    assert listed["units"].isna().tolist() == [False, True]
    assert found["paid"].sum() == 1.5


@pytest.mark.parametrize("history", ["total paid", {"question": "total paid"}, 5])
def test_a_history_that_is_no_list_is_refused(tables, history):
    with pytest.raises(UsageError, match="history"):
        tables.ask("and by month?", history=history)


def test_a_cell_that_is_markup_stays_text_in_a_notebook():
    with Router(writer="offline") as tables:
        tables.add([{"name": "<script>x</script>", "n": 1}, {"name": "b", "n": 2}], name="t")
        assert "<script>" not in tables.ask("list all rows of t")._repr_html_()


def test_asking_asynchronously_gives_the_same_answers(tables):
    async def both():
        return await asyncio.gather(
            tables.ask_async("How many landings are there?"),
            tables.ask_async("What is the child fare of the return crossing?"),
        )

    counted, looked_up = asyncio.run(both())
    assert (counted.value, looked_up.value) == (6, Decimal("5.00"))


def test_unknown_settings_and_bad_values_are_told():
    with pytest.raises(UsageError, match="max_row"):
        Router(max_row=3)
    with pytest.raises(UsageError):
        Router(writer="clippy")
    with pytest.raises(UsageError):
        Router(min_confidence=2)


def test_a_route_can_be_told_from_outside(tables):
    question = "What is the adult fare of an island pass?"
    assert tables.ask(question).route is Route.ROW
    forced = tables.ask(question, route="sql")
    assert forced.route in (Route.SQL, Route.DECLINED)
    with pytest.raises(UsageError, match="no route"):
        tables.ask(question, route="declined")


STATEMENT = """\
item,2023,2024
Total revenue per passenger,13.10,14.20
Number of passengers,1200,1350
Operating revenue,"$15,720","$19,170"
"""


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What was the total revenue per passenger in 2024?", Decimal("14.20")),
        ("What was the number of passengers in 2023?", 1200),
        ("How much was the operating revenue in 2024?", 19170),
    ],
)
def test_words_of_a_rows_label_are_no_operations(tmp_path, question, value):
    (tmp_path / "statement.csv").write_text(STATEMENT, encoding="utf-8")
    with Router(writer="offline") as statement:
        statement.add(tmp_path / "statement.csv")
        answer = statement.ask(question)
    assert answer.route is Route.ROW
    assert answer.value == value


def test_a_saved_state_opens_without_its_sources_and_answers_the_same(folder, tmp_path):
    questions = (
        "What is the adult fare of the island pass?",
        "What is the total kilos by harbour?",
        "Do bicycles travel free on weekdays?",
    )
    saved = tmp_path / "state"
    with Router(writer="offline", max_rows=7) as tables:
        tables.add(folder)
        before = [tables.ask(question) for question in questions]
        tables.save(saved)
    with Router.open(saved) as opened:
        assert opened.settings.max_rows == 7
        after = [opened.ask(question) for question in questions]
        opened.add([{"boat": "Tern", "length": 9}], name="boats")
        assert opened.ask("What is the length of Tern?").value == 9
    for one, other in zip(before, after, strict=True):
        assert (one.route, one.value, one.rows, one.citations) == (
            other.route, other.value, other.rows, other.citations,
        )  # fmt: skip


def test_saving_overwrites_nothing_that_is_not_a_saved_state(tables, tmp_path):
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(StateError):
        tables.save(tmp_path)
    with pytest.raises(StateError) as caught:
        Router.open(tmp_path)
    assert "tabroute index" in caught.value.hint


def test_a_table_that_the_question_names_is_the_one_that_answers(tmp_path):
    (tmp_path / "b.csv").write_text("n\n1\n", encoding="utf-8")
    (tmp_path / "drop table b.csv").write_text("n\n1\n2\n", encoding="utf-8")
    with Router(writer="offline") as tables:
        tables.add(tmp_path)
        assert tables.ask("How many rows are in table b?").value == 1


ACCOUNT = """\
Booked on;Payee;Category;Amount
03.01.2025;Landlord;Home;-850,00
15.01.2025;Employer;Income;2.450,00
28.01.2025;Grocer;Food;-41,20
03.02.2025;Landlord;Home;-850,00
{label};;;4.532,45
"""
SUMMARY_LABELS = [
    "Summe",
    "Total EUR",
    "Grand total",
    "Saldo",
    "Closing balance",
    "Balance",
    "Kontostand 31.03.2025",
    "Solde au 31/03/2025",
    "Balance as of 31 March 2025",
]


@pytest.mark.parametrize("label", SUMMARY_LABELS)
def test_a_summary_line_under_dates_enters_no_sum_count_or_group(tmp_path, label):
    (tmp_path / "account.csv").write_text(ACCOUNT.format(label=label), encoding="utf-8")
    with Router(writer="offline") as account:
        account.add(tmp_path / "account.csv")
        total = account.ask("What is the sum of Amount?")
        assert total.value == Decimal("708.80")
        assert any(f'line 6 ("{label}")' in warning for warning in total.warnings)
        assert account.ask("How many rows are there?").value == 4
        groups = account.ask("What is the total Amount by Category?").rows
        assert {row[0] for row in groups} == {"Home", "Income", "Food"}


def test_an_unknown_word_under_dates_is_counted_and_warned_of(tmp_path):
    (tmp_path / "account.csv").write_text(ACCOUNT.format(label="Bottom line"), encoding="utf-8")
    with Router(writer="offline") as account:
        account.add(tmp_path / "account.csv")
        answer = account.ask("What is the sum of Amount?")
    assert any('line 6 ("Bottom line")' in warning for warning in answer.warnings)


@pytest.mark.parametrize(
    "question",
    [
        "How many kilos is landing C-05?",
        "Harbour of landing C-04",
        "Species of the landing on 2024-02-05",
    ],
)
def test_a_code_or_a_date_is_not_pieced_together_from_several_cells(tables, question):
    assert tables.ask(question).route is not Route.ROW
    assert all(hit.match == "near" for hit in tables.lookup(question))


def test_a_whole_code_still_finds_its_row(tables):
    assert tables.lookup("C-105")[0].match == "exact"
    assert tables.ask("Harbour of landing C-103").rows[0][2] == "Vik"


HALLS = """\
# Halls

Prices are in euro for one evening. Halls are let to anybody.

## Harbour halls

| Hall | Price | Seats | Stage lights | Kitchen |
|---|---|---|---|---|
| Anchor | 90 | 40 | 6 | no |
| Keel | 140 | 80 | 12 | yes |
| Mast | 210 | 160 | 20 | yes |

## Village halls

Every village hall has a garden.

| Hall | Price | Seats | Parking spaces | Kitchen |
|---|---|---|---|---|
| Anchor | 40 | 30 | 10 | no |
| Keel | 60 | 50 | 15 | yes |
| Oak | 75 | 90 | 25 | yes |
| Elm | 55 | 45 | 12 | yes |
"""


@pytest.fixture(scope="module")
def halls(tmp_path_factory):
    path = tmp_path_factory.mktemp("halls") / "halls.md"
    path.write_text(HALLS, encoding="utf-8")
    with Router(writer="offline") as loaded:
        loaded.add(path)
        yield loaded


@pytest.mark.parametrize(
    "question",
    [
        "What is the price of the Oak harbour hall?",
        "How many parking spaces does the Keel harbour hall have?",
        "How many stage lights does the Keel village hall have?",
    ],
)
def test_a_word_of_another_tables_title_speaks_of_that_table(halls, question):
    answer = halls.ask(question)
    assert answer.declined
    assert answer.value is None


@pytest.mark.parametrize(
    "question",
    [
        "How many halls are there?",
        "Which halls have a kitchen?",
        "How many halls have no kitchen?",
        "Show all halls",
        "What is the price of the Keel hall?",
    ],
)
def test_what_two_tables_of_one_shape_answer_is_asked_back_with_both(halls, question):
    answer = halls.ask(question)
    assert answer.declined
    told = " ".join(reading.reading for reading in answer.alternatives)
    assert "Harbour halls" in told
    assert "Village halls" in told


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the price of the Keel harbour hall?", 140),
        ("What is the price of the Keel village hall?", 60),
        ("What is the price of the Oak hall?", 75),
        ("How many village halls are there?", 4),
        ("How many harbour halls have a kitchen?", 2),
    ],
)
def test_a_word_of_its_title_chooses_between_tables_of_one_shape(halls, question, value):
    assert halls.ask(question).value == value


CREW = """\
crew_id,name,team,state,port
1,Ana,Deck,Aboard,Vik
2,Bo,Galley,Aboard,Nes
3,Cy,Deck,Ashore,Vik
4,Di,Engine,Aboard,Holm
5,Ed,Deck,Aboard,Nes
6,Fe,Galley,Aboard,Nes
7,Gus,Engine,Ashore,Tor
"""


@pytest.fixture(scope="module")
def crew(tmp_path_factory):
    path = tmp_path_factory.mktemp("crew") / "crew.csv"
    path.write_text(CREW, encoding="utf-8")
    with Router(writer="offline") as loaded:
        loaded.add(path)
        yield loaded


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Which teams are there?", {"Deck", "Galley", "Engine"}),
        ("Which states are there?", {"Aboard", "Ashore"}),
        ("Which ports do aboard crew live in?", {"Vik", "Nes", "Holm"}),
    ],
)
def test_a_column_whose_values_repeat_is_answered_with_each_once(crew, question, values):
    answer = crew.ask(question)
    assert not answer.declined
    assert sorted(answer.rows) == sorted((value,) for value in values)


@pytest.mark.parametrize(
    "question", ["Show the crew that is not aboard", "Show crew ashore", "Show the crew except Ana"]
)
def test_the_whole_table_is_no_answer_where_some_rows_are_asked_for(crew, question):
    answer = crew.ask(question)
    assert answer.declined or len(answer.rows) < 7
    assert crew.ask(question, route="table").declined
