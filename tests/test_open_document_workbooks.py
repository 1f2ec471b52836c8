"""OpenDocument workbooks: merged headers, dates, percent and money, hidden rows and sheets."""

import zipfile

from retrieval.reading import read_source

NAMES = "".join(
    f' xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (("office", "office"), ("table", "table"), ("text", "text"))
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


def write(path, *rows):
    sheet = f'<table:table table:name="Huts">{"".join(rows)}</table:table>'
    content = (
        f'<?xml version="1.0"?><office:document-content{NAMES}><office:body>'
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
