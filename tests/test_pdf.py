"""Tables of PDF documents, with their pages; run where the `pdf` extra is installed."""

import pytest

from retrieval.errors import UnreadableSource
from retrieval.readers.text_columns import column_edges, cut_rows, line_blocks, text_lines
from retrieval.reading import read_source

ROWS = [["Item", "Days", "Fee"], *([f"Thing {n}", str(n), f"{n}.50"] for n in range(1, 61))]


def printed(path, rows, borders="ALL"):
    pytest.importorskip("pdfplumber")
    pdf = pytest.importorskip("fpdf").FPDF()
    pdf.set_font("Helvetica", size=10)
    pdf.add_page()
    pdf.cell(text="Return windows of all things")
    pdf.ln(9)
    with pdf.table(borders_layout=borders) as table:
        for row in rows:
            table.row(row)
    pdf.ln(9)
    pdf.cell(text="Fees are in euro.")
    pdf.output(str(path))
    return path


def test_a_ruled_table_over_a_page_break_is_one_table_with_its_pages(tmp_path):
    (result,) = read_source(printed(tmp_path / "d.pdf", ROWS))
    (table,) = result.document.tables
    assert [list(table.row(r)) for r in range(table.row_count)] == ROWS[1:]
    assert table.headers == tuple(ROWS[0])
    assert (table.page_of(0), table.page_of(59)) == (1, 2)
    assert table.title == "Return windows of all things"
    assert (result.document.paragraphs[-1].text, result.document.paragraphs[-1].page) == (
        "Fees are in euro.",
        2,
    )


def test_columns_read_from_spacing_are_told_as_unsure(tmp_path):
    (result,) = read_source(printed(tmp_path / "d.pdf", ROWS[:9], borders="NONE"))
    (table,) = result.document.tables
    assert [list(table.row(r)) for r in range(table.row_count)] == ROWS[1:9]
    assert "check this table" in table.warnings[0]


def test_what_is_no_pdf_is_an_error_with_advice(tmp_path):
    path = tmp_path / "d.pdf"
    path.write_bytes(b"%PDF-1.4 but nothing else")
    with pytest.raises(UnreadableSource) as failed:
        read_source(path)
    assert failed.value.hint


def test_words_under_each_other_are_cut_at_the_gaps_that_run_through_all_lines():
    words = [
        {"text": text, "x0": x, "x1": x + 4 * len(text), "top": top, "bottom": top + 8}
        for top, line in ((0, "Item Fee"), (10, "Mug 4"), (20, "Bowl 12"), (60, "Prose below"))
        for x, text in zip((0, 60), line.split(), strict=True)
    ]
    table, prose = line_blocks(text_lines(words))
    assert cut_rows(table, column_edges(table)) == [["Item", "Fee"], ["Mug", "4"], ["Bowl", "12"]]
    assert [line.text for line in prose] == ["Prose below"]
