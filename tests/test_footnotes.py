"""Footnotes are bound to the cells that carry their mark, wherever a page tells them."""

import pytest

from retrieval.reading import read_source
from retrieval.table import Note

PAGES = {
    "links.html": """
        <table><tr><th>Port</th><th>Cargo (kt)<sup><a href="#fn1">1</a></sup></th></tr>
        <tr><td>Alda<a href="#fn2"><sup>2</sup></a></td><td>12</td></tr>
        <tr><td>Bree</td><td>7<sup id="back"><a href="#fn1">[1]</a></sup></td></tr></table>
        <ol><li id="fn1"><a href="#back">^</a> without ferries</li><li id="fn2">2. new</li></ol>""",
    "under.html": """
        <table><tr><th>Port</th><th>Cargo (kt)<sup>1</sup></th></tr>
        <tr><td>Alda<sup>2)</sup></td><td>12</td></tr>
        <tr><td>Bree</td><td>7<sup>1</sup></td></tr></table>
        <div class="notes"><sup>1</sup> without ferries<br>2) new</div><p>Nothing more.</p>""",
    "under.md": """| Port | Cargo (kt)<sup>1</sup> |
|---|---|
| Alda<sup>2</sup> | 12 |
| Bree | 7<sup>1</sup> |

<sup>1</sup> without ferries
[2] new
""",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_note_is_bound_to_its_cells(tmp_path, name):
    path = tmp_path / name
    path.write_text(PAGES[name], encoding="utf-8")
    (table,) = read_source(path)[0].document.tables
    notes = {note.marker: (note.text.split(maxsplit=1)[1], note.cells) for note in table.notes}
    assert table.headers == ("Port", "Cargo (kt)")
    assert table.row(0) == ("Alda", "12")
    assert notes == {"1": ("without ferries", ((-1, 1), (1, 1))), "2": ("new", ((0, 0),))}


def test_a_line_under_the_next_heading_is_no_note(tmp_path):
    path = tmp_path / "t.html"
    path.write_text(
        "<table><tr><th>Port</th><th>Cargo</th></tr><tr><td>Alda*</td><td>1</td></tr></table>"
        "<h2>Roads</h2><p>* in winter only</p>",
        encoding="utf-8",
    )
    assert read_source(path)[0].document.tables[0].notes == ()


def test_marks_behind_names_are_bound_and_the_names_are_found(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "Port,Area (m²),Rate\nAlda¹,12 km²,A\nBree†,7 km²,A*\nCour,5 km²,B\n"
        "¹ with ferries\n† closed in winter\n",
        encoding="utf-8",
    )
    (table,) = read_source(path)[0].document.tables
    assert table.column("Port").cells() == ["Alda", "Bree", "Cour"]
    assert table.column("Rate").cells() == ["A", "A*", "B"]
    notes = {note.marker: note.cells for note in table.notes}
    assert notes == {"¹": ((0, 0),), "†": ((1, 0),)}


def test_a_note_that_opens_with_its_mark_is_told_with_it_once():
    assert Note("*", "* Restated").told == "* Restated"
    assert Note("^1", "[^1] Working days.").told == "[^1] Working days."
    assert Note("a", "Restated").told == "a Restated"
    assert Note("", "Source: survey").told == "Source: survey"
    assert Note("b", "").told == "b"
