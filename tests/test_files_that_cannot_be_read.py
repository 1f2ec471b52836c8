"""What is wrong with a file is told with what to do next; a wrong name refuses none."""

import io
import json
import sqlite3
import zipfile

import pytest

from retrieval.errors import EmptySource, SourceError, UnreadableSource
from retrieval.reading import read_source
from router import Router


def workbook():
    import openpyxl

    book = openpyxl.Workbook()
    for cells in (("hut", "beds"), ("Adler", 12), ("Berg", 7)):
        book.active.append(cells)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def archive(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as zipped:
        for name, data in members.items():
            zipped.writestr(name.replace("__", "/"), data)
    return stream.getvalue()


LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le")


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("huts.zip", archive(a="x" * 999)[:80], "damaged, cut off or no zip archive"),
        ("huts.zip", b"", "the file is empty"),
        ("huts.xlsx", LOCKED, "locked by a password"),
        ("huts.xlsx", workbook()[:2000], "damaged or cut off"),
        ("huts.xlsx", archive(word__document="<x/>"), "a Word document, not a workbook"),
        ("huts.parquet", b"PAR1" + b"x" * 90, "not a readable Parquet file"),
        ("huts.arrow", b"ARROW1\x00\x00" + b"x" * 90, "not a readable Arrow file"),
        ("huts.sqlite", b"SQLite format 3\x00" + b"x" * 90, "not a readable SQLite database"),
        ("huts.csv", b"\x89PNG\r\n\x1a\n" + bytes(90), "the file is a PNG image"),
        ("huts.csv.gz", b"\x1f\x8b\x08" + bytes(90), "unpack it first"),
        ("huts.csv", bytes(range(256)) * 9, "binary, not text"),
        ("huts.csv", b"x" * 2_100_000, "one line of 2,100,000 characters"),
        ("huts.csv", b"1," * 100_001, "a line holds 100,002 cells"),
        ("huts.csv", bytes(500), "the file is empty"),
        ("huts.json", b"[" * 100_000, "nested too deeply"),
        ("huts.json", b'{"a": ', "line 1 is not JSON"),
        ("huts.json", b"5", "holds no list of objects"),
        ("huts.html", b"<html><body><a href='x'>home</a></body></html>", "no table and no prose"),
    ],
)
def test_an_error_says_what_and_where_and_what_to_do(name, data, told, tmp_path):
    path = tmp_path / name
    path.write_bytes(data)
    router = Router(writer="offline")
    router.add([{"hut": "Tal", "beds": 3}], name="kept")
    with pytest.raises(SourceError) as caught:
        router.add(str(path))
    message = str(caught.value)
    assert told in message
    assert name in message
    assert "\n" not in message
    assert "/tmp" not in message.replace(str(tmp_path), "")
    assert caught.value.hint
    assert [table.document for table in router.tables()] == ["kept"]


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("huts.csv", workbook(), "a workbook"),
        ("huts.xls", b"<html><table><tr><th>hut<th>beds<tr><td>Adler<td>12</table>", "HTML"),
        ("huts.xlsx", b"hut;beds\nAdler;12\n", "text"),
        ("huts.parquet", b"hut\tbeds\nAdler\t12\n", "text"),
        ("huts.xls", json.dumps([{"hut": "Adler", "beds": 12}]).encode(), "JSON"),
    ],
)
def test_a_file_under_the_wrong_name_is_read_by_its_content_and_it_is_told(
    name, data, kind, tmp_path
):
    path = tmp_path / name
    path.write_bytes(data)
    (result,) = read_source(path)
    (table,) = result.document.tables
    assert table.headers == ("hut", "beds")
    assert table.row(0) == ("Adler", "12")
    suffix = path.suffix
    assert result.report.warnings == (
        f"named {suffix}, but its content is {kind}: read as that",
    ) or result.report.warnings[0].endswith(f"its content is {kind}: read as that")


def test_a_database_without_tables_is_empty(tmp_path):
    path = tmp_path / "none.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("VACUUM")
    with pytest.raises(EmptySource, match="holds no table"):
        read_source(path)


def test_half_a_letter_at_the_end_of_a_file_is_told(tmp_path):
    path = tmp_path / "huts.csv"
    path.write_bytes("hut,beds\nAdler,12\n".encode("utf-16-le") + b"\n")
    (result,) = read_source(path)
    assert result.document.tables[0].row(0) == ("Adler", "12")
    assert "cut off" in result.report.warnings[0]


def test_ten_thousand_columns_load(tmp_path):
    path = tmp_path / "wide.csv"
    names = ",".join(f"c{n}" for n in range(10_000))
    path.write_text(f"{names}\n{','.join(map(str, range(10_000)))}\n", encoding="utf-8")
    assert len(read_source(path)[0].document.tables[0].columns) == 10_000


def test_an_archive_in_a_folder_is_named_and_the_rest_loads(tmp_path):
    (tmp_path / "huts.csv").write_text("hut,beds\nAdler,12\n", encoding="utf-8")
    (tmp_path / "bad.xlsx").write_bytes(workbook()[:500])
    (result,) = read_source(tmp_path)
    ((name, why),) = result.report.skipped
    assert name == "bad.xlsx"
    assert "damaged or cut off" in why


def test_a_name_of_no_format_is_told_by_what_the_file_holds(tmp_path):
    path = tmp_path / "huts"
    path.write_bytes(b"GIF89a" + bytes(50))
    with pytest.raises(UnreadableSource, match="a GIF image"):
        read_source(path)
