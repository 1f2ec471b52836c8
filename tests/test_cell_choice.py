"""The cell of a found row that a question asks for."""

import pytest

from retrieval.cell_choice import choose_cell
from retrieval.reading import read_source
from retrieval.table import Table

FERRIES = """\
Year,Tonnes Carried,Diesel Cost,Share of Running Cost
2021,310,"$4,100",18%
2022,350,"$4,900",21%
"""
GRANTS = """\
Round,Grants made,Money paid
Spring 2023 Small Grants Programme,14,$900
Autumn 2023 Small Grants Programme,22,"1,300"
"""
CREW = """\
Name,Position,Age,Harbour Officer Since
Ana Prins,Chief Officer of Harbour Group,44,2009
Jo Blom,Mate of Harbour Group,31,2018
"""
HARBOURS = """\
,2022,2021,Increase (Decrease),% Increase (Decrease)
Mooring fees,880,800,80,10.0%
Crane hire,210,200,10,5.0%
"""


def read(tmp_path, text: str) -> Table:
    path = tmp_path / "kept.csv"
    path.write_text(text, encoding="utf-8")
    return next(table for result in read_source(path) for table in result.document.tables)


@pytest.mark.parametrize(
    ("text", "row", "question", "cell"),
    [
        (FERRIES, 1, "How much was carried in 2022?", "350"),
        (FERRIES, 1, "How much money went into diesel in 2022?", "$4,900"),
        (GRANTS, 1, "How much money went to the Small Grants Programme in autumn 2023?", "1,300"),
        (GRANTS, 1, "How many grants did the autumn 2023 Small Grants Programme make?", "22"),
        (CREW, 0, "How old is the Chief Officer of Harbour Group?", "44"),
        (HARBOURS, 0, "How much did mooring fees increase in 2022?", "80"),
        (HARBOURS, 0, "By what percentage did mooring fees increase in 2022?", "10.0%"),
        (HARBOURS, 1, "What was crane hire in 2021?", "200"),
    ],
)
def test_the_kind_of_value_and_the_words_that_the_row_leaves_choose_the_cell(
    tmp_path, text, row, question, cell
):
    assert choose_cell(question, read(tmp_path, text), row).text == cell


def test_a_last_header_level_that_all_columns_share_hides_no_level_above_it(tmp_path):
    text = ",2022,2021,Change\n,(In tonnes),(In tonnes),(In tonnes)\nSalt,30,20,10\nCoal,9,8,1\n"
    table = read(tmp_path, text)
    assert choose_cell("How much did salt change between 2021 and 2022?", table, 0).text == "10"


def test_a_thing_that_is_named_is_not_what_which_asks_for(tmp_path):
    text = "Inn,Beds,Single (EUR)\nBlue Boar,12,40\nOld Mill,9,55\n"
    table = read(tmp_path, text)
    assert choose_cell("Which inns are cheaper than Old Mill for a single?", table, 1).text == "55"
