"""OpenDocument workbooks: merged headers, dates, percent and money, hidden rows and sheets."""

import zipfile

from retrieval.reading import read_source

NAMES = "".join(
    f' xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (
        *(("office", "office"), ("table", "table"), ("text", "text"), ("style", "style")),
        *(("number", "datastyle"), ("fo", "xsl-fo-compatible")),
    )
)
STYLES = (
    '<number:date-style style:name="N1"><number:month/><number:year/></number:date-style>'
    '<style:style style:name="month" style:data-style-name="N1"/><style:style style:name="bold">'
    '<style:text-properties fo:font-weight="bold"/></style:style>'
)
MIMETYPE = "application/vnd.oasis.opendocument.spreadsheet"
MANIFEST = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{MIMETYPE}"/>'
    "</manifest:manifest>"
)


def cell(kind, value, shown, span=""):
    name = {"string": "string-value", "date": "date-value"}.get(kind, "value")
    told = f'office:value-type="{kind}" office:{name}="{value}"'
    if kind == "currency":
        told += ' office:currency="EUR"'
    return f"<table:table-cell {told} {span}><text:p>{shown}</text:p></table:table-cell>"


def words(*texts):
    return "".join(cell("string", text, text) for text in texts)


def row(cells, more=""):
    return f"<table:table-row {more}>{cells}</table:table-row>"


def write(path, *rows, columns=""):
    sheet = f'<table:table table:name="Huts">{columns}{"".join(rows)}</table:table>'
    content = (
        f'<?xml version="1.0"?><office:document-content{NAMES}>'
        f"<office:automatic-styles>{STYLES}</office:automatic-styles><office:body>"
        f"<office:spreadsheet>{sheet}</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", MIMETYPE)
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", MANIFEST)


def test_cells_are_read_as_they_are_shown(tmp_path):
    path = tmp_path / "huts.ods"
    group = cell("string", "Guests", "Guests", 'table:number-columns-spanned="2"')
    covered = "<table:covered-table-cell/>"
    write(
        path,
        row(words("Hut") + group + covered + words("Opened", "Full", "Price", "Code")),
        row("<table:table-cell/>" + words("2023", "2024")),
        *(
            row(
                cell("string", name, name)
                + cell("float", guests, guests)
                + cell("float", guests + 2, guests + 2)
                + cell("date", f"200{guests % 10}-05-03", "3.5.")
                + cell("percentage", "0.125", "12,5 %")
                + cell("currency", "7.5", "7,50 €")
                + cell("float", guests, f"00{guests}"),
                more,
            )
            for name, guests, more in (
                ("Adler", 11, ""),
                ("Berg", 22, 'table:visibility="collapse"'),
            )
        ),
    )
    (result,) = read_source(path)
    (table,) = result.document.tables
    assert table.headers[:3] == ("Hut", "Guests > 2023", "Guests > 2024")
    assert table.row(0) == ("Adler", "11", "13", "2001-05-03", "12.5%", "EUR 7.5", "0011")
    assert [c.type.unit for c in table.columns[4:6]] == ["%", "EUR"]
    assert table.columns[6].type.kind.value == "text"
    assert any("1 hidden row(s) in the sheet (4)" in warning for warning in table.warnings)


def in_style(name, xml):
    return xml.replace("<table:table-cell", f'<table:table-cell table:style-name="{name}"')


def test_months_in_headers_bold_sections_errors_and_hidden_columns_are_seen(tmp_path):
    path = tmp_path / "huts.ods"
    months = (in_style("month", cell("date", f"2024-0{n}-01", "x")) for n in (1, 2))
    failed = '<table:table-cell table:formula="of:=1/0"><text:p>Err:532</text:p></table:table-cell>'
    write(
        path,
        row(words("Hut") + "".join(months)),
        row(in_style("bold", words("South"))),
        row(words("Adler") + cell("float", 3, 3) + cell("float", 4, 4)),
        row(words("Berg") + cell("float", 5, 5) + failed),
        row(in_style("bold", words("North"))),
        row(words("Kees") + cell("float", 7, 7) + cell("float", 8, 8)),
        columns='<table:table-column table:number-columns-repeated="2"/>'
        '<table:table-column table:visibility="collapse"/>',
    )
    (table,) = read_source(path)[0].document.tables
    assert table.headers == ("Hut", "Jan 2024", "Feb 2024", "Section")
    assert table.columns[3].cells() == ["South", "South", "North"]
    assert table.columns[2].type.kind.value == "integer"
    assert "1 error cell (Err:532)" in table.columns[2].type.warnings[0]
    assert any("hidden column(s) C" in warning for warning in table.warnings)
