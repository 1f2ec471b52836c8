"""Sources of every format read to documents of tables and prose, and lose nothing."""

import openpyxl
import pandas as pd
import pytest

from retrieval.errors import EmptySource, SourceNotFound, UnreadableSource
from retrieval.reading import read_source
from retrieval.table import Kind


def tables(source, **options):
    return [t for result in read_source(source, **options) for t in result.document.tables]


@pytest.fixture
def write(tmp_path):
    def write(name, content, encoding="utf-8"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode(encoding)
        path.write_bytes(data)
        return path

    return write


def rows(table):
    return [table.row(i) for i in range(table.row_count)]


def test_a_csv_file_keeps_its_cells_and_lines(write):
    (table,) = tables(write("Shop Items.csv", 'Item,Price\nMug,4\n"A, B\nC",5\nPan,6\n'))
    assert table.name == "Shop Items"
    assert rows(table) == [("Mug", "4"), ("A, B\nC", "5"), ("Pan", "6")]
    assert list(table.lines) == [2, 3, 5]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le"])
def test_text_is_read_in_its_encoding(write, encoding):
    (table,) = tables(write("t.csv", "ville;n\nNîmes;5\nMünchen;7\n", encoding))
    assert table.headers == ("ville", "n")
    assert table.columns[0].cells() == ["Nîmes", "München"]


def test_lines_above_the_header_are_set_aside_and_told(write):
    path = write("t.csv", "Report;May\nCurrency;EUR\nDay;Payee;Sum\n21/05/2024;Ann;1,5;;\n")
    (result,) = read_source(path)
    (table,) = result.document.tables
    assert table.headers == ("Day", "Payee", "Sum")
    assert [aside.line for aside in result.report.tables[0].set_aside] == [1, 2]


def test_a_file_without_header_keeps_its_first_row(write):
    (table,) = tables(write("t.csv", "1,Oslo,5\n2,Rome,6\n"))
    assert table.headers == ("column_1", "column_2", "column_3")
    assert table.row_count == 2


def test_two_tables_in_one_file_are_two(write):
    text = "Rain\n\nmonth,mm\nJan,3\nFeb,4\n\nShops\nid,name,owner\n1,Ax,Bo\n"
    first, second = tables(write("t.csv", text))
    assert (first.title, first.row_count) == ("Rain", 2)
    assert (second.title, second.headers) == ("Shops", ("id", "name", "owner"))


def test_a_total_row_is_kept_and_marked_and_a_product_named_total_is_data(write):
    (table,) = tables(write("t.csv", "region,sold\nNorth,10\nSouth,20\nTotal,30\n"))
    assert (table.totals, table.row_count) == ({2}, 3)
    (gear,) = tables(write("g.csv", "item,sold\nTotal Station,2\nTripod,5\n"))
    assert gear.totals == frozenset()


def test_a_two_line_header_becomes_paths_and_sections_become_a_column(write):
    text = (
        "Sales by region (in thousands of euro),,,\n"
        ",2023,,2024\n"
        "Region,Plan,Actual,Plan\n"
        "Europe,,,\n"
        'North,"1,200",950,(120)\n'
        "South,800,50,120\n"
        "Asia,,,\n"
        "East,1,n/a,2\n"
        'Total,"2,001",1000,2\n'
        "* provisional,,,\n"
    )
    (table,) = tables(write("t.csv", text))
    assert table.headers == ("Region", "2023 > Plan", "2023 > Actual", "2024 > Plan", "Section")
    assert table.columns[4].cells() == ["Europe", "Europe", "Asia", ""]
    assert table.columns[1].type.unit == "thousands of euro"
    assert table.totals == {3}
    assert [note.marker for note in table.notes] == ["*"]


def test_markdown_tables_keep_heading_and_line_and_fences_are_not_taken(write):
    text = (
        "# Shop\n\nAll fees in rupees.\n\n## Returns\n\n"
        "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\n\n"
        "| Item | Rule |\n|---|---|\n| Mug | `a|b` \\| **c** |\n"
    )
    (result,) = read_source(write("s.md", text))
    (table,) = result.document.tables
    assert table.heading_path == ("Shop", "Returns")
    assert rows(table) == [("Mug", "a|b | c")]
    assert table.line_of(0) == 15
    assert [(p.text, p.line) for p in result.document.paragraphs] == [("All fees in rupees.", 3)]


def test_html_spans_captions_and_footnote_marks_are_understood(write):
    text = (
        "<h1>Health</h1><table><caption>Cases (thousands)</caption>"
        "<tr><th rowspan=2>Land<th colspan=2>Year</tr><tr><th>2020<sup>[1]</sup><th>2021</tr>"
        "<tr><td rowspan=2>Peru<td>1.2<td>3</tr><tr><td>1.3<td>4</tr></table>"
    )
    (table,) = tables(write("p.html", text))
    assert table.headers == ("Land", "Year > 2020", "Year > 2021")
    assert rows(table) == [("Peru", "1.2", "3"), ("Peru", "1.3", "4")]
    assert (table.title, table.unit) == ("Cases (thousands)", "thousands")
    assert table.notes[0].cells == ((-1, 1),)


def test_a_list_of_numbered_titles_is_no_list_of_notes(write):
    (table,) = tables(write("t.csv", "id,title\n1,The big red fox\n2,A tale of two cities\n"))
    assert table.columns[1].cells() == ["The big red fox", "A tale of two cities"]


def test_a_workbook_with_merged_headers_totals_and_a_footnote(tmp_path):
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    for row in (
        ["Budget (in USD millions)"],
        ["Unit", "Year ended Dec 31", None, "Share"],
        [None, "2023", "2024", None],
        ["North", 1200, 950.5, "12%"],
        ["South", -120, 10, "88%"],
        ["Total", 1080, 960.5, "100%"],
        ["* revised"],
    ):
        sheet.append(row)
    for merged in ("A1:D1", "A2:A3", "B2:C2", "D2:D3"):
        sheet.merge_cells(merged)
    book.save(tmp_path / "b.xlsx")
    (table,) = tables(tmp_path / "b.xlsx")
    assert table.headers == (
        "Unit",
        "Year ended Dec 31 > 2023",
        "Year ended Dec 31 > 2024",
        "Share",
    )
    assert table.title == "Budget (in USD millions)"
    assert [c.type.unit for c in table.columns] == [None, "USD millions", "USD millions", "%"]
    assert table.totals == {2}
    assert table.notes[0].text == "* revised"


def test_frames_and_records_are_tables():
    frame = pd.DataFrame({"code": ["007", None], "n": [1.0, 2.5]})
    (table,) = tables(frame, name="codes")
    assert rows(table) == [("007", "1"), ("", "2.5")]
    (nested,) = tables([{"id": 1, "user": {"zip": "02134"}}, {"id": 2}], name="users")
    assert nested.headers == ("id", "user.zip")
    assert nested.columns[1].type.kind is Kind.TEXT


def test_parsed_lines_that_run_over_a_page_are_one_table():
    lines = [
        {"page_num": 1, "line_num": 1, "text": "Return windows"},
        {"page_num": 1, "line_num": 2, "text": "| Item | Days |"},
        {"page_num": 1, "line_num": 3, "text": "| --- | --- |"},
        {"page_num": 1, "line_num": 4, "text": "| Mug | 30 |"},
        {"page_num": 2, "line_num": 1, "text": "| Pan | 7 |"},
    ]
    (table,) = tables(lines, name="policy")
    assert rows(table) == [("Mug", "30"), ("Pan", "7")]
    assert (table.page_of(1), table.line_of(1)) == (2, 1)


def test_a_page_number_beside_the_words_of_a_title_parts_no_table():
    texts = (
        *("Yearly hive report", "| Hive | Jars |", "| --- | --- |", "| Alder | 21 |"),
        *("Yearly hive report - page 2", "| Birch | 18 |", "| Total | 39 |"),
    )
    lines = [
        {"page_num": 1 + n // 4, "line_num": n % 4 + 1, "text": t} for n, t in enumerate(texts)
    ]
    (table,) = tables(lines, name="hives")
    assert rows(table) == [("Alder", "21"), ("Birch", "18"), ("Total", "39")]
    assert (table.title, table.totals) == ("Yearly hive report", {2})


def test_a_bad_file_of_a_folder_is_named_and_the_rest_loads(write, tmp_path):
    write("good/a.csv", "x,y\n1,2\n")
    write("good/empty.csv", "")
    results = read_source(tmp_path / "good")
    assert [result.document.name for result in results] == ["a.csv"]
    assert results[0].report.skipped[0][0] == "empty.csv"


def test_errors_say_what_and_what_to_do(write, tmp_path):
    with pytest.raises(SourceNotFound) as missing:
        read_source(tmp_path / "no.csv")
    assert "no.csv" in str(missing.value)
    assert missing.value.hint
    with pytest.raises(EmptySource):
        read_source(write("blank.csv", "\n \n"))
    with pytest.raises(UnreadableSource):
        read_source(write("pic.csv", bytes(range(256)) * 20))
    (tmp_path / "void").mkdir()
    with pytest.raises(EmptySource):
        read_source(tmp_path / "void")


def test_a_folder_names_the_files_that_are_no_tables(write, tmp_path):
    write("some/a.csv", "x,y\n1,2\n")
    write("some/cases.jsonl", '{"question": "How many?"}\n')
    write("some/.tabrouteignore", "# not data\ncases.*\n")
    results = read_source(tmp_path / "some")
    assert [result.document.name for result in results] == ["a.csv"]
    assert not results[0].report.skipped


def test_stored_types_come_back_as_their_texts(tmp_path):
    import sqlite3

    import duckdb

    path = tmp_path / "shop.parquet"
    duckdb.execute(
        "COPY (SELECT '007' AS code, 12.50::DECIMAL(9,2) AS price, DATE '2024-05-01' AS day, NULL"
        f" AS note, 9007199254740993 AS big) TO '{path}'"
    )
    (table,) = tables(path)
    assert rows(table) == [("007", "12.50", "2024-05-01", "", "9007199254740993")]
    assert [c.type.kind.value for c in table.columns][:3] == ["text", "decimal", "date"]

    connection = sqlite3.connect(tmp_path / "shop.db")
    connection.execute('CREATE TABLE "order items" (id INTEGER, sku TEXT, photo BLOB)')
    connection.execute("INSERT INTO \"order items\" VALUES (1, '0042', x'00FF')")
    connection.execute("CREATE TABLE empty (a TEXT)")
    connection.execute("CREATE VIEW v AS SELECT 1")
    connection.commit()
    connection.close()
    (result,) = read_source(tmp_path / "shop.db")
    items, empty = result.document.tables
    assert (items.name, rows(items)) == ("order items", [("1", "0042", "<2 bytes>")])
    assert (empty.headers, empty.row_count) == (("a",), 0)
    assert result.report.warnings == ("views are not read: v",)


def test_monthly_exports_of_one_header_are_one_table_with_its_files(write, tmp_path):
    write("sales/sales_2024-01.csv", "id,n\n1,5\n2,6\n")
    write("sales/sales_2024-02.csv", "id,n\n3,7\n")
    write("sales/shops.csv", "id,n\n9,9\n")
    shops, sales = tables(tmp_path / "sales")[::-1]
    assert sales.headers == ("id", "n", "Source file")
    assert rows(sales)[2] == ("3", "7", "sales_2024-02.csv")
    assert (sales.name, list(sales.lines)) == ("sales", [2, 3, 2])
    assert "2 files" in sales.warnings[0]
    assert shops.row_count == 1


def test_files_in_an_archive_are_read_like_a_folder(tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("in/x.csv", "a,b\n1,2\n")
        archive.writestr("readme.bin", b"\x00\x01")
    (result,) = read_source(tmp_path / "a.zip")
    assert result.document.name == "a.zip/in/x.csv"
    assert result.report.skipped[0][0] == "readme.bin"


def test_a_published_sheet_with_all_its_trappings_adds_up(tmp_path):
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    for row in (
        ["Table 4. Fees by branch (in thousands of euro)"],
        [],
        ["Branch", "Year ended Dec 31", None, "Share of fees", "Largest fee"],
        [None, "2023", "2024", None, None],
        ["Northern area"],
        ["Oslo", "1,200", "1,350", "12%", "$950"],
        ["Bergen", "(120)", "80", "8.5%", "n/a"],
        ["Subtotal", "1,080", "1,430", None, None],
        ["Southern area"],
        ["Rome", "1,520*", "n/a", "60%", "$1,100"],
        ["Bari", "400", "500", "19.5%", "$70"],
        ["Subtotal", "1,920", "500", None, None],
        ["Total", "3,000", "1,930", "100%", None],
        [],
        ["* Without the harbour office."],
    ):
        sheet.append(row)
    for merged in ("A1:E1", "A3:A4", "B3:C3", "D3:D4", "E3:E4", "A5:E5", "A9:E9"):
        sheet.merge_cells(merged)
    book.save(tmp_path / "fees.xlsx")
    (result,) = read_source(tmp_path / "fees.xlsx")
    (table,) = result.document.tables
    year = "Year ended Dec 31 > 2023"
    assert table.headers[:3] == ("Branch", year, "Year ended Dec 31 > 2024")
    assert [c.type.kind.value for c in table.columns[1:5]] == [
        *("integer", "integer", "decimal", "integer")
    ]
    assert [c.type.unit for c in table.columns[1:5]] == [
        *("thousands of euro", "thousands of euro", "%", "$")
    ]
    fees = table.column(year)
    data = [int(fees.canonical_at(int(row)) or 0) for row in table.data_rows]
    printed = [row for row in sorted(table.totals) if table.row(row)[0] == "Total"]
    assert sum(data) == int(fees.canonical_at(printed[0]) or 0) == 3000
    assert table.column("Section").cells()[:1] == ["Northern area"]
    (note,) = table.notes
    assert (note.marker, [table.row(r)[c] for r, c in note.cells]) == ("*", ["1,520*"])
    reasons = {aside.line: aside.reason for aside in result.report.tables[0].set_aside}
    assert sorted(reasons) == [1, 5, 9, 15]


def test_a_product_called_total_among_others_is_data_and_records_need_a_label(write):
    text = "cereal,sugar,fibre\nKix,3,1\nTotal,6,9\nTrix,12,5\nZest,4,2\n"
    (table,) = tables(write("c.csv", text))
    assert table.totals == frozenset()
    pairs = [{"part": "a", "n": 4211, "m": 977}, {"part": "b", "n": 1305, "m": 641}]
    both = {"part": "c", "n": 5516, "m": 1618}
    assert tables([*pairs, both], name="parts")[0].totals == frozenset()
    assert tables([*pairs, {**both, "part": "Total"}], name="parts")[0].totals == {2}


def test_a_word_among_numbers_makes_no_total_of_a_row_that_has_a_name(write):
    text = "plan,channels,provider,price\nA,40,X,10\nB,60,X,20\nPremium,All,X,35\n"
    assert tables(write("plans.csv", text))[0].totals == frozenset()
    text = "person,age,score\nAnn,30,3\nCy,40,2\nBob,Average,4\n"
    assert tables(write("people.csv", text))[0].totals == frozenset()


def test_balances_at_both_ends_are_marked_and_a_roll_forward_or_a_brand_is_data(write):
    text = (
        "day,what,kind,amount\n,Opening balance,,500\n2025-01-02,Rent,home,-20\n"
        "2025-01-03,Bread,food,-30\n2025-01-05,Tea,food,-5\n,Closing balance,,450\n"
    )
    assert tables(write("ledger.csv", text))[0].totals == {0, 4}
    text = "item,2023,2024\nOpening balance,5,7\nAdded,3,2\nSold,1,1\nClosing balance,7,9\n"
    assert tables(write("assets.csv", text))[0].totals == frozenset()
    text = "brand,goods,sold\nAcme,hats,7\nBolt,shoes,4\nBalance,shoes,1\n"
    assert tables(write("brands.csv", text))[0].totals == frozenset()


def test_a_workbook_shows_percent_and_money_where_its_cells_do(tmp_path):
    book = openpyxl.Workbook()
    for row in (["Item", "Share", "Price", "Kept"], ["Mug", 0.125, 4, True], ["Pan", 0.5, 4, 1]):
        book.active.append(row)
    for row, form in ((2, "$#,##0"), (3, "[$€-407]#,##0")):
        book.active.cell(row, 2).number_format = "0.0%"
        book.active.cell(row, 3).number_format = form
    book.active.append(["Lid", 0.5, 3, 5])
    book.save(tmp_path / "t.xlsx")
    (table,) = tables(tmp_path / "t.xlsx")
    assert rows(table) == [
        ("Mug", "12.5%", "$4", "TRUE"),
        ("Pan", "50%", "€4", "1"),
        ("Lid", "0.5", "3", "5"),
    ]


def test_a_wide_table_tells_the_groups_of_columns_that_its_rows_are_indexed_in():
    names = ["Shop", *(f"Day {n}" for n in range(1, 61))]
    rows = [[f"S{r}", *(str(r * n) for n in range(1, 61))] for r in range(1, 4)]
    result = read_source([names, *rows], name="days")[0]
    assert result.report.tables[0].column_groups == (24, 25, 14)
    narrow = read_source([names[:5], *(row[:5] for row in rows)], name="few")[0]
    assert narrow.report.tables[0].column_groups == ()


def test_a_table_of_lines_goes_on_after_the_edge_of_a_page():
    pages = (
        "Yearly report/Fees (in USD thousands)/| Plan | 2023 | 2024 |/|---|---|---|"
        "/| Basic | 1,200 | (50) |/| Pro | 300* | 80 |/Page 1 of 2",
        "Yearly report/| Plan | 2023 | 2024 |/| Max | 20 | 10 |/| Total | 1,520 | 40 |"
        "/* restated/More words.",
    )
    lines = [
        {"page_num": page, "line_num": number, "text": text}
        for page, texts in enumerate(pages, 1)
        for number, text in enumerate(texts.split("/"), 1)
    ]
    result = read_source(lines, name="fees")[0]
    (table,) = result.document.tables
    assert [table.row(row)[0] for row in range(4)] == ["Basic", "Pro", "Max", "Total"]
    assert table.totals == {3}
    assert table.column("2023").type.unit == "USD thousands"
    assert [table.page_of(row) for row in range(4)] == [1, 1, 2, 2]
    assert [(note.text, note.cells) for note in table.notes] == [("* restated", ((1, 1),))]
    assert "More words." in [paragraph.text for paragraph in result.document.paragraphs]


def test_two_tables_of_lines_with_prose_between_stay_two():
    texts = ["| A | B |", "| x | 1 |", "The second one:", "| A | C |", "| y | 2 |"]
    lines = [{"page_num": n // 3 + 1, "line_num": n, "text": t} for n, t in enumerate(texts)]
    assert len(read_source(lines, name="two")[0].document.tables) == 2


def test_text_of_a_page_outside_paragraphs_is_prose(write):
    page = (
        "<div>Open every day until noon.</div><table><tr><td>Bring a towel and shoes.</td></tr>"
        "</table><div><a href=/>Home</a> <a href=/x>More about the pools</a></div>"
    )
    document = read_source(write("pools.html", page))[0].document
    told = [paragraph.text for paragraph in document.paragraphs]
    assert told == ["Open every day until noon.", "Bring a towel and shoes."]


def test_lines_parted_once_are_a_table_where_several_stand_together():
    def lines(*texts):
        return [{"page_num": page, "line_num": n, "text": t} for n, (page, t) in enumerate(texts)]

    stock = lines((1, "Stock list"), (1, "Item | Qty"), (1, "Bolt | 10"), (2, "Nut | 20"))
    (table,) = read_source(stock)[0].document.tables
    assert table.headers == ("Item", "Qty")
    assert [table.row(n) for n in range(2)] == [("Bolt", "10"), ("Nut", "20")]
    assert table.pages == (1, 2)
    prose = lines((1, "Home | About"), (1, "We sell bolts."), (1, "Bolts | nuts | pins"))
    assert read_source(prose)[0].document.tables == ()
