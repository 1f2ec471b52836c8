"""Tables alike of several documents: a folder or a given name says whose they are."""

import pytest

from router import Router

NORTH = "Item,2021,2022\nNet revenue,3778,4130\nNet income,214,212\nRent,62,43\nFuel,691,930\n"
SOUTH = "Item,2021,2022\nNet revenue,1138,1444\nNet income,120,135\nRent,35,39\nFuel,675,902\n"


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    for name, text in (("Norvik", NORTH), ("Sudmar", SOUTH)):
        (folder / name).mkdir()
        (folder / name / "income.csv").write_text(text, encoding="utf-8")
    with Router(writer="offline") as router:
        router.add(folder)
        yield router


@pytest.mark.parametrize(
    ("question", "value", "document"),
    [
        ("What was Norvik's net revenue in 2022?", 4130, "Norvik/income.csv"),
        ("What is the net income of Sudmar in 2021?", 120, "Sudmar/income.csv"),
    ],
)
def test_the_folder_says_whose_table_is_meant(reports, question, value, document):
    answer = reports.ask(question)
    assert answer.value == value
    assert {cited.document for cited in answer.citations} == {document}


@pytest.mark.parametrize(
    "question", ["What was Estal's net revenue in 2022?", "Net revenue in 2022?"]
)
def test_one_that_no_document_names_or_that_all_may_be_is_declined(reports, question):
    assert reports.ask(question).declined


def test_the_name_that_a_document_is_added_by_belongs_to_its_tables(tmp_path):
    path = tmp_path / "income.csv"
    path.write_text(NORTH, encoding="utf-8")
    with Router(writer="offline") as router:
        router.add(path, name="Norvik Lines 2022")
        assert router.ask("What was Norvik's net revenue in 2022?").value == 4130
        assert router.ask("What was Sudmar's net revenue in 2022?").declined


def test_a_number_or_month_of_the_path_chooses_no_rows(tmp_path):
    (tmp_path / "2021" / "May").mkdir(parents=True)
    text = "Day,Shop,Takings\n2021-05-01,Hill,10\n2021-06-02,Quay,20\n2022-05-03,Hill,40\n"
    (tmp_path / "2021" / "May" / "takings.csv").write_text(text, encoding="utf-8")
    with Router(writer="offline") as router:
        router.add(tmp_path)
        assert router.ask("What were the total takings in 2021?").value == 30
        assert router.ask("What were the total takings in May 2021?").value == 10
