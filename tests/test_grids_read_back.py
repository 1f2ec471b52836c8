"""Any grid that is written in a format reads back to the same cells."""

import csv
import html
import io

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.readers.delimited import read_delimited
from retrieval.readers.excel import read_excel
from retrieval.readers.html import read_html
from retrieval.readers.markdown import read_markdown
from retrieval.understand import understand

NAMES = ["Item", "Shop", "Owner", "Colour", "Remark"]
LETTERS = "abcxyz ABC éüß€ 0123456789 .,;:-–()/%$#&<>'\"|!?"


def cells(alphabet=LETTERS):
    return (
        st.text(alphabet, min_size=1, max_size=12).map(lambda t: " ".join(t.split())).filter(bool)
    )


def grids(alphabet=LETTERS):
    """A header of two to five names over rows of full cells."""
    return st.integers(2, 5).flatmap(
        lambda width: st.lists(
            st.lists(cells(alphabet), min_size=width, max_size=width), min_size=1, max_size=8
        ).map(lambda rows: [NAMES[:width], *rows])
    )


def as_csv(grid):
    stream = io.StringIO()
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerows(grid)
    return stream.getvalue().encode()


def as_markdown(grid):
    def escaped(cell):
        return "".join("\\" + c if c in "\\`*_{}[]<>()#+-.!|&~" else c for c in cell)

    lines = ["| " + " | ".join(map(escaped, row)) + " |" for row in grid]
    rule = "|" + "---|" * len(grid[0])
    return "\n".join([lines[0], rule, *lines[1:]]).encode()


def as_html(grid):
    tags = ["th", *["td"] * (len(grid) - 1)]
    rows = (
        "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"
        for tag, row in zip(tags, grid, strict=True)
    )
    return ("<meta charset=utf-8><table>" + "".join(rows) + "</table>").encode()


def as_xlsx(grid):
    book = openpyxl.Workbook()
    for r, row in enumerate(grid, 1):
        for c, cell in enumerate(row, 1):
            written = book.active.cell(r, c, cell)
            written.data_type = "s"
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def read_back(source):
    result = understand(source, document="d", version="v", stem="d")
    (table,) = result.document.tables
    columns = [column for column in table.columns if not column.derived]
    rows = [[column.text_at(row) for column in columns] for row in range(table.row_count)]
    return [[column.name for column in columns], *rows]


@pytest.mark.parametrize(
    ("write", "read"),
    [
        (as_csv, read_delimited),
        (as_markdown, read_markdown),
        (as_html, read_html),
        (as_xlsx, read_excel),
    ],
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(grid=grids())
def test_a_grid_reads_back_to_the_same_cells(write, read, grid):
    assert read_back(read(write(grid))) == grid


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(grid=grids("abcdef \n\",'"), delimiter=st.sampled_from(",;\t|"))
def test_line_breaks_and_quotes_in_cells_survive_csv(grid, delimiter):
    rows = [[cell.replace(" ", "\n") for cell in row] for row in grid[1:]]
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([grid[0], *rows])
    assert read_back(read_delimited(stream.getvalue().encode())) == [grid[0], *rows]
